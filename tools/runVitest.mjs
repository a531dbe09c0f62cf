/** Runs some of the tests with an environment of their own, after what they need is built. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ready, root } from "./ready.mjs";

/** `words` are files and options of vitest. The exit code of the process is that of the tests. */
export function runVitest(words, environment) {
  ready();
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(process.execPath, [vitest, "run", ...words], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  process.exitCode = status ?? 1;
}
