/**
 * M-term approximation: how well patches are represented by their M best atoms, for
 * all M up to a largest one (figures 4, 8 and 11 of [Sulam16]).
 *
 *   over a dictionary      the first M atoms of one run of OMP: the residual energy
 *                          after each turn is the curve
 *   over an orthonormal    the M largest coefficients, which is the best choice
 *   basis or transform     there is: the energies of the others, largest first
 *
 * The mean of each patch is taken out before, as for a model, and counts as known:
 * it is none of the M terms. A curve holds mean squared errors a sample, over all
 * patches together, with M = 0, 1, …; `psnrOfErrors` makes it a curve of
 *
 *     PSNR = 10 log₁₀(255² / mean squared error)
 *
 * (8-bit peak; one error for all patches, not a mean of their PSNRs).
 *
 * Memory   patches are coded 128 at a time, whatever their number
 */

import { InputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { requireInteger } from "../../core/require.js";
import { Rng } from "../../core/rng.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { largestMagnitude, powerBelow } from "../../core/units.js";
import { PatchSampler } from "../../data/sampling/patchSampler.js";
import { type BaseDictionary, baseCols, baseRows, createBase } from "../../dictionaries/base.js";
import { type DictionaryParts, openDictionary } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import { Encoder } from "../../pursuit/encoder.js";
import { forwardCascade } from "../../wavelets/cascade.js";
import { wavelet } from "../../wavelets/filters.js";
import { psnr } from "./representation.js";

/** An orthonormal transform of one patch. */
export interface OrthonormalTransform {
  readonly transform: (patch: Float32Array) => ArrayLike<number>;
}

/** Patches worked on at a time. */
const panel = 128;

/**
 * What approximates patches of a shape, by name: a base. Of `wavelet:NAME`, orthonormal where the sizes are even and
 * as large as a patch, the transform is taken instead of its matrix.
 */
export function approximatorOf(name: string, shape: Shape): DictionaryParts | OrthonormalTransform {
  const [kind, argument, border = "periodic", ...rest] = name.split(":");
  const isWavelet = kind === "wavelet" && argument !== undefined && rest.length === 0;
  if (!isWavelet || border !== "periodic" || shape.some((size) => size % 2 !== 0)) {
    return { base: createBase(name, shape) };
  }
  const filters = wavelet(argument);
  return { transform: (patch) => forwardCascade(patch, shape, filters) };
}

/** Random patches of signals with their means removed, one a column. The same seed draws the same. */
export async function samplePatches(
  signals: readonly Signal[],
  options: {
    readonly patch: Shape;
    readonly count: number;
    readonly seed: number;
    readonly kernels: Kernels;
  },
): Promise<DenseMatrix> {
  const { patch, count, seed, kernels } = options;
  const sampler = new PatchSampler(signals, { patch, holdout: 0, examples: count }, Rng.from(seed));
  const windows = sampler.trainingWindows(0, 0, sampler.examples);
  const store = kernels.signals(signals);
  const [Y, means] = [kernels.matrix(sizeOf(patch), sampler.examples), kernels.matrix(1, sampler.examples)];
  await kernels.extract(store, windows, patch, Y, means);
  const patches = await kernels.readMatrix(Y);
  kernels.free(store, Y, means);
  return patches;
}

/** Told how many patches are done. */
type Progress = (done: number) => void;

/** The mean squared errors a sample of patches (one a column) with 0, 1, …, `most` terms. */
export async function mTermErrors(
  approximator: DictionaryParts | OrthonormalTransform,
  patches: DenseMatrix,
  most: number,
  kernels: Kernels,
  onProgress: Progress = () => {},
): Promise<Float64Array> {
  if (patches.cols === 0) throw new InputError("mTermErrors: patches must be at least one, got none");
  requireInteger("mTermErrors", "most", most, 1, patches.rows);
  if ("transform" in approximator) return byTransform(approximator.transform, patches, most, onProgress);
  const { base, A } = approximator;
  if (baseRows(base) !== patches.rows) {
    throw new InputError(`mTermErrors: patches must have ${baseRows(base)} samples, got ${patches.rows}`);
  }
  if (A === undefined && isOrthonormal(base)) return byAnalysis(base, patches, most, kernels, onProgress);
  return byPursuit(approximator, patches, most, kernels, onProgress);
}

/** A curve of mean squared errors as PSNR in dB, for samples from 0 to `peak`; Infinity where there is no error. */
export function psnrOfErrors(errors: Float64Array, peak = 255): number[] {
  return Array.from(errors, (error) => psnr(Math.sqrt(error), peak));
}

/** The first atoms of OMP: all M from one run. */
async function byPursuit(
  parts: DictionaryParts,
  patches: DenseMatrix,
  most: number,
  kernels: Kernels,
  onProgress: Progress,
): Promise<Float64Array> {
  const dictionary = await openDictionary(parts, kernels);
  const sparsity = Math.min(most, dictionary.cols);
  const capacity = Math.min(panel, patches.cols);
  const encoder = new Encoder(dictionary, { sparsity, residualEnergy: 0 }, capacity, kernels);
  const [held, paths] = [kernels.matrix(patches.rows, capacity), kernels.matrix(sparsity, capacity)];
  const unit = powerBelow(largestMagnitude(patches.data)); // sums of squares stay in the range of f32
  const curve = new Curve(patches, most);
  for (let from = 0; from < patches.cols; from += capacity) {
    const part = patches.slice(from, Math.min(from + capacity, patches.cols));
    const [y, path] = [kernels.head(held, part.cols), kernels.head(paths, part.cols)];
    await kernels.writeMatrix(y, scaled(part, 1 / unit));
    await encoder.encode(y, path);
    const left = await kernels.readMatrix(path);
    for (let i = 0; i < part.cols; i++) {
      const column = left.column(i);
      curve.add(from + i, (M) => column[Math.min(M, sparsity) - 1] * unit * unit);
    }
    onProgress(from + part.cols);
  }
  encoder.free();
  dictionary.free();
  kernels.free(held, paths);
  return curve.errors;
}

/** The largest coefficients over an orthonormal base. */
async function byAnalysis(
  base: BaseDictionary,
  patches: DenseMatrix,
  most: number,
  kernels: Kernels,
  onProgress: Progress,
): Promise<Float64Array> {
  const phi = kernels.base(base.factors);
  const capacity = Math.min(panel, patches.cols);
  const [held, coefficients] = [kernels.matrix(phi.rows, capacity), kernels.matrix(phi.cols, capacity)];
  const curve = new Curve(patches, most);
  for (let from = 0; from < patches.cols; from += capacity) {
    const part = patches.slice(from, Math.min(from + capacity, patches.cols));
    const [y, z] = [kernels.head(held, part.cols), kernels.head(coefficients, part.cols)];
    await kernels.writeMatrix(y, part);
    await kernels.analyze(phi, y, z);
    const Z = await kernels.readMatrix(z);
    for (let i = 0; i < part.cols; i++) curve.addSorted(from + i, Z.column(i));
    onProgress(from + part.cols);
  }
  kernels.free(phi, held, coefficients);
  return curve.errors;
}

function byTransform(
  transform: OrthonormalTransform["transform"],
  patches: DenseMatrix,
  most: number,
  onProgress: Progress,
): Float64Array {
  const curve = new Curve(patches, most);
  for (let i = 0; i < patches.cols; i++) {
    curve.addSorted(i, transform(patches.column(i)));
    if ((i + 1) % panel === 0 || i + 1 === patches.cols) onProgress(i + 1);
  }
  return curve.errors;
}

/** Mean squared errors, summed up patch by patch. */
class Curve {
  readonly errors: Float64Array;
  readonly #patches: DenseMatrix;

  constructor(patches: DenseMatrix, most: number) {
    this.errors = new Float64Array(most + 1);
    this.#patches = patches;
  }

  /** Patch i, with the energy that is left after M ≥ 1 terms. */
  add(i: number, left: (M: number) => number): void {
    const { errors } = this;
    const samples = this.#patches.rows * this.#patches.cols;
    errors[0] += this.#patches.column(i).reduce((sum, value) => sum + value * value, 0) / samples;
    for (let M = 1; M < errors.length; M++) errors[M] += left(M) / samples;
  }

  /** Patch i by its coefficients over an orthonormal basis: what is left are the smaller ones. */
  addSorted(i: number, coefficients: ArrayLike<number>): void {
    const energies = Float64Array.from(coefficients, (value) => value * value).sort();
    for (let s = 1; s < energies.length; s++) energies[s] += energies[s - 1]; // the s + 1 smallest
    this.add(i, (M) => energies[energies.length - 1 - M] ?? 0);
  }
}

/** Factors beyond this size are not looked at: over an orthonormal base OMP finds the same, only slower. */
const largestFactor = 512;

/** Whether all factors have orthonormal columns, as many as rows. */
function isOrthonormal(base: BaseDictionary): boolean {
  if (baseCols(base) !== baseRows(base) || base.factors.some(({ rows }) => rows > largestFactor))
    return false;
  return base.factors.every((factor) => {
    const G = factor.transpose().times(factor);
    return G.data.every((value, at) => Math.abs(value - (at % (G.rows + 1) === 0 ? 1 : 0)) < 1e-9);
  });
}

function scaled({ rows, cols, data }: DenseMatrix, factor: number): DenseMatrix {
  return new DenseMatrix(
    rows,
    cols,
    data.map((value) => value * factor),
  );
}
