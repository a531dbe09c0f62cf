/** The update of A: assembly/update.ts, exchangeAtoms.ts, sums.ts. Sets and scalars are small and handled here. */

import type { DeviceSparse, UpdateOperations } from "../contract.js";
import { lanes, normBlock, rowBytes } from "./assembly/constants.js";
import { base, dense, set, sparse } from "./handles.js";
import type { CpuMemory, SparseEntries } from "./memory.js";
import type { Pool } from "./pool.js";

export function updateOperations(pool: Pool, memory: CpuMemory): UpdateOperations {
  return {
    async usedAtoms(X, S) {
      const uses = new Uint32Array(X.rows);
      addUses(memory.entries(X), uses);
      const atoms = set(S);
      const members = memory.arena.u32(atoms.at, atoms.capacity);
      atoms.size = 0;
      for (let row = 0; row < uses.length; row++) if (uses[row] > 0) members[atoms.size++] = row;
    },
    async countUses(X, uses) {
      addUses(memory.entries(X), memory.values(uses));
    },

    async gradient(W, X, S, grad, energy) {
      const { at: members, size } = set(S);
      const { lists, longest, spare } = stageRowLists(memory, X, memory.members(S), 8 * size);
      pool.reserveScratch(longest * 4);
      const energies = energy ? spare : 0;
      const args = { W: dense(W).at, L: W.rows, members, ...lists, grad: dense(grad).at, energies };
      await pool.run("gradient", args, size, 8);
      if (energy) memory.values(energy.scalars)[energy.slot] = memory.sum(spare, size);
    },
    async movedEnergy(phi, grad, S, X, scalars, slot) {
      const { at, plans } = base(phi);
      const blocks = Math.ceil(X.cols / lanes);
      const partial = memory.stage(blocks * 8 + X.rows * 4);
      const places = partial + blocks * 8;
      writePlaces(memory, memory.members(S), places, X.rows);
      pool.reserveScratch(lanes * grad.rows * 4 + 3 * plans.blockRows * rowBytes + X.width * 8);
      const args = { base: at, grad: dense(grad).at, places, X: sparse(X).at, columns: X.cols, partial };
      await pool.run("movedEnergies", args, blocks, 1);
      memory.values(scalars)[slot] = memory.sum(partial, blocks);
    },
    async addSquaredNorm(M, scalars, slot) {
      const count = M.rows * M.cols;
      const blocks = Math.ceil(count / normBlock);
      const partial = memory.stage(blocks * 8);
      await pool.run("blockEnergies", { values: dense(M).at, count, partial }, blocks, 1);
      memory.values(scalars)[slot] += memory.sum(partial, blocks);
    },
    async normRatio(scalars, num, den, out) {
      const s = memory.values(scalars);
      s[out] = s[num] && s[den] ? Math.sqrt(s[num]) / Math.sqrt(s[den]) : 0;
    },

    async moveAtoms(k, U, S, A, { gamma, scalars, eta, grad }) {
      const { at: members, size } = set(S);
      pool.reserveScratch((3 * U.rows + 16) * 4);
      const args = {
        k,
        L: U.rows,
        U: dense(U).at,
        members,
        A: sparse(A).at,
        grad: dense(grad).at,
        gamma,
        eta: memory.values(scalars)[eta],
      };
      await pool.run("moveAtoms", args, size, 16);
    },
    async clearColumns(S, M, { rows = false } = {}) {
      const values = memory.values(M);
      for (const atom of memory.members(S)) {
        values.fill(0, atom * M.rows, (atom + 1) * M.rows);
        if (rows) for (let at = atom; at < values.length; at += M.rows) values[at] = 0;
      }
    },

    async exchangeAtoms(before, after, S, X, R, refits) {
      const places = memory.stage(X.rows * 4);
      writePlaces(memory, memory.members(S), places, X.rows);
      const args = {
        before: dense(before).at,
        after: dense(after).at,
        n: R.rows,
        places,
        X: sparse(X).at,
        R: dense(R).at,
        refits: refits ? 1 : 0,
      };
      await pool.run("exchangeAtoms", args, X.cols, 512);
    },
  };
}

// Codes by rows: for each atom, the examples that use it and their coefficients,
// in the order of the examples. A counting sort of the non-zero entries.

/** uses[j] ← uses[j] + the number of non-zero entries in row j. */
function addUses({ indices, values, counts, width }: SparseEntries, uses: Uint32Array | Float32Array): void {
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
function writePlaces(memory: CpuMemory, members: Uint32Array, at: number, atoms: number): void {
  const places = memory.arena.u32(at, atoms).fill(0xffffffff);
  for (let place = 0; place < members.length; place++) places[members[place]] = place;
}
