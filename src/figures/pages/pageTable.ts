/**
 * Tables of a page: columns of numbers are aligned to the right, the first column names
 * the rows, and the best row is marked by a word as well as by its colour.
 */

import { InputError } from "../../core/errors.js";
import { requireInteger } from "../../core/require.js";
import { element, escapeMarkup, optional, pathOf, tag, withMinus } from "./markup.js";

export interface TableContent {
  readonly kind: "table";
  readonly header: readonly string[];
  /** As many cells per row as the header has. Numbers are written in full: round them first. */
  readonly rows: readonly (readonly TableCell[])[];
  /** The index of the row to highlight. */
  readonly best?: number;
  readonly caption?: string;
}

export type TableCell = string | number | LinkCell;

/** Text that links to a file beside the page, or to the heading of this page that has the id. */
export type LinkCell = { readonly text: string } & ({ readonly href: string } | { readonly id: string });

/** The table, in a frame that scrolls if it is too wide. */
export function renderTable({ header, rows, best, caption }: TableContent): string {
  if (best !== undefined) requireInteger("htmlPage", "best", best, 0, rows.length - 1);
  rows.forEach((row, i) => {
    if (row.length === header.length) return;
    throw new InputError(`htmlPage: row ${i} of a table must have ${header.length} cells, got ${row.length}`);
  });
  const numeric = header.map((_, column) => rows.length > 0 && rows.every((row) => isNumeric(row[column])));
  const columnClass = (column: number) => (numeric[column] ? "number" : undefined);
  const head = header.map((name, column) => element("th", name, columnClass(column), ' scope="col"'));
  const body = rows.map((row, i) => renderRow(row, columnClass, i === best));
  const name = escapeMarkup(caption ?? header.join(", "));
  return `<div class="scroll" role="region" tabindex="0" aria-label="${name}">
<table>${optional("caption", caption)}
<thead><tr>${head.join("")}</tr></thead>
<tbody>
${body.join("\n")}
</tbody>
</table>
</div>`;
}

function renderRow(
  row: readonly TableCell[],
  columnClass: (column: number) => string | undefined,
  best: boolean,
): string {
  const cells = row.map((cell, column) => {
    const text = renderCell(cell);
    const mark = best && column === 0 ? ' <span class="mark">best</span>' : "";
    return column === 0
      ? tag("th", text + mark, columnClass(column), ' scope="row"')
      : tag("td", text, columnClass(column));
  });
  return tag("tr", cells.join(""), best ? "best" : undefined);
}

function renderCell(cell: TableCell): string {
  const text = escapeMarkup(cellText(cell));
  if (typeof cell !== "object") return text;
  return `<a href="${"id" in cell ? `#${escapeMarkup(cell.id)}` : pathOf(cell.href)}">${text}</a>`;
}

/**
 * A number, or text that is one, perhaps with a unit (31.2 dB, 1.4×, 12 %), a time (1:12) or a number with its spread
 * (0.17 ± 0.06); a dash stands for a missing one.
 */
function isNumeric(cell: TableCell): boolean {
  if (typeof cell === "object") return false;
  return (
    typeof cell === "number" ||
    /^([–—-]?|[−+-]?[\d.,:]+(e[−+-]?\d+)?( ± [\d.]+)?\s?(\p{L}{0,3}|%|×))$/u.test(cell)
  );
}

function cellText(cell: TableCell): string {
  if (typeof cell === "object") return cell.text;
  if (typeof cell === "string") return withMinus(cell);
  return Number.isNaN(cell) ? "–" : withMinus(String(cell));
}
