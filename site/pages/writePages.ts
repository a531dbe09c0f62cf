/** Writes what VitePress reads: the pages with their links, the programs that run in them, the files they link to. */

import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import type { Measurements } from "../../bench/measurements.js";
import { type PublishedRow, publishedFiles, publishedRows } from "../measure/publishedRows.js";
import { type Chapter, contentsOf } from "./contents.js";
import { llmsFullText, llmsText } from "./llms.js";
import { rewriteLinks, titleOf, withoutComments } from "./markdown.js";
import { type RunnableExample, runnableIn, withButtons } from "./runnable.js";
import { filePath, linkBetween, pagePath } from "./sitePaths.js";

export interface SiteOptions {
  /** The path below which the site is served, with `/` at both ends. */
  readonly base: string;
  /** The address of the site, for llms.txt. */
  readonly url?: string | undefined;
  /** Where a code host shows the files of the repository; by default the site has copies of those it links to. */
  readonly source?: string | undefined;
}

/** What the sidebar and the bar at the top show; read by .vitepress/config.ts. */
export interface SiteSettings {
  readonly base: string;
  readonly sidebar: Readonly<Record<string, readonly SidebarGroup[]>>;
}

export interface SidebarGroup {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarGroup[];
}

/**
 * Write everything into `folder`, which has the API reference already. The texts are files to put beside the built
 * pages: Markdown for programs that read, and llms.txt.
 */
export function writePages(folder: string, options: SiteOptions): { texts: Map<string, string> } {
  const files = new Set<string>();
  const pages = new Map<string, string>();
  for (const path of repositoryPages()) {
    const to = pagePath(path) as string;
    pages.set(to, rewriteLinks(readFileSync(path, "utf8"), path, linkTarget(to, files, options.source)));
  }
  pages.set("decisions/index.md", decisionsPage(pages));
  const examples = [...pages].flatMap(([path, text]) => runnableIn(text, path));
  for (const [path, text] of pages) write(join(folder, path), withButtons(text, path));
  for (const path of files) copyLinked(path, folder);
  writeOwnPages(folder);
  writeExamples(join(folder, "examples"), examples);
  const contents = contentsOf(readFileSync("docs/README.md", "utf8"));
  const settings: SiteSettings = {
    base: options.base,
    sidebar: sidebarOf(contents, pages, join(folder, "api")),
  };
  write(join(folder, "site.json"), JSON.stringify(settings));
  copyFileSync("studio/public/isolation.js", made(join(folder, "public/isolation.js")));
  copyFileSync("studio/src/style/icon.svg", join(folder, "public/icon.svg"));
  return { texts: readableTexts(pages, contents, options) };
}

/** Markdown of the repository that becomes pages. */
function repositoryPages(): string[] {
  const folders = ["docs", "bench"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => posix.join(folder, path)),
  );
  return [...readdirSync("."), ...folders].filter((path) => pagePath(path) !== undefined).sort();
}

/** The targets of links on a page; files that are not pages are added to `files`, or are on a code host. */
function linkTarget(from: string, files: Set<string>, source: string | undefined) {
  return (path: string, anchor: string): string => {
    const page = path === "docs/decisions" ? "decisions/index.md" : pagePath(path);
    if (page) return linkBetween(from, page, anchor);
    if (source && !path.startsWith("docs/images/")) return `${source.replace(/\/?$/, "/")}${path}${anchor}`;
    files.add(path);
    return linkBetween(from, filePath(path), anchor);
  };
}

/** Pictures stand beside the pages, which import them; other files are public. A folder is a list of its files. */
function copyLinked(path: string, folder: string): void {
  const to = filePath(path);
  if (statSync(path).isDirectory()) {
    const list = readdirSync(path, { recursive: true, encoding: "utf8" }).sort();
    write(join(folder, "public", to), `${list.map((name) => posix.join(path, name)).join("\n")}\n`);
    return;
  }
  copyFileSync(path, made(join(folder, "public", to)));
  if (/\.(png|svg|webp)$/.test(to)) copyFileSync(path, made(join(folder, to)));
}

function decisionsPage(pages: ReadonlyMap<string, string>): string {
  const list = decisionsOf(pages).map(({ name, title }) => `- [${title}](${name})`);
  return `# Decisions\n\nWhy some things are as they are, with measurements. Each is of its day.\n\n${list.join("\n")}\n`;
}

function decisionsOf(pages: ReadonlyMap<string, string>): { name: string; title: string }[] {
  return [...pages]
    .filter(([path]) => /^decisions\/\d/.test(path))
    .map(([path, text]) => ({ name: posix.basename(path), title: titleOf(text) }));
}

/** The pages that only the site has: the home page, and the one that measures. */
function writeOwnPages(folder: string): void {
  const rows = publishedRows(
    Object.fromEntries(
      publishedFiles.map((name) => [name, JSON.parse(readFileSync(`bench/results/${name}.json`, "utf8"))]),
    ) as Record<(typeof publishedFiles)[number], Measurements>,
  );
  for (const name of readdirSync("site/own")) {
    const text = readFileSync(join("site/own", name), "utf8");
    write(
      join(folder, name),
      text.replace("<measure-machine", () => `<measure-machine ${dataOf(rows)}`),
    );
  }
}

function dataOf(rows: readonly PublishedRow[]): string {
  const json = JSON.stringify(rows)
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;");
  return `isolation="isolation.js" published="${json}"`;
}

/** Each program as a module, and a module that loads them by name. */
function writeExamples(folder: string, examples: readonly RunnableExample[]): void {
  for (const { name, text } of examples) write(join(folder, `${name}.ts`), `${text}\nexport {};\n`);
  const entries = examples.map(({ name }) => `  "${name}": () => import("./${name}.ts"),`);
  write(join(folder, "index.ts"), `export const examples = {\n${entries.join("\n")}\n};\n`);
}

function sidebarOf(
  contents: readonly Chapter[],
  pages: ReadonlyMap<string, string>,
  api: string,
): SiteSettings["sidebar"] {
  const chapters = contents.map(({ title, pages: entries }) => ({
    text: title,
    items: entries.flatMap(({ title, path }) => {
      const page = path === "docs/decisions" ? "decisions/index.md" : pagePath(path);
      return page ? [{ text: title, link: addressOf(page) }] : [];
    }),
  }));
  const decisions = decisionsOf(pages).map(({ name, title }) => ({
    text: title,
    link: `/decisions/${name}`,
  }));
  return {
    ...apiSidebars(JSON.parse(readFileSync(join(api, "typedoc-sidebar.json"), "utf8"))),
    "/decisions/": [{ text: "Decisions", link: "/decisions/", items: decisions }],
    "/": chapters,
  };
}

/** One per entry of the package: its names, and the other entries. */
function apiSidebars(modules: readonly SidebarGroup[]): SiteSettings["sidebar"] {
  const links = modules.map(({ text, link = "" }) => ({ text, link }));
  const own = modules.map(({ text, link = "", items = [] }) => {
    const groups = items.map((group) => ({ ...group, collapsed: false }));
    return [link, [{ text, link, items: groups }, ...links.filter((other) => other.link !== link)]] as const;
  });
  return { ...Object.fromEntries(own), "/api/": [{ text: "API reference", link: "/api/", items: links }] };
}

function addressOf(page: string): string {
  return `/${page.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`;
}

function readableTexts(
  pages: ReadonlyMap<string, string>,
  contents: readonly Chapter[],
  { base, url }: SiteOptions,
): Map<string, string> {
  const root = url ? url.replace(/\/?$/, "/") : base;
  const readable = new Map([...pages].map(([path, text]) => [path, withoutComments(text)]));
  const chapters = contents.map(({ title, pages: entries }) => ({
    title,
    pages: entries.flatMap(({ title, path, about }) => {
      const page = path === "docs/decisions" ? "decisions/index.md" : pagePath(path);
      return page ? [{ title, about, address: root + page }] : [];
    }),
  }));
  const listed = chapters.flatMap(({ pages: entries }) => entries.map(({ address }) => address));
  const full = ["overview.md", ...listed.map((address) => address.slice(root.length))];
  const { description } = JSON.parse(readFileSync("package.json", "utf8")) as { description: string };
  readable.set("llms.txt", llmsText("trainlets", description, chapters));
  readable.set(
    "llms-full.txt",
    llmsFullText(full.map((path) => ({ address: root + path, text: readable.get(path) ?? "" }))),
  );
  return readable;
}

function write(path: string, text: string): void {
  writeFileSync(made(path), text);
}

/** A path whose folder is there. */
function made(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  return path;
}
