/**
 * Python for tests that compare with Python libraries.
 *
 * Without it such tests are skipped, with the reason; with `CI=true` they fail.
 *
 * @example
 * const python = requirePython(["pywt"]);
 * describe.skipIf(!python.path)(`PyWavelets${python.note}`, () => {
 *   const answer = runPython(python.path!, "bases.py", { sizes: [8] });
 * });
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { skippedBecause } from "../missing.js";

export interface Python {
  /** The interpreter; undefined if none has the modules. */
  readonly path: string | undefined;
  /** For the title of a test: empty, or why it is skipped. */
  readonly note: string;
}

/** The last is where `.ci/run` installs what Debian has no new versions of. */
const interpreters = [
  "/usr/bin/python3",
  "python3",
  fileURLToPath(new URL("../../.cache/python/bin/python", import.meta.url)),
];

/**
 * The first interpreter that can import all modules, and names of them that old versions do not have, as
 * `sklearn.utils.validation.validate_data`. Throws if none can and `CI` is "true".
 */
export function requirePython(modules: readonly string[], names: readonly string[] = []): Python {
  const statements = [
    `import ${modules.join(", ")}`,
    ...names.map((name) => name.replace(/^(.*)\.(\w+)$/, "from $1 import $2")),
  ];
  const path = interpreters.find((name) => spawnSync(name, ["-c", statements.join("\n")]).status === 0);
  if (path !== undefined) return { path, note: "" };
  const reason = `no Python with ${[...modules, ...names].join(", ")}: tried ${interpreters.join(", ")}`;
  return { path, note: skippedBecause(reason) };
}

/** Run a script of this folder, with JSON as its standard input and output. */
export function runPython(path: string, script: string, input: unknown): unknown {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const options = { input: JSON.stringify(input), encoding: "utf8", maxBuffer: 2 ** 30 } as const;
  const { status, stdout, stderr, error } = spawnSync(path, [file], options);
  if (status !== 0) throw new Error(`${script} failed: ${error?.message ?? stderr}`);
  return JSON.parse(stdout);
}
