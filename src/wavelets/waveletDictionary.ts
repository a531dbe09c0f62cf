/**
 * Wavelet transforms as explicit synthesis dictionaries: along one axis, and as the usual cascade over several.
 *
 * The cascade [Mallat 2009, §7.7] divides along every axis, then continues with the approximation along all axes. So an
 * atom of level j is a product of scaling functions and wavelets of that level, one per axis, not all of them scaling
 * functions; products of scaling functions of the last level J are atoms, too. It is not separable as a whole: the
 * completely separable transform of §III-B of [Sulam16] has all pairs of levels.
 *
 * Shapes   Φ n×L for signals of n samples; L = n for periodic signals of even sizes, whose Φ is orthonormal if the wavelet is
 * Order    coarsest first; within a level by which axes have wavelets (the last axis first), then by position
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §III-B.
 */

import { type Shape, sizeOf } from "../core/shape.js";
import { kron, Matrix64, norm, normalizeColumns } from "../linalg/matrix64.js";
import { type BorderMode, borderLevels, levelAtoms } from "./borders.js";
import type { Wavelet } from "./filters.js";

/** All atoms of all levels along one axis, S_J, W_J, …, W₁, with unit norm. */
export function axisWavelets(n: number, wavelet: Wavelet, mode: BorderMode = "periodic"): Matrix64 {
  return cascadeWavelets([n], wavelet, mode);
}

/** The atoms of the cascade for signals of a shape, with unit norm. */
export function cascadeWavelets(shape: Shape, wavelet: Wavelet, mode: BorderMode = "periodic"): Matrix64 {
  const possible = shape.filter((size) => size > 1).map((size) => borderLevels(size, wavelet, mode));
  const levels = possible.length === 0 ? 0 : Math.min(...possible);
  const axes = shape.map((size) => axisAtoms(size, wavelet, levels, mode));
  const blocks: Matrix64[] = [axes.map(({ scaling }) => scaling[levels]).reduce(kron)];
  for (let level = levels; level > 0; level--) {
    for (let set = 1; set < 2 ** shape.length; set++) {
      const hasWavelet = (axis: number) => (set >> (shape.length - 1 - axis)) % 2 === 1;
      const factors = axes.map((atoms, axis) => (hasWavelet(axis) ? atoms.wavelets : atoms.scaling)[level]);
      blocks.push(factors.reduce(kron));
    }
  }
  return normalizeColumns("cascadeWavelets", withoutZeros(concatenate(sizeOf(shape), blocks)));
}

/** S_j and W_j by level, S₀ = I; an axis of one sample has the same scaling function at every level. */
function axisAtoms(size: number, wavelet: Wavelet, levels: number, mode: BorderMode) {
  const one = Matrix64.identity(size);
  if (size === 1) {
    const all = Array.from({ length: levels + 1 }, () => one);
    return { scaling: all, wavelets: all.map(() => new Matrix64(1, 0)) };
  }
  const { scaling, wavelets } = levelAtoms(size, wavelet, levels, mode);
  return { scaling: [one, ...scaling], wavelets: [new Matrix64(size, 0), ...wavelets] };
}

/** The columns of all blocks in one matrix. */
function concatenate(rows: number, blocks: readonly Matrix64[]): Matrix64 {
  const cols = blocks.reduce((sum, block) => sum + block.cols, 0);
  const result = new Matrix64(rows, cols);
  let at = 0;
  for (const { data } of blocks) {
    result.data.set(data, at);
    at += data.length;
  }
  return result;
}

/** Without zero columns: for odd lengths an atom may lie entirely in the repeated sample that synthesis drops. */
function withoutZeros(matrix: Matrix64): Matrix64 {
  const kept = Array.from({ length: matrix.cols }, (_, j) => j).filter((j) => norm(matrix.column(j)) > 0);
  if (kept.length === matrix.cols) return matrix;
  const result = new Matrix64(matrix.rows, kept.length);
  kept.forEach((j, to) => result.column(to).set(matrix.column(j)));
  return result;
}
