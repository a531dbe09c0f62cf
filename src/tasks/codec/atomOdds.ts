/**
 * Which atoms a block uses, coded as a set: the atoms are gone through from the most
 * used one on, and each is told to be in or out, until as many are found as there are.
 *
 *     P(atom r is in) = left · w_r / (w_r + w_{r+1} + …),   left: atoms still to be found
 *
 * With equal weights this is log₂ of the number of sets, the least there is. Weights
 * begin with the uses that the model counted in training, and grow with each block.
 */

import { type BitCoder, certainty } from "./rangeCoder.js";

/** The mean weight at the start, and what each use adds: the past counts as four uses an atom. */
const meanWeight = 64;
const useWeight = 16;
/** A probability of a single atom stays this far from 0 and 1, of 65536. */
const margin = 32;

export class AtomOdds {
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
    // an eighth of the mean for all, so that an atom that was never used can be
    this.#weights = Float64Array.from(this.atoms, (atom) =>
      Math.max(1, Math.round((7 * share(used[atom]) + meanWeight) / 8)),
    );
    this.#total = this.#weights.reduce((total, weight) => total + weight, 0);
  }

  /** Code a set of `count` atoms, given and returned as ascending ranks. */
  code(coder: BitCoder, given: ArrayLike<number>, count: number): Uint32Array {
    const found = new Uint32Array(count);
    let [taken, total] = [0, this.#total];
    for (let rank = 0; taken < count; rank++) {
      const left = count - taken;
      const weight = this.#weights[rank];
      const sure = this.#weights.length - rank === left;
      const p = Math.min(
        certainty - margin,
        Math.max(margin, Math.floor((left * weight * certainty) / total)),
      );
      if (sure || coder.code(given[taken] === rank ? 1 : 0, p) === 1) found[taken++] = rank;
      total -= weight;
    }
    for (const rank of found) this.#weights[rank] += useWeight;
    this.#total += useWeight * count;
    return found;
  }

  /** Bits that the atom of each rank would take in a block of about `count` atoms, at the start. */
  estimate(count: number): Float64Array {
    return this.#weights.map((weight) =>
      Math.max(0.1, Math.log2((Math.E * this.#total) / (Math.max(1, count) * weight))),
    );
  }
}
