/**
 * Compiles the CPU kernels (AssemblyScript, src/kernels/cpu/assembly) and writes
 * them into src/kernels/cpu/binary.ts as text: once with shared memory, for
 * threads, once without, for pages that may not share memory. So the kernels come
 * with the package wherever it goes: no file to find, nothing to fetch.
 *
 * The compiler also says where each field of the kernels' arguments lies in memory.
 * TypeScript writes the arguments by these names, so they are declared once, in assembly/.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "assemblyscript/asc";
import { fail, root } from "./ready.mjs";

const entry = "src/kernels/cpu/assembly/index";
const common = [
  ...["--runtime", "stub", "--use", "abort=", "--noAssert"],
  ...["--importMemory", "--noExportMemory", "--initialMemory", "1", "--maximumMemory", "65536"],
  ...["-O3", "--converge", "--enable", "simd", "--enable", "bulk-memory"],
];
const builds = { shared: ["--sharedMemory", "--enable", "threads"], single: [] };

/** Compile, and leave `stamp` in the first line of what is written. */
export async function assemble(stamp) {
  const folder = mkdtempSync(join(tmpdir(), "trainlets-assemble-"));
  try {
    const parts = [];
    const found = {};
    for (const [name, flags] of Object.entries(builds)) {
      const file = join(folder, `${name}.wasm`);
      Object.assign(found, await compile([`${entry}.ts`, "-o", file, ...common, ...flags]));
      parts.push(`export const ${name} =\n  "${readFileSync(file).toString("base64")}";\n`);
    }
    const header = `// ${stamp}
// Made by tools/assemble.mjs from assembly/: the CPU kernels as WebAssembly in base64, and
// where their arguments, and what these point to, lie in memory.
`;
    const layouts = Object.entries(found).map(([name, entries]) => {
      const lines = Object.entries(entries).map(([key, layout]) => `  ${key}: ${JSON.stringify(layout)},\n`);
      return `export const ${name} = {\n${lines.join("")}} as const;\n`;
    });
    writeFileSync(join(root, "src/kernels/cpu/binary.ts"), [header, ...layouts, ...parts].join(""));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Run the compiler; `kernels` are the layouts of arguments by kernel, `structs` those of classes that arguments point to. */
async function compile(args) {
  let layouts;
  class Layouts {
    afterCompile() {
      layouts = layoutsOf(this.program.filesByName.get(entry));
    }
  }
  const messages = [];
  const stderr = { write: (text) => messages.push(text) };
  const { error } = await main([...args, "--baseDir", root], { stderr, transforms: [Layouts] });
  if (error || messages.length > 0)
    fail(`${messages.join("")}build: asc failed (${error?.message ?? "warnings"})`);
  return layouts;
}

/** A kernel takes items from … to, scratch memory and, as its last parameter, the address of its arguments. */
function layoutsOf(file) {
  const kernels = {};
  const structs = {};
  for (const [name, { instances }] of file.exports) {
    const { parameterTypes } = instances.get("").signature;
    kernels[name] = layoutOf(parameterTypes.at(-1).classReference, structs);
  }
  return { kernels, structs };
}

/** The byte offset and the type of each field; an address, an i32 or a u32 is a word. */
function layoutOf(type, structs) {
  const fields = {};
  for (const [name, { instance }] of type.members) {
    const pointed = instance.type.classReference;
    if (pointed) structs[pointed.name] ??= layoutOf(pointed, structs);
    const number = instance.type.toString();
    fields[name] = [instance.memoryOffset, number === "f32" || number === "f64" ? number : "word"];
  }
  return fields;
}
