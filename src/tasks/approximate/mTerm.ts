/**
 * M-term approximation: how well patches are represented by their M best atoms, for all
 * M up to a maximum (figures 4, 8 and 11 of [Sulam16]).
 *
 *   over a dictionary      the first M atoms of one run of OMP or OLS: the residual energy
 *                          after each step is the curve
 *   over an orthonormal    the M largest coefficients, which is the best choice: the
 *   basis or transform     error is the energy of the others
 *
 * The mean of each patch is removed first, as for a model; it is not counted among the
 * M terms. A curve has the mean squared error per sample, over all patches together,
 * for M = 0, 1, …; `psnrOfErrors` converts it to
 *
 *     PSNR = 10 log₁₀(255² / mean squared error)
 *
 * (with an 8-bit peak; one error for all patches, not a mean of their PSNRs).
 *
 * Units    each patch is coded in units of its own power of two, so that patches of any
 *          magnitudes can be mixed
 * Memory   patches are coded 128 at a time, whatever their number
 */

import {
  byRule,
  callback,
  dictionaryParts,
  either,
  float64,
  having,
  kernels as kernelsType,
  matrix,
  number,
  type OptionTypes,
  requireArgument,
  requireArguments,
  required,
  requireOptions,
  signalList,
  text,
} from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import type { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { requireFinite, requireInteger, requireOneOf } from "../../core/require.js";
import { type Nodata, resolveNodata, signalsWithGaps } from "../../core/samples/gaps.js";
import { requireShape, type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { largestMagnitude, powerBelow, toOwnUnits } from "../../core/units.js";
import { gapFreeSignals } from "../../data/sampling/gapFreeWindows.js";
import { PatchSampler } from "../../data/sampling/patchSampler.js";
import { type BaseDictionary, baseCols, baseRows, createBase } from "../../dictionaries/base.js";
import { type DictionaryParts, openDictionary } from "../../dictionaries/dictionary.js";
import { type Kernels, type PursuitLimits, type PursuitName, pursuitNames } from "../../kernels/contract.js";
import { withKernels } from "../../kernels/handleScope.js";
import { Encoder } from "../../pursuit/encoder.js";
import { forwardCascade } from "../../wavelets/cascade.js";
import { isOrthogonal, wavelet } from "../../wavelets/filters.js";
import { psnr } from "./representation.js";

/** An orthonormal transform of one patch. */
export interface OrthonormalTransform {
  readonly transform: (patch: Float32Array) => ArrayLike<number>;
}

/** Patches processed at a time. */
const panel = 128;

/**
 * What approximates patches of a shape, by the name of a base. For `wavelet:NAME` with even sizes and an orthogonal wavelet it is the
 * orthonormal transform instead of its matrix.
 */
export function approximatorOf(name: string, shape: Shape): DictionaryParts | OrthonormalTransform {
  requireArgument("approximatorOf", "name", name, text);
  requireShape("approximatorOf", "shape", shape);
  const [kind, argument, border = "periodic", ...rest] = name.split(":");
  const isWavelet = kind === "wavelet" && argument !== undefined && rest.length === 0 && !name.includes(",");
  const filters = isWavelet ? wavelet(argument) : undefined;
  const isOrthonormal = border === "periodic" && shape.every((size) => size % 2 === 0);
  if (!filters || !isOrthogonal(filters) || !isOrthonormal) return { base: createBase(name, shape) };
  return { transform: (patch) => forwardCascade(patch, shape, filters) };
}

/** Random patches of signals without their means, one per column. The same seed draws the same patches. */
export async function samplePatches(
  given: readonly Signal[],
  options: {
    readonly patch: Shape;
    readonly count: number;
    readonly seed: number;
    /** Values that mark missing samples; NaN is one, too. Patches with a missing sample are not drawn. */
    readonly nodata?: Nodata | undefined;
    readonly kernels: Kernels;
  },
): Promise<DenseMatrix> {
  requireArgument("samplePatches", "signals", given, signalList);
  requireOptions("samplePatches", options, {
    patch: byRule,
    count: byRule,
    seed: byRule,
    nodata: byRule,
    kernels: required(kernelsType),
  });
  const { patch, count, seed } = options;
  requireInteger("samplePatches", "count", count, 1);
  requireShape("samplePatches", "patch", patch);
  const nodata = resolveNodata("samplePatches", options.nodata);
  const { signals } = gapFreeSignals(signalsWithGaps("samplePatches", given, nodata), patch);
  const sampler = new PatchSampler(signals, { patch, holdout: 0, examples: count }, Rng.from(seed));
  const windows = sampler.trainingWindows(0, 0, sampler.examples);
  const unit = Math.max(1, powerBelow(largestOf(signals)) / safeMagnitude);
  const scaled = await withKernels(options.kernels, async (kernels) => {
    const store = kernels.signals(signals, 1 / unit);
    const Y = kernels.matrix(sizeOf(patch), sampler.examples);
    const means = kernels.matrix(1, sampler.examples);
    await kernels.extract(store, windows, patch, Y, means);
    return kernels.readMatrix(Y);
  });
  const patches = unit === 1 ? scaled : scaled.scaled(unit);
  const beyond = patches.data.findIndex((value) => !Number.isFinite(value));
  if (beyond < 0) return patches;
  const { name } = signals[windows.signal[Math.floor(beyond / patches.rows)]];
  throw new InputError(`${name}: differences of its samples are beyond float32 (3.4e38)`);
}

/** Sums of samples up to this, and a little more, are in the range of f32. */
const safeMagnitude = 2 ** 96;

function largestOf(signals: readonly Signal[]): number {
  return signals.reduce((largest, { data }) => Math.max(largest, largestMagnitude(data)), 0);
}

const approximatorType = either(
  "a dictionary { base, A } or a transform",
  dictionaryParts,
  having("", ["transform"]),
);

/** Called with the number of patches done. */
type Progress = (done: number) => void;

export interface MTermOptions {
  /** How atoms of dictionaries are taken: `omp` (by default) or `ols`. */
  readonly pursuit?: PursuitName | undefined;
  readonly onProgress?: Progress | undefined;
}

const optionTypes: OptionTypes<MTermOptions> = { pursuit: byRule, onProgress: callback };

/** The mean squared error per sample of patches (one per column) with 0, 1, …, `maxTerms` terms. */
export async function mTermErrors(
  approximator: DictionaryParts | OrthonormalTransform,
  patches: DenseMatrix,
  maxTerms: number,
  kernels: Kernels,
  options: MTermOptions = {},
): Promise<Float64Array> {
  requireArguments("mTermErrors", {
    approximator: [approximator, approximatorType],
    patches: [patches, matrix],
    kernels: [kernels, kernelsType],
  });
  requireOptions("mTermErrors", options, optionTypes);
  const { pursuit = "omp", onProgress = () => {} } = options;
  requireOneOf("mTermErrors", "pursuit", pursuit, pursuitNames);
  if (patches.cols === 0) throw new InputError("mTermErrors: there must be at least one patch, got none");
  requireInteger("mTermErrors", "maxTerms", maxTerms, 1, patches.rows);
  requireFinite("mTermErrors", "patches", patches.data);
  if ("transform" in approximator) return byTransform(approximator.transform, patches, maxTerms, onProgress);
  const { base, A } = approximator;
  if (baseRows(base) !== patches.rows) {
    throw new InputError(`mTermErrors: patches must have ${baseRows(base)} samples, got ${patches.rows}`);
  }
  return withKernels(kernels, (on) =>
    A === undefined && isOrthonormal(base)
      ? byAnalysis(base, patches, maxTerms, on, onProgress)
      : byPursuit(approximator, patches, { sparsity: maxTerms, residualEnergy: 0, pursuit }, on, onProgress),
  );
}

/** A curve of mean squared errors as PSNR in dB, for samples from 0 to `peak`; Infinity if the error is 0. */
export function psnrOfErrors(errors: Float64Array, peak = 255): number[] {
  requireArguments("psnrOfErrors", { errors: [errors, float64], peak: [peak, number] });
  return Array.from(errors, (error) => psnr(Math.sqrt(error), peak));
}

/** By the first atoms of a pursuit, for all M from one run. */
async function byPursuit(
  parts: DictionaryParts,
  patches: DenseMatrix,
  limits: PursuitLimits,
  kernels: Kernels,
  onProgress: Progress,
): Promise<Float64Array> {
  const dictionary = await openDictionary(parts, kernels);
  const maxTerms = limits.sparsity;
  const sparsity = Math.min(maxTerms, dictionary.cols);
  const capacity = Math.min(panel, patches.cols);
  const encoder = new Encoder(dictionary, { ...limits, sparsity }, capacity, kernels);
  const Y = kernels.matrix(patches.rows, capacity);
  const paths = kernels.matrix(sparsity, capacity);
  const curve = new Curve(patches, maxTerms);
  for (let from = 0; from < patches.cols; from += capacity) {
    const part = patches.slice(from, Math.min(from + capacity, patches.cols));
    const y = kernels.head(Y, part.cols);
    const path = kernels.head(paths, part.cols);
    const scaled = part.copy();
    const units = toOwnUnits(scaled.data, scaled.cols);
    await kernels.writeMatrix(y, scaled);
    await encoder.encode(y, path);
    const left = await kernels.readMatrix(path);
    for (let i = 0; i < part.cols; i++) {
      const column = left.column(i);
      curve.add(from + i, (M) => column[Math.min(M, sparsity) - 1] * units[i] * units[i]);
    }
    onProgress(from + part.cols);
  }
  encoder.free();
  dictionary.free();
  kernels.free(Y, paths);
  return curve.errors;
}

/** By the largest coefficients over an orthonormal base. */
async function byAnalysis(
  base: BaseDictionary,
  patches: DenseMatrix,
  maxTerms: number,
  kernels: Kernels,
  onProgress: Progress,
): Promise<Float64Array> {
  const phi = kernels.base(base.factors);
  const capacity = Math.min(panel, patches.cols);
  const Y = kernels.matrix(phi.rows, capacity);
  const coefficients = kernels.matrix(phi.cols, capacity);
  const curve = new Curve(patches, maxTerms);
  for (let from = 0; from < patches.cols; from += capacity) {
    const part = patches.slice(from, Math.min(from + capacity, patches.cols));
    const y = kernels.head(Y, part.cols);
    const z = kernels.head(coefficients, part.cols);
    const scaled = part.copy();
    const units = toOwnUnits(scaled.data, scaled.cols);
    await kernels.writeMatrix(y, scaled);
    await kernels.analyze(phi, y, z);
    const Z = await kernels.readMatrix(z);
    for (let i = 0; i < part.cols; i++) curve.addSorted(from + i, Z.column(i), units[i]);
    onProgress(from + part.cols);
  }
  kernels.free(phi, Y, coefficients);
  return curve.errors;
}

function byTransform(
  transform: OrthonormalTransform["transform"],
  patches: DenseMatrix,
  maxTerms: number,
  onProgress: Progress,
): Float64Array {
  const curve = new Curve(patches, maxTerms);
  for (let i = 0; i < patches.cols; i++) {
    const patch = patches.column(i).slice();
    const [unit] = toOwnUnits(patch, 1);
    curve.addSorted(i, transform(patch), unit);
    if ((i + 1) % panel === 0 || i + 1 === patches.cols) onProgress(i + 1);
  }
  return curve.errors;
}

/** Mean squared errors, summed up patch by patch. */
class Curve {
  readonly errors: Float64Array;
  readonly #patches: DenseMatrix;

  constructor(patches: DenseMatrix, maxTerms: number) {
    this.errors = new Float64Array(maxTerms + 1);
    this.#patches = patches;
  }

  /** Add patch i, given the energy left after M ≥ 1 terms. */
  add(i: number, left: (M: number) => number): void {
    const { errors } = this;
    const samples = this.#patches.rows * this.#patches.cols;
    errors[0] += this.#patches.column(i).reduce((sum, value) => sum + value * value, 0) / samples;
    for (let M = 1; M < errors.length; M++) errors[M] += left(M) / samples;
  }

  /**
   * Add patch i, given its coefficients over an orthonormal basis, in units of `unit`: the energy left is that of the
   * smaller ones.
   */
  addSorted(i: number, coefficients: ArrayLike<number>, unit: number): void {
    const energies = Float64Array.from(coefficients, (value) => value * value).sort();
    for (let s = 1; s < energies.length; s++) energies[s] += energies[s - 1]; // the s + 1 smallest
    this.add(i, (M) => (energies[energies.length - 1 - M] ?? 0) * unit * unit);
  }
}

/** Larger factors are not tested for orthonormality: OMP finds the same errors, only more slowly. */
const maxTestedSize = 512;

/** Whether all factors have orthonormal columns, as many as rows. */
function isOrthonormal(base: BaseDictionary): boolean {
  if (baseCols(base) !== baseRows(base) || base.factors.some(({ rows }) => rows > maxTestedSize))
    return false;
  return base.factors.every((factor) => {
    const G = factor.transpose().times(factor);
    return G.data.every((value, at) => Math.abs(value - (at % (G.rows + 1) === 0 ? 1 : 0)) < 1e-9);
  });
}
