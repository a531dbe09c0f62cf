/**
 * Codes by rows: for each atom, the slots of X that hold its coefficients, by ascending examples, without zeros.
 *
 * The lists are made once and serve all operations until the entries of X change. They hold slots rather than
 * coefficients, so that they stay correct where only coefficients change and none of them becomes zero.
 */

import type { DeviceSparse, SparseRows } from "../contract.js";
import { type SparsePlaces, sparse } from "./handles.js";
import type { CpuMemory, SparseEntries } from "./memory.js";

/** The slots of atom j stand from starts[j] to starts[j + 1]. */
export interface RowLists {
  /** m + 1. */
  readonly starts: Uint32Array;
  /** The addresses of `starts` and of the slots. */
  readonly startsAt: number;
  readonly slotsAt: number;
}

/** The codes that the lists are of. */
interface Known {
  readonly places: SparsePlaces;
  readonly version: number;
  readonly cols: number;
  readonly lists: RowLists;
}

export class CodeLists {
  readonly #memory: CpuMemory;
  #room = { at: 0, bytes: 0 };
  #known: Known | undefined;

  constructor(memory: CpuMemory) {
    this.#memory = memory;
  }

  /** The lists of X, valid until those of other codes are asked for. */
  of(X: DeviceSparse): RowLists {
    const { places, cols } = sparse(X);
    const known = this.#known;
    if (known?.places === places && known.version === places.version && known.cols === cols)
      return known.lists;
    this.#known = undefined; // if there is no memory
    const lists = this.#make(X);
    this.#known = { places, version: places.version, cols, lists };
    return lists;
  }

  /** The entries by rows. */
  rows(X: DeviceSparse): SparseRows {
    const { starts, slotsAt } = this.of(X);
    const { values, width } = this.#memory.entries(X);
    const slots = this.#memory.arena.u32(slotsAt, starts[X.rows]);
    const rows = { columns: new Uint32Array(slots.length), values: new Float32Array(slots.length) };
    for (let e = 0; e < slots.length; e++) {
      rows.columns[e] = Math.floor(slots[e] / width);
      rows.values[e] = values[slots[e]];
    }
    return { cols: X.cols, starts: starts.slice(), ...rows };
  }

  /** A counting sort of the entries that are not zero. */
  #make(X: DeviceSparse): RowLists {
    const { arena } = this.#memory;
    const starts = startsOf(this.#memory.entries(X), X.rows);
    const startsAt = this.#reserve((starts.length + starts[X.rows]) * 4);
    const slotsAt = startsAt + starts.length * 4;
    arena.u32(startsAt, starts.length).set(starts);
    const { indices, values, counts, width } = this.#memory.entries(X);
    const slots = arena.u32(slotsAt, starts[X.rows]);
    const next = starts.slice();
    for (let i = 0; i < counts.length; i++) {
      for (let s = i * width, end = s + counts[i]; s < end; s++)
        if (values[s] !== 0) slots[next[indices[s]]++] = s;
    }
    return { starts, startsAt, slotsAt };
  }

  #reserve(bytes: number): number {
    if (bytes > this.#room.bytes) {
      const { at } = this.#room;
      this.#room = { at: 0, bytes: 0 }; // if there is no memory, nothing may point to what was given back
      if (at !== 0) this.#memory.arena.give(at);
      this.#room = { at: this.#memory.arena.take(bytes), bytes };
    }
    return this.#room.at;
  }
}

/** Where the list of each atom starts, and at the end how many entries there are. */
function startsOf({ indices, values, counts, width }: SparseEntries, atoms: number): Uint32Array {
  const starts = new Uint32Array(atoms + 1);
  for (let i = 0; i < counts.length; i++) {
    for (let s = i * width, end = s + counts[i]; s < end; s++)
      if (values[s] !== 0) starts[indices[s] + 1] += 1;
  }
  for (let j = 0; j < atoms; j++) starts[j + 1] += starts[j];
  return starts;
}
