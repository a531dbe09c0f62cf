/**
 * Inner products of atoms, computed when they are first asked for: for dictionaries without a Gram matrix.
 *
 * A product has the same bits each time it is computed, so it does not matter which ones are kept.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import type { HostAtoms } from "./hostAtoms.js";

/** Inner products of atoms by their numbers. */
export type GramEntries = Pick<DenseMatrix, "at">;

/** Products that are kept, in about 300 MB. A Map holds at most 2²⁴. */
const mostProducts = 2 ** 22;

export class AtomProducts implements GramEntries {
  readonly #atoms: Pick<HostAtoms, "atom">;
  readonly #count: number;
  readonly #most: number;
  readonly #known = new Map<number, number>();

  constructor(atoms: Pick<HostAtoms, "atom">, count: number, most = mostProducts) {
    this.#atoms = atoms;
    this.#count = count;
    this.#most = most;
  }

  /** Products that are kept now. */
  get size(): number {
    return this.#known.size;
  }

  at(i: number, j: number): number {
    const key = Math.min(i, j) * this.#count + Math.max(i, j);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const product = this.#product(i, j);
    if (this.#known.size >= this.#most) this.#known.clear();
    this.#known.set(key, product);
    return product;
  }

  #product(i: number, j: number): number {
    const [a, b] = [this.#atoms.atom(i), this.#atoms.atom(j)];
    return Math.fround(a.reduce((sum, value, s) => sum + value * b[s], 0));
  }
}
