/**
 * The atoms of both 2-D wavelet transforms of squares (§III-B, figure 3 of [Sulam16]), each at the place of its
 * coefficient: atom i·size + j belongs to row i and column j.
 *
 *     separable   Φ₁ ⊗ Φ₁: the product of the 1-D atoms i and j, of any two scales
 *     usual       the cascade: the same scale along both axes
 *
 * Shapes   size² × size², a power of two of pixels along each side; orthonormal if the wavelet is orthogonal
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import { requireArgument } from "../core/arguments/argumentTypes.js";
import { requireInteger, requireOneOf } from "../core/require.js";
import { kron, Matrix64 } from "../linalg/matrix64.js";
import { forwardCascade } from "./cascade.js";
import { type Wavelet, waveletType } from "./filters.js";
import { maxLevels, periodicSynthesisMatrix } from "./transform.js";

const constructions = ["separable", "usual"] as const;
export type PlaneConstruction = (typeof constructions)[number];

/** All atoms of squares of `size` × `size` pixels, one per column, by an orthogonal wavelet. */
export function placedAtoms(size: number, wavelet: Wavelet, construction: PlaneConstruction): Matrix64 {
  requireInteger("placedAtoms", "size", size, 1, 64);
  requireArgument("placedAtoms", "wavelet", wavelet, waveletType);
  requireOneOf("placedAtoms", "construction", construction, constructions);
  if (construction === "usual") return cascadeAtoms(size, wavelet);
  const W = periodicSynthesisMatrix(size, wavelet, maxLevels(size));
  return kron(W, W);
}

/** The rows of the orthonormal cascade. */
function cascadeAtoms(size: number, wavelet: Wavelet): Matrix64 {
  const n = size * size;
  const atoms = new Matrix64(n, n);
  for (let sample = 0; sample < n; sample++) {
    const unit = new Float64Array(n);
    unit[sample] = 1;
    forwardCascade(unit, [size, size], wavelet).forEach((value, atom) => {
      atoms.data[atom * n + sample] = value;
    });
  }
  return atoms;
}
