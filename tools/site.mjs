/**
 * `npm run site`: builds the site (studio, documentation, API reference) into out/site. Its tools are no part of the
 * project's own packages: they are installed in site/, when they are missing or out of date.
 *
 *   --out FOLDER    where to (default out/site)
 *   --base PATH     the path below which it will be served, such as /trainlets/ (default /)
 *   --url ADDRESS   the address of the site, for llms.txt
 *   --source ADDR   where a code host shows the files of the repository (by default the site has copies)
 *   --check         test the built site in Chromium
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { command, fail, npm, ready, root } from "./ready.mjs";
import { runVitest } from "./runVitest.mjs";

const words = process.argv.slice(2);
ready();
installTools();
checkTypes();
const { rolldown } = await import("rolldown");
const file = join(root, ".cache/site/main.mjs");
const bundle = await rolldown({
  input: join(root, "site/main.ts"),
  platform: "node",
  resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
});
await bundle.write({ file, format: "esm", codeSplitting: false });
await bundle.close();
// VitePress puts a link to vue here while it works; one that was left by a build that was killed may lead nowhere
rmSync(join(root, "node_modules/vue"), { force: true });
const { status } = spawnSync(process.execPath, [file, ...words], { cwd: root, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
if (words.includes("--check")) check();

/** What npm puts into site/node_modules. */
function installTools() {
  const folder = join(root, "site");
  const stamp = join(folder, "node_modules/.trainlets-installed");
  const lock = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  process.stdout.write("installing the tools of the site (npm ci)\n");
  const { status, stdout, stderr } = npm(["ci", "--loglevel=error", "--no-progress"], { cwd: folder });
  if (status !== 0)
    fail(`${stdout}${stderr}site: npm ci failed (exit ${status ?? "by signal"})`, status || 1);
  writeFileSync(stamp, lock);
}

function checkTypes() {
  const { status } = spawnSync(process.execPath, [command("typescript", "tsc"), "-p", "site"], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) fail("site: the types of its pages are wrong", status || 1);
}

function check() {
  const options = { out: { type: "string", default: "out/site" }, base: { type: "string", default: "/" } };
  const { values } = parseArgs({ args: words, options, strict: false });
  runVitest(["tests/site.test.ts"], {
    TRAINLETS_SITE: resolve(values.out),
    TRAINLETS_SITE_BASE: values.base,
  });
}
