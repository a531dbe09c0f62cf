/**
 * A report as one self-contained HTML page: it includes its style, charts are inline
 * SVG, and pictures are data URLs (or relative paths, as given). It has no scripts,
 * and forbids them. All text is escaped. Only the SVG of a chart is inserted as it is,
 * so it must come from a trusted source such as `lineChart`. Tables: pageTable.ts;
 * claims: pageClaims.ts.
 */

import { inputError } from "../../core/errors.js";
import { requireInteger, requireOneOf } from "../../core/require.js";
import { element, escapeMarkup, optional, pathOf, tag } from "./markup.js";
import { type ClaimsContent, renderClaims } from "./pageClaims.js";
import { pageStyle } from "./pageStyle.js";
import { renderTable, type TableContent } from "./pageTable.js";

export interface Page {
  readonly title: string;
  /** A sentence or two under the title. */
  readonly lead?: string;
  readonly sections: readonly PageSection[];
  /** A line at the end: what made the page, and when. */
  readonly footer?: string;
  /** Seconds after which a browser reloads the page, if its file is going to change. */
  readonly refresh?: number;
}

/** A part of a page; without a heading, it continues the part before. With an `id`, links of the page lead to its heading. */
export type PageSection = { readonly heading?: string; readonly id?: string } & PageContent;

export type PageContent =
  | TextContent
  | ListContent
  | FactsContent
  | TableContent
  | ClaimsContent
  | ImageContent
  | PicturesContent
  | LinksContent
  | SvgContent
  | ChartsContent
  | SettingsContent;

export interface TextContent {
  readonly kind: "text";
  readonly paragraphs: readonly string[];
}

/** A list of sentences. */
export interface ListContent {
  readonly kind: "list";
  readonly items: readonly string[];
}

/** The few values that matter most, in large type, each with its name. */
export interface FactsContent {
  readonly kind: "facts";
  readonly entries: readonly (readonly [name: string, value: string])[];
}

export interface ImageContent {
  readonly kind: "image";
  /** A data URL (see `dataUrl`), or a path relative to the page, to which the picture links. */
  readonly src: string;
  /** What the picture shows, for readers who cannot see it. */
  readonly alt: string;
  /** Enlarge it to the width of the text, with sharp pixels. */
  readonly pixelated?: boolean;
  readonly caption?: string;
}

/** Pictures with captions; each links to its file. */
export interface PicturesContent {
  readonly kind: "pictures";
  /** `src` is a path relative to the page. */
  readonly pictures: readonly { readonly src: string; readonly caption: string }[];
}

/** Links to files beside the page. */
export interface LinksContent {
  readonly kind: "links";
  /** `href` is a path relative to the page. */
  readonly links: readonly { readonly href: string; readonly text: string }[];
}

export interface SvgContent {
  readonly kind: "svg";
  /** The text of an `<svg>` element. Not escaped. */
  readonly svg: string;
  /** Its own file, a path relative to the page, to which it links. */
  readonly href?: string;
  readonly caption?: string;
}

/** Charts in the colours of the page (`look: "page"`), side by side if there is room. */
export interface ChartsContent {
  readonly kind: "charts";
  /** The texts of `<svg>` elements. Not escaped. */
  readonly svgs: readonly string[];
}

/** Names with their values, such as the options of a run. */
export interface SettingsContent {
  readonly kind: "settings";
  readonly entries: readonly (readonly [name: string, value: string | number | boolean])[];
}

const contentKinds = [
  "text",
  "list",
  "facts",
  "table",
  "claims",
  "image",
  "pictures",
  "links",
  "svg",
  "charts",
  "settings",
] as const;

/** The page, as the text of an HTML file. */
export function htmlPage({ title, lead, sections, footer, refresh }: Page): string {
  if (refresh !== undefined) requireInteger("htmlPage", "refresh", refresh, 1);
  const reload = refresh === undefined ? "" : `<meta http-equiv="refresh" content="${refresh}">\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="script-src 'none'; object-src 'none'; base-uri 'none'">
${reload}<title>${escapeMarkup(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
${element("h1", title)}${optional("p", lead, "lead")}
</header>
<main>
${sections.map((section) => renderHeading(section) + renderContent(section)).join("\n")}
</main>
${optional("footer", footer)}
</body>
</html>
`;
}

/** A URL that holds the bytes, for the `src` of an image. */
export function dataUrl(bytes: Uint8Array, type = "image/png"): string {
  const step = 0x6000; // a multiple of 3, so that pieces of base64 can be joined
  const pieces: string[] = [];
  for (let i = 0; i < bytes.length; i += step) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(i, i + step))));
  }
  return `data:${type};base64,${pieces.join("")}`;
}

function renderHeading({ heading, id }: PageSection): string {
  if (heading === undefined) return "";
  return element("h2", heading, undefined, id === undefined ? "" : ` id="${escapeMarkup(id)}"`);
}

function renderContent(content: PageContent): string {
  switch (content.kind) {
    case "text":
      return content.paragraphs.map((paragraph) => element("p", paragraph)).join("\n");
    case "list":
      return tag("ul", content.items.map((item) => element("li", item)).join("\n"));
    case "facts":
      return tag("dl", content.entries.map(renderFact).join("\n"), "facts");
    case "table":
      return renderTable(content);
    case "claims":
      return renderClaims(content);
    case "image":
      return renderFigure(renderImage(content), content.caption);
    case "pictures":
      return content.pictures
        .map(({ src, caption }) => renderFigure(renderImage({ src, alt: caption }), caption))
        .join("\n");
    case "links":
      return tag(
        "p",
        content.links.map(({ href, text }) => renderLink(href, escapeMarkup(text))).join(" · "),
      );
    case "svg":
      return renderChart(content);
    case "charts":
      return tag(
        "div",
        content.svgs.map((svg) => renderFigure(requireSvg(svg), undefined)).join("\n"),
        "charts",
      );
    case "settings":
      return renderSettings(content);
    default:
      return requireOneOf("htmlPage", "kind", (content as PageContent).kind, contentKinds);
  }
}

function renderImage({ src, alt, pixelated = false }: Omit<ImageContent, "kind">): string {
  const look = pixelated ? ' class="pixelated"' : "";
  const image = (path: string) => `<img src="${path}" alt="${escapeMarkup(alt)}"${look}>`;
  return src.startsWith("data:") ? image(escapeMarkup(src)) : renderLink(src, image(pathOf(src)));
}

/** A chart; on a narrow screen it scrolls, at the least width at which its text can be read. */
function renderChart({ svg, href, caption }: SvgContent): string {
  const chart = href === undefined ? requireSvg(svg) : renderLink(href, requireSvg(svg));
  const width = /^<svg [^>]*\bwidth="(\d+)"/.exec(svg)?.[1];
  return renderFigure(
    chart,
    caption,
    width === undefined ? "" : ` style="--least: ${Number(width) * 0.75}px"`,
  );
}

function renderLink(href: string, markup: string): string {
  return `<a href="${pathOf(href)}">${markup}</a>`;
}

function renderFact([name, value]: readonly [string, string]): string {
  return tag("div", element("dt", name) + element("dd", value));
}

function renderSettings({ entries }: SettingsContent): string {
  const items = entries.map(([name, value]) => element("dt", name) + element("dd", String(value)));
  return tag("dl", items.join("\n"));
}

function renderFigure(content: string, caption: string | undefined, attributes = ""): string {
  return tag("figure", content + optional("figcaption", caption), undefined, attributes);
}

function requireSvg(svg: string): string {
  if (/^<svg[\s>]/.test(svg) && svg.trimEnd().endsWith("</svg>")) return svg;
  throw inputError("htmlPage", "svg", "must be the text of one svg element", svg);
}
