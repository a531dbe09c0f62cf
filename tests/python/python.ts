/**
 * A Python for tests that compare with Python libraries.
 *
 * Where there is none, such tests skip and say why; under CI (`CI=true`), where there should be one, they fail.
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
  /** The interpreter, or undefined where none has the modules. */
  readonly path: string | undefined;
  /** For the title of a test: empty, or why it is skipped. */
  readonly note: string;
}

const interpreters = ["/usr/bin/python3", "python3"];

/** The first interpreter that imports all the modules. Throws where there is none and `CI` is "true". */
export function requirePython(modules: readonly string[]): Python {
  const path = interpreters.find(
    (name) => spawnSync(name, ["-c", `import ${modules.join(", ")}`]).status === 0,
  );
  if (path !== undefined) return { path, note: "" };
  const reason = `no Python with ${modules.join(", ")}: tried ${interpreters.join(", ")}`;
  return { path, note: skippedBecause(reason) };
}

/** Run a script of this folder: JSON on its standard input, JSON from its standard output. */
export function runPython(path: string, script: string, input: unknown): unknown {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const options = { input: JSON.stringify(input), encoding: "utf8", maxBuffer: 2 ** 30 } as const;
  const { status, stdout, stderr, error } = spawnSync(path, [file], options);
  if (status !== 0) throw new Error(`${script} failed: ${error?.message ?? stderr}`);
  return JSON.parse(stdout);
}
