/**
 * The probability model for which atoms a block uses. They are coded as a set: the
 * atoms are visited from the most used on, and one bit per atom says whether it is in
 * the set, until all its members are found.
 *
 *     P(atom r is in) = left · w_r / (w_r + w_{r+1} + …),   left: members not yet found
 *
 * With equal weights this takes log₂ of the number of sets, the minimum. Weights start
 * with the uses that training counted, and grow with each block.
 */

import { type BitCoder, certainty } from "./rangeCoder.js";

/** The mean weight at the start, and the weight of each use: training counts as four uses per atom. */
const meanWeight = 64;
const useWeight = 16;
/** The probability of an atom stays this far from 0 and 1, in units of 1/65536. */
const margin = 32;

export class AtomSetModel {
  /** The atom of each rank, the most used first. */
  readonly atoms: Uint32Array;
  /** The rank of each atom. */
  readonly ranks: Uint32Array;
  readonly #weights: Float64Array;
  #total: number;

  constructor(count: number, uses: Uint32Array | undefined) {
    const used = uses ?? new Uint32Array(count);
    this.atoms = Uint32Array.from(used.keys()).sort((a, b) => used[b] - used[a] || a - b);
    this.ranks = new Uint32Array(count);
    this.atoms.forEach((atom, rank) => {
      this.ranks[atom] = rank;
    });
    const sum = used.reduce((total, value) => total + value, 0);
    const share = (value: number) => (sum === 0 ? meanWeight : (value * meanWeight * count) / sum);
    // an eighth of the mean for all atoms, so that one that was never used has a chance
    this.#weights = Float64Array.from(this.atoms, (atom) =>
      Math.max(1, Math.round((7 * share(used[atom]) + meanWeight) / 8)),
    );
    this.#total = this.#weights.reduce((total, weight) => total + weight, 0);
  }

  /** Code a set of `count` atoms, given and returned as ascending ranks; a reader ignores `given`. */
  code(coder: BitCoder, given: ArrayLike<number>, count: number): Uint32Array {
    const found = new Uint32Array(count);
    let taken = 0;
    let total = this.#total;
    for (let rank = 0; taken < count; rank++) {
      const left = count - taken;
      const weight = this.#weights[rank];
      const certain = this.#weights.length - rank === left;
      const p = Math.min(
        certainty - margin,
        Math.max(margin, Math.floor((left * weight * certainty) / total)),
      );
      if (certain || coder.code(given[taken] === rank ? 1 : 0, p) === 1) found[taken++] = rank;
      total -= weight;
    }
    for (const rank of found) this.#weights[rank] += useWeight;
    this.#total += useWeight * count;
    return found;
  }

  /** Estimated bits for the atom of each rank in a block of about `count` atoms, at the start. */
  estimate(count: number): Float64Array {
    return this.#weights.map((weight) =>
      Math.max(0.1, Math.log2((Math.E * this.#total) / (Math.max(1, count) * weight))),
    );
  }
}
