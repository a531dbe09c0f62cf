/** The update of A: assembly/update.ts, exchangeAtoms.ts, sums.ts. Sets and scalars are small and handled here. */

import type { UpdateOperations } from "../contract.js";
import { lanes, normBlock, rowBytes } from "./assembly/constants.js";
import { addUses, stageRowLists, writePlaces } from "./codes.js";
import { base, dense, set, sparse } from "./handles.js";
import type { CpuMemory } from "./memory.js";
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
