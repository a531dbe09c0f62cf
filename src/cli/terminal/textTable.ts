/** A table in plain text: the first column aligned left, the others right. */

import { visibleLine } from "../../core/visibleText.js";

export function textTable(titles: readonly string[], cells: readonly (readonly string[])[]): string {
  const [header, ...rows] = [titles, ...cells].map((row) => row.map(visibleLine));
  const widths = header.map((cell, c) => Math.max(cell.length, ...rows.map((row) => row[c].length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join("   ");
  return [line(header), ...rows.map(line)].join("\n");
}
