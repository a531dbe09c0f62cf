/**
 * Reports as one HTML page with nothing beside it: its style is inside it, its
 * charts are inline SVG, its pictures data URLs (or files by relative paths, as
 * given). It needs no script, and forbids any. All text is escaped; only the SVG of
 * a chart is taken as it is, so it must come from a trusted hand such as `lineChart`.
 *
 * Tables: a column of numbers is set to the right, the first column names the rows,
 * and the best row is marked by a word as well as by its colour.
 */

import { InputError, inputError } from "../core/errors.js";
import { requireInteger, requireOneOf } from "../core/require.js";
import { escapeMarkup } from "./markup.js";
import { pageStyle } from "./pageStyle.js";

export interface Page {
  readonly title: string;
  /** A sentence or two under the title. */
  readonly lead?: string;
  readonly sections: readonly PageSection[];
  /** A line at the end: what made the page, and when. */
  readonly footer?: string;
}

/** A part of a page; without a heading, it goes on with the part before. */
export type PageSection = { readonly heading?: string } & PageContent;

export type PageContent = TextContent | TableContent | ImageContent | SvgContent | SettingsContent;

export interface TextContent {
  readonly kind: "text";
  readonly paragraphs: readonly string[];
}

export interface TableContent {
  readonly kind: "table";
  readonly header: readonly string[];
  /** As many cells a row as the header has. Numbers are written in full: round them first. */
  readonly rows: readonly (readonly TableCell[])[];
  /** The number of the row to highlight, from 0. */
  readonly best?: number;
  readonly caption?: string;
}

export type TableCell = string | number;

export interface ImageContent {
  readonly kind: "image";
  /** A data URL (see `dataUrl`), or a path relative to the page. */
  readonly src: string;
  /** What the picture shows, for those who cannot see it. */
  readonly alt: string;
  readonly caption?: string;
}

export interface SvgContent {
  readonly kind: "svg";
  /** The text of an `<svg>` element. Not escaped. */
  readonly svg: string;
  readonly caption?: string;
}

/** Names with their values, such as the options of a run. */
export interface SettingsContent {
  readonly kind: "settings";
  readonly entries: readonly (readonly [name: string, value: string | number | boolean])[];
}

const contentKinds = ["text", "table", "image", "svg", "settings"] as const;

/** The page, as the text of an HTML file. */
export function htmlPage({ title, lead, sections, footer }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="script-src 'none'; object-src 'none'; base-uri 'none'">
<title>${escapeMarkup(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
${element("h1", title)}${optional("p", lead, "lead")}
</header>
<main>
${sections.map((section) => optional("h2", section.heading) + contentOf(section)).join("\n")}
</main>
${optional("footer", footer)}
</body>
</html>
`;
}

/** Bytes as a URL that holds them, for the `src` of an image. */
export function dataUrl(bytes: Uint8Array, type = "image/png"): string {
  const step = 0x6000; // a multiple of 3, so that pieces of base64 can be joined
  const pieces: string[] = [];
  for (let i = 0; i < bytes.length; i += step) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(i, i + step))));
  }
  return `data:${type};base64,${pieces.join("")}`;
}

function contentOf(content: PageContent): string {
  switch (content.kind) {
    case "text":
      return content.paragraphs.map((paragraph) => element("p", paragraph)).join("\n");
    case "table":
      return tableOf(content);
    case "image":
      return figure(
        `<img src="${escapeMarkup(content.src)}" alt="${escapeMarkup(content.alt)}">`,
        content.caption,
      );
    case "svg":
      return figure(requireSvg(content.svg), content.caption);
    case "settings":
      return settingsOf(content);
    default:
      return requireOneOf("htmlPage", "kind", (content as PageContent).kind, contentKinds);
  }
}

function tableOf({ header, rows, best, caption }: TableContent): string {
  if (best !== undefined) requireInteger("htmlPage", "best", best, 0, rows.length - 1);
  rows.forEach((row, i) => {
    if (row.length === header.length) return;
    throw new InputError(`htmlPage: row ${i} of a table must have ${header.length} cells, got ${row.length}`);
  });
  const numeric = header.map((_, column) => rows.length > 0 && rows.every((row) => isNumeric(row[column]!)));
  const classOf = (column: number) => (numeric[column] ? "number" : undefined);
  const head = header.map((name, column) => element("th", name, classOf(column), ' scope="col"'));
  const body = rows.map((row, i) => rowOf(row, classOf, i === best));
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

function rowOf(
  row: readonly TableCell[],
  classOf: (column: number) => string | undefined,
  best: boolean,
): string {
  const cells = row.map((cell, column) => {
    const text = escapeMarkup(cellText(cell));
    const mark = best && column === 0 ? ' <span class="mark">best</span>' : "";
    return column === 0
      ? tag("th", text + mark, classOf(column), ' scope="row"')
      : tag("td", text, classOf(column));
  });
  return tag("tr", cells.join(""), best ? "best" : undefined);
}

/** A number, or text that is one, perhaps with a unit (31.2 dB, 1.4×, 12 %); a dash stands for none. */
function isNumeric(cell: TableCell): boolean {
  return typeof cell === "number" || /^([–—-]?|[−+-]?[\d.,]+(e[−+-]?\d+)?\s?(\p{L}{0,3}|%|×))$/u.test(cell);
}

function cellText(cell: TableCell): string {
  if (typeof cell === "string") return cell;
  return Number.isNaN(cell) ? "–" : String(cell).replace("-", "−");
}

function settingsOf({ entries }: SettingsContent): string {
  const items = entries.map(([name, value]) => element("dt", name) + element("dd", String(value)));
  return tag("dl", items.join("\n"));
}

function figure(content: string, caption: string | undefined): string {
  return tag("figure", content + optional("figcaption", caption));
}

function requireSvg(svg: string): string {
  if (/^<svg[\s>]/.test(svg) && svg.trimEnd().endsWith("</svg>")) return svg;
  throw inputError("htmlPage", "svg", "must be the text of one svg element", svg);
}

/** An element that holds text. */
function element(name: string, text: string, className?: string, attributes = ""): string {
  return tag(name, escapeMarkup(text), className, attributes);
}

/** The same, or nothing if there is no text. */
function optional(name: string, text: string | undefined, className?: string): string {
  return text === undefined ? "" : `${element(name, text, className)}\n`;
}

/** An element that holds markup. */
function tag(name: string, markup: string, className?: string, attributes = ""): string {
  const classes = className === undefined ? "" : ` class="${className}"`;
  return `<${name}${classes}${attributes}>${markup}</${name}>`;
}
