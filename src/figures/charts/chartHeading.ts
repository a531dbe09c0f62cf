/**
 * What stands above the frame of a chart, at fixed pixels: the title, broken into
 * lines, and the legend, entry after entry, broken into rows.
 *
 * The width of text is not known here (fonts differ); a character is taken to be
 * 0.57 of the font size wide, which is generous for most sans-serif fonts.
 */

import * as Plot from "@observablehq/plot";
import type { ChartSeries } from "./chart.js";
import { dotMark, lineMark, type SeriesStyle } from "./chartSeries.js";

export interface Heading {
  /** Pixels from the top of the chart to its frame. */
  readonly height: number;
  readonly marks: readonly Plot.Markish[];
}

/** Pixels, but for the fraction. */
const fontSize = { title: 15, label: 12.5 } as const;
const characterWidth = 0.57;
const lineHeight = { title: 20, legend: 20 } as const;
const padding = { top: 14, side: 14, belowTitle: 6, belowLegend: 8 } as const;
const sample = { width: 30, gap: 7 } as const;
const entryGap = 20;

/** The heading of a chart of this width; without series, it has no legend. */
export function headingOf(
  title: string,
  series: readonly ChartSeries[],
  styles: readonly SeriesStyle[],
  width: number,
): Heading {
  const room = width - 2 * padding.side;
  const lines = wrap(title, room / (characterWidth * fontSize.title));
  const legendTop = padding.top + lines.length * lineHeight.title + padding.belowTitle;
  const named = series.length > 1 || (series[0]?.label ?? "") !== "";
  const legend = named ? legendOf(series, styles, room, legendTop) : { height: 0, marks: [] };
  return { height: legendTop + legend.height, marks: [titleMark(lines), ...legend.marks] };
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

function legendOf(
  series: readonly ChartSeries[],
  styles: readonly SeriesStyle[],
  room: number,
  top: number,
): Heading {
  let [left, row] = [0, 0];
  const marks = series.flatMap(({ label, markers }, i) => {
    const width = sample.width + sample.gap + label.length * characterWidth * fontSize.label;
    if (left > 0 && left + width > room) [left, row] = [0, row + 1];
    const entry = { left: padding.side + left, middle: top + (row + 0.5) * lineHeight.legend };
    left += width + entryGap;
    return entryMarks(label, styles[i], markers !== false, entry);
  });
  return { height: (row + 1) * lineHeight.legend + padding.belowLegend, marks };
}

/** One entry of the legend: a piece of the line, its marker, its name. */
function entryMarks(
  label: string,
  style: SeriesStyle,
  marked: boolean,
  { left, middle }: { readonly left: number; readonly middle: number },
): Plot.Markish[] {
  const right = left + sample.width;
  return [
    lineMark([0, 1], style, pixels([left, right], [middle, middle])),
    ...(marked ? [dotMark([0], style, pixels([(left + right) / 2], [middle]))] : []),
    Plot.text([label], {
      ...pixels([right + sample.gap], [middle]),
      textAnchor: "start",
      fontSize: fontSize.label,
    }),
  ];
}

/** Positions in pixels of the chart, past the scales of its axes. */
function pixels(x: readonly number[], y: readonly number[]) {
  return { x: { value: [...x], scale: null }, y: { value: [...y], scale: null } } as const;
}

/** Words on lines of at most `length` characters, where no single word is longer. */
function wrap(text: string, length: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= length) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
