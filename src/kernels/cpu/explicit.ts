/** Explicit dictionaries D (n × m), and the updates of ODL and K-SVD: assembly/explicit.ts, denseProducts.ts. */

import {
  type AtomRange,
  type DeviceMatrix,
  type DeviceSparse,
  type ExplicitOperations,
  momentFloor,
} from "../contract.js";
import { blockScratch, blockSide, listBlock, listScratch, tileRows } from "./assembly/constants.js";
import type { CodeLists } from "./codeLists.js";
import { dense, sparse } from "./handles.js";
import type { CpuMemory } from "./memory.js";
import type { Pool } from "./pool.js";

/** Atoms of a block of `descendAtoms`. */
const descentBlock = 60;
/** Products with columns of C skip its zeros if fewer entries than this share are not zero, as in the first epoch. */
const sparseBelow = 0.3;

export function explicitOperations(pool: Pool, memory: CpuMemory, codes: CodeLists): ExplicitOperations {
  return {
    async correlate(D, Y, P) {
      pool.reserveScratch(4 * blockScratch);
      const args = {
        D: dense(D).at,
        n: D.rows,
        m: D.cols,
        Y: dense(Y).at,
        columns: Y.cols,
        P: dense(P).at,
      };
      const high = blocks(D.cols);
      const own = args.D === args.Y && Y.cols === D.cols;
      await pool.run("correlate", args, own ? triangle(high) : high * blocks(Y.cols), 1);
    },
    combine: (D, X, Y) => combine(pool, D, X, undefined, Y),
    remainder: (D, X, Y, R) => combine(pool, D, X, Y, R),

    async addMoments(beta, Y, X, B, C) {
      const { startsAt: starts, slotsAt: slots } = codes.of(X);
      pool.reserveScratch(listScratch + Y.rows * 4);
      const args = {
        beta,
        Y: dense(Y).at,
        n: Y.rows,
        X: sparse(X).at,
        starts,
        slots,
        B: dense(B).at,
        C: dense(C).at,
        m: C.rows,
      };
      await pool.run("addMoments", args, B.cols, 8);
    },
    descendAtoms: (B, C, D, step = 1, atoms = { first: 0, count: D.cols }) =>
      descendAtoms(pool, memory, { B, C, D }, step, atoms),
    refitAtoms: (R, X, D) => refitAtoms(pool, memory, codes, R, X, D),
    async addOuter(Y, C) {
      pool.reserveScratch(4 * blockScratch);
      const args = { Y: dense(Y).at, n: Y.rows, columns: Y.cols, C: dense(C).at };
      await pool.run("addOuter", args, triangle(blocks(Y.rows)), 1);
    },
  };
}

/** Blocks of a dense product along a side of this length. */
function blocks(length: number): number {
  return Math.ceil(length / blockSide);
}

/** Blocks of a lower triangle, the diagonal included. */
function triangle(side: number): number {
  return (side * (side + 1)) / 2;
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

/** Blocks of atoms: while one thread moves those of a block in turn, the others prepare the next block. */
async function descendAtoms(
  pool: Pool,
  memory: CpuMemory,
  { B, C, D }: { readonly B: DeviceMatrix; readonly C: DeviceMatrix; readonly D: DeviceMatrix },
  step: number,
  { first: start, count }: AtomRange,
): Promise<void> {
  const { at, rows: n, cols: m } = dense(D);
  const bytes = n * descentBlock * 4;
  const counts = memory.stage(4 * m + 2 * bytes);
  const room = counts + 4 * m;
  pool.reserveScratch(4 * Math.max(blockScratch, 2 * m + n));
  await pool.run("countEntries", { C: dense(C).at, m, counts }, m, 64);
  const filled = Array.from(memory.arena.u32(counts, m), (count) => count / m);
  const common = { D: at, n, m, B: dense(B).at, C: dense(C).at, floor: momentFloor, step };
  const limit = (atom: number) => Math.max(start, Math.min(atom, start + count));
  for (let first = start - descentBlock; first < start + count; first += descentBlock) {
    const [before, next, end] = [-1, 1, 2].map((blocks) => limit(first + blocks * descentBlock));
    const odd = ((first - start) / descentBlock) & 1;
    const F = { F: room + (odd ? bytes : 0), nextF: room + (odd ? 0 : bytes) };
    const mean = filled.slice(next, end).reduce((sum, share) => sum + share, 0) / (end - next);
    const share = mean < sparseBelow ? 0 : descentShare(n, pool.threads);
    const args = { ...common, ...F, before, first: limit(first), next, end, share };
    const items = share > 0 && end > next ? Math.ceil(n / share) : end - next;
    await pool.run("descend", args, 1 + items, share > 0 ? 1 : 4);
  }
}

/** Rows of an item of a step: items are large, since each packs its part of C anew, but two for each thread. */
function descentShare(n: number, threads: number): number {
  const items = Math.max(2 * threads, Math.ceil(n / 96));
  return tileRows * Math.ceil(n / items / tileRows);
}

async function refitAtoms(
  pool: Pool,
  memory: CpuMemory,
  codes: CodeLists,
  R: DeviceMatrix,
  X: DeviceSparse,
  D: DeviceMatrix,
): Promise<void> {
  const { arena } = memory;
  const { at: columns, rows: n, cols: m } = dense(D);
  const { starts, slotsAt } = codes.of(X);
  const longest = starts.reduce((most, start, j) => Math.max(most, starts[j + 1] - start || 0), 0);
  const blocks = Math.ceil(longest / listBlock);
  const sums = memory.stage((blocks + 1) * n * 4);
  const before = sums + blocks * n * 4;
  pool.reserveScratch(listScratch);
  const slots = arena.u32(slotsAt, starts[m]);
  sparse(X).places.version++;
  for (let j = 0; j < m; j++) {
    const uses = starts[j + 1] - starts[j];
    if (uses === 0) continue;
    const atom = columns + j * n * 4;
    const list = { slots: slotsAt + starts[j] * 4, uses };
    const args = { R: dense(R).at, n, X: sparse(X).at, ...list, sums, before, atom };
    const items = Math.ceil(uses / listBlock);
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
