/**
 * Compiles the CPU kernels (AssemblyScript, src/kernels/cpu/assembly) and writes
 * them into src/kernels/cpu/binary.ts as text: once with shared memory, for
 * threads, once without, for pages that may not share memory. So the kernels come
 * with the package wherever it goes: no file to find, nothing to fetch.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, fail, root } from "./ready.mjs";

const common = [
  ...["--runtime", "stub", "--use", "abort=", "--noAssert"],
  ...["--importMemory", "--noExportMemory", "--initialMemory", "1", "--maximumMemory", "65536"],
  ...["-O3", "--converge", "--enable", "simd", "--enable", "bulk-memory"],
];
const builds = { shared: ["--sharedMemory", "--enable", "threads"], single: [] };

/** Compile, and leave `stamp` in the first line of what is written. */
export function assemble(stamp) {
  const folder = mkdtempSync(join(tmpdir(), "trainlets-assemble-"));
  try {
    const binaries = Object.entries(builds).map(([name, flags]) => {
      const file = join(folder, `${name}.wasm`);
      const args = ["src/kernels/cpu/assembly/index.ts", "-o", file, ...common, ...flags];
      const options = { cwd: root, encoding: "utf8" };
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [command("assemblyscript", "asc"), ...args],
        options,
      );
      if (status !== 0)
        fail(`${stdout}${stderr}build: asc failed (exit ${status ?? "by signal"})`, status || 1);
      return `export const ${name} =\n  "${readFileSync(file).toString("base64")}";\n`;
    });
    const header = `// ${stamp}\n// The CPU kernels, compiled by tools/assemble.mjs from assembly/: WebAssembly as base64.\n`;
    writeFileSync(join(root, "src/kernels/cpu/binary.ts"), header + binaries.join(""));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
