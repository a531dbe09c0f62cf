/**
 * Line charts as standalone SVG, made with Observable Plot: linear or logarithmic
 * axes with labels, a title and a legend above the frame, on white. All text is at
 * least 12 pixels high, so that a chart of the default width of 640 pixels can be read
 * in one column of a paper. A chart within a page has the page's colours, light or
 * dark, and the name of each line where it ends.
 *
 * Its parts: chartAxes.ts, chartLabels.ts, chartSeries.ts. svgDocument.ts replaces the
 * browser's document, even in browsers, so that the SVG is the same everywhere.
 */

import * as Plot from "@observablehq/plot";
import {
  type ArgumentType,
  byRule,
  flag,
  listOf,
  numberList,
  type OptionTypes,
  record,
  required,
  requireOptions,
  text,
} from "../../core/arguments/argumentTypes.js";
import { InputError, inputError } from "../../core/errors.js";
import { requireInteger, requireOneOf } from "../../core/require.js";
import type { ChartAxis, ChartPoint, ChartSeries } from "./chart.js";
import { axisMarks, axisScale, axisSpan, onPage, onPaper } from "./chartAxes.js";
import { chartHeading, endMark, endWidth, type Heading } from "./chartLabels.js";
import {
  cloudMark,
  dotMark,
  isDrawn,
  lineMark,
  markedPoints,
  type SeriesStyle,
  seriesStyle,
} from "./chartSeries.js";
import { SvgDocument, type SvgElement, svgNamespace, svgText } from "./svgDocument.js";

export interface LineChartOptions {
  readonly title: string;
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  /** At least one series, with at least one point that is drawn. */
  readonly series: readonly ChartSeries[];
  /** Pixels, at least 240. */
  readonly width?: number;
  /** Pixels; at least 80 must be left for the frame below the title and the legend. */
  readonly height?: number;
  /** The legend of the look `paper`; on by default. */
  readonly legend?: boolean;
  /** `paper`: black on white, with a legend; `page`: in the colours of the page, with names at the ends of the lines. */
  readonly look?: "paper" | "page";
}

const lineChartTypes: OptionTypes<LineChartOptions> = {
  title: required(text),
  x: required(record),
  y: required(record),
  series: required(listOf(record, "a list of series")),
  width: byRule,
  height: byRule,
  legend: flag,
  look: byRule,
};
const axisTypes: OptionTypes<ChartAxis> = { label: required(text), log: flag, range: numberList };
const point: ArgumentType = {
  words: "a point { x, y }",
  accepts: (value) => record.accepts(value) && typeof (value as ChartPoint).x === "number",
};
const seriesTypes: OptionTypes<ChartSeries> = {
  label: required(text),
  points: required(listOf(point, "a list of points { x, y }")),
  style: byRule,
  dashed: flag,
  markers: flag,
  cloud: flag,
};

const lineChartDefaults = { width: 640, height: 420, legend: true, look: "paper" } as const;

/** Pixels around the frame, except above it; `inset` is between the frame and the points. */
const margin = { right: 18, bottom: 48, left: 64, inset: 9 } as const;
const minSize = { chartWidth: 240, frameHeight: 80 } as const;

/**
 * The chart, as the text of an SVG file; an HTML page can include it unchanged.
 *
 * @example
 * lineChart({
 *   title: "Learning curve",
 *   x: { label: "examples seen" },
 *   y: { label: "RMSE", log: true },
 *   series: [{ label: "held out", points: [{ x: 512, y: 9.1 }, { x: 1024, y: 7.4 }] }],
 * });
 */
export function lineChart(options: LineChartOptions): string {
  requireOptions("lineChart", options, lineChartTypes);
  requireOptions("lineChart: x", options.x, axisTypes);
  requireOptions("lineChart: y", options.y, axisTypes);
  for (const one of options.series) {
    requireOptions("lineChart: series", one, seriesTypes);
    requireInteger("lineChart: series", "style", one.style ?? 0, 0);
  }
  const { width, height, title, series, look, legend } = { ...lineChartDefaults, ...options };
  requireInteger("lineChart", "width", width, minSize.chartWidth);
  requireSeries(options);
  const styles = series.map(seriesStyle);
  requireOneOf("lineChart", "look", look, ["paper", "page"]);
  const heading = chartHeading(title, look === "page" || !legend ? [] : series, styles, width);
  requireInteger("lineChart", "height", height, heading.height + minSize.frameHeight + margin.bottom);
  return draw(options, heading, styles, { width, height });
}

function draw(
  { title, series, look, ...axes }: LineChartOptions,
  heading: Heading,
  styles: readonly SeriesStyle[],
  size: { readonly width: number; readonly height: number },
): string {
  const x = axisSpan("x", axes.x, series);
  const y = axisSpan("y", axes.y, series);
  const inPage = look === "page";
  const inks = inPage ? onPage : onPaper;
  const svg = Plot.plot({
    document: new SvgDocument() as unknown as Document,
    ariaLabel: title,
    ...size,
    marginTop: heading.height,
    marginRight: margin.right + (inPage ? endWidth(series) : 0),
    marginBottom: margin.bottom,
    marginLeft: margin.left,
    inset: margin.inset,
    x: axisScale(x),
    y: axisScale(y),
    marks: [
      ...(inPage ? [] : [whiteBackground]),
      ...heading.marks,
      ...axisMarks(x, y, inks),
      ...seriesMarks(series, styles, x.log),
      ...(inPage ? [endMark(series, inks.ink)] : []),
    ],
  });
  return svgText(svg as unknown as SvgElement, inks.ink);
}

function requireSeries({ x, y, series }: LineChartOptions): void {
  for (const [name, axis] of Object.entries({ x, y })) requireRange(name, axis);
  if (!series.some(({ points }) => points.some(isDrawn))) {
    throw inputError("lineChart", "series", "must hold at least one point to draw", series);
  }
  for (const { label, points } of series) {
    points.forEach((point, i) => {
      requireValue(`x of point ${i} of "${label}"`, point.x, x);
      if (isDrawn(point)) requireValue(`y of point ${i} of "${label}"`, point.y, y);
    });
  }
}

function requireRange(name: string, axis: ChartAxis): void {
  const { range = [1, 1] } = axis;
  if (range.length !== 2) throw inputError(`lineChart: ${name}`, "range", "must be two numbers", range);
  for (const value of range) requireValue(`range of ${name}`, value, axis);
}

function requireValue(name: string, value: number, { log }: ChartAxis): void {
  if (Number.isFinite(value) && (log !== true || value > 0)) return;
  const rule = log === true ? "positive, for a logarithmic axis" : "finite";
  throw new InputError(`lineChart: ${name} must be ${rule}, got ${value}`);
}

/** Clouds at the bottom, then lines, then markers. */
function seriesMarks(
  series: readonly ChartSeries[],
  styles: readonly SeriesStyle[],
  log: boolean,
): Plot.Markish[] {
  const position = (point: { readonly x: number }) => (log ? Math.log(point.x) : point.x);
  const positions = { x: "x", y: "y" } as const;
  const styled = series.map((one, i) => ({ one, style: styles[i] }));
  const lines = styled.filter(({ one }) => !one.cloud);
  return [
    ...styled.filter(({ one }) => one.cloud).map(({ one, style }) => cloudMark(one, style)),
    ...lines.map(({ one, style }) => lineMark([...one.points], style, positions)),
    ...lines.map(({ one, style }, i) =>
      dotMark(markedPoints(one, position, i / lines.length), style, positions),
    ),
  ];
}

/** Viewers may show SVG on any background. */
const whiteBackground: Plot.RenderFunction = (_index, _scales, _values, { width, height }, context) => {
  const rectangle = (context.document as unknown as SvgDocument).createElementNS(svgNamespace, "rect");
  rectangle.setAttribute("width", width);
  rectangle.setAttribute("height", height);
  rectangle.setAttribute("fill", "white");
  return rectangle as unknown as SVGElement;
};
