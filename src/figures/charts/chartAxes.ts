/**
 * The axes of a chart, linear or logarithmic: their scales, grid, ticks and labels.
 *
 * An axis spans the values that are drawn; a linear vertical one is extended to
 * round numbers. A logarithmic axis of two decades or more has grid lines at powers
 * of ten only, since lines at every tick would hide the curves.
 */

import * as Plot from "@observablehq/plot";
import type { ChartAxis, ChartSeries } from "./chart.js";
import { findExtent, isDrawn } from "./chartSeries.js";

/** An axis, its direction, and the range of its values. */
export interface Span {
  readonly along: "x" | "y";
  readonly label: string;
  readonly log: boolean;
  readonly min: number;
  readonly max: number;
}

/** The colours of a chart besides those of its series. */
export interface Inks {
  readonly ink: string;
  readonly grid: string;
  readonly gridOpacity: number;
}

export const onPaper: Inks = { ink: "#222222", grid: "#e4e4e4", gridOpacity: 1 };
/** The colour of the surrounding text, light or dark. */
export const onPage: Inks = { ink: "currentColor", grid: "currentColor", gridOpacity: 0.15 };

const fontSize = 12;

/** Pixels between ticks, and from the frame to the label of the axis. */
const tickSpacing = { x: 80, y: 40 } as const;
const labelOffset = { x: 40, y: 56 } as const;

const units = [
  ["T", 1e12],
  ["G", 1e9],
  ["M", 1e6],
  ["k", 1e3],
] as const;

/** The span of the series along an axis and of the range asked for, widened if all values are equal. */
export function axisSpan(along: "x" | "y", axis: ChartAxis, series: readonly ChartSeries[]): Span {
  const drawn = series.flatMap(({ points }) => points.filter(isDrawn));
  const [min, max] = findExtent([...drawn.map((point) => point[along]), ...(axis.range ?? [])]);
  const log = axis.log === true;
  const span = { along, label: axis.label, log, min, max };
  if (min < max) return span;
  if (log) return { ...span, min: min / 2, max: max * 2 };
  const half = Math.abs(min) / 2 || 1;
  return { ...span, min: min - half, max: max + half };
}

export function axisScale({ along, log, min, max }: Span): Plot.ScaleOptions {
  return { type: log ? "log" : "linear", domain: [min, max], nice: along === "y" && !log };
}

/** The grid, the axes and the lines along them. */
export function axisMarks(x: Span, y: Span, inks: Inks): Plot.Markish[] {
  const { ink: stroke } = inks;
  return [
    Plot.gridX(gridOptions(x, inks)),
    Plot.gridY(gridOptions(y, inks)),
    Plot.axisX(axisOptions(x, inks)),
    Plot.axisY(axisOptions(y, inks)),
    Plot.frame({ stroke, anchor: "bottom" }),
    Plot.frame({ stroke, anchor: "left" }),
  ];
}

function gridOptions({ along, log, min, max }: Span, inks: Inks): Plot.GridXOptions & Plot.GridYOptions {
  const look = { stroke: inks.grid, strokeOpacity: inks.gridOpacity };
  const first = Math.ceil(Math.log10(min));
  const last = Math.floor(Math.log10(max));
  if (!log || last - first < 2) return { ...look, tickSpacing: tickSpacing[along] };
  return { ...look, ticks: Array.from({ length: last - first + 1 }, (_, i) => Number(`1e${first + i}`)) };
}

function axisOptions(span: Span, { ink }: Inks): Plot.AxisXOptions & Plot.AxisYOptions {
  const { along, label } = span;
  return {
    label,
    labelAnchor: "center",
    labelArrow: "none",
    labelOffset: labelOffset[along],
    fontSize,
    color: ink,
    tickSpacing: tickSpacing[along],
    ...(isPlain(span) ? {} : { tickFormat: shortNumber }),
  };
}

/** Whether the numbers of an axis are short as d3 writes them, all with the same number of decimals. */
function isPlain({ log, min, max }: Span): boolean {
  const largest = Math.max(Math.abs(min), Math.abs(max));
  return !log && largest >= 0.01 && largest < 1e4;
}

/** 20000 → "20k", 1500000 → "1.5M", 0.00002 → "2e−5". */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  const unit = size >= 1e4 && size < 1e15 ? units.find(([, factor]) => size >= factor) : undefined;
  const digits = Number((value / (unit?.[1] ?? 1)).toPrecision(9));
  const text = size > 0 && (size < 1e-3 || size >= 1e15) ? digits.toExponential() : String(digits);
  return text.replace("e+", "e").replaceAll("-", "−") + (unit?.[0] ?? "");
}
