/**
 * The names of lines where they end, to the right of the frame: what a legend says,
 * without the way from the legend to the line. Names that would overlap move apart.
 */

import type * as Plot from "@observablehq/plot";
import type { ChartPoint, ChartSeries } from "./chart.js";
import { isDrawn } from "./chartSeries.js";
import { type SvgDocument, svgNamespace } from "./svgDocument.js";

/** Pixels, but for the fraction: see chartHeading.ts. */
const fontSize = 12.5;
const characterWidth = 0.57;
const lineHeight = 15;
const gap = 6;

/** A name, and where the line it belongs to ends. */
interface LineEnd {
  readonly label: string;
  readonly at: ChartPoint;
}

/** Pixels that the names take beside the frame. */
export function endWidth(series: readonly ChartSeries[]): number {
  const longest = endsOf(series).reduce((most, { label }) => Math.max(most, label.length), 0);
  return longest === 0 ? 0 : gap + longest * characterWidth * fontSize;
}

/** The names, beside the last points of their lines. */
export function endMark(series: readonly ChartSeries[], ink: string): Plot.RenderFunction {
  return (_index, scales, _values, { width, marginRight }, context) => {
    const document = context.document as unknown as SvgDocument;
    const group = document.createElementNS(svgNamespace, "g");
    group.setAttribute("aria-label", "names");
    group.setAttribute("font-size", fontSize);
    group.setAttribute("fill", ink);
    group.setAttribute("text-anchor", "start");
    const ends = endsOf(series).map(({ label, at }) => ({ label, y: scales.y!(at.y) as number }));
    const places = apart(
      ends.map(({ y }) => y),
      lineHeight,
    );
    ends.forEach(({ label }, i) => {
      const text = document.createElementNS(svgNamespace, "text");
      text.setAttribute("x", width - marginRight + gap);
      text.setAttribute("y", places[i]);
      text.setAttribute("dy", "0.32em");
      text.append(label);
      group.append(text);
    });
    return group as unknown as SVGElement;
  };
}

function endsOf(series: readonly ChartSeries[]): LineEnd[] {
  return series.flatMap(({ label, points }) => {
    const at = points.findLast(isDrawn);
    return label === "" || at === undefined ? [] : [{ label, at }];
  });
}

/** The same places in the same order, moved down as far as it takes for a distance between neighbours. */
export function apart(places: readonly number[], distance: number): number[] {
  const moved = [...places];
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]);
  let free = -Infinity;
  for (const i of order) {
    moved[i] = Math.max(places[i], free);
    free = moved[i] + distance;
  }
  return moved;
}
