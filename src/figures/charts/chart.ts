/**
 * What a chart shows: axes and series. Types only, independent of the drawing library,
 * so that programs do not need its types.
 */

export interface ChartAxis {
  readonly label: string;
  /** Logarithmic: all values must be positive. */
  readonly log?: boolean;
  /** The axis covers these two values and all between, besides what is drawn: the same range makes charts comparable. */
  readonly range?: readonly [number, number];
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
  /** Which colour and marker it has, counted from 0: the same in every chart. By default, its place in the chart. */
  readonly style?: number;
  /** A dashed line, for example for a baseline. */
  readonly dashed?: boolean;
  /** Markers on the points: on all of them, or on some if there are many. On by default. */
  readonly markers?: boolean;
  /** Points alone, small and pale, below everything else: for thousands of them. */
  readonly cloud?: boolean;
}
