/**
 * The GPU: the speed of the device itself, of each kernel at the sizes of the paper and of
 * whole steps, and a batched pursuit in PyTorch if PyTorch is installed.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DenseMatrix } from "../src/core/matrix.js";
import type { Signal } from "../src/core/signal.js";
import { makeNpy, writeNpy } from "../src/data/formats/npy.js";
import type { Kernels } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { createGpuKernels } from "../src/kernels/gpu/index.js";
import { Matrix64 } from "../src/linalg/matrix64.js";
import { benchRival } from "./gpuRival.js";
import { benchStep } from "./gpuStep.js";
import { trainEpoch } from "./jobs.js";
import { countNonZeros, makeOperands, measurements, type Operands, ReferenceCheck } from "./kernels.js";
import { type Problem, problems } from "./problems.js";
import { makeDictionary, makePatches, type Options, readPictures, sizesOf } from "./setting.js";
import { digits, table } from "./table.js";

/** The parts that `--only` chooses from. */
const sections = ["kernels", "step", "rival", "job"] as const;
type Section = (typeof sections)[number];

export async function benchGpu(options: Options): Promise<string> {
  const chosen = chooseSections(options.only);
  if (options.dawn) await enableDawnFeatures(options.dawn);
  const kernels = await createGpuKernels({ software: options.quick });
  if ("unavailable" in kernels) return `missing: ${kernels.unavailable}`;
  const pictures = await readPictures(options.images);
  const parts = [`${kernels.description}\n`];
  const show = (text: string) => {
    process.stderr.write(`${text}\n`); // results are visible even if a later part fails
    parts.push(text);
  };
  try {
    if (chosen.has("kernels")) {
      const rates = await deviceRates(kernels, options);
      show(
        `Rates of the device: a copy moves ${digits(rates.copy / 1e9)} GB/s, a dense product makes ${digits(rates.product / 1e9)} GFLOP/s.\n`,
      );
      for (const [problem, N] of listJobs(options))
        show(await problemTables(problem, N, pictures, kernels, rates));
    }
    if (chosen.has("step"))
      for (const [problem, N] of options.only && !options.quick ? [largeJob] : listJobs(options))
        show(await benchStep(problem, N, pictures, kernels, options));
    if (chosen.has("rival")) show(await benchRival(kernels, options));
    if (chosen.has("job")) show(await smallJob(kernels, pictures, options));
  } finally {
    await kernels.close();
  }
  return parts.join("\n");
}

/** All, or those of a list with commas. */
function chooseSections(only: string | undefined): ReadonlySet<Section> {
  if (only === undefined) return new Set(sections);
  const names = only.split(",");
  const unknown = names.find((name) => !sections.includes(name as Section));
  if (unknown !== undefined) {
    process.stderr.write(`bench: --only must list some of ${sections.join(", ")}, got "${unknown}"\n`);
    process.exit(2);
  }
  return new Set(names as Section[]);
}

/** WebGPU with features of Dawn that are off by default: to see what they are worth. The library never asks for them. */
async function enableDawnFeatures(features: string): Promise<void> {
  const { create } = await import("webgpu");
  const gpu = create(["backend=vulkan", `enable-dawn-features=${features}`]);
  Object.defineProperty(globalThis, "navigator", { value: { gpu }, configurable: true });
}

/** Problems, each with the number of examples at a time. */
function listJobs({ quick }: Options): [Problem, number][] {
  if (quick) return [[problems.small, 64]];
  return [[problems.small, 4096], largeJob, [problems.huge, 2048]];
}

/** The one that is timed if only steps are asked for: experiment 6 of the paper. */
const largeJob: [Problem, number] = [problems.large, 8192];

interface Rates {
  /** Bytes read and written per second. */
  readonly copy: number;
  /** Floating-point operations per second. */
  readonly product: number;
}

/** The peak rates of the device: of a copy, and of a dense product with an explicit base. */
async function deviceRates(kernels: Kernels, { quick }: Options): Promise<Rates> {
  const size = quick ? 64 : 8192;
  const A = kernels.matrix(size, size);
  const B = kernels.matrix(size, size);
  const copy = await secondsEach(kernels, 20, () => kernels.copyColumns(A, 0, B));
  kernels.free(A, B);
  const phi = kernels.base([Matrix64.identity(quick ? 64 : 4096)]);
  const Y = kernels.matrix(phi.rows, size);
  const Z = kernels.matrix(phi.cols, size);
  const product = await secondsEach(kernels, 5, () => kernels.analyze(phi, Y, Z));
  kernels.free(phi, Y, Z);
  return { copy: (2 * 4 * size * size) / copy, product: (2 * phi.rows * phi.cols * size) / product };
}

/** An idle device lowers its clock; after this long at work it is at full speed. */
const warmMs = 300;

/** Mean seconds of operations that are submitted together, until the last is done, on a device that is warm. */
async function secondsEach(kernels: Kernels, times: number, work: () => Promise<void>): Promise<number> {
  const done = kernels.matrix(1, 1);
  const warm = performance.now() + warmMs;
  do {
    for (let i = 0; i < 2; i++) await work();
    await kernels.readMatrix(done);
  } while (performance.now() < warm);
  let best = Infinity;
  for (let turn = 0; turn < 3; turn++) {
    const start = performance.now();
    for (let i = 0; i < times; i++) await work();
    await kernels.readMatrix(done);
    best = Math.min(best, (performance.now() - start) / 1000 / times);
  }
  kernels.free(done);
  return best;
}

/** The kernels of one problem, and PyTorch's pursuit. */
async function problemTables(
  problem: Problem,
  N: number,
  pictures: readonly Signal[],
  kernels: Kernels,
  rates: Rates,
): Promise<string> {
  const { n, L, m, p, k } = sizesOf(problem);
  const dictionary = await makeDictionary(problem, pictures, kernels);
  const patches = await makePatches(problem, pictures, N);
  const on = await makeOperands(kernels, dictionary, patches, p);
  const check = await ReferenceCheck.of(dictionary, patches, p);
  const rows: string[][] = [];
  for (const measured of measurements(problem, N, countNonZeros(dictionary))) {
    const { name, run, operations, bytes } = measured;
    const seconds = await secondsEach(kernels, name === "batchOmp" ? 2 : 5, () => run(on));
    rows.push([
      name,
      digits(seconds * 1e3),
      digits((seconds * 1e6) / N),
      digits((2 * operations) / seconds / 1e9),
      digits((200 * operations) / seconds / rates.product),
      digits(bytes / seconds / 1e9),
      digits((100 * bytes) / seconds / rates.copy),
      digits(await check.error(measured, on)),
    ]);
  }
  const torch = problem === problems.large ? await torchPursuit(on, patches, p) : "";
  const head = [
    "kernel",
    "ms",
    "µs per example",
    "GFLOP/s",
    "% of a product",
    "GB/s",
    "% of a copy",
    "relative error",
  ];
  kernels.free(on.phi, on.A, on.all, on.S, on.Y, on.G, on.scale, on.P, on.energies, on.X, on.R);
  kernels.free(on.W, on.grad, on.U, on.scalars);
  return [
    `${problem.name}: n=${n} L=${L} m=${m} p=${p} k=${k}, ${N} examples\n`,
    `${table(head, rows)}\n`,
    ...(torch ? [`${torch}\n`] : []),
  ].join("\n");
}

/** The same pursuit, batched in PyTorch, on the same Gram matrix and projections. */
async function torchPursuit(on: Operands, patches: DenseMatrix, p: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "trainlets-bench-"));
  try {
    const { kernels } = on;
    const N = Math.min(patches.cols, 2048);
    for (const [name, matrix] of [
      ["G", await kernels.readMatrix(on.G)],
      ["P", await kernels.readMatrix(kernels.head(on.P, N))],
    ] as const) {
      writeFileSync(join(folder, `${name}.npy`), writeNpy(makeNpy([matrix.cols, matrix.rows], matrix.data)));
    }
    const codes = await kernels.readSparse(kernels.headSparse(on.X, N));
    writeFileSync(join(folder, "indices.npy"), writeNpy(makeNpy([N, codes.width], codes.indices)));
    const script = join(import.meta.dirname, "../../bench/torchOmp.py");
    const { stdout, stderr, status } = spawnSync("python3", [script, folder, String(p)], {
      encoding: "utf8",
    });
    if (status === 0) return `PyTorch, the same pursuit on the same device, ${N} examples: ${stdout.trim()}`;
    return `PyTorch: missing (${stderr.trim().split("\n").at(-1) || "python3 does not run"})`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A small job, compared with the CPU of the same machine. */
async function smallJob(kernels: Kernels, pictures: readonly Signal[], { quick }: Options): Promise<string> {
  const examples = quick ? 1024 : 200_000;
  const rows: string[][] = [];
  const cpu = await createCpuKernels();
  for (const [name, on] of [
    ["gpu", kernels],
    ["cpu", cpu],
    ["gpu, again", kernels],
    ["cpu, again", cpu],
  ] as const) {
    const { seconds, rmse } = await trainEpoch(problems.small, pictures, examples, on);
    rows.push([name, on.description, digits(seconds), rmse.toFixed(3)]);
  }
  await cpu.close();
  return [
    `One epoch of OSDL, 12×12, ${examples} examples, batch 512:\n`,
    table(["", "device", "s", "test RMSE"], rows),
  ].join("\n");
}
