/**
 * Codes by rows: for each atom, the examples that use it and their coefficients,
 * in the order of the examples. A counting sort of the non-zero entries.
 */

import type { DeviceSparse } from "../contract.js";
import type { CpuMemory, SparseEntries } from "./memory.js";

/** uses[j] ← uses[j] + the number of non-zero entries in row j. */
export function addUses(
  { indices, values, counts, width }: SparseEntries,
  uses: Uint32Array | Float32Array,
): void {
  for (let i = 0; i < counts.length; i++) {
    for (let s = i * width, end = s + counts[i]; s < end; s++) if (values[s] !== 0) uses[indices[s]] += 1;
  }
}

/** starts (m + 1), then examples and coefficients of atom j from starts[j] to starts[j + 1]. */
interface RowLists {
  readonly starts: Uint32Array;
  readonly examples: Uint32Array;
  readonly coefficients: Float32Array;
  /** Where each coefficient stands in X. */
  readonly slots: Uint32Array;
  /** The most examples that use one atom. */
  readonly longest: number;
}

/** The lists of all atoms, or of those in `members` (the others are empty). */
export function rowLists(X: SparseEntries, atoms: number, members?: Uint32Array): RowLists {
  const inside = new Uint8Array(atoms).fill(members ? 0 : 1);
  for (const atom of members ?? []) inside[atom] = 1;
  const found = slotsOf(X, inside); // by examples; few if S is small
  const starts = new Uint32Array(atoms + 1);
  for (const s of found) starts[X.indices[s] + 1] += 1;
  let longest = 0;
  for (let j = 0; j < atoms; j++) {
    longest = Math.max(longest, starts[j + 1]);
    starts[j + 1] += starts[j];
  }
  const next = starts.slice();
  const examples = new Uint32Array(found.length);
  const coefficients = new Float32Array(found.length);
  const slots = new Uint32Array(found.length);
  for (const s of found) {
    const at = next[X.indices[s]]++;
    examples[at] = Math.floor(s / X.width);
    coefficients[at] = X.values[s];
    slots[at] = s;
  }
  return { starts, examples, coefficients, slots, longest };
}

/** The slots of non-zero entries of some atoms, ascending. */
function slotsOf({ indices, values }: SparseEntries, inside: Uint8Array): Uint32Array {
  const slots = new Uint32Array(indices.length);
  let count = 0;
  for (let s = 0; s < indices.length; s++) if (inside[indices[s]] && values[s] !== 0) slots[count++] = s;
  return slots.subarray(0, count);
}

/** The lists in memory for one call: their addresses, and that of `spareBytes` more. */
export function stageRowLists(memory: CpuMemory, X: DeviceSparse, members?: Uint32Array, spareBytes = 0) {
  const { starts, examples, coefficients, longest } = rowLists(memory.entries(X), X.rows, members);
  const spare = memory.stage(spareBytes + (starts.length + 2 * examples.length) * 4); // first: it may hold f64
  const at = spare + spareBytes;
  const examplesAt = at + starts.length * 4;
  const coefficientsAt = examplesAt + examples.length * 4;
  memory.arena.u32(at, starts.length).set(starts);
  memory.arena.u32(examplesAt, examples.length).set(examples);
  memory.arena.f32(coefficientsAt, coefficients.length).set(coefficients);
  const lists = { starts: at, examples: examplesAt, coefficients: coefficientsAt };
  return { lists, longest, spare };
}

/** The place of each atom in S, or −1, as i32 at an address. */
export function writePlaces(memory: CpuMemory, members: Uint32Array, at: number, atoms: number): void {
  const places = memory.arena.u32(at, atoms).fill(0xffffffff);
  for (let place = 0; place < members.length; place++) places[members[place]] = place;
}
