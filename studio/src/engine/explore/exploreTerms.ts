/**
 * What an atom d = Φa is made of: the base atoms of its column of A, largest coefficient first, and their sums,
 *
 *     s_t = Σ_{i ≤ t} a_i φ_i,   with the relative error ‖d − s_t‖ / ‖d‖ after t terms.
 */

import type { Model } from "trainlets";

/** The most samples of sums that are sent to the page (64 MiB). */
const mostSamples = 2 ** 24;

export interface AtomTerms {
  /** Which base atoms, by number. */
  readonly rows: Uint32Array<ArrayBuffer>;
  readonly coefficients: Float64Array<ArrayBuffer>;
  /** Relative errors after 0, 1, … terms. */
  readonly errors: Float64Array<ArrayBuffer>;
  /** s₀, s₁, …: one after the other. */
  readonly sums: Float32Array<ArrayBuffer>;
  /** φ of each term, one after the other. */
  readonly baseAtoms: Float32Array<ArrayBuffer>;
  /** Non-zeros of the column: more than the terms, if they are too many to show. */
  readonly nonZeros: number;
}

export function termsOf(model: Model, atom: number, d: Float32Array): AtomTerms {
  const n = d.length;
  const { entries, nonZeros } = largestFirst(model, atom, Math.floor(mostSamples / n) - 1);
  const k = entries.length;
  const errors = new Float64Array(k + 1);
  const sums = new Float32Array((k + 1) * n);
  const baseAtoms = new Float32Array(k * n);
  const sum = new Float64Array(n);
  errors[0] = relativeError(d, sum);
  entries.forEach(([row, coefficient], t) => {
    const phi = baseAtom(model, row);
    baseAtoms.set(phi, t * n);
    for (let i = 0; i < n; i++) sum[i] += coefficient * phi[i];
    sums.set(sum, (t + 1) * n);
    errors[t + 1] = relativeError(d, sum);
  });
  return {
    rows: Uint32Array.from(entries, ([row]) => row),
    coefficients: Float64Array.from(entries, ([, coefficient]) => coefficient),
    errors,
    sums,
    baseAtoms,
    nonZeros,
  };
}

function largestFirst({ A }: Model, atom: number, most: number) {
  const start = atom * A.width;
  const entries: [row: number, coefficient: number][] = [];
  for (let s = start; s < start + A.counts[atom]; s++)
    if (A.values[s] !== 0) entries.push([A.indices[s], A.values[s]]);
  entries.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || a[0] - b[0]);
  return { entries: entries.slice(0, most), nonZeros: entries.length };
}

/** Column `row` of Φ = φ₀ ⊗ φ₁ ⊗ …: the outer product of one column per factor, the last varying fastest. */
function baseAtom({ base }: Model, row: number): Float64Array {
  let rest = row;
  let product = new Float64Array([1]);
  for (const factor of base.factors.toReversed()) {
    const at = rest % factor.cols;
    rest = Math.floor(rest / factor.cols);
    const inner = product;
    product = new Float64Array(factor.rows * inner.length);
    for (let i = 0; i < factor.rows; i++)
      for (let j = 0; j < inner.length; j++) product[i * inner.length + j] = factor.at(i, at) * inner[j];
  }
  return product;
}

/** ‖d − s‖ / ‖d‖; 0 for an atom of zeros. */
function relativeError(d: Float32Array, s: Float64Array): number {
  let [error, energy] = [0, 0];
  for (let i = 0; i < d.length; i++) {
    error += (d[i] - s[i]) ** 2;
    energy += d[i] ** 2;
  }
  return energy > 0 ? Math.sqrt(error / energy) : 0;
}
