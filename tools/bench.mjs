/**
 * `npm run bench`: bundles bench/main.ts with the current sources and runs it. Arguments
 * are passed on: see bench/README.md.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ready, root } from "./ready.mjs";

ready();
const { rolldown } = await import("rolldown");
const file = join(root, ".cache/bench/main.mjs");
const bundle = await rolldown({
  input: join(root, "bench/main.ts"),
  platform: "node",
  external: ["koffi", "sharp", "webgpu"],
  resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
});
await bundle.write({ file, format: "esm", codeSplitting: false });
await bundle.close();
const { status } = spawnSync(process.execPath, ["--expose-gc", file, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
