/** The update of A: assembly/update.ts, exchangeAtoms.ts, sums.ts. Sets and scalars are small and handled here. */

import type {
  DeviceBase,
  DeviceMatrix,
  DeviceSet,
  DeviceSparse,
  MomentumStep,
  UpdateOperations,
} from "../contract.js";
import type { Items } from "../divided.js";
import { lanes, listBlock, listScratch, normBlock, rowBytes } from "./assembly/constants.js";
import type { CodeLists } from "./codeLists.js";
import { base, dense, set, sparse } from "./handles.js";
import type { CpuMemory, SparseEntries } from "./memory.js";
import type { Pool } from "./pool.js";

/** Members of S below which a column of the gradient is shared between threads, and the rows of a share. */
const fewMembers = 64;
const shareRows = 64;

export function updateOperations(pool: Pool, memory: CpuMemory, codes: CodeLists): UpdateOperations {
  return {
    async usedAtoms(X, S) {
      const { starts } = codes.of(X);
      const atoms = set(S);
      const members = memory.arena.u32(atoms.at, atoms.capacity);
      atoms.size = 0;
      for (let j = 0; j < X.rows; j++) if (starts[j + 1] > starts[j]) members[atoms.size++] = j;
    },
    async countUses(X, uses) {
      const { starts } = codes.of(X);
      const total = memory.values(uses);
      for (let j = 0; j < X.rows; j++) total[j] += starts[j + 1] - starts[j];
    },

    async gradient(W, X, S, grad, energy) {
      const { size } = set(S);
      const energies = energy ? memory.stage(8 * size) : 0;
      await runGradient(pool, codes, { W, X, S, grad, energies }, { from: 0, to: size });
      if (energy) memory.values(energy.scalars)[energy.slot] = memory.sum(energies, size);
    },
    async movedEnergy(base, grad, S, X, scalars, slot) {
      const blocks = Math.ceil(X.cols / lanes);
      const partial = await runMovedEnergies(pool, memory, { base, grad, S, X }, { from: 0, to: blocks });
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

    moveAtoms: (k, U, S, A, step) =>
      runMoveAtoms(pool, memory, { k, U, S, A, step }, { from: 0, to: set(S).size }),
    async thresholdAtoms(A, { first, step = 1 }, mu, W, C) {
      pool.reserveScratch((3 * W.rows + 16) * 4);
      sparse(C).places.version++;
      const args = { A: sparse(A).at, first, step, mu, L: W.rows, W: dense(W).at, C: sparse(C).at };
      await pool.run("thresholdAtoms", args, W.cols, 16);
    },
    async takeEntries(W, C, V) {
      const w = memory.values(W);
      const [from, to] = [memory.entries(C), memory.entries(V)];
      to.indices.set(from.indices);
      to.counts.set(from.counts);
      to.values.fill(0);
      for (let j = 0; j < C.cols; j++) {
        const at = j * from.width;
        for (let s = at; s < at + from.counts[j]; s++) to.values[s] = w[j * W.rows + from.indices[s]];
      }
      sparse(V).places.version++;
    },
    async addEntries(V, energies, C) {
      const moved = memory.values(energies);
      const [from, to] = [memory.entries(V), memory.entries(C)];
      for (let j = 0; j < C.cols; j++) {
        const [start, end] = [j * to.width, j * to.width + to.counts[j]];
        let energy = 0;
        for (let s = start; s < end; s++) energy += from.values[s] ** 2;
        const step = moved[j] > 0 ? energy / moved[j] : 0;
        for (let s = start; s < end; s++) to.values[s] += step * from.values[s];
      }
      sparse(C).places.version++;
    },
    async acceptAtoms(C, energies, left, distances, A, first) {
      const [e, d, bounds] = [energies, left, distances].map((numbers) => memory.values(numbers));
      const [from, to] = [memory.entries(C), memory.entries(A)];
      for (let j = 0; j < C.cols; j++) {
        const norm = Math.sqrt(e[j]);
        if (!(e[j] > 0 && (d[j] - (1 - norm) ** 2) / norm < bounds[j])) continue;
        placeScaled(from, j, 1 / norm, to, first + j);
      }
      sparse(A).places.version++;
    },
    async clearColumns(S, M, { rows = false } = {}) {
      const values = memory.values(M);
      for (const atom of memory.members(S)) {
        values.fill(0, atom * M.rows, (atom + 1) * M.rows);
        if (rows) for (let at = atom; at < values.length; at += M.rows) values[at] = 0;
      }
    },

    async exchangeAtoms(before, after, S, X, R, refits) {
      const { starts, slotsAt: slots } = codes.of(X);
      const { zeros, blocks, count } = stageBlocks(memory, memory.members(S), starts);
      const args = {
        before: dense(before).at,
        after: dense(after).at,
        n: R.rows,
        blocks,
        X: sparse(X).at,
        slots,
        R: dense(R).at,
        refits: refits ? 1 : 0,
        zeros,
      };
      await pool.run("exchangeAtoms", args, count, 1);
      if (memory.arena.u32(zeros, 1)[0] !== 0) sparse(X).places.version++; // the lists must lose entries
    },
  };
}

interface GradientParts {
  readonly W: DeviceMatrix;
  readonly X: DeviceSparse;
  readonly S: DeviceSet;
  readonly grad: DeviceMatrix;
  /** The address of the energies of the columns; 0 for none. */
  readonly energies: number;
}

/** Columns of the gradient at some places of S. */
export async function runGradient(
  pool: Pool,
  codes: CodeLists,
  { W, X, S, grad, energies }: GradientParts,
  { from, to }: Items,
): Promise<void> {
  const { startsAt: starts, slotsAt: slots } = codes.of(X);
  pool.reserveScratch(listScratch);
  const shared = energies === 0 && to - from < fewMembers && W.rows > shareRows;
  const share = shared ? shareRows : Math.max(1, W.rows);
  const lists = { X: sparse(X).at, starts, slots };
  const outputs = { grad: dense(grad).at, share, energies };
  const args = { W: dense(W).at, L: W.rows, members: set(S).at, ...lists, ...outputs };
  const shares = Math.ceil(W.rows / share);
  await pool.run("gradient", args, to * shares, shared ? 1 : 8, from * shares);
}

interface MovedParts {
  readonly base: DeviceBase;
  readonly grad: DeviceMatrix;
  readonly S: DeviceSet;
  readonly X: DeviceSparse;
}

/** ‖Φ grad X_S‖² over some blocks of examples: the address of those of all blocks. */
export async function runMovedEnergies(
  pool: Pool,
  memory: CpuMemory,
  { base: phi, grad, S, X }: MovedParts,
  { from, to }: Items,
): Promise<number> {
  const { at, plans } = base(phi);
  const blocks = Math.ceil(X.cols / lanes);
  const partial = memory.stage(blocks * 8 + X.rows * 4);
  const places = partial + blocks * 8;
  writePlaces(memory, memory.members(S), places, X.rows);
  pool.reserveScratch(lanes * grad.rows * 4 + 3 * plans.blockRows * rowBytes + X.width * 8);
  const args = { base: at, grad: dense(grad).at, places, X: sparse(X).at, columns: X.cols, partial };
  await pool.run("movedEnergies", args, to, 1, from);
  return partial;
}

interface MoveParts {
  readonly k: number;
  readonly U: DeviceMatrix;
  readonly S: DeviceSet;
  readonly A: DeviceSparse;
  readonly step: MomentumStep;
}

/** The step of the atoms at some places of S. */
export async function runMoveAtoms(
  pool: Pool,
  memory: CpuMemory,
  { k, U, S, A, step: { gamma, scalars, eta, grad } }: MoveParts,
  { from, to }: Items,
): Promise<void> {
  pool.reserveScratch((3 * U.rows + 16) * 4);
  const args = {
    ...{ k, L: U.rows, U: dense(U).at, members: set(S).at, A: sparse(A).at, grad: dense(grad).at },
    ...{ gamma, eta: memory.values(scalars)[eta] },
  };
  sparse(A).places.version++;
  await pool.run("moveAtoms", args, to, 16, from);
}

/** Words of a `Block` of assembly/exchangeAtoms.ts. */
const blockWords = 3;

/** The lists of the atoms of S in blocks, at an address of their own, after a word that is zero. */
function stageBlocks(memory: CpuMemory, members: Uint32Array, starts: Uint32Array) {
  const blocks: number[] = [];
  members.forEach((atom, place) => {
    const end = starts[atom + 1];
    for (let first = starts[atom]; first < end; first += listBlock)
      blocks.push(place, first, Math.min(first + listBlock, end));
  });
  const zeros = memory.stage((1 + blocks.length) * 4);
  memory.arena.u32(zeros, 1).fill(0);
  memory.arena.u32(zeros + 4, blocks.length).set(blocks);
  return { zeros, blocks: zeros + 4, count: blocks.length / blockWords };
}

/** The place of each atom in S, or −1, as i32 at an address. */
function writePlaces(memory: CpuMemory, members: Uint32Array, at: number, atoms: number): void {
  const places = memory.arena.u32(at, atoms).fill(0xffffffff);
  for (let place = 0; place < members.length; place++) places[members[place]] = place;
}

/** Column `place` of one matrix ← column j of another times a factor, with zeros after its entries. */
function placeScaled(from: SparseEntries, j: number, factor: number, to: SparseEntries, place: number): void {
  const start = place * to.width;
  const count = from.counts[j];
  to.indices.fill(0, start, start + to.width);
  to.values.fill(0, start, start + to.width);
  for (let s = 0; s < count; s++) {
    to.indices[start + s] = from.indices[j * from.width + s];
    to.values[start + s] = from.values[j * from.width + s] * factor;
  }
  to.counts[place] = count;
}
