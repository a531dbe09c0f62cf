/**
 * How the series of a chart are told apart: by colour, and in grey print by the shape
 * of their markers or, without markers, by their dashes. Markers on long lines are
 * staggered, so that those of lines that run close together do not hide one another.
 *
 * Colours are those of Okabe and Ito, chosen for all common kinds of colour vision,
 * except for the yellow, which is too faint on white paper. From the eighth series
 * on, the colours repeat, dashed.
 *
 * [Okabe08] M. Okabe, K. Ito. Color Universal Design, 2008.
 *           https://jfly.uni-koeln.de/color/
 */

import * as Plot from "@observablehq/plot";
import type { ChartPoint, ChartSeries } from "./chart.js";
import { type SvgDocument, svgNamespace } from "./svgDocument.js";

export interface SeriesStyle {
  readonly color: string;
  /** An SVG dash array; empty for a solid line. */
  readonly dashes: string;
  readonly symbol: (typeof symbols)[number];
}

const blue = "#0072b2";
const vermilion = "#d55e00";
const green = "#009e73";
const purple = "#cc79a7";
const orange = "#e69f00";
const skyBlue = "#56b4e9";
const black = "#000000";
const grey = "#808080";

const colors = [blue, vermilion, green, purple, orange, skyBlue, black] as const;

const symbols = ["circle", "square", "triangle", "diamond", "cross", "star", "wye"] as const;
const dashPatterns = ["7 4", "2 4", "9 4 2 4", "12 4", "5 3 2 3 2 3"] as const;

/** Lines with more points than this have `fewMarkers` markers only. */
const maxMarkers = 15;
const fewMarkers = 10;

/** The style of the series at this place in a chart. */
export function seriesStyle(series: ChartSeries, place: number): SeriesStyle {
  const index = series.style ?? place;
  const solid = index < colors.length && (series.markers !== false || index === 0);
  const dashed = series.dashed ?? !solid;
  if (series.cloud) return { color: grey, dashes: "", symbol: "circle" };
  return {
    color: colors[index % colors.length],
    dashes: dashed ? dashPatterns[index % dashPatterns.length] : "",
    symbol: symbols[index % symbols.length],
  };
}

/** All points of a series as one path: an element for each would make the file several times as large. */
export function cloudMark({ points }: ChartSeries, { color }: SeriesStyle): Plot.Markish {
  const render: Plot.RenderFunction = (_index, { x, y }, _values, _dimensions, context) => {
    const path = (context.document as unknown as SvgDocument).createElementNS(svgNamespace, "path");
    const place = ({ x: px, y: py }: ChartPoint) => `M${x!(px).toFixed(1)} ${y!(py).toFixed(1)}h0`;
    path.setAttribute("d", points.filter(isDrawn).map(place).join(""));
    path.setAttribute("stroke", color);
    path.setAttribute("stroke-width", 2.5);
    path.setAttribute("stroke-linecap", "round");
    path.setAttribute("stroke-opacity", 0.5);
    return path as unknown as SVGElement;
  };
  return render;
}

type Positions = Pick<Plot.LineOptions, "x" | "y">;

/** The line of a series through `data`, at the positions given. */
export function lineMark(data: Plot.Data, style: SeriesStyle, positions: Positions): Plot.Markish {
  const { color: stroke, dashes } = style;
  return Plot.line(data, { ...positions, stroke, strokeWidth: 2, strokeDasharray: dashes || "none" });
}

/** The markers of a series, with a white rim that sets them off from the line. */
export function dotMark(data: Plot.Data, style: SeriesStyle, positions: Positions): Plot.Markish {
  const { color: fill, symbol } = style;
  return Plot.dot(data, { ...positions, fill, symbol, r: 4.5, stroke: "white", strokeWidth: 0.75 });
}

/**
 * The points that get a marker: all or, if they are many, some that are evenly spaced by `position`
 * (unless the series has no markers), and points without a neighbour to draw a line to. `phase`, in
 * [0, 1), moves the markers of a long line by a part of their distance.
 */
export function markedPoints(
  series: ChartSeries,
  position: (point: ChartPoint) => number,
  phase = 0,
): ChartPoint[] {
  const drawn = series.points.filter(isDrawn);
  const isolated = series.points.filter((point, i) => isDrawn(point) && !hasNeighbour(series.points, i));
  if (series.markers === false) return isolated;
  if (drawn.length <= maxMarkers) return drawn;
  const chosen = new Set([...spread(drawn, position, phase), ...isolated]);
  return drawn.filter((point) => chosen.has(point));
}

/** Whether a point is drawn; one whose value is NaN leaves a gap. */
export function isDrawn(point: ChartPoint): boolean {
  return !Number.isNaN(point.y);
}

function hasNeighbour(points: readonly ChartPoint[], i: number): boolean {
  return [points[i - 1], points[i + 1]].some((point) => point !== undefined && isDrawn(point));
}

/** The first point at or beyond each of `fewMarkers` equally spaced positions, one less if they begin at a phase. */
function spread(
  points: readonly ChartPoint[],
  position: (point: ChartPoint) => number,
  phase: number,
): ChartPoint[] {
  const positions = points.map(position);
  const [from, to] = findExtent(positions);
  const step = (to - from) / (fewMarkers - 1);
  const count = phase === 0 ? fewMarkers : fewMarkers - 1;
  const targets = Array.from({ length: count }, (_, k) => Math.min(to, from + (k + phase) * step));
  return targets.map((target) => points[positions.findIndex((x) => x >= target)]);
}

/** The smallest and the largest of some numbers. */
export function findExtent(values: readonly number[]): [number, number] {
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return [min, max];
}
