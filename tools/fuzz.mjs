/**
 * `npm run fuzz`: gives every parser 10,000 damaged files, or as many as the first
 * argument says, and prints how many it read and rejected.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ready, root } from "./ready.mjs";

ready();
const [files = "10000", ...rest] = process.argv.slice(2);
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "tests/fuzz.test.ts", ...rest], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TRAINLETS_FUZZ: files },
});
process.exitCode = status ?? 1;
