/**
 * Cropped wavelets in one dimension, §III-A of [Sulam16]: the base dictionary
 *
 *     Φ₁ᶜ = Pᵀ W_s 𝒲,   L = 2^(⌈log₂ n⌉ + 1)
 *
 * for signals of n samples. W_s is the periodic synthesis matrix of length L with log₂ L levels. Pᵀ keeps its
 * central n rows, starting with row ⌊(L − n)/2⌋; columns that are then zero are omitted; the diagonal 𝒲 scales the
 * others to unit norm. A code g over Φ₁ᶜ extends the signal Φ₁ᶜ g to L samples, f̄ = W_s 𝒲 g.
 *
 * No threshold decides which columns are zero: W_s is exactly 0 outside the support of an atom, and an atom that
 * meets the window, if only with its last tap, is well above its own rounding there (tested). A threshold would be
 * wrong: for db20 and n = 200 the smallest norm is 7e-23, of a column that is correct to all digits.
 *
 * Shapes   W_s L×L   P L×n   Φ₁ᶜ n×L₁, L₁ ≤ L: sym8 has L₁ = 56 for n = 32, and 100 for n = 64
 * Cost     O(L²) time and memory
 *
 * Departures from the text, each with a test of the same name in cropped.test.ts:
 *   D1 one sample   For n = 1 the two columns of L = 2 are equal up to sign; Φ₁ᶜ = [1] keeps the first.
 *
 * Columns that are equal for other n (haar, n = 3) are kept, as in the text.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §III-A.
 */

import {
  having,
  numberList,
  record,
  requireArgument,
  requireArguments,
} from "../core/arguments/argumentTypes.js";
import { requireInteger } from "../core/require.js";
import { Matrix64, norm, normalizeColumns } from "../linalg/matrix64.js";
import { type Wavelet, waveletType } from "./filters.js";
import { maxLevels, periodicSynthesisMatrix } from "./transform.js";

/** The pieces of Φ₁ᶜ = Pᵀ W_s 𝒲. */
export interface Cropping {
  /** L: samples of the extended signal. */
  readonly length: number;
  /** The row of W_s that is row 0 of Φ₁ᶜ. */
  readonly firstRow: number;
  /** n: rows kept, from `firstRow`. */
  readonly rows: number;
  /** W_s, L×L. */
  readonly synthesis: Matrix64;
  /** Columns of W_s that are not zero in the window, ascending: column j of Φ₁ᶜ is made from `keptColumns[j]`. */
  readonly keptColumns: readonly number[];
  /** The diagonal of 𝒲 at the kept columns: 1/‖Pᵀ w‖₂. */
  readonly columnScales: Float64Array;
}

const croppingType = having("a cropping, as croppingOf returns it", [], ["synthesis", "keptColumns"]);

/** Φ₁ᶜ for signals of n ≥ 1 samples: unit columns, coarsest first, that span ℝⁿ. */
export function croppedWavelets(n: number, wavelet: Wavelet): Matrix64 {
  requireInteger("croppedWavelets", "n", n, 1);
  requireArgument("croppedWavelets", "wavelet", wavelet, waveletType);
  const cropping = croppingOf(n, wavelet);
  const phi = new Matrix64(n, cropping.keptColumns.length);
  cropping.keptColumns.forEach((source, j) => {
    phi.column(j).set(cropColumn(cropping, source));
  });
  return normalizeColumns("croppedWavelets", phi);
}

/** How `croppedWavelets` crops: everything needed to build Φ₁ᶜ, and the extension f̄ = W_s 𝒲 g of its codes. */
export function croppingOf(n: number, wavelet: Wavelet): Cropping {
  requireInteger("croppingOf", "n", n, 1);
  requireArgument("croppingOf", "wavelet", wavelet, waveletType);
  const length = extendedLength(n);
  const synthesis = periodicSynthesisMatrix(length, wavelet, maxLevels(length));
  const window = { synthesis, firstRow: Math.floor((length - n) / 2), rows: n };
  const norms = Array.from({ length }, (_, j) => norm(cropColumn(window, j)));
  const keptColumns = n === 1 ? [0] : norms.flatMap((norm, j) => (norm > 0 ? [j] : [])); // D1
  const columnScales = Float64Array.from(keptColumns, (j) => 1 / norms[j]);
  return { ...window, length, keptColumns, columnScales };
}

/**
 * The extension f̄ = W_s 𝒲 g that a code over Φ₁ᶜ implies: L samples; those from `firstRow` are Φ₁ᶜ g itself.
 * With g from a pursuit, as in (6), it is the extension that is sparsest over the wavelets.
 */
export function extensionOf(
  cropping: Cropping,
  code: { readonly indices: ArrayLike<number>; readonly values: ArrayLike<number> },
): Float64Array {
  requireArguments("extensionOf", { cropping: [cropping, croppingType], code: [code, record] });
  requireArguments("extensionOf", {
    "code.indices": [code.indices, numberList],
    "code.values": [code.values, numberList],
  });
  const { length, synthesis, keptColumns, columnScales } = cropping;
  const extended = new Float64Array(length);
  for (let s = 0; s < code.indices.length; s++) {
    const j = code.indices[s];
    requireInteger("extensionOf", "indices of the code", j, 0, keptColumns.length - 1);
    const weight = columnScales[j] * code.values[s];
    const atom = synthesis.column(keptColumns[j]);
    for (let i = 0; i < length; i++) extended[i] += weight * atom[i];
  }
  return extended;
}

/** L = 2^(⌈log₂ n⌉ + 1). */
export function extendedLength(n: number): number {
  let length = 2;
  while (length < 2 * n) length *= 2;
  return length;
}

/** Pᵀ w: the rows of column j of W_s inside the window, as a view. */
function cropColumn(window: Pick<Cropping, "synthesis" | "firstRow" | "rows">, j: number): Float64Array {
  return window.synthesis.column(j).subarray(window.firstRow, window.firstRow + window.rows);
}
