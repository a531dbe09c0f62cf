/**
 * What a chart shows: axes and series. Types alone, free of what draws them, so that
 * programs need no types of the drawing library.
 */

export interface ChartAxis {
  readonly label: string;
  /** Logarithmic: all values must be positive. */
  readonly log?: boolean;
}

export interface ChartPoint {
  readonly x: number;
  readonly y: number;
}

export interface ChartSeries {
  /** Its name in the legend; one series alone with an empty name has no legend. */
  readonly label: string;
  /** In the order in which the line joins them. */
  readonly points: readonly ChartPoint[];
  /** A dashed line, as for a baseline. */
  readonly dashed?: boolean;
  /** Markers on the points, all of them or, where they are many, some. On, if not said. */
  readonly markers?: boolean;
}
