/** Several charts as one SVG picture, row by row. */

import { InputError } from "../../core/errors.js";
import { svgNamespace } from "./svgDocument.js";

/** All charts must have the same size; each is the text of an `<svg>` element with a width and a height. */
export function chartGrid(charts: readonly string[], columns: number): string {
  const width = readAttribute(charts[0], "width");
  const height = readAttribute(charts[0], "height");
  const rows = Math.ceil(charts.length / columns);
  const size = `width="${width * columns}" height="${height * rows}"`;
  const placed = charts.map((chart, i) => {
    const at = `x="${(i % columns) * width}" y="${Math.floor(i / columns) * height}"`;
    return chart.replace(/^<svg /, `<svg ${at} `);
  });
  const view = `viewBox="0 0 ${width * columns} ${height * rows}"`;
  const sheet = '<rect width="100%" height="100%" fill="white"/>';
  return `<svg xmlns="${svgNamespace}" ${size} ${view}>${sheet}${placed.join("")}</svg>`;
}

function readAttribute(svg: string, name: string): number {
  const value = Number(new RegExp(`^<svg [^>]*\\b${name}="([\\d.]+)"`).exec(svg)?.[1]);
  if (value > 0) return value;
  throw new InputError(`chartGrid: charts must be SVG with a ${name}`);
}
