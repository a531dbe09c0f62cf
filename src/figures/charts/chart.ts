/**
 * What a chart shows: axes and series. Types only, independent of the drawing library,
 * so that programs do not need its types.
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
  /** In the order in which the line connects them. */
  readonly points: readonly ChartPoint[];
  /** A dashed line, for example for a baseline. */
  readonly dashed?: boolean;
  /** Markers on the points: on all of them, or on some if there are many. On by default. */
  readonly markers?: boolean;
  /** Points alone, small and pale, below everything else: for thousands of them. */
  readonly cloud?: boolean;
}
