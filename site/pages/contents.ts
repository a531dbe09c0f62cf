/** The table of contents, read from docs/README.md: the sidebar and llms.txt are made from it. */

import { posix } from "node:path";

export interface Chapter {
  readonly title: string;
  readonly pages: readonly Entry[];
}

export interface Entry {
  /** In the repository. */
  readonly path: string;
  readonly title: string;
  /** What the page is about, in a few words; may be empty. */
  readonly about: string;
}

const link = /\[([^\]]+)\]\(([^)\s#]+)\)/g;

/** Chapters are the headings; pages are the links of the tables and lists below them. */
export function contentsOf(markdown: string, path = "docs/README.md"): Chapter[] {
  const [start, ...sections] = markdown.split(/^## +/m);
  const first = { title: "Start", pages: entriesIn(start, path) };
  const others = sections.map((section) => {
    const [heading, ...lines] = section.split("\n");
    return { title: heading.replace(/ *…$/, ""), pages: entriesIn(lines.join("\n"), path) };
  });
  return [first, ...others].filter(({ pages }) => pages.length > 0);
}

function entriesIn(text: string, path: string): Entry[] {
  const lines = text.replace(/\n {2,}/g, " ").split("\n");
  return lines.flatMap((line) => {
    const links = [...line.matchAll(link)];
    return links.map(([, title, target], i) => ({
      path: posix.join(posix.dirname(path), target),
      title: title[0].toUpperCase() + title.slice(1),
      about: i === links.length - 1 ? aboutOf(line) : "", // of several, the words belong to the last
    }));
  });
}

/** The cell of a row that is not the link; the words after the colon of a list entry. */
function aboutOf(line: string): string {
  const cells = line.split("|").map((cell) => cell.trim());
  if (cells.length > 2) return cells.find((cell) => cell !== "" && !cell.includes("](")) ?? "";
  return (/\)\S*: (.+?)\.?$/.exec(line)?.[1] ?? "").replace(link, "$1");
}
