/**
 * The sparse dictionary on blocks of sixteen examples: P = diag(s) Aᵀ Φᵀ Y, and
 * ΦAX with its residual.
 *
 * A column of A is read once a block, and each of its entries meets one cache
 * line that holds that coefficient of all sixteen examples.
 */

import { deinterleave, interleave, lanes, rowBytes } from "./lanes";
import { runPlan } from "./transform";

/** block[0 … 3] ← scale × Σ value × row of Z, for one atom; four vectors of four examples. */
export function correlateAtom(
  indices: usize,
  values: usize,
  entries: i32,
  scale: f32,
  Z: usize,
  to: usize,
): void {
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  const end = indices + ((<usize>entries) << 2);
  let v = values;
  for (let i = indices; i < end; i += 4) {
    const row = Z + ((<usize>load<u32>(i)) << 6);
    const w = v128.load32_splat(v);
    a0 = f32x4.add(a0, f32x4.mul(w, v128.load(row)));
    a1 = f32x4.add(a1, f32x4.mul(w, v128.load(row, 16)));
    a2 = f32x4.add(a2, f32x4.mul(w, v128.load(row, 32)));
    a3 = f32x4.add(a3, f32x4.mul(w, v128.load(row, 48)));
    v += 4;
  }
  const s = f32x4.splat(scale);
  v128.store(to, f32x4.mul(a0, s));
  v128.store(to, f32x4.mul(a1, s), 16);
  v128.store(to, f32x4.mul(a2, s), 32);
  v128.store(to, f32x4.mul(a3, s), 48);
}

/** Rows [0, atoms) of the block at `to` ← the scaled correlations of atoms [first, first + atoms) with Z. */
export function correlateAtoms(
  indices: usize,
  values: usize,
  counts: usize,
  width: i32,
  scale: usize,
  first: i32,
  atoms: i32,
  Z: usize,
  to: usize,
): void {
  for (let j = 0; j < atoms; j++) {
    const atom = <usize>(first + j);
    const start = (atom * <usize>width) << 2;
    correlateAtom(
      indices + start,
      values + start,
      load<i32>(counts + (atom << 2)),
      load<f32>(scale + (atom << 2)),
      Z,
      to + <usize>j * rowBytes,
    );
  }
}

/** Atoms correlated before their results are laid out as columns: 4 KB, which stays in the nearest cache. */
const panel: i32 = 64;

/** args: plan of Φᵀ, Y, n, columns, A (indices, values, counts, width), scale, P, m. */
export function project(from: i32, to: i32, scratch: usize, args: usize): void {
  const plan = load<usize>(args);
  const Y = load<usize>(args, 4);
  const n = load<i32>(args, 8);
  const columns = load<i32>(args, 12);
  const indices = load<usize>(args, 16);
  const values = load<usize>(args, 20);
  const counts = load<usize>(args, 24);
  const width = load<i32>(args, 28);
  const scale = load<usize>(args, 32);
  const P = load<usize>(args, 36);
  const m = load<i32>(args, 40);
  const size = <usize>load<i32>(plan, 4) * rowBytes;
  const results = scratch + 3 * size;
  const step = (<usize>m) << 2;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, columns - first);
    interleave(Y + <usize>first * ((<usize>n) << 2), (<usize>n) << 2, n, count, scratch);
    const Z = runPlan(plan, scratch, scratch + size, scratch + 2 * size);
    const target = P + <usize>first * step;
    for (let j = 0; j < m; j += panel) {
      const atoms = min(panel, m - j);
      correlateAtoms(indices, values, counts, width, scale, j, atoms, Z, results);
      deinterleave(results, atoms, count, target + ((<usize>j) << 2), step);
    }
  }
}

/** Row-wise block of coefficients ← A x for sixteen codes: scattered, one example after the other. */
function combine(
  A_indices: usize,
  A_values: usize,
  A_counts: usize,
  A_width: i32,
  X_indices: usize,
  X_values: usize,
  X_counts: usize,
  X_width: i32,
  first: i32,
  count: i32,
  L: i32,
  block: usize,
): void {
  memory.fill(block, 0, <usize>L * rowBytes);
  for (let e = 0; e < count; e++) {
    const code = <usize>(first + e);
    const start = (code * <usize>X_width) << 2;
    const end = start + ((<usize>load<i32>(X_counts + (code << 2))) << 2);
    const lane = block + ((<usize>e) << 2);
    for (let s = start; s < end; s += 4) {
      const atom = <usize>load<u32>(X_indices + s);
      const x = load<f32>(X_values + s);
      const a = (atom * <usize>A_width) << 2;
      const last = a + ((<usize>load<i32>(A_counts + (atom << 2))) << 2);
      for (let i = a; i < last; i += 4) {
        const at = lane + ((<usize>load<u32>(A_indices + i)) << 6);
        store<f32>(at, load<f32>(at) + load<f32>(A_values + i) * x);
      }
    }
  }
}

/**
 * Y ← ΦAX, or R ← Y − ΦAX; and W ← ΦᵀR while a block is at hand.
 * args: plan of Φ, A (indices, values, counts, width), X (the same), columns, L, n, Y (0: none), output,
 * plan of Φᵀ, W (0: none).
 */
export function reconstruct(from: i32, to: i32, scratch: usize, args: usize): void {
  const plan = load<usize>(args);
  const columns = load<i32>(args, 36);
  const L = load<i32>(args, 40);
  const n = load<i32>(args, 44);
  const Y = load<usize>(args, 48);
  const output = load<usize>(args, 52);
  const analysis = load<usize>(args, 56);
  const W = load<usize>(args, 60);
  const size = <usize>max(load<i32>(plan, 4), load<i32>(analysis, 4)) * rowBytes;
  const step = (<usize>n) << 2;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, columns - first);
    combine(
      load<usize>(args, 4),
      load<usize>(args, 8),
      load<usize>(args, 12),
      load<i32>(args, 16),
      load<usize>(args, 20),
      load<usize>(args, 24),
      load<usize>(args, 28),
      load<i32>(args, 32),
      first,
      count,
      L,
      scratch,
    );
    const result = runPlan(plan, scratch, scratch + size, scratch + 2 * size);
    if (Y !== 0) {
      const other = result === scratch + size ? scratch + 2 * size : scratch + size;
      interleave(Y + <usize>first * step, step, n, count, other);
      subtract(other, result, <usize>n * rowBytes);
    }
    deinterleave(result, n, count, output + <usize>first * step, step);
    if (W === 0) continue;
    const one = result === scratch ? scratch + size : scratch;
    const two = result === scratch + 2 * size ? scratch + size : scratch + 2 * size;
    const coefficients = runPlan(analysis, result, one, two);
    deinterleave(coefficients, L, count, W + <usize>first * ((<usize>L) << 2), (<usize>L) << 2);
  }
}

/** b ← a − b. */
function subtract(a: usize, b: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 16) v128.store(b + i, f32x4.sub(v128.load(a + i), v128.load(b + i)));
}
