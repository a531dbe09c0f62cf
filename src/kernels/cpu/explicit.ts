/** Explicit dictionaries D (n × m), and the updates of ODL and K-SVD: assembly/explicit.ts, denseProducts.ts. */

import { type DeviceMatrix, type DeviceSparse, type ExplicitOperations, momentFloor } from "../contract.js";
import { descentShare, lanes, panel, refitBlock, rowBytes } from "./assembly/constants.js";
import { dense, sparse } from "./handles.js";
import type { CpuMemory } from "./memory.js";
import type { Pool } from "./pool.js";
import { rowLists, stageRowLists } from "./update.js";

/** Atoms of a block of `descendAtoms`. */
const descentBlock = 64;

export function explicitOperations(pool: Pool, memory: CpuMemory): ExplicitOperations {
  return {
    async correlate(D, Y, P) {
      pool.reserveScratch((D.rows + panel) * rowBytes);
      const args = {
        D: dense(D).at,
        n: D.rows,
        m: D.cols,
        Y: dense(Y).at,
        columns: Y.cols,
        P: dense(P).at,
      };
      await pool.run("correlate", args, Math.ceil(Y.cols / lanes), 1);
    },
    combine: (D, X, Y) => combine(pool, D, X, undefined, Y),
    remainder: (D, X, Y, R) => combine(pool, D, X, Y, R),

    async addMoments(beta, Y, X, B, C) {
      const { lists, longest } = stageRowLists(memory, X);
      pool.reserveScratch((longest + Y.rows) * 4);
      const args = {
        beta,
        Y: dense(Y).at,
        n: Y.rows,
        X: sparse(X).at,
        ...lists,
        longest,
        B: dense(B).at,
        C: dense(C).at,
        m: C.rows,
      };
      await pool.run("addMoments", args, B.cols, 8);
    },
    descendAtoms: (B, C, D) => descendAtoms(pool, memory, B, C, D),
    refitAtoms: (R, X, D) => refitAtoms(pool, memory, R, X, D),
    async addOuter(Y, C) {
      pool.reserveScratch((2 * Y.cols + lanes) * rowBytes);
      const args = { Y: dense(Y).at, n: Y.rows, columns: Y.cols, C: dense(C).at };
      await pool.run("addOuter", args, Math.ceil(Y.rows / lanes), 1);
    },
  };
}

/** output ← DX, or Y − DX where Y is given. */
async function combine(
  pool: Pool,
  D: DeviceMatrix,
  X: DeviceSparse,
  Y: DeviceMatrix | undefined,
  output: DeviceMatrix,
): Promise<void> {
  pool.reserveScratch((X.width + D.rows) * 4);
  const args = {
    D: dense(D).at,
    n: D.rows,
    X: sparse(X).at,
    Y: Y ? dense(Y).at : 0,
    output: dense(output).at,
  };
  await pool.run("combine", args, X.cols, 16);
}

/** Blocks of atoms: F = B − DC by products with all of D, then one atom after the other within the block. */
async function descendAtoms(
  pool: Pool,
  memory: CpuMemory,
  B: DeviceMatrix,
  C: DeviceMatrix,
  D: DeviceMatrix,
): Promise<void> {
  const { at, rows: n, cols: m } = dense(D);
  const F = memory.stage(n * descentBlock * 4);
  pool.reserveScratch(Math.max((m + 2) * rowBytes, n * 4));
  for (let first = 0; first < m; first += descentBlock) {
    const atoms = Math.min(descentBlock, m - first);
    const args = { D: at, n, m, B: dense(B).at, C: dense(C).at, first, atoms, F, floor: momentFloor };
    const shares = Math.ceil(atoms / descentShare);
    await pool.run("blockResidual", args, Math.ceil(n / lanes) * shares, 1);
    await pool.run("descendBlock", args, 1, 1);
  }
}

async function refitAtoms(
  pool: Pool,
  memory: CpuMemory,
  R: DeviceMatrix,
  X: DeviceSparse,
  D: DeviceMatrix,
): Promise<void> {
  const { arena } = memory;
  const { at: columns, rows: n, cols: m } = dense(D);
  const { starts, slots } = rowLists(memory.entries(X), X.rows);
  const blocks = Math.ceil(slots.length / refitBlock);
  const slotsAt = memory.stage((slots.length + (blocks + 1) * n) * 4);
  const sums = slotsAt + slots.length * 4;
  const before = sums + blocks * n * 4;
  arena.u32(slotsAt, slots.length).set(slots);
  pool.reserveScratch(2 * refitBlock * 4);
  for (let j = 0; j < m; j++) {
    const uses = starts[j + 1] - starts[j];
    if (uses === 0) continue;
    const atom = columns + j * n * 4;
    const list = { slots: slotsAt + starts[j] * 4, uses };
    const args = { R: dense(R).at, n, X: sparse(X).at, ...list, sums, before, atom };
    const items = Math.ceil(uses / refitBlock);
    await pool.run("refitDirection", args, items, 1);
    arena.f32(before, n).set(arena.f32(atom, n));
    const g = memory.entries(X).values;
    let energy = 0;
    for (let s = starts[j]; s < starts[j + 1]; s++) energy += g[slots[s]] ** 2;
    if (!putDirection(arena.f32(sums, items * n), energy, arena.f32(atom, n))) continue;
    await pool.run("refitCodes", args, items, 1);
  }
}

/** atom ← u/‖u‖ with u = Σ g r + ‖g‖² atom, the sum in parts; false if u is zero, and the atom does not change. */
function putDirection(parts: Float32Array, energy: number, atom: Float32Array): boolean {
  const u = Float64Array.from(atom, (value) => energy * value);
  for (let i = 0; i < parts.length; i++) u[i % atom.length] += parts[i];
  const squared = u.reduce((sum, value) => sum + value * value, 0);
  if (!(squared > 0)) return false;
  const scale = 1 / Math.sqrt(squared);
  for (let r = 0; r < atom.length; r++) atom[r] = u[r] * scale;
  return true;
}
