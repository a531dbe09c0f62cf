/** Tables of comma-separated values (RFC 4180, with line feeds). */

/** A line with the names of the columns, then one line per row; text is quoted where it needs to be. */
export function csvText(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(quoted).join(",")}\n`).join("");
}

function quoted(cell: string | number): string {
  const text = String(cell);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
