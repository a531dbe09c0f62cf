/** Each kernel alone, at the sizes of the paper: time, rate, and distance from the reference. */

import { DenseMatrix } from "../src/core/matrix.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { createReferenceKernels } from "../src/kernels/reference/index.js";
import {
  bestOf,
  type Dictionary,
  makeDictionary,
  makePatches,
  type Options,
  type Problem,
  problems,
  put,
  readPictures,
  rmsDifference,
  sizesOf,
} from "./setting.js";
import { digits, table } from "./table.js";

/** Examples that the reference computes too, to compare with. */
const judged = 8;

export async function benchKernels(options: Options): Promise<string> {
  const pictures = await readPictures(options.images);
  const parts: string[] = [];
  for (const problem of [problems.small, problems.medium, problems.large]) {
    const dictionary = await makeDictionary(problem, pictures);
    const patches = await makePatches(problem, pictures, options.quick ? 512 : 2048);
    const { n, L, m, p, k } = sizesOf(problem);
    const rows = await rowsOf(problem, dictionary, patches, options);
    parts.push(
      `${problem.name}: n=${n} L=${L} m=${m} p=${p} k=${k}, ${patches.cols} examples, ${options.threads} threads\n`,
    );
    parts.push(`${table(["kernel", "ms", "GFLOP/s", "GB/s", "relative error"], rows)}\n`);
  }
  return parts.join("\n");
}

/** All that a step works on, on some kernels. */
export async function stage(kernels: Kernels, { base, A }: Dictionary, Y: DenseMatrix, p: number) {
  const [n, N, L, m] = [Y.rows, Y.cols, A.rows, A.cols];
  const phi = kernels.base(base.factors);
  const held = kernels.sparse(L, m, A.width);
  await kernels.writeSparse(held, A);
  const [all, S] = [kernels.set(m), kernels.set(m)];
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
    Y: await put(kernels, Y),
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

export type Stage = Awaited<ReturnType<typeof stage>>;

export interface Measured {
  readonly name: string;
  run(on: Stage): Promise<void>;
  /** Multiply–adds, and bytes read and written at least. */
  readonly operations: number;
  readonly bytes: number;
  /** What to compare with the reference: a matrix, of which the first columns are looked at. */
  result?(on: Stage): DeviceMatrix;
}

/** The kernels in the order of a step, each leaving what the next needs. */
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
      name: "squaredNorm (gradient)",
      run: (s) => s.kernels.squaredNorm(s.grad, s.scalars, 0, { S: s.S }),
      operations: L * m,
      bytes: f * L * m,
    },
    {
      name: "momentum",
      run: (s) => s.kernels.momentum(0.9, s.scalars, 3, s.grad, s.S, s.U),
      operations: 2 * L * m,
      bytes: 3 * f * L * m,
    },
    {
      name: "moveAtoms",
      run: (s) => s.kernels.moveAtoms(k, s.U, s.S, s.A),
      operations: L * m,
      bytes: f * L * m,
    },
  ];
}

async function rowsOf(
  problem: Problem,
  dictionary: Dictionary,
  patches: DenseMatrix,
  options: Options,
): Promise<string[][]> {
  const kernels = await createCpuKernels({ threads: options.threads });
  const cpu = await stage(kernels, dictionary, patches, problem.sparsity);
  const judge = await Judge.of(dictionary, patches, problem.sparsity);
  const rows: string[][] = [];
  for (const measured of measurements(problem, patches.cols, nonZerosOf(dictionary))) {
    const { name, run, operations, bytes } = measured;
    const seconds = await bestOf(options.quick ? 1 : 3, () => run(cpu));
    rows.push([
      name,
      digits(seconds * 1000),
      digits((2 * operations) / seconds / 1e9),
      digits(bytes / seconds / 1e9),
      digits(await judge.error(measured, cpu)),
    ]);
  }
  await kernels.dispose();
  return rows;
}

/** Follows a sequence of kernels on the reference, for a few examples, and tells how far the others are from it. */
export class Judge {
  readonly #reference: Stage;
  /** The reference takes minutes for the Gram matrix of many atoms. */
  readonly #makesGram: boolean;

  private constructor(reference: Stage, makesGram: boolean) {
    this.#reference = reference;
    this.#makesGram = makesGram;
  }

  static async of(dictionary: Dictionary, patches: DenseMatrix, p: number): Promise<Judge> {
    const few = patches.slice(0, Math.min(judged, patches.cols)).copy();
    const reference = await stage(createReferenceKernels(), dictionary, few, p);
    return new Judge(reference, dictionary.A.cols < 2000);
  }

  /** ‖ours − reference‖ / ‖reference‖ of what a kernel has just made; NaN where it is not compared. */
  async error({ name, run, result }: Measured, on: Stage): Promise<number> {
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

/** Non-zero weights that one example meets on its way through Φ. */
export function nonZerosOf({ base }: Dictionary): number {
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

async function copyGram(from: Stage, to: Stage): Promise<void> {
  await to.kernels.writeMatrix(to.G, await from.kernels.readMatrix(from.G));
  await to.kernels.writeMatrix(to.scale, await from.kernels.readMatrix(from.scale));
}

/** The reference goes on from the same codes: a tie that fell otherwise is no error. */
async function copyCodes(on: Kernels, X: DeviceSparse, other: Kernels, to: DeviceSparse): Promise<void> {
  await other.writeSparse(to, await on.readSparse(on.headSparse(X, to.cols)));
}
