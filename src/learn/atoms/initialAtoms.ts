/**
 * The starting point A⁰ of a sparse dictionary.
 *
 *   m = L   the identity: D starts as the base dictionary itself.
 *   m > L   the identity, then columns that mix four random base atoms with random
 *           signs: new directions that the pursuit can tell apart.
 *   m < L   the m base atoms that are used most often when the first examples are
 *           coded over Φ alone.
 *
 * That is `init: "base"`. `"examples"` and `"both"` are in exampleStart.ts.
 *
 * An explicit dictionary starts from examples: the first that are not zero, scaled to
 * unit norm, and random directions if there are too few; or, as the paper does for
 * fairness, from the base dictionary: ΦA⁰. A run that starts from a model starts with its
 * atoms, with the norms they had.
 */

import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { Rng } from "../../core/random/rng.js";
import { baseCols, baseRows } from "../../dictionaries/base.js";
import { SparseDictionary, unitColumns } from "../../dictionaries/dictionary.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { Encoder, resolveLimits } from "../../pursuit/encoder.js";
import type { LearnerOptions } from "../learners/learner.js";

/** What starting atoms are made from. */
export interface StartSetting {
  readonly options: LearnerOptions;
  /** The model to start from, if any. */
  readonly model: Model | undefined;
  /** Examples per epoch. */
  readonly examples: number;
  /** The first examples, at most this many, a mini-batch at a time. */
  firstExamples(limit?: number): AsyncIterable<DeviceMatrix>;
  /** Called with the fraction done, from 0 to 1, while examples are coded to find the most used atoms. */
  readonly onProgress?: ((part: number) => void) | undefined;
  readonly rng: Rng;
  readonly kernels: Kernels;
}

/** Examples that are coded to find the most used atoms. */
export const codedExamples = 4096;

/** A⁰ of a run, from a model or from the base. */
export async function startingFactor(setting: StartSetting): Promise<SparseColumns> {
  const { options, model, rng } = setting;
  const { base, atoms: m, atomSparsity: k } = options;
  const L = baseCols(base);
  if (model) return modelAtoms(model, k);
  if (m >= L) return initialAtoms(L, m, k, rng);
  return mostUsedAtoms(await countBaseUses(setting), m, k);
}

/** How often the codes of the first examples over Φ use each base atom. */
async function countBaseUses(setting: StartSetting): Promise<Float32Array> {
  const { options, firstExamples, kernels, onProgress } = setting;
  const phi = await SparseDictionary.ofBase(options.base, kernels);
  const limits = resolveLimits("train", options.coding, phi.rows, phi.cols);
  const encoder = new Encoder(phi, limits, options.batch, kernels);
  const uses = kernels.matrix(phi.cols, 1);
  const count = Math.min(codedExamples, setting.examples);
  let coded = 0;
  onProgress?.(0);
  for await (const Y of firstExamples(codedExamples)) {
    await kernels.countUses(await encoder.encode(Y), uses);
    coded += Y.cols;
    onProgress?.(coded / count);
  }
  const { data } = await kernels.readMatrix(uses);
  encoder.free();
  phi.free();
  kernels.free(uses);
  return data;
}

/** D⁰ of a run that learns an explicit dictionary, n × m with unit columns. */
export async function startingMatrix(setting: StartSetting): Promise<DenseMatrix> {
  const { options, model, kernels } = setting;
  if (model) return model.atoms(kernels);
  return options.init === "base" ? baseAtoms(setting) : exampleAtoms(setting);
}

/** The first examples that are not zero, and random directions if there are too few, with unit columns. */
export async function exampleAtoms(setting: StartSetting): Promise<DenseMatrix> {
  const { options, firstExamples, rng, kernels } = setting;
  const D = new DenseMatrix(baseRows(options.base), options.atoms);
  let found = 0;
  for await (const Y of firstExamples(4 * options.atoms)) {
    found = takeExamples(await kernels.readMatrix(Y), D, found);
    if (found === D.cols) break;
  }
  for (let r = found * D.rows; r < D.data.length; r++) D.data[r] = rng.normal();
  return unitColumns(D);
}

/** ΦA⁰ with unit columns. */
async function baseAtoms(setting: StartSetting): Promise<DenseMatrix> {
  const { options, kernels } = setting;
  const { base, atoms: m } = options;
  const A = await startingFactor({ ...setting, options: { ...options, atomSparsity: mixed } });
  const phi = kernels.base(base.factors);
  const [C, Y] = [kernels.matrix(phi.cols, panel), kernels.matrix(phi.rows, panel)];
  const D = new DenseMatrix(phi.rows, m);
  for (let from = 0; from < m; from += panel) {
    const to = Math.min(from + panel, m);
    const [c, y] = [kernels.head(C, to - from), kernels.head(Y, to - from)];
    await kernels.writeMatrix(c, A.slice(from, to).toDense());
    await kernels.synthesize(phi, c, y);
    D.slice(from, to).data.set((await kernels.readMatrix(y)).data);
  }
  kernels.free(phi, C, Y);
  return unitColumns(D);
}

/** Atoms synthesised at a time. */
const panel = 128;

/** Base atoms mixed in each additional column. */
const mixed = 4;

/** A⁰ for m ≥ L. */
export function initialAtoms(L: number, m: number, width: number, rng: Rng): SparseColumns {
  const A = new SparseColumns(L, m, width);
  for (let j = 0; j < m; j++) {
    if (j < L) A.setColumn(j, [j], [1]);
    else setMixture(A, j, rng);
  }
  return A;
}

function setMixture(A: SparseColumns, j: number, rng: Rng): void {
  const rows = rng.distinct(Math.min(mixed, A.width, A.rows), A.rows).sort((a, b) => a - b);
  const weight = 1 / Math.sqrt(rows.length);
  A.setColumn(
    j,
    rows,
    rows.map(() => (rng.uniform() < 0.5 ? -weight : weight)),
  );
}

/** A⁰ for m < L: the base atoms with the most uses, in the order of Φ; of equal ones the first. */
export function mostUsedAtoms(uses: Float32Array, m: number, width: number): SparseColumns {
  const A = new SparseColumns(uses.length, m, width);
  mostUsed(uses, m).forEach((row, j) => A.setColumn(j, [row], [1]));
  return A;
}

/** The `count` atoms with the most uses, ascending; of equal ones the first. */
export function mostUsed(uses: Float32Array, count: number): number[] {
  const ranked = Array.from(uses.keys()).sort((a, b) => uses[b] - uses[a] || a - b);
  return ranked.slice(0, count).sort((a, b) => a - b);
}

/** The most non-zeros of a column: the least k for a run that starts from these atoms. */
export function maxNonZeros(A: SparseColumns): number {
  return A.counts.reduce((largest, count) => Math.max(largest, count), 1);
}

/** A⁰ from a model: its columns, with the norms they had if those are known, and room for `width` non-zeros. */
export function modelAtoms({ A, norms }: Pick<Model, "A" | "norms">, width: number): SparseColumns {
  const copy = new SparseColumns(A.rows, A.cols, width);
  for (let j = 0; j < A.cols; j++) {
    const from = j * A.width;
    const to = from + A.counts[j];
    const norm = norms?.[j] || 1;
    copy.setColumn(
      j,
      A.indices.subarray(from, to),
      A.values.subarray(from, to).map((value) => value * norm),
    );
  }
  return copy;
}

/** Copy examples that are not zero into the columns of D from `found` on; returns how many columns are filled then. */
export function takeExamples(Y: DenseMatrix, D: DenseMatrix, found: number): number {
  let next = found;
  for (let i = 0; i < Y.cols && next < D.cols; i++) {
    const y = Y.column(i);
    if (y.some((value) => value !== 0)) D.column(next++).set(y);
  }
  return next;
}
