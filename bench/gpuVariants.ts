/** Variants of the GPU kernels side by side, at the sizes of experiment 6: what is chosen by measurement. */

import type { DenseMatrix, SparseColumns } from "../src/core/matrix.js";
import type { Signal } from "../src/core/signal.js";
import type { Kernels } from "../src/kernels/contract.js";
import { openGpu } from "../src/kernels/gpu/device.js";
import { createGpuKernels, type GpuTuning, gpuKernelsOn } from "../src/kernels/gpu/index.js";
import { secondsEach, stepSeconds } from "./gpu.js";
import { countNonZeros, makeOperands, measurements } from "./kernels.js";
import {
  type Dictionary,
  makeDictionary,
  makePatches,
  type Options,
  type Problem,
  problems,
  readPictures,
} from "./setting.js";
import { digits, table } from "./table.js";

interface Variant {
  readonly name: string;
  readonly tuning: GpuTuning;
  /** Dawn's own switches. */
  readonly dawn?: string;
  /** Whether whole steps are measured too. */
  readonly steps?: boolean;
}

const bytes = (decoding: number, threads: number, skip = 0): Variant => ({
  name: `bytes, decoding ${decoding}, ${threads} threads${skip ? `, skip ${skip}` : ""}`,
  tuning: { copy: "bytes", decoding, threads, skip },
});

const halves = (threads: number, skip = 0): Variant => ({
  name: `halves, ${threads} threads${skip ? `, skip ${skip}` : ""}`,
  tuning: { copy: "halves", threads, skip },
});

const variants: Variant[] = [
  { ...halves(224), steps: true },
  { name: "halves, wide product", tuning: { copy: "halves", wide: true } },
  { name: "halves, wide product, depth 16", tuning: { copy: "halves", wide: true, depth: 16 } },
  halves(224, 1),
  halves(224, 2),
  halves(224, 4),
  halves(224, 7),
  halves(128),
  halves(160),
  halves(288),
  halves(416),
  { ...bytes(2, 224), steps: true },
  bytes(1, 224),
  bytes(0, 224),
  bytes(2, 224, 1),
  bytes(2, 224, 2),
  bytes(2, 224, 4),
  bytes(2, 224, 7),
  bytes(2, 256),
  bytes(2, 288),
  { ...bytes(2, 224), name: "bytes 2/224, no robustness", dawn: "disable_robustness" },
  { ...bytes(0, 224), name: "bytes 0/224, no robustness", dawn: "disable_robustness" },
  { ...halves(224), name: "halves 224, wide, no robustness", dawn: "disable_robustness" },
];

export async function benchGpuVariants(options: Options): Promise<string> {
  const kernels = await createGpuKernels({ software: options.quick });
  if ("unavailable" in kernels) return `missing: ${kernels.unavailable}`;
  const pictures = await readPictures(options.images);
  const problem: Problem = options.quick ? problems.small : problems.large;
  const N = options.quick ? 64 : 4096;
  const dictionary = await makeDictionary(problem, pictures, kernels);
  await kernels.close();
  const patches = await makePatches(problem, pictures, N);
  const head = [
    "variant",
    "project ms",
    "TFLOP/s",
    "Gram ms",
    "batchOmp ms",
    "step ms",
    "atoms as the first",
  ];
  const rows: string[][] = [];
  let codes: SparseColumns | undefined;
  for (const variant of variants) {
    const on = await openVariant(variant, options);
    if (typeof on === "string") {
      rows.push([variant.name, on]);
      continue;
    }
    try {
      const found = await measure(variant, on, problem, dictionary, patches, pictures, options);
      codes ??= found.codes;
      rows.push([variant.name, ...found.cells, share(found.codes, codes)]);
    } catch (error) {
      rows.push([variant.name, (error as Error).message.slice(0, 60)]);
    }
    process.stderr.write(`${rows.at(-1)?.join(" | ")}\n`);
    await on.close();
  }
  const full = rows.map((row) => [...row, ...Array<string>(head.length - row.length).fill("")]);
  return `${problem.name}, ${N} examples\n\n${table(head, full)}\n`;
}

async function openVariant({ tuning, dawn }: Variant, { quick }: Options): Promise<Kernels | string> {
  if (dawn === undefined) {
    const kernels = await createGpuKernels({ software: quick, tuning });
    return "unavailable" in kernels ? kernels.unavailable : kernels;
  }
  const opened = await openGpu(quick, [`enable-dawn-features=${dawn}`]);
  return "unavailable" in opened ? opened.unavailable : gpuKernelsOn(opened, { tuning });
}

async function measure(
  { steps }: Variant,
  kernels: Kernels,
  problem: Problem,
  dictionary: Dictionary,
  patches: DenseMatrix,
  pictures: readonly Signal[],
  options: Options,
) {
  const on = await makeOperands(kernels, dictionary, patches, problem.sparsity);
  const N = patches.cols;
  const ms: Record<string, number> = {};
  for (const { name, run } of measurements(problem, N, countNonZeros(dictionary))) {
    if (name.startsWith("refreshGram")) {
      const one = kernels.headSparse(on.A, 1);
      const fresh = await kernels.readSparse(one);
      const again = async () => {
        await kernels.writeSparse(one, fresh); // so that ΦA is computed again
        await run(on);
      };
      ms.Gram = 1e3 * (await secondsEach(kernels, 5, again));
    } else if (name === "project" || name === "batchOmp")
      ms[name] = 1e3 * (await secondsEach(kernels, name === "batchOmp" ? 2 : 5, () => run(on)));
    else if (name === "columnEnergies") await run(on);
  }
  const codes = await kernels.readSparse(on.X);
  const step = steps ? await stepSeconds(problem, N, pictures, kernels, options) : undefined;
  if (steps) process.stderr.write(`${await profile(problem, N, pictures, kernels, options)}\n`);
  const flops = 2 * patches.rows * dictionary.A.cols * N;
  return {
    codes,
    cells: [
      digits(ms.project),
      digits(flops / ms.project / 1e9),
      digits(ms.Gram),
      digits(ms.batchOmp),
      step ? digits(step.seconds * 1e3) : "",
    ],
  };
}

function share(codes: SparseColumns, others: SparseColumns): string {
  const same = codes.indices.reduce((count, atom, i) => count + (atom === others.indices[i] ? 1 : 0), 0);
  return `${((100 * same) / codes.indices.length).toFixed(3)} %`;
}

/** Milliseconds of each operation per step of training, each waited for; and of all else. */
async function profile(
  problem: Problem,
  N: number,
  pictures: readonly Signal[],
  kernels: Kernels,
  options: Options,
): Promise<string> {
  const spent = new Map<string, { ms: number; calls: number }>();
  const done = kernels.matrix(1, 1);
  const watched: Record<string, unknown> = Object.defineProperties(
    {},
    Object.getOwnPropertyDescriptors(kernels),
  );
  for (const [name, member] of Object.entries(kernels)) {
    if (
      typeof member !== "function" ||
      /^(matrix|sparse|set|base|signals|head.*|free|workspace|close)$/.test(name)
    )
      continue;
    const timed = async (...given: unknown[]) => {
      const start = performance.now();
      const result = await member.apply(kernels, given);
      await kernels.readMatrix(done);
      const limits = given[3] as { sparsity?: number } | undefined;
      const key = name === "batchOmp" ? `${name} p=${limits?.sparsity}` : name;
      const entry = spent.get(key) ?? { ms: 0, calls: 0 };
      spent.set(key, { ms: entry.ms + performance.now() - start, calls: entry.calls + 1 });
      return result;
    };
    Object.defineProperty(watched, name, { value: timed, enumerable: true });
  }
  const steps = options.quick ? 4 : 60;
  const start = performance.now();
  await stepSeconds(problem, N, pictures, watched as unknown as Kernels, options);
  const all = performance.now() - start;
  const known = [...spent.values()].reduce((sum, { ms }) => sum + ms, 0);
  const lines = [...spent]
    .sort(([, a], [, b]) => b.ms - a.ms)
    .map(
      ([name, { ms, calls }]) => `${name} ${(ms / steps).toFixed(2)} (${(calls / steps).toFixed(1)} calls)`,
    );
  return `ms per step: ${lines.join(", ")}; elsewhere ${((all - known) / steps).toFixed(2)}`;
}
