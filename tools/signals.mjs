/**
 * `npm run signals`: sends 100 signals at random moments to twenty runs of several learners, or as many
 * as the first argument says, and prints what came of them.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ready, root } from "./ready.mjs";

ready();
const [signals = "100", ...rest] = process.argv.slice(2);
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "tests/signals.test.ts", ...rest], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TRAINLETS_SIGNALS: signals },
});
process.exitCode = status ?? 1;
