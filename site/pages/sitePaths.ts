/** Where the files of the repository stand in the site, as paths relative to the root of each. */

import { posix } from "node:path";

/** Pages from outside docs/, by their path in the repository. */
const otherPages: Readonly<Record<string, string>> = {
  "README.md": "overview.md",
  "docs/README.md": "documentation.md",
  "CHANGELOG.md": "changelog.md",
  "ARCHITECTURE.md": "architecture.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "security.md",
  "bench/README.md": "bench/index.md",
};

/** The Markdown file that a file of the repository becomes; undefined if it is not a page. */
export function pagePath(path: string): string | undefined {
  if (otherPages[path]) return otherPages[path];
  if (!path.endsWith(".md")) return undefined;
  if (path.startsWith("docs/")) return path.slice("docs/".length);
  return path.startsWith("bench/results/") ? path : undefined;
}

/**
 * Where a file of the repository stands that is not a page, but that pages link to: pictures and data under their own
 * names, all else as plain text, so that a browser shows it instead of saving it.
 */
export function filePath(path: string): string {
  if (path.startsWith("docs/images/")) return path.slice("docs/".length);
  if (/\.(json|svg|png|webp)$/.test(path)) return path;
  return `source/${path}.txt`;
}

/** A link from one file of the site to another, relative, with the anchor it had. */
export function linkBetween(from: string, to: string, anchor: string): string {
  return posix.relative(posix.dirname(from), to) + anchor;
}
