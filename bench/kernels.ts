/** Each kernel alone, at the sizes of the paper: time, rate, and error relative to the reference. */

import { DenseMatrix } from "../src/core/matrix.js";
import { Rng } from "../src/core/random/rng.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { createReferenceKernels } from "../src/kernels/reference/index.js";
import { type Problem, problems } from "./problems.js";
import {
  type Dictionary,
  fastestRun,
  makeDictionary,
  makePatches,
  type Options,
  readPictures,
  rmsDifference,
  sizesOf,
  upload,
} from "./setting.js";
import { digits, table } from "./table.js";

/** Examples that the reference computes as well, for comparison. */
const comparedExamples = 8;

export async function benchKernels(options: Options): Promise<string> {
  const pictures = await readPictures(options.images);
  const parts: string[] = [];
  for (const problem of [problems.small, problems.medium, problems.large]) {
    const dictionary = await makeDictionary(problem, pictures);
    const patches = await makePatches(problem, pictures, options.quick ? 512 : 2048);
    const { n, L, m, p, k } = sizesOf(problem);
    const rows = await measureKernels(problem, dictionary, patches, options);
    parts.push(
      `${problem.name}: n=${n} L=${L} m=${m} p=${p} k=${k}, ${patches.cols} examples, ${options.threads} threads\n`,
    );
    parts.push(`${table(["kernel", "ms", "GFLOP/s", "GB/s", "relative error"], rows)}\n`);
  }
  parts.push(
    "Explicit atoms, as many as the base has, 512 examples: dense products\n",
    await denseTable(options),
  );
  return parts.join("\n");
}

/** The dense products of a step of ODL. */
async function denseTable(options: Options): Promise<string> {
  const kernels = await createCpuKernels({ threads: options.threads });
  const rows: string[][] = [];
  for (const problem of [problems.small, problems.medium, problems.lena32]) {
    const { n, m } = sizesOf(problem);
    const D = await upload(kernels, randomMatrix(n, m));
    const Y = await upload(kernels, randomMatrix(n, 512));
    const B = await upload(kernels, randomMatrix(n, m));
    const [P, G, C] = [kernels.matrix(m, 512), kernels.matrix(m, m), kernels.matrix(m, m)];
    await kernels.correlate(D, D, C);
    for (const [name, operations, run] of [
      ["correlate (Gram)", (n * m * m) / 2, () => kernels.correlate(D, D, G)],
      ["correlate (projection)", n * m * 512, () => kernels.correlate(D, Y, P)],
      ["descendAtoms", n * m * m, () => kernels.descendAtoms(B, C, D)],
    ] as const) {
      const seconds = await fastestRun(options.quick ? 3 : 20, run);
      rows.push([problem.name, name, digits(seconds * 1000), digits((2 * operations) / seconds / 1e9)]);
    }
    kernels.free(D, Y, B, P, G, C);
  }
  await kernels.close();
  return table(["atoms", "kernel", "ms", "GFLOP/s"], rows);
}

function randomMatrix(rows: number, cols: number): DenseMatrix {
  const rng = Rng.from(1);
  const values = Float32Array.from({ length: rows * cols }, () => rng.normal() / Math.sqrt(rows));
  return new DenseMatrix(rows, cols, values);
}

/** All operands of a step, on some kernels. */
export async function makeOperands(kernels: Kernels, { base, A }: Dictionary, Y: DenseMatrix, p: number) {
  const { rows: n, cols: N } = Y;
  const { rows: L, cols: m } = A;
  const phi = kernels.base(base.factors);
  const held = kernels.sparse(L, m, A.width);
  await kernels.writeSparse(held, A);
  const all = kernels.set(m);
  const S = kernels.set(m);
  await kernels.writeSet(
    all,
    Uint32Array.from({ length: m }, (_, j) => j),
  );
  const make = (rows: number, cols: number) => kernels.matrix(rows, cols);
  return {
    kernels,
    phi,
    A: held,
    all,
    S,
    Y: await upload(kernels, Y),
    G: make(m, m),
    scale: make(m, 1),
    P: make(m, N),
    energies: make(1, N),
    X: kernels.sparse(m, N, p),
    R: make(n, N),
    W: make(L, N),
    grad: make(L, m),
    U: make(L, m),
    scalars: make(4, 1),
  };
}

export type Operands = Awaited<ReturnType<typeof makeOperands>>;

export interface Measured {
  readonly name: string;
  run(on: Operands): Promise<void>;
  /** The least number of multiply–adds, and of bytes read and written. */
  readonly operations: number;
  readonly bytes: number;
  /** The matrix whose first columns are compared with the reference. */
  result?(on: Operands): DeviceMatrix;
}

/** The kernels in the order of a step: each computes what the next one needs. */
export function measurements(problem: Problem, N: number, nonZeros: number): Measured[] {
  const { n, L, m, p, k } = sizesOf(problem);
  const f = 4;
  const transform = nonZeros * N;
  return [
    {
      name: "refreshGram (all atoms)",
      run: (s) => s.kernels.refreshGram(s.phi, s.A, s.all, s.G, s.scale),
      operations: (m * m * k) / 2 + 2 * nonZeros * m,
      bytes: f * m * m,
      result: (s) => s.G,
    },
    {
      name: "project",
      run: (s) => s.kernels.project(s.phi, s.A, s.scale, s.Y, s.P),
      operations: N * k * m + transform,
      bytes: f * N * (n + m),
      result: (s) => s.P,
    },
    {
      name: "columnEnergies",
      run: (s) => s.kernels.columnEnergies(s.Y, s.energies),
      operations: n * N,
      bytes: f * n * N,
    },
    {
      name: "batchOmp",
      run: (s) => s.kernels.batchOmp(s.G, s.P, s.energies, { sparsity: p, residualEnergy: 0 }, s.X),
      operations: (N * p * p * m) / 2,
      bytes: (f * N * p * p * m) / 2,
    },
    {
      name: "residual",
      run: (s) => s.kernels.residual(s.phi, s.A, s.X, s.Y, s.R),
      operations: N * p * k + transform,
      bytes: 2 * f * n * N,
      result: (s) => s.R,
    },
    {
      name: "analyze",
      run: (s) => s.kernels.analyze(s.phi, s.R, s.W),
      operations: transform,
      bytes: f * N * (n + L),
      result: (s) => s.W,
    },
    { name: "usedAtoms", run: (s) => s.kernels.usedAtoms(s.X, s.S), operations: 0, bytes: 8 * N * p },
    {
      name: "gradient",
      run: (s) => s.kernels.gradient(s.W, s.X, s.S, s.grad),
      operations: N * p * L,
      bytes: f * L * (N + m),
    },
    {
      name: "movedEnergy",
      run: (s) => s.kernels.movedEnergy(s.phi, s.grad, s.S, s.X, s.scalars, 2),
      operations: N * p * L + transform,
      bytes: f * L * (N + m),
    },
    {
      name: "synthesize",
      run: (s) => s.kernels.synthesize(s.phi, s.W, s.R),
      operations: transform,
      bytes: f * N * (n + L),
    },
    {
      name: "addSquaredNorm (gradient)",
      run: (s) => s.kernels.addSquaredNorm(s.grad, s.scalars, 0),
      operations: L * m,
      bytes: f * L * m,
    },
    {
      name: "moveAtoms",
      run: ({ kernels, U, S, A, scalars, grad }) =>
        kernels.moveAtoms(k, U, S, A, { gamma: 0.9, scalars, eta: 3, grad }),
      operations: 3 * L * m,
      bytes: 3 * f * L * m,
    },
  ];
}

async function measureKernels(
  problem: Problem,
  dictionary: Dictionary,
  patches: DenseMatrix,
  options: Options,
): Promise<string[][]> {
  const kernels = await createCpuKernels({ threads: options.threads });
  const cpu = await makeOperands(kernels, dictionary, patches, problem.sparsity);
  const check = await ReferenceCheck.of(dictionary, patches, problem.sparsity);
  const rows: string[][] = [];
  for (const measured of measurements(problem, patches.cols, countNonZeros(dictionary))) {
    const { name, run, operations, bytes } = measured;
    const seconds = await fastestRun(options.quick ? 1 : 3, () => run(cpu));
    rows.push([
      name,
      digits(seconds * 1000),
      digits((2 * operations) / seconds / 1e9),
      digits(bytes / seconds / 1e9),
      digits(await check.error(measured, cpu)),
    ]);
  }
  await kernels.close();
  return rows;
}

/** Runs the same kernels on the reference, for a few examples, and measures the error of others. */
export class ReferenceCheck {
  readonly #reference: Operands;
  /** Whether it computes the Gram matrix, which takes the reference minutes for many atoms. */
  readonly #makesGram: boolean;

  private constructor(reference: Operands, makesGram: boolean) {
    this.#reference = reference;
    this.#makesGram = makesGram;
  }

  static async of(dictionary: Dictionary, patches: DenseMatrix, p: number): Promise<ReferenceCheck> {
    const few = patches.slice(0, Math.min(comparedExamples, patches.cols)).copy();
    const reference = await makeOperands(createReferenceKernels(), dictionary, few, p);
    return new ReferenceCheck(reference, dictionary.A.cols < 2000);
  }

  /** ‖ours − reference‖ / ‖reference‖ for what a kernel has just computed; NaN if it is not compared. */
  async error({ name, run, result }: Measured, on: Operands): Promise<number> {
    const reference = this.#reference;
    if (name.startsWith("refreshGram") && !this.#makesGram) {
      await copyGram(on, reference);
      return Number.NaN;
    }
    if (name === "batchOmp") await copyCodes(on.kernels, on.X, reference.kernels, reference.X);
    if (!result) return Number.NaN;
    await run(reference);
    return distance(on.kernels, result(on), reference.kernels, result(reference));
  }
}

/** Multiplications by non-zero weights in the transform of one example by Φ. */
export function countNonZeros({ base }: Dictionary): number {
  let total = 0;
  let outer = 1;
  let inner = base.factors.reduce((product, factor) => product * factor.rows, 1);
  for (const factor of base.factors) {
    inner /= factor.rows;
    total += outer * inner * factor.data.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
    outer *= factor.cols;
  }
  return total;
}

/** ‖a − b‖ / ‖b‖ over the columns that both have. */
async function distance(on: Kernels, a: DeviceMatrix, other: Kernels, b: DeviceMatrix): Promise<number> {
  const exact = await other.readMatrix(b);
  const actual = await on.readMatrix(on.head(a, exact.cols));
  const zero = new DenseMatrix(exact.rows, exact.cols);
  return rmsDifference(actual, exact) / rmsDifference(exact, zero);
}

async function copyGram(from: Operands, to: Operands): Promise<void> {
  await to.kernels.writeMatrix(to.G, await from.kernels.readMatrix(from.G));
  await to.kernels.writeMatrix(to.scale, await from.kernels.readMatrix(from.scale));
}

/** The reference continues with the same codes: a tie decided differently is not an error. */
async function copyCodes(on: Kernels, X: DeviceSparse, other: Kernels, to: DeviceSparse): Promise<void> {
  await other.writeSparse(to, await on.readSparse(on.headSparse(X, to.cols)));
}
