/**
 * The tables of a benchmark as data: `bench/results/NAME.json`, written beside NAME.md by `--save NAME`. The pages of
 * the documentation quote figures from these files. The numbers are those of the tables, as printed.
 */

export interface Measurements {
  readonly format: "trainlets measurements";
  readonly formatVersion: 1;
  readonly date: string;
  /** Processor, Node, version and commit, in words. */
  readonly machine: string;
  readonly command: string;
  /** How the file came about, if no `--save` wrote it. */
  readonly note?: string;
  readonly parts: readonly MeasuredPart[];
}

/** What one part of the benchmark printed. */
export interface MeasuredPart {
  readonly name: string;
  readonly tables: readonly MeasuredTable[];
  /** What it printed besides tables. */
  readonly lines: readonly string[];
}

export interface MeasuredTable {
  /** The line above it, if there is one. */
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The tables and lines of a Markdown text. */
export function measuredPart(name: string, markdown: string): MeasuredPart {
  const tables: MeasuredTable[] = [];
  const lines: string[] = [];
  for (const block of markdown.split(/\n{2,}/)) {
    const rows = block.split("\n").filter((line) => line.startsWith("|"));
    if (rows.length < 2) {
      if (block.trim() !== "") lines.push(block.trim().replaceAll("\n", " "));
      continue;
    }
    const [header, , ...body] = rows.map(cellsOf);
    tables.push({ title: lines.at(-1) ?? "", header, rows: body });
  }
  return { name, tables, lines };
}

function cellsOf(row: string): string[] {
  return row
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
