/**
 * The map of the project, held to what is there: the direction of imports, what
 * runs in a browser, the paper map, the links of the pages, the header of each file.
 */

import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import { anchorsOf, codeSpansOf, linksOf, tableRowsOf } from "./markdown.js";
import {
  cycles,
  declares,
  exists,
  importedBy,
  isTest,
  listFiles,
  read,
  readSources,
  withoutComments,
} from "./sources.js";

/** The folders of src: a file may import from its own folder and from folders of a lower rank. */
const ranks: Record<string, number> = {
  cli: 13,
  report: 12,
  experiments: 11,
  figures: 10,
  tasks: 9,
  learn: 8,
  pursuit: 6,
  model: 7,
  dictionaries: 5,
  wavelets: 4,
  kernels: 4,
  data: 3,
  linalg: 1,
  core: 0,
};

/** The public surface: re-exports alone, from any folder but cli. */
const entries = ["src/index.ts", "src/node.ts", "src/parts.ts"];

/** Packages that run in a browser as well; any other is for Node's own files only. */
const portablePackages = ["fflate", "@observablehq/plot"];

/** Every page, and those that must be there. */
const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/paper-map.md"];
const written = [...new Set([...pages, ...listFiles("docs"), ...listFiles("bench")])].filter((path) =>
  path.endsWith(".md"),
);

const sources = readSources("src");
const shipped = sources.filter(({ path }) => !isTest(path));

const folderOf = (path: string): string => path.split("/")[1];
const isForNode = (path: string): boolean =>
  path === "src/node.ts" || path.startsWith("src/cli/") || path.includes("/node/");

it("finds sources and imports to judge", () => {
  expect(shipped.length).toBeGreaterThan(5);
  expect(shipped.flatMap(({ imports }) => imports).length).toBeGreaterThan(5);
  expect(sources.flatMap(({ imports }) => imports).filter((path) => !exists(path))).toEqual([]);
});

describe("direction of imports", () => {
  const inFolders = shipped.filter(({ path }) => !entries.includes(path));

  it("gives every folder of src a rank", () => {
    const unranked = inFolders.filter(({ path }) => ranks[folderOf(path)] === undefined);
    expect(unranked.map(({ path }) => path)).toEqual([]);
  });

  it("points down only", () => {
    const isUpward = (from: string, to: string): boolean =>
      folderOf(from) !== folderOf(to) && !(ranks[folderOf(to)] < ranks[folderOf(from)]);
    const upward = inFolders.flatMap(({ path, imports }) =>
      imports.filter((to) => isUpward(path, to)).map((to) => `${path} imports ${to}`),
    );
    expect(upward).toEqual([]);
  });

  it("stays inside src, and never leads to a test", () => {
    const astray = shipped.flatMap(({ path, imports }) =>
      imports.filter((to) => !to.startsWith("src/") || isTest(to)).map((to) => `${path} imports ${to}`),
    );
    expect(astray).toEqual([]);
  });

  it("has no cycles between files", () => {
    expect(cycles(shipped).map((circle) => circle.join(" → "))).toEqual([]);
  });

  it.each(entries)("%s holds re-exports only, none of cli", (path) => {
    const reExport = /export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s+from\s+"[^"]+";/g;
    expect(withoutComments(read(path)).replace(reExport, "").trim()).toBe("");
    const { imports } = sources.find((file) => file.path === path)!;
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((to) => folderOf(to) === "cli")).toEqual([]);
  });
});

describe("what runs in a browser", () => {
  const portable = shipped.filter(({ path }) => !isForNode(path));

  it("keeps Node built-ins, and packages that need Node, in node/ folders and the command line", () => {
    const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)![0];
    const bound = portable.flatMap(({ path, packages }) =>
      packages
        .filter((name) => isBuiltin(name) || !portablePackages.includes(packageOf(name)))
        .map((name) => `${path} imports ${name}`),
    );
    expect(portable.length).toBeGreaterThan(5);
    expect(bound).toEqual([]);
  });

  it("imports nothing from the files for Node", () => {
    const bound = portable.flatMap(({ path, imports }) =>
      imports.filter(isForNode).map((to) => `${path} imports ${to}`),
    );
    expect(bound).toEqual([]);
  });

  it("uses no globals of Node", () => {
    const global = /(?<![\w$./])(?:(?:process|Buffer)\.|require\(|setImmediate\(|__dirname|__filename)/;
    const bound = portable.filter(({ text }) => global.test(withoutComments(text)));
    expect(bound.map(({ path }) => path)).toEqual([]);
  });

  it("bundles from src/index.ts with nothing left to resolve", async () => {
    const warnings: string[] = [];
    const bundle = await rolldown({
      input: "src/index.ts",
      platform: "browser",
      resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
      onLog: (_level, { message }) => void warnings.push(stripVTControlCharacters(message.split("\n")[0])),
    });
    const { output } = await bundle.generate({ format: "esm", minify: true });
    const chunks = output.filter((part) => part.type === "chunk");
    const own = new Set(output.map((part) => part.fileName));
    const outside = chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]);
    expect(warnings).toEqual([]);
    expect(outside.filter((name) => !own.has(name))).toEqual([]);

    const code = chunks.map((chunk) => chunk.code).join("\n");
    expect(chunks[0].exports.length).toBeGreaterThan(0);
    expect(code).not.toMatch(/\b(?:from|import|require)\b[\s(]*["'`]node:/);
    const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
    console.info(`browser bundle: ${kilobytes(code.length)}, ${kilobytes(gzipSync(code).length)} compressed`);
  });
});

describe("the studio", () => {
  const studio = readSources("studio/src");

  it("imports its own files, what trainlets exports, and Preact", () => {
    const allowed = ["trainlets", "trainlets/parts", "preact", "preact/hooks", "@preact/signals"];
    const astray = studio.flatMap(({ path, imports, packages }) => [
      ...packages.filter((name) => !allowed.includes(name)).map((name) => `${path} imports ${name}`),
      ...imports
        .filter((to) => !to.startsWith("studio/src/") || !exists(to))
        .map((to) => `${path} imports ${to}`),
    ]);
    expect(studio.length).toBeGreaterThan(20);
    expect(astray).toEqual([]);
  });

  it("has no cycles between files", () => {
    expect(cycles(studio).map((circle) => circle.join(" → "))).toEqual([]);
  });
});

describe("the pages", () => {
  it.each(pages)("%s is there", (path) => {
    expect(exists(path)).toBe(true);
  });

  it("are linked, each from another one", () => {
    const linked = new Set(
      written.flatMap((page) =>
        linksOf(read(page))
          .map((link) => posix.join(posix.dirname(page), link.replace(/#.*/, "")))
          .filter((target) => target !== page),
      ),
    );
    const isReached = (page: string): boolean => linked.has(page) || linked.has(posix.dirname(page));
    expect(written.filter((page) => page !== "README.md" && !isReached(page))).toEqual([]);
  });

  it("link to files and headings that exist", () => {
    const local = written.flatMap((page) =>
      linksOf(read(page))
        .filter((link) => !/^[a-z]+:/i.test(link))
        .map((link) => ({ page, link })),
    );
    const broken = local.filter(({ page, link }) => !resolves(page, link));
    expect(local.length).toBeGreaterThan(0);
    expect(broken.map(({ page, link }) => `${page}: ${link}`)).toEqual([]);
  });

  function resolves(page: string, link: string): boolean {
    const [file = "", anchor] = decodeURI(link).split("#", 2);
    const target = file === "" ? page : posix.join(posix.dirname(page), file);
    if (!exists(target)) return false;
    return !anchor || !target.endsWith(".md") || anchorsOf(read(target)).has(anchor);
  }
});

describe("the paper map", () => {
  const page = read("docs/paper-map.md");
  const place = /^(?:src|tests|tools|bench|docs)\/[\w./-]+$/;
  const symbolName = /^[A-Za-z_$][\w$]*(?:\.[\w$]+)?$/;

  it("names files that exist", () => {
    const places = codeSpansOf(page).filter((span) => place.test(span));
    expect(places.length).toBeGreaterThan(0);
    expect(places.filter((path) => !exists(path))).toEqual([]);
  });

  it("names symbols that its files declare", () => {
    const rows = tableRowsOf(page)
      .filter((cells) => cells.length >= 3)
      .map(([, where, symbols]) => ({
        files: codeSpansOf(where).filter((span) => place.test(span) && span.endsWith(".ts")),
        symbols: codeSpansOf(symbols).map((span) => span.replace(/\(\)$/, "")),
      }))
      .filter(({ symbols }) => symbols.length > 0);
    const isDeclared = (files: string[], symbol: string): boolean =>
      symbolName.test(symbol) && files.some((file) => exists(file) && declares(read(file), symbol));
    const lost = rows.flatMap(({ files, symbols }) =>
      symbols.filter((symbol) => !isDeclared(files, symbol)).map((symbol) => `${symbol} in ${files.join()}`),
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(lost).toEqual([]);
  });
});

it("every source file opens by saying what it is", () => {
  const silent = [...sources, ...readSources("studio/src")]
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .filter(({ text }) => !/^(?:#!.*\n+)?\s*(?:\/\*\*?|\/\/)\s*\S/.test(text));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

describe("the scanner itself", () => {
  it("sees every form of import, and none in comments", () => {
    const text = [
      "#!/usr/bin/env node",
      '/** import { x } from "./comment.js" */',
      'import a from "./a.js";',
      "import type {\n  B,\n} from './b.js';",
      'export * from "./c.js";',
      'export { d } from "d/d";',
      'import "./e.js";',
      'const f = await import("node:f");',
      'type G = import("./g.js").G; // import("./comment.js")',
      'export const text = "from"; const other = "./string.js";',
    ].join("\n");
    const expected = ["./a.js", "./b.js", "./c.js", "d/d", "./e.js", "node:f", "./g.js"];
    expect(importedBy(text).sort()).toEqual(expected.sort());
  });

  it("finds circles", () => {
    const file = (path: string, ...imports: string[]) => ({ path, text: "", imports, packages: [] });
    expect(cycles([file("a", "b", "c"), file("b", "c"), file("c")])).toEqual([]);
    expect(cycles([file("a", "b"), file("b", "c"), file("c", "b")])).toEqual([["b", "c", "b"]]);
  });

  it("distinguishes declarations from mere mentions", () => {
    const text =
      "export class Rng {\n  uint32(): number {}\n}\nfunction* walk() {}\nexport { there } from './x.js';\nuse(it);";
    for (const symbol of ["Rng", "Rng.uint32", "walk", "there"]) expect(declares(text, symbol)).toBe(true);
    for (const symbol of ["Rn", "Rng.uint", "it", "use", "her"]) expect(declares(text, symbol)).toBe(false);
  });

  it("reads links and anchors as code hosts do", () => {
    const page =
      "# A `B`: c, d!\n## A b\n## A b\n[x](#a-b) `[no](no.md)` ![p](p.png)\n\n```\n[no](no)\n# no\n```\n[r]: r.md";
    expect(linksOf(page)).toEqual(["#a-b", "p.png", "r.md"]);
    expect([...anchorsOf(page)]).toEqual(["a-b-c-d", "a-b", "a-b-1"]);
  });
});
