/**
 * The errors of smooth functions with a jump, approximated with few coefficients: sample by sample, by the treatment of
 * their borders.
 */

import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { baseCols, createBase } from "../../dictionaries/base.js";
import { SparseDictionary } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import { norm } from "../../linalg/matrix64.js";
import { Encoder } from "../../pursuit/encoder.js";
import { transformExtended } from "../../tasks/approximate/borderApproximation.js";
import { analyzeLevels, type BorderMode, borderAtoms } from "../../wavelets/borders.js";
import { extendedLength } from "../../wavelets/cropped.js";
import { wavelet } from "../../wavelets/filters.js";
import { maxLevels } from "../../wavelets/transform.js";
import { randomCubic } from "../shared/randomCubic.js";
import type { JumpSettings } from "./settings.js";

/** The errors of one treatment of the borders. */
export interface ErrorCurve {
  readonly label: string;
  /** How many coefficients there are to choose from. */
  readonly coefficients: number;
  /** The mean squared error of each sample. */
  readonly errors: Float64Array;
  /** Their means at the borders, around the jump, and everywhere. */
  readonly border: number;
  readonly jump: number;
  readonly all: number;
}

export interface JumpErrors {
  /** Those of the figure: periodic wavelets of all levels, and cropped ones. */
  readonly periodic: ErrorCurve;
  readonly cropped: ErrorCurve;
  /** The usual treatments, each with the number of levels that suits it best; the paper leaves all but the first out. */
  readonly usual: Readonly<Record<BorderMode, ErrorCurve>>;
  /** The signal and its mirror image transformed together, as in figure 1. */
  readonly mirrored: ErrorCurve;
}

export async function jumpErrors(settings: JumpSettings, kernels: Kernels): Promise<JumpErrors> {
  const Y = jumpFunctions(settings);
  const curve = (label: string, found: Approximation) => summarize(label, found, settings);
  const best = (name: string, mode: BorderMode) => {
    const { levels, found } = bestTransform(Y, settings, mode);
    return curve(`${name}, ${levels} ${levels === 1 ? "level" : "levels"}`, found);
  };
  return {
    periodic: curve("periodic wavelets", transformErrors(Y, settings, "periodic", maxLevels(Y.rows))),
    cropped: curve("cropped wavelets", await croppedErrors(Y, settings, kernels)),
    usual: {
      periodic: best("periodic", "periodic"),
      symmetric: best("symmetric", "symmetric"),
      zero: best("zero-padding", "zero"),
    },
    mirrored: curve("symmetric, extended first", mirroredErrors(Y, settings)),
  };
}

/** The errors of all samples, and how many coefficients there were to choose from. */
type Approximation = Pick<ErrorCurve, "coefficients" | "errors">;

/** Cubics, each plus a step of normally distributed height, scaled to unit norm; one per column. */
function jumpFunctions({ examples, samples, jump, seed }: JumpSettings): DenseMatrix {
  const rng = Rng.from(seed);
  const Y = new DenseMatrix(samples, examples);
  for (let i = 0; i < examples; i++) {
    const f = randomCubic(samples, rng);
    const step = rng.normal();
    for (let t = jump; t < samples; t++) f[t] += step;
    const length = norm(f);
    Y.column(i).set(f.map((value) => value / length));
  }
  return Y;
}

/** The number of levels with the least error, and its errors. */
function bestTransform(Y: DenseMatrix, settings: JumpSettings, mode: BorderMode) {
  const all = Array.from({ length: maxLevels(Y.rows) }, (_, i) => ({
    levels: i + 1,
    found: transformErrors(Y, settings, mode, i + 1),
  }));
  return all.reduce((best, one) => (mean(one.found.errors) < mean(best.found.errors) ? one : best));
}

/** With the largest coefficients of a transform kept. */
function transformErrors(
  Y: DenseMatrix,
  { terms, wavelet: name }: JumpSettings,
  mode: BorderMode,
  levels: number,
): Approximation {
  const filters = wavelet(name);
  const atoms = borderAtoms(Y.rows, filters, levels, mode);
  const errors = meanSquares(Y, (y) => {
    const z = analyzeLevels(y, filters, levels, mode);
    const order = [...z.keys()].sort((i, j) => Math.abs(z[j]) - Math.abs(z[i]) || i - j);
    const residual = Float64Array.from(y);
    for (const j of order.slice(0, terms))
      for (let t = 0; t < residual.length; t++) residual[t] -= z[j] * atoms[j][t];
    return residual;
  });
  return { coefficients: atoms.length, errors };
}

function mirroredErrors(Y: DenseMatrix, { terms, wavelet: name }: JumpSettings): Approximation {
  const filters = wavelet(name);
  const errors = meanSquares(Y, (y) => {
    const { first, largest } = transformExtended(y, filters, "symmetric");
    const back = largest(terms);
    return y.map((value, t) => value - back[first + t]);
  });
  return { coefficients: extendedLength(Y.rows), errors };
}

/** With as many atoms of the cropped wavelets, by OMP. */
async function croppedErrors(
  Y: DenseMatrix,
  { terms, wavelet: name }: JumpSettings,
  kernels: Kernels,
): Promise<Approximation> {
  const base = createBase(`cropped:${name}`, [Y.rows]);
  const dictionary = await SparseDictionary.ofBase(base, kernels);
  const encoder = new Encoder(dictionary, { sparsity: terms, residualEnergy: 0 }, Y.cols, kernels);
  const y = kernels.matrix(Y.rows, Y.cols);
  await kernels.writeMatrix(y, Y);
  await encoder.residual(y, await encoder.encode(y), y);
  const R = await kernels.readMatrix(y);
  encoder.free();
  dictionary.free();
  kernels.free(y);
  return { coefficients: baseCols(base), errors: meanSquares(R, (residual) => residual) };
}

/** The squares of each sample of what `residual` makes of a column, averaged over all columns. */
function meanSquares(
  Y: DenseMatrix,
  residual: (y: Float32Array, i: number) => ArrayLike<number>,
): Float64Array {
  const errors = new Float64Array(Y.rows);
  for (let i = 0; i < Y.cols; i++) {
    const left = residual(Y.column(i), i);
    for (let t = 0; t < Y.rows; t++) errors[t] += left[t] ** 2 / Y.cols;
  }
  return errors;
}

function summarize(
  label: string,
  { coefficients, errors }: Approximation,
  { region, jump, samples }: JumpSettings,
): ErrorCurve {
  const border = (mean(errors.subarray(0, region)) + mean(errors.subarray(samples - region))) / 2;
  const around = errors.subarray(jump - region / 2, jump + region / 2);
  return { label, coefficients, errors, border, jump: mean(around), all: mean(errors) };
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
