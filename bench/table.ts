/** Markdown tables, aligned so that they read well in a terminal too. */

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const least = 2; // a dash and a colon below the header
  const widths = header.map((cell, c) => Math.max(least, cell.length, ...rows.map((row) => row[c].length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join(" | ")} |`;
  const rule = `| ${widths.map((width, c) => (c === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}

/** Three significant digits. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "—";
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
