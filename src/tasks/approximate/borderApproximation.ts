/**
 * A 1-D signal f approximated by M wavelets, under each treatment of its borders (§III-A, figures 1 and 2 of [Sulam16]):
 *
 *     periodic, symmetric, zero   the M largest coefficients of the periodic transform of the extended signal f̄
 *     cropped                     M atoms of the cropped wavelets, by OMP; f̄ = W_s 𝒲 g is the extension they imply (6)
 *
 * The periodic transform of a periodic extension is that of f itself. The others are extended to L = 2^(⌈log₂ n⌉ + 1)
 * samples, as many as cropped wavelets have before they are cropped.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import {
  byRule,
  kernels as kernelsType,
  numberList,
  requireArguments,
  required,
  requireOptions,
  text,
} from "../../core/arguments/argumentTypes.js";
import { DenseMatrix } from "../../core/matrix.js";
import { requireFinite, requireInteger, requireOneOf } from "../../core/require.js";
import { createBase } from "../../dictionaries/base.js";
import { SparseDictionary } from "../../dictionaries/dictionary.js";
import type { Kernels, PursuitLimits } from "../../kernels/contract.js";
import { withKernels } from "../../kernels/handleScope.js";
import { Encoder } from "../../pursuit/encoder.js";
import { type BorderMode, borderModes, extendedSample } from "../../wavelets/borders.js";
import { croppingOf, extendedLength, extensionOf } from "../../wavelets/cropped.js";
import { type Wavelet, wavelet } from "../../wavelets/filters.js";
import { forwardPeriodic, inversePeriodic, maxLevels } from "../../wavelets/transform.js";

/** How the borders of a signal are treated. */
export type BorderTreatment = BorderMode | "cropped";

const treatments: readonly BorderTreatment[] = [...borderModes, "cropped"];

export interface BorderOptions {
  readonly border: BorderTreatment;
  /** The name of the wavelet. */
  readonly wavelet: string;
  /** M: wavelets of the approximation. */
  readonly terms: number;
}

/** An extended signal and its approximation: sample 0 of the signal is at `first`. */
export interface BorderApproximation {
  /** f̄; that of cropped wavelets is implied by the approximation, and the same. */
  readonly extended: Float64Array;
  readonly values: Float64Array;
  readonly first: number;
  /** Wavelets in it. */
  readonly terms: number;
}

/** Approximate a 1-D signal by M wavelets, under one treatment of its borders. */
export async function approximateBorders(
  signal: ArrayLike<number>,
  options: BorderOptions,
  kernels?: Kernels,
): Promise<BorderApproximation> {
  requireArguments("approximateBorders", { signal: [signal, numberList] });
  requireOptions("approximateBorders", options, {
    border: byRule,
    wavelet: required(text),
    terms: byRule,
  });
  requireInteger("approximateBorders", "samples of the signal", signal.length, 1);
  requireFinite("approximateBorders", "signal", signal);
  const border = requireOneOf("approximateBorders", "border", options.border, treatments);
  const terms = requireInteger("approximateBorders", "terms", options.terms, 1, signal.length);
  if (kernels !== undefined) requireArguments("approximateBorders", { kernels: [kernels, kernelsType] });
  if (border === "cropped")
    return croppedTerms(signal, options.wavelet, { sparsity: terms, residualEnergy: 0 }, kernels);
  const { extended, first, largest } = transformExtended(signal, wavelet(options.wavelet), border);
  return { extended, values: largest(terms), first, terms };
}

/** The wavelet transform of an extended signal. */
export interface ExtendedTransform {
  /** Where sample 0 of the signal is in the extended one. */
  readonly first: number;
  /** f̄, with as many coefficients as samples. */
  readonly extended: Float64Array;
  /** The extended signal that the M largest coefficients make. */
  largest(M: number): Float64Array;
}

export function transformExtended(
  f: ArrayLike<number>,
  filters: Wavelet,
  mode: BorderMode,
): ExtendedTransform {
  const length = mode === "periodic" ? f.length : extendedLength(f.length);
  const first = Math.floor((length - f.length) / 2);
  const extended = Float64Array.from({ length }, (_, i) => extendedSample(f, i - first, mode));
  const levels = maxLevels(length);
  const z = forwardPeriodic(extended, filters, levels);
  const order = [...z.keys()].sort((a, b) => Math.abs(z[b]) - Math.abs(z[a]) || a - b);
  const largest = (M: number) => {
    const kept = new Float64Array(length);
    for (const j of order.slice(0, M)) kept[j] = z[j];
    return inversePeriodic(kept, filters, levels);
  };
  return { first, extended, largest };
}

/** f̄ = W_s 𝒲 g, where the code g comes from a pursuit over the cropped wavelets. */
export async function croppedTerms(
  f: ArrayLike<number>,
  name: string,
  limits: PursuitLimits,
  kernels?: Kernels,
): Promise<BorderApproximation> {
  const n = f.length;
  const X = await withKernels(kernels, async (on) => {
    const dictionary = await SparseDictionary.ofBase(createBase(`cropped:${name}`, [n]), on);
    const encoder = new Encoder(dictionary, limits, 1, on);
    const y = on.matrix(n, 1);
    await on.writeMatrix(y, new DenseMatrix(n, 1, Float32Array.from(f)));
    return on.readSparse(await encoder.encode(y));
  });
  const [terms] = X.counts;
  const cropping = croppingOf(n, wavelet(name));
  const code = { indices: X.indices.subarray(0, terms), values: X.values.subarray(0, terms) };
  const extended = extensionOf(cropping, code);
  return { extended, values: extended, first: cropping.firstRow, terms };
}
