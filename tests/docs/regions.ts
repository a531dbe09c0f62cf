/** Parts of a page that are made from the code: what stands between `<!-- made: NAME -->` and `<!-- end -->`. */

const region = /(<!-- made: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g;

/** The names of the regions of a page, in order. */
export function regionsOf(page: string): string[] {
  return [...page.matchAll(region)].map((match) => match[2]);
}

/** The page with every region made anew. */
export function remake(page: string, make: (name: string) => string): string {
  return page.replace(region, (_, open: string, name: string, close: string) => {
    return `${open}\n${make(name).trim()}\n\n${close}`;
  });
}

/** A Markdown table; columns in `right` are aligned to the right. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`.replace(/ {2,}\|/g, " |");
  const rule = line(heads.map((_, column) => (right.includes(column) ? "---:" : "---")));
  return [line(heads), rule, ...rows.map((cells) => line(cells))].join("\n");
}

/** A text in backticks that a table cell can hold. */
export function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}

/** `200000` → `200,000`. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}
