/** The links of a built site: every file and every anchor that a page names must be there. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** One line per broken link of the pages in `folder`, which will be served below `base`. */
export function brokenLinks(
  folder: string,
  base: string,
): { pages: number; links: number; broken: string[] } {
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".html"));
  const anchors = new Map<string, Set<string>>();
  const anchorsIn = (file: string): Set<string> => {
    const known = anchors.get(file) ?? idsOf(readFileSync(join(folder, file), "utf8"));
    anchors.set(file, known);
    return known;
  };
  let links = 0;
  const broken = pages.flatMap((page) =>
    [...linksOf(readFileSync(join(folder, page), "utf8"))].flatMap((link) => {
      links++;
      const problem = problemOf(link, page, folder, base, anchorsIn);
      return problem === undefined ? [] : [`${page}: ${link}: ${problem}`];
    }),
  );
  return { pages: pages.length, links, broken };
}

/** Targets of `href` and `src`, without those of other sites. */
function linksOf(html: string): Set<string> {
  const targets = [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map((match) => unescaped(match[1]));
  return new Set(targets.filter((target) => target !== "" && !/^[a-z][a-z+.-]*:|^\/\//i.test(target)));
}

function idsOf(html: string): Set<string> {
  return new Set([...html.matchAll(/\s(?:id|name)="([^"]*)"/g)].map((match) => unescaped(match[1])));
}

function problemOf(
  link: string,
  page: string,
  folder: string,
  base: string,
  anchorsIn: (file: string) => Set<string>,
): string | undefined {
  const [address, anchor = ""] = link.split("#");
  const { pathname } = new URL(address || posix.basename(page), `http://site${base}${page}`);
  if (!pathname.startsWith(base)) return `outside ${base}`;
  let file = decodeURIComponent(pathname.slice(base.length));
  if (file === "" || file.endsWith("/")) file += "index.html";
  const path = join(folder, file);
  if (!existsSync(path) || !statSync(path).isFile()) return "there is no such file";
  if (anchor === "" || !file.endsWith(".html") || file.startsWith("studio/")) return undefined;
  return anchorsIn(file).has(decodeURIComponent(anchor)) ? undefined : "there is no such anchor";
}

function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
}
