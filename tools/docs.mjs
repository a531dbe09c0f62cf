/**
 * `npm run docs`: writes the tables of the pages that are made from the code, and what their commands and
 * programs print.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ready, root } from "./ready.mjs";

ready();
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "tests/docs.test.ts", ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TRAINLETS_DOCS: "write" },
  },
);
process.exitCode = status ?? 1;
