/** What the site does with the Markdown of the repository: links, anchors, titles. */

import { posix } from "node:path";

/** Fenced blocks, code in a line, and comments: what is no prose. */
const notProse = /^ *(```+|~~~+)[\s\S]*?^ *\1`*$|`[^`\n]*`|<!--[\s\S]*?-->/gm;
const inlineLink = /(\]\(\s*<?)([^)\s>]+)(>?(?:\s+"[^"]*")?\s*\))/g;

/** The Markdown with the target of every relative link replaced. `target` takes a path in the repository. */
export function rewriteLinks(
  markdown: string,
  path: string,
  target: (path: string, anchor: string) => string,
): string {
  const rewrite = (prose: string) =>
    prose.replace(inlineLink, (all, before: string, link: string, after: string) => {
      if (/^[a-z][a-z+.-]*:|^#/i.test(link)) return all;
      const [to, anchor] = link.split(/(?=#)/);
      return before + target(posix.join(posix.dirname(path), to).replace(/\/$/, ""), anchor ?? "") + after;
    });
  let rest = 0;
  let result = "";
  for (const match of markdown.matchAll(notProse)) {
    result += rewrite(markdown.slice(rest, match.index)) + match[0];
    rest = match.index + match[0].length;
  }
  return result + rewrite(markdown.slice(rest));
}

/** The anchor of a heading, as code hosts make it from the text. */
export function slugOf(heading: string): string {
  return heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** The text of the first heading, without its marks. */
export function titleOf(markdown: string): string {
  return (/^# +(.+)$/m.exec(markdown)?.[1] ?? "").replace(/[`*]/g, "");
}

/** Without the comments that say how a page was made. */
export function withoutComments(markdown: string): string {
  return markdown.replace(/^<!--[\s\S]*?-->\n+/gm, "");
}
