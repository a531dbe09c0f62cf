/**
 * Base dictionaries Φ: what a trained dictionary is made of, and dictionaries of
 * their own.
 *
 * All are separable: Φ = φ₀ ⊗ φ₁ ⊗ …, one factor an axis, applied axis by axis.
 * A base that is not separable is one factor over the whole signal, an explicit
 * matrix n × L. Columns have unit norm.
 */

import { InputError, inputError, show } from "../core/errors.js";
import { requireShape, type Shape, sizeOf } from "../core/shape.js";
import { Matrix64 } from "../linalg/matrix64.js";
import { croppedWavelets } from "../wavelets/cropped.js";
import { type Wavelet, wavelet } from "../wavelets/filters.js";
import { maxLevels, periodicSynthesisMatrix } from "../wavelets/synthesisMatrix.js";
import { overcompleteDct } from "./odct.js";

export interface BaseDictionary {
  /** As on the command line: `cropped:sym8`. */
  readonly name: string;
  /** The shape of the signals it makes. */
  readonly shape: Shape;
  /** φ₀, φ₁, …: one an axis, or a single explicit matrix over the whole signal. */
  readonly factors: readonly Matrix64[];
}

/** The forms of a base's name, for help and messages. */
export const baseForms = ["cropped:WAVELET", "separable:WAVELET", "odct:REDUNDANCY", "identity"] as const;

/** Atoms of an overcomplete DCT a sample, along one axis. */
const maxRedundancy = 64;

export const defaultBase = "cropped:sym8";

/** A base by name for signals of a shape, such as `cropped:sym8`. */
export function createBase(name: string, shape: Shape, caller = "createBase"): BaseDictionary {
  requireShape(caller, "shape", shape);
  const [kind, argument, ...rest] = name.split(":");
  const factor = rest.length === 0 ? factorOf(kind!, argument, caller) : undefined;
  if (!factor) throw new InputError(`${caller}: unknown base ${show(name)}; known: ${baseForms.join(", ")}`);
  return { name, shape, factors: shape.map(factor) };
}

/** The maker of one axis' factor, or undefined for an unknown kind. */
function factorOf(
  kind: string,
  argument: string | undefined,
  caller: string,
): ((size: number) => Matrix64) | undefined {
  if (kind === "identity" && argument === undefined) return (size) => Matrix64.identity(size);
  if (argument === undefined) return undefined;
  if (kind === "cropped") {
    const filters = wavelet(argument, caller);
    return (size) => croppedWavelets(size, filters);
  }
  if (kind === "separable") {
    const filters = wavelet(argument, caller);
    return (size) => separableWavelets(size, filters);
  }
  if (kind === "odct") {
    const redundancy = Number(argument);
    if (!(redundancy > 0 && redundancy <= maxRedundancy)) {
      throw inputError(
        caller,
        "redundancy of odct",
        `must be a number above 0, at most ${maxRedundancy}`,
        argument,
      );
    }
    return (size) => overcompleteDct(size, redundancy);
  }
  return undefined;
}

/**
 * All atoms of the 1-D periodic wavelet transform, in all scales: the factor of
 * the completely separable transform Φ₁ ⊗ Φ₁ (§III-B). As deep as the size allows.
 */
function separableWavelets(size: number, filters: Wavelet): Matrix64 {
  return periodicSynthesisMatrix(size, filters, maxLevels(size));
}

/** Number of samples n of the signals of a base. */
export function baseRows(base: BaseDictionary): number {
  return sizeOf(base.shape);
}

/** Number of atoms L of a base. */
export function baseCols(base: BaseDictionary): number {
  return base.factors.reduce((product, factor) => product * factor.cols, 1);
}
