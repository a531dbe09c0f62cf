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

const bytes = (decoding: number, threads: number): Variant => ({
  name: `bytes, decoding ${decoding}, ${threads} threads`,
  tuning: { copy: "bytes", decoding, threads },
});

const variants: Variant[] = [
  { name: "halves, depth 8", tuning: { copy: "halves" }, steps: true },
  { name: "halves, depth 16", tuning: { copy: "halves", depth: 16 } },
  { name: "halves, wide", tuning: { copy: "halves", wide: true } },
  { ...bytes(0, 416), steps: true },
  bytes(1, 416),
  bytes(2, 416),
  { ...bytes(0, 224), steps: true },
  bytes(1, 224),
  bytes(2, 224),
  bytes(0, 160),
  bytes(0, 128),
  bytes(2, 128),
  { ...bytes(0, 416), name: "bytes 0/416, no robustness", dawn: "disable_robustness", steps: true },
  {
    ...bytes(0, 224),
    name: "bytes 0/224, no robustness, no zeros",
    dawn: "disable_robustness,disable_workgroup_init",
  },
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
      const fresh = await kernels.readSparse(on.A);
      ms.Gram =
        1e3 *
        (await secondsEach(kernels, 5, async () => {
          await kernels.writeSparse(on.A, fresh); // so that ΦA is computed again
          await run(on);
        }));
    } else if (name === "project" || name === "batchOmp")
      ms[name] = 1e3 * (await secondsEach(kernels, name === "batchOmp" ? 2 : 5, () => run(on)));
    else if (name === "columnEnergies") await run(on);
  }
  const codes = await kernels.readSparse(on.X);
  const step = steps ? await stepSeconds(problem, N, pictures, kernels, options) : undefined;
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
