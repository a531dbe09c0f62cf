/**
 * Codes by rows: for each atom, the examples that use it, ascending.
 *
 * A bit for every atom and example is set in any order and read in one order, so
 * the lists, and every sum along them, are the same each time. They are made once
 * and used by all operations until the codes change. Where only coefficients change,
 * those in the lists change with them; some may be zero then.
 */

import type { SparseRows } from "../contract.js";

import type { GpuSet, GpuSparse } from "./handles.js";
import type { GpuQueue } from "./queue.js";

/** The codes that the lists were made of. */
interface Known {
  readonly store: object;
  readonly version: number;
  readonly cols: number;
  /** Whether the lists hold all uses and nothing else: no entry has become zero. */
  readonly isExact: boolean;
  /** Which room they are in. */
  readonly room: number;
}

export class CodeLists {
  readonly #queue: GpuQueue;
  #known: Known | undefined;
  /** Rooms whose lists are being read: they stay as they are, and new lists are made elsewhere. */
  readonly #lent = new Set<number>();

  constructor(queue: GpuQueue) {
    this.#queue = queue;
  }

  /** How many examples use each atom, m words. */
  uses(X: GpuSparse): GPUBuffer {
    this.#makeExact(X);
    return this.#room(X).uses;
  }

  /** Where the list of each atom starts (m + 1 words), and the lists: example and coefficient, which may be zero. */
  lists(X: GpuSparse): { readonly starts: GPUBuffer; readonly entries: GPUBuffer } {
    if (!this.#knows(X)) this.#make(X);
    return this.#room(X);
  }

  /** Coefficients have changed, in X and in its lists. */
  refitted({ store, cols }: GpuSparse): void {
    store.version++;
    const room = this.#known?.room ?? 0;
    this.#known = { store, version: store.version, cols, isExact: false, room };
  }

  /** The entries by rows. How many there are is read first. */
  async rows(X: GpuSparse): Promise<SparseRows> {
    const known = this.#makeExact(X);
    const { starts, entries } = this.#room(X);
    this.#known = undefined;
    this.#lent.add(known.room);
    try {
      const bounds = await this.#queue.read(starts, (X.rows + 1) * 4, (data) =>
        new Uint32Array(data).slice(),
      );
      return {
        cols: X.cols,
        starts: bounds,
        ...(await this.#queue.read(entries, bounds[X.rows] * 8, splitEntries)),
      };
    } finally {
      this.#lent.delete(known.room);
      this.#known ??= known;
    }
  }

  /** S ← the atoms that are used. */
  used(X: GpuSparse, S: GpuSet): void {
    this.#makeExact(X);
    this.#queue.copy(this.#room(X).set, 0, S.buffer, 0, (1 + 2 * X.rows) * 4);
  }

  #knows({ store, cols }: GpuSparse): boolean {
    const known = this.#known;
    return known?.store === store && known.version === store.version && known.cols === cols;
  }

  #makeExact(X: GpuSparse): Known {
    const known = this.#known;
    return known?.isExact && this.#knows(X) ? known : this.#make(X);
  }

  #make(X: GpuSparse): Known {
    const { store, rows: m, cols: N, width } = X;
    const room = this.#freeRoom();
    this.#known = undefined;
    const { bits, uses, starts, set, entries, words } = this.#room(X, room);
    const queue = this.#queue;
    queue.clear(bits, m * words * 4);
    const across = [Math.ceil(width / 64), N] as const;
    queue.dispatch("marks", { examples: N, ...X.layout, words }, [store.buffer, bits], across);
    queue.dispatch("uses", { atoms: m, words }, [bits, uses], [Math.ceil(m / 64)]);
    queue.dispatch("scan", { atoms: m, placeAt: 1 + m }, [uses, starts, set], [1]);
    queue.dispatch("lists", { atoms: m, words, ...X.layout }, [store.buffer, bits, starts, entries], [m]);
    this.#known = { store, version: store.version, cols: N, isExact: true, room };
    return this.#known;
  }

  #freeRoom(): number {
    let room = 0;
    while (this.#lent.has(room)) room++;
    return room;
  }

  #room({ rows: m, cols: N, width }: GpuSparse, number = this.#known?.room ?? 0) {
    const words = Math.ceil(N / 32);
    const room = (name: string, count: number) => this.#queue.scratch(`codes ${number}: ${name}`, count * 4);
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

/** Columns and values of entries as the lists hold them. */
function splitEntries(data: ArrayBuffer): { columns: Uint32Array; values: Float32Array } {
  const [words, floats] = [new Uint32Array(data), new Float32Array(data)];
  const columns = new Uint32Array(words.length / 2);
  const values = new Float32Array(columns.length);
  for (let e = 0; e < columns.length; e++) {
    columns[e] = words[2 * e];
    values[e] = floats[2 * e + 1];
  }
  return { columns, values };
}
