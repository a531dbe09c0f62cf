/**
 * Codes by rows: for each atom, the examples that use it, ascending.
 *
 * A bit for every atom and example is set in any order and read in one order, so
 * the lists, and every sum along them, are the same each time. They are made once
 * and used by all operations until the codes change.
 */

import type { GpuSet, GpuSparse } from "./handles.js";
import type { GpuQueue } from "./queue.js";

/** The codes that the lists were made of. */
interface Known {
  readonly store: object;
  readonly version: number;
  readonly cols: number;
}

export class CodeLists {
  readonly #queue: GpuQueue;
  #known: Known | undefined;

  constructor(queue: GpuQueue) {
    this.#queue = queue;
  }

  /** How many examples use each atom, m words. */
  uses(X: GpuSparse): GPUBuffer {
    this.#make(X);
    return this.#room(X).uses;
  }

  /** Where the list of each atom starts (m + 1 words), and the lists: example and coefficient. */
  lists(X: GpuSparse): { readonly starts: GPUBuffer; readonly entries: GPUBuffer } {
    this.#make(X);
    return this.#room(X);
  }

  /** S ← the atoms that are used. */
  used(X: GpuSparse, S: GpuSet): void {
    this.#make(X);
    this.#queue.copy(this.#room(X).set, 0, S.buffer, 0, (1 + 2 * X.rows) * 4);
  }

  #make(X: GpuSparse): void {
    const { store, rows: m, cols: N, width } = X;
    const known = this.#known;
    if (known?.store === store && known.version === store.version && known.cols === N) return;
    const { bits, uses, starts, set, entries, words } = this.#room(X);
    const queue = this.#queue;
    queue.clear(bits, m * words * 4);
    const across = [Math.ceil(width / 64), N] as const;
    queue.dispatch("marks", { examples: N, ...X.layout, words }, [store.buffer, bits], across);
    queue.dispatch("uses", { atoms: m, words }, [bits, uses], [Math.ceil(m / 64)]);
    queue.dispatch("scan", { atoms: m, placeAt: 1 + m }, [uses, starts, set], [1]);
    queue.dispatch("lists", { atoms: m, words, ...X.layout }, [store.buffer, bits, starts, entries], [m]);
    this.#known = { store, version: store.version, cols: N };
  }

  #room({ rows: m, cols: N, width }: GpuSparse) {
    const words = Math.ceil(N / 32);
    const room = (name: string, count: number) => this.#queue.scratch(`codes: ${name}`, count * 4);
    return {
      words,
      bits: room("bits", m * words),
      uses: room("uses", m),
      starts: room("starts", m + 1),
      set: room("set", 1 + 2 * m),
      entries: room("entries", 2 * N * width),
    };
  }
}
