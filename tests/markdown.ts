/** The parts of a Markdown page that tests look at: links, anchors, tables, code. */

import { slugOf } from "../site/pages/markdown.js";

/** Targets of links, images, reference definitions and HTML `href`/`src`, outside code. */
export function linksOf(markdown: string): string[] {
  const prose = withoutCode(markdown);
  const inline = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g;
  const definition = /^\s{0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm;
  const html = /\b(?:href|src|srcset)="([^"\s]+)/g;
  return [inline, definition, html].flatMap((pattern) => [...prose.matchAll(pattern)].map((m) => m[1]));
}

/** Anchors of a page, as code hosts make them from headings, and explicit `id`s. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set([...markdown.matchAll(/\b(?:id|name)="([^"]+)"/g)].map((match) => match[1]));
  const seen = new Map<string, number>();
  for (const [, heading] of withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = slugOf(heading);
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

/** The cells of every table row except separators. */
export function tableRowsOf(markdown: string): string[][] {
  return [...withoutFences(markdown).matchAll(/^\|(.+)\|\s*$/gm)]
    .map(([, row]) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .filter((cells) => !cells.every((cell) => /^:?-+:?$/.test(cell)));
}

/** The texts in `backticks`. */
export function codeSpansOf(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]);
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replace(/`[^`\n]*`/g, "");
}

function withoutFences(markdown: string): string {
  return markdown.replace(/^ *(```+|~~~+)[\s\S]*?^ *\1`*$/gm, "");
}

/** The first fenced block of a language in a Markdown page. */
export function firstFence(markdown: string, language: string): string | undefined {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(markdown)?.[1];
}
