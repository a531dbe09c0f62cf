/**
 * `npm test`: installs and builds what is missing, then runs every check in order and
 * stops at the first that fails, with its exit status. Arguments are passed to vitest
 * (`npm test -- src/core -t permutation`), and then nothing else runs.
 *
 * The last line is `N passed, N failed[, N skipped]`, the counts of vitest, or the name
 * of the check that failed.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, fail, npm, ready, root } from "./ready.mjs";

const started = performance.now();
const scratch = mkdtempSync(join(tmpdir(), "trainlets-test-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const countsFile = join(scratch, "counts.json");
const extra = process.argv.slice(2);

ready();
if (extra.length > 0) {
  loud("vitest", () => vitest(extra));
} else {
  quiet("biome: format and lint", () => tool("@biomejs/biome", "biome", ["check", "."]));
  quiet("tsc: types of sources and tests", () => tool("typescript", "tsc", ["-p", "tsconfig.json"]));
  quiet("tsc: types of the studio", () => tool("typescript", "tsc", ["-p", "studio"]));
  loud("vitest: tests", () => vitest([]));
  quiet("knip: unused files, exports, packages", () => tool("knip", "knip", ["--no-progress"]));
  const tarball = pack();
  quiet("publint: the packed package", () => tool("publint", "publint", ["run", tarball, "--strict"]));
  quiet("attw: types as importers see them", () =>
    tool("@arethetypeswrong/cli", "attw", [tarball, "--profile", "esm-only", "--no-definitely-typed"]),
  );
  process.stdout.write(`all checks passed in ${seconds(started)}\n`);
}
process.stdout.write(`${counts()}\n`);

/** A check that prints only its name and time, unless it fails. */
function quiet(title, run) {
  const start = performance.now();
  process.stdout.write(title);
  const { status, stdout, stderr } = run();
  process.stdout.write(` (${seconds(start)})\n`);
  if (status !== 0) process.stdout.write(stdout + stderr);
  stopUnlessZero(title, status);
}

/** A check that prints its own output. */
function loud(title, run) {
  const start = performance.now();
  process.stdout.write(`${title}\n`);
  const { status } = run();
  process.stdout.write(`${title} (${seconds(start)})\n`);
  stopUnlessZero(title, status);
}

function stopUnlessZero(title, status) {
  if (status === 0) return;
  const known = counts();
  if (known) process.stdout.write(`${known}\n`);
  fail(`failed: ${title} (exit ${status ?? "by signal"})`, status || 1);
}

function tool(packageName, name, args, options = {}) {
  const env = process.stdout.isTTY ? { FORCE_COLOR: "1", ...process.env } : process.env;
  const all = { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28, env, ...options };
  return spawnSync(process.execPath, [command(packageName, name), ...args], all);
}

function vitest(args) {
  const own = args.some((arg) => arg.startsWith("--reporter")) ? [] : ["--reporter=default"];
  const all = ["run", ...own, `--reporter=${join(root, "tools/counts.mjs")}`, ...args];
  const env = { ...process.env, TRAINLETS_COUNTS: countsFile };
  return tool("vitest", "vitest", all, { stdio: "inherit", env });
}

/** The line `N passed, N failed`; empty if vitest did not finish. */
function counts() {
  if (!existsSync(countsFile)) return "";
  const { passed, failed, skipped } = JSON.parse(readFileSync(countsFile, "utf8"));
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** The package as it would be published. */
function pack() {
  const { status, stdout, stderr } = npm(["pack", "--loglevel=error", "--pack-destination", scratch]);
  if (status !== 0) fail(`${stdout}${stderr}failed: npm pack (exit ${status})`, status || 1);
  return join(
    scratch,
    readdirSync(scratch).find((name) => name.endsWith(".tgz")),
  );
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
