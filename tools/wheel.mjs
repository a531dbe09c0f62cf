/**
 * `npm run wheel [FOLDER]`: builds the Python package, with the JavaScript that it runs in one file, and leaves the
 * wheel in out/wheel or the folder. Needs Python 3.11 or newer, and no network.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { licences, packagesOf } from "./licences.mjs";
import { fail, ready, root } from "./ready.mjs";

ready();
const program = join(root, "python/trainlets/program");
const target = resolve(process.argv[2] ?? join(root, "out/wheel"));
rmSync(program, { recursive: true, force: true });
const packages = await bundleProgram(join(program, "serve.mjs"));
writeFileSync(join(program, "LICENSE.txt"), licences(packages));
mkdirSync(target, { recursive: true });
const python = process.env.PYTHON ?? (process.platform === "win32" ? "python" : "python3");
const { status, stdout, error } = spawnSync(python, [join(root, "python/backend.py"), target], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
});
if (status !== 0) fail(`wheel: ${error?.message ?? `${python} failed (exit ${status ?? "by signal"})`}`);
process.stdout.write(`${join(target, stdout.trim())}\n`);

/** One file with everything that the program imports; the packages that are in it. */
async function bundleProgram(file) {
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({ input: join(root, "dist/cli/serve/main.js"), platform: "node" });
  const { output } = await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  return packagesOf(output.flatMap(({ moduleIds = [] }) => moduleIds));
}
