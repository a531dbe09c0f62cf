/**
 * The texts of a chart besides those of its axes, at fixed pixels: above the frame the title,
 * broken into lines, and the legend, broken into rows; or, instead of the legend, the name of
 * each line to the right of the frame, where the line ends.
 *
 * The width of text is unknown, since fonts differ. A character is taken to be 0.57 of the
 * font size wide, which is generous for most sans-serif fonts.
 */

import * as Plot from "@observablehq/plot";
import type { ChartPoint, ChartSeries } from "./chart.js";
import { dotMark, isDrawn, lineMark, type SeriesStyle } from "./chartSeries.js";
import { type SvgDocument, svgNamespace } from "./svgDocument.js";

export interface Heading {
  /** Pixels from the top of the chart to its frame. */
  readonly height: number;
  readonly marks: readonly Plot.Markish[];
}

/** Pixels. */
const fontSize = { title: 15, label: 12.5 } as const;
const lineHeight = { title: 20, legend: 20, lineEnd: 15 } as const;
const padding = { top: 14, side: 14, belowTitle: 6, belowLegend: 8 } as const;
const sample = { width: 38, gap: 7 } as const;
const entryGap = 20;
const lineEndGap = 6;

/** As a fraction of the font size. */
const characterWidth = 0.57;

/** The title and the legend of a chart of this width; without series, it has no legend. */
export function chartHeading(
  title: string,
  series: readonly ChartSeries[],
  styles: readonly SeriesStyle[],
  width: number,
): Heading {
  const room = width - 2 * padding.side;
  const lines = wrap(title, room / (characterWidth * fontSize.title));
  const legendTop = padding.top + lines.length * lineHeight.title + padding.belowTitle;
  const named = series.length > 1 || (series[0]?.label ?? "") !== "";
  const entries = named ? legend(series, styles, room, legendTop) : { height: 0, marks: [] };
  return { height: legendTop + entries.height, marks: [titleMark(lines), ...entries.marks] };
}

function titleMark(lines: readonly string[]): Plot.Markish {
  return Plot.text([lines.join("\n")], {
    ...pixels([padding.side], [padding.top]),
    textAnchor: "start",
    lineAnchor: "top",
    lineHeight: lineHeight.title / fontSize.title,
    fontSize: fontSize.title,
    fontWeight: "bold",
  });
}

function legend(
  series: readonly ChartSeries[],
  styles: readonly SeriesStyle[],
  room: number,
  top: number,
): Heading {
  let left = 0;
  let row = 0;
  const marks = series.flatMap(({ label, markers, cloud }, i) => {
    const width = sample.width + sample.gap + label.length * characterWidth * fontSize.label;
    if (left > 0 && left + width > room) [left, row] = [0, row + 1];
    const entry = { left: padding.side + left, middle: top + (row + 0.5) * lineHeight.legend };
    left += width + entryGap;
    return entryMarks(label, styles[i], { line: !cloud, marker: cloud || markers !== false }, entry);
  });
  return { height: (row + 1) * lineHeight.legend + padding.belowLegend, marks };
}

/** One entry of the legend: a piece of the line, its marker, or both, and its name. */
function entryMarks(
  label: string,
  style: SeriesStyle,
  shows: { readonly line: boolean; readonly marker: boolean },
  { left, middle }: { readonly left: number; readonly middle: number },
): Plot.Markish[] {
  const right = left + sample.width;
  return [
    ...(shows.line ? [lineMark([0, 1], style, pixels([left, right], [middle, middle]))] : []),
    ...(shows.marker ? [dotMark([0], style, pixels([(left + right) / 2], [middle]))] : []),
    Plot.text([label], {
      ...pixels([right + sample.gap], [middle]),
      textAnchor: "start",
      fontSize: fontSize.label,
    }),
  ];
}

/** Positions in pixels of the chart, not on the scales of its axes. */
function pixels(x: readonly number[], y: readonly number[]) {
  return { x: { value: [...x], scale: null }, y: { value: [...y], scale: null } } as const;
}

/** Words on lines of at most `length` characters, unless a single word is longer. */
function wrap(text: string, length: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= length) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The name of a line, and its last point. */
interface LineEnd {
  readonly label: string;
  readonly at: ChartPoint;
}

/** The width in pixels of the names beside the frame. */
export function endWidth(series: readonly ChartSeries[]): number {
  const longest = findLineEnds(series).reduce((length, { label }) => Math.max(length, label.length), 0);
  return longest === 0 ? 0 : lineEndGap + longest * characterWidth * fontSize.label;
}

/** The names, beside the last points of their lines. */
export function endMark(series: readonly ChartSeries[], ink: string): Plot.RenderFunction {
  return (_index, scales, _values, { width, marginRight }, context) => {
    const document = context.document as unknown as SvgDocument;
    const group = document.createElementNS(svgNamespace, "g");
    group.setAttribute("aria-label", "names");
    group.setAttribute("font-size", fontSize.label);
    group.setAttribute("fill", ink);
    group.setAttribute("text-anchor", "start");
    const ends = findLineEnds(series).map(({ label, at }) => ({ label, y: scales.y!(at.y) as number }));
    const heights = moveApart(
      ends.map(({ y }) => y),
      lineHeight.lineEnd,
    );
    ends.forEach(({ label }, i) => {
      const text = document.createElementNS(svgNamespace, "text");
      text.setAttribute("x", width - marginRight + lineEndGap);
      text.setAttribute("y", heights[i]);
      text.setAttribute("dy", "0.32em");
      text.append(label);
      group.append(text);
    });
    return group as unknown as SVGElement;
  };
}

function findLineEnds(series: readonly ChartSeries[]): LineEnd[] {
  return series.flatMap(({ label, points }) => {
    const at = points.findLast(isDrawn);
    return label === "" || at === undefined ? [] : [{ label, at }];
  });
}

/** The same positions in the same order, moved down as far as needed for a distance between neighbours. */
export function moveApart(positions: readonly number[], distance: number): number[] {
  const moved = [...positions];
  const order = positions.map((_, i) => i).sort((a, b) => positions[a] - positions[b]);
  let next = -Infinity;
  for (const i of order) {
    moved[i] = Math.max(positions[i], next);
    next = moved[i] + distance;
  }
  return moved;
}
