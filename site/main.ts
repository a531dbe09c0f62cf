/**
 * `npm run site`, run by tools/site.mjs in the root of the repository: makes the pages from the Markdown of the
 * repository and the types of the package, builds them with VitePress, and puts the studio and llms.txt beside them.
 */

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { brokenLinks } from "./pages/checkLinks.js";
import { writePages } from "./pages/writePages.js";

const values = given();
const base = `/${values.base.replace(/^\/+|\/+$/g, "")}/`.replace("//", "/");
const out = resolve(values.out);
const tools = "site/node_modules";
/** What VitePress reads; made anew by every build. */
const pages = "site/.pages";

/** A build empties its folder first: refuse one that is not a site. */
if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, "isolation.js"))) {
  process.stderr.write(`site: --out ${values.out} is not empty, and not a site of an earlier build\n`);
  process.exit(2);
}

const started = performance.now();
rmSync(pages, { recursive: true, force: true });
step("API reference", () => run(join(tools, "typedoc/bin/typedoc"), ["--options", "site/typedoc.json"]));
const { texts } = step("pages", () => writePages(pages, { base, url: values.url, source: values.source }));
step("site", () => run(join(tools, "vitepress/bin/vitepress.js"), ["build", "site", "--outDir", out]));
cpSync("dist/studio", join(out, "studio"), { recursive: true });
for (const [path, text] of texts) write(join(out, path), text);
const { pages: count, links, broken } = step("links", () => brokenLinks(out, base));
if (broken.length > 0) {
  process.stderr.write(`${broken.join("\n")}\nsite: ${broken.length} of ${links} links are broken\n`);
  process.exit(1);
}
process.stdout.write(
  `${count} pages with ${links} links in ${values.out}, to be served below ${base} (${seconds(started)})\n`,
);

function given() {
  try {
    return parseArgs({
      options: {
        out: { type: "string", default: "out/site" },
        base: { type: "string", default: "/" },
        url: { type: "string" },
        source: { type: "string" },
        check: { type: "boolean", default: false }, // for tools/site.mjs
      },
    }).values;
  } catch (error) {
    process.stderr.write(`site: ${(error as Error).message}\n`);
    process.exit(2);
  }
}

function step<T>(title: string, work: () => T): T {
  const start = performance.now();
  const result = work();
  process.stdout.write(`${title} (${seconds(start)})\n`);
  return result;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/** Run a tool; its output is shown if it fails. */
function run(script: string, args: readonly string[]): void {
  if (!existsSync(script)) throw new Error(`${script} is missing: start this with npm run site`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}site: ${script} failed (exit ${status ?? "by signal"})\n`);
  process.exit(status || 1);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
