/**
 * Orders in which to show atoms: from plain to busy, or by use. All but `use` look at
 * an atom d of n samples as a gallery shows it, scaled to v = d / max|d|, so neither
 * scale nor sign matters; a zero atom comes first.
 *
 *   entropy    of the histogram of grey values, in bits, lowest first, as figure 9
 *              of [Sulam16]:  H = −Σ_b p_b log₂ p_b, where p_b is the fraction of the
 *              samples with round(16 v_i) = b, b = −16 … 16. A constant has H = 0, a
 *              spike about 0, a straight edge 1; a texture takes many grey values.
 *   variance   σ² = (1/n) Σ (v_i − v̄)², lowest first, as figure 5 of [Aharon06]. A
 *              spike has about 1/n, a sinusoid ½, a balanced edge 1.
 *   use        how often codes use the atom, most often first.
 *
 * The paper does not say which entropy it means. It cannot be that of the energy,
 * p_i = v_i²: a piecewise-constant atom has its largest value, log₂ n, and figure 9
 * shows such atoms at the opposite end from textures. The bins are few and one of
 * them is centred at zero, so that faint ripples on flat parts do not count.
 *
 * Atoms that tie keep their own order.
 *
 * [Sulam16]  J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *            Learning in High Dimensions. IEEE TSP 64(12), 2016, §V-D.
 * [Aharon06] M. Aharon, M. Elad, A. Bruckstein. K-SVD: An Algorithm for Designing
 *            Overcomplete Dictionaries. IEEE TSP 54(11), 2006.
 */

import { matrix, numberList, requireArgument, requireOptions } from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import type { DenseMatrix } from "../../core/matrix.js";
import { requireFinite, requireOneOf } from "../../core/require.js";

/** The names of the orders. */
export const atomOrders = ["entropy", "variance", "use"] as const;

export type AtomOrder = (typeof atomOrders)[number];

/** Bins of the histogram on each side of the one at zero. */
const binsPerSide = 16;

/** The indices of all columns of `atoms`, in this order; `uses` holds the number of uses of each. */
export function orderAtoms(
  atoms: DenseMatrix,
  by: AtomOrder,
  options: { readonly uses?: ArrayLike<number> } = {},
): number[] {
  requireArgument("orderAtoms", "atoms", atoms, matrix);
  requireOneOf("orderAtoms", "order", by, atomOrders);
  requireOptions("orderAtoms", options, { uses: numberList });
  const keys = by === "use" ? negatedUses(atoms, options.uses) : measureAtoms(atoms, by);
  return Array.from(keys, (_, atom) => atom).sort((a, b) => keys[a] - keys[b]);
}

function negatedUses(atoms: DenseMatrix, uses: ArrayLike<number> | undefined): Float64Array {
  if (uses?.length !== atoms.cols) {
    throw new InputError(
      `orderAtoms: uses must hold one count for each of ${atoms.cols} atoms, got ${uses?.length ?? "none"}`,
    );
  }
  requireFinite("orderAtoms", "uses", uses);
  return Float64Array.from(uses, (count) => -count);
}

function measureAtoms(atoms: DenseMatrix, by: "entropy" | "variance"): Float64Array {
  requireFinite("orderAtoms", "atoms", atoms.data);
  const measure = by === "entropy" ? entropy : variance;
  return Float64Array.from({ length: atoms.cols }, (_, atom) => measure(unitPeak(atoms.column(atom))));
}

/** d / max|d|; zero stays zero. */
function unitPeak(atom: Float32Array): Float64Array {
  const largest = atom.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  return new Float64Array(atom).map((value) => value / (largest || 1));
}

function entropy(values: Float64Array): number {
  const counts = new Uint32Array(2 * binsPerSide + 1);
  for (const value of values) {
    const bin = Math.sign(value) * Math.round(Math.abs(value) * binsPerSide); // for −d the same, mirrored
    counts[binsPerSide + bin] += 1;
  }
  counts.sort(); // so that d and −d are rounded alike
  let sum = 0;
  for (const count of counts) if (count > 0) sum += count * Math.log2(count);
  return Math.log2(values.length) - sum / values.length; // −Σ p log₂ p with p = count / n
}

function variance(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}
