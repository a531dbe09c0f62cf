/**
 * Several line charts as one SVG picture, row by row, below one title and one legend. A series has the same colour and
 * marker in all panels.
 */

import * as Plot from "@observablehq/plot";
import { inputError } from "../../core/errors.js";
import { requireInteger } from "../../core/require.js";
import { escapeMarkup } from "../pages/markup.js";
import type { ChartAxis, ChartSeries } from "./chart.js";
import { onPaper } from "./chartAxes.js";
import { chartHeading } from "./chartLabels.js";
import { findExtent, isDrawn, seriesStyle } from "./chartSeries.js";
import { type LineChartOptions, lineChart } from "./lineChart.js";
import { SvgDocument, type SvgElement, svgNamespace, svgText } from "./svgDocument.js";

export type ChartPanel = Pick<LineChartOptions, "title" | "x" | "y" | "series">;

export interface ChartPanelsOptions {
  readonly title: string;
  /** Panels per row. */
  readonly columns: number;
  /** At least one. Series with the same label are one series. */
  readonly panels: readonly ChartPanel[];
  /** Pixels of a panel. */
  readonly width?: number;
  readonly height?: number;
}

/** Two panels are as wide as a page. */
const panelSize = { width: 476, height: 300 } as const;

/** The picture, as the text of an SVG file. */
export function chartPanels({ title, columns, panels, ...size }: ChartPanelsOptions): string {
  requireInteger("chartPanels", "columns", columns, 1);
  if (panels.length === 0) throw inputError("chartPanels", "panels", "must hold at least one panel", panels);
  const panel = { ...panelSize, ...size };
  const series = eachOnce(panels.flatMap((one) => one.series));
  const styles = new Map(series.map(({ label, style }) => [label, style]));
  const width = panel.width * Math.min(columns, panels.length);
  const heading = drawHeading(title, series, width);
  const charts = panels.map((one, i) => {
    const own = one.series.map((drawn) => ({ ...drawn, style: styles.get(drawn.label)! }));
    const chart = lineChart({ ...one, ...panel, series: own, legend: false });
    return place(chart, (i % columns) * panel.width, heading.height + Math.floor(i / columns) * panel.height);
  });
  const height = heading.height + Math.ceil(panels.length / columns) * panel.height;
  const area = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const sheet = '<rect width="100%" height="100%" fill="white"/>';
  const name = `role="img" aria-label="${escapeMarkup(title)}"`;
  return `<svg xmlns="${svgNamespace}" ${area} ${name}>${sheet}${place(heading.svg, 0, 0)}${charts.join("")}</svg>`;
}

/** The panels, with the vertical axes of all covering the same range. */
export function withSameHeights(panels: readonly ChartPanel[]): ChartPanel[] {
  const drawn = panels.flatMap(({ series }) => series.flatMap(({ points }) => points.filter(isDrawn)));
  const range = findExtent(drawn.map(({ y }) => y));
  return panels.map((panel) => ({ ...panel, y: { ...panel.y, range } satisfies ChartAxis }));
}

/** Each series at its first place, with the style of that place unless it has its own. */
function eachOnce(all: readonly ChartSeries[]): (ChartSeries & { readonly style: number })[] {
  const first = all.filter(({ label }, i) => all.findIndex((one) => one.label === label) === i);
  return first.map((one, i) => ({ ...one, style: one.style ?? i }));
}

function drawHeading(
  title: string,
  series: readonly ChartSeries[],
  width: number,
): { readonly svg: string; readonly height: number } {
  const { height, marks } = chartHeading(title, series, series.map(seriesStyle), width);
  const svg = Plot.plot({
    ...{ document: new SvgDocument() as unknown as Document, width, height, margin: 0, axis: null },
    marks: [...marks],
  });
  return { svg: svgText(svg as unknown as SvgElement, onPaper.ink), height };
}

function place(svg: string, x: number, y: number): string {
  return svg.replace(/^<svg /, `<svg x="${x}" y="${y}" `);
}
