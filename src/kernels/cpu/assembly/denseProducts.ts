/**
 * Dense products on blocks of sixteen columns or rows side by side: P = DᵀY and C + YYᵀ.
 *
 * Every sum runs over its terms in ascending order, whichever factor comes first, so
 * that Gram matrices are symmetric to the bit.
 */

import { lanes, panel, rowBytes } from "./constants";
import { deinterleave, interleave } from "./sums";

/**
 * Two sums over the rows of a block, of sixteen lanes each: to0 ← Σ w0[r] × row r, to1 ← Σ w1[r] × row r.
 * Weights stand `step` bytes apart.
 */
export function sumRows(
  block: usize,
  rows: i32,
  w0: usize,
  w1: usize,
  step: usize,
  to0: usize,
  to1: usize,
): void {
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let b0 = a0;
  let b1 = a0;
  let b2 = a0;
  let b3 = a0;
  const end = block + <usize>rows * rowBytes;
  let v = w0;
  let w = w1;
  for (let row = block; row < end; row += rowBytes) {
    const p = v128.load32_splat(v);
    const q = v128.load32_splat(w);
    const x0 = v128.load(row);
    const x1 = v128.load(row, 16);
    const x2 = v128.load(row, 32);
    const x3 = v128.load(row, 48);
    a0 = f32x4.add(a0, f32x4.mul(p, x0));
    a1 = f32x4.add(a1, f32x4.mul(p, x1));
    a2 = f32x4.add(a2, f32x4.mul(p, x2));
    a3 = f32x4.add(a3, f32x4.mul(p, x3));
    b0 = f32x4.add(b0, f32x4.mul(q, x0));
    b1 = f32x4.add(b1, f32x4.mul(q, x1));
    b2 = f32x4.add(b2, f32x4.mul(q, x2));
    b3 = f32x4.add(b3, f32x4.mul(q, x3));
    v += step;
    w += step;
  }
  v128.store(to0, a0);
  v128.store(to0, a1, 16);
  v128.store(to0, a2, 32);
  v128.store(to0, a3, 48);
  v128.store(to1, b0);
  v128.store(to1, b1, 16);
  v128.store(to1, b2, 32);
  v128.store(to1, b3, 48);
}

/** Rows [row, row + rows) of the columns of a matrix, sixteen side by side; missing ones are zero. */
export function packRows(matrix: usize, n: i32, columns: i32, row: i32, rows: i32, block: usize): void {
  let from = matrix + ((<usize>row) << 2);
  const end = block + <usize>columns * rowBytes;
  const bytes = (<usize>rows) << 2;
  if (rows < lanes) memory.fill(block, 0, <usize>columns * rowBytes);
  for (let to = block; to < end; to += rowBytes) {
    if (rows === lanes) {
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
      v128.store(to, v128.load(from, 32), 32);
      v128.store(to, v128.load(from, 48), 48);
    } else for (let i: usize = 0; i < bytes; i += 4) store<f32>(to + i, load<f32>(from + i));
    from += (<usize>n) << 2;
  }
}

@unmanaged
class CorrelateArguments {
  D: usize;
  n: i32;
  m: i32;
  Y: usize;
  columns: i32;
  P: usize;
}

/**
 * P ← DᵀY. Items are blocks of sixteen columns of Y. If Y is D, a block computes the
 * rows from its first on, and the other half of P is its mirror. Scratch: n rows of a block, a panel.
 */
export function correlate(from: i32, to: i32, scratch: usize, args: CorrelateArguments): void {
  const D = args.D;
  const n = args.n;
  const m = args.m;
  const Y = args.Y;
  const columns = args.columns;
  const P = args.P;
  const own = D === Y && columns === m;
  const column = (<usize>n) << 2;
  const step = (<usize>m) << 2;
  const results = scratch + <usize>n * rowBytes;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, columns - first);
    interleave(Y + <usize>first * column, column, n, count, scratch);
    for (let i = own ? first : 0; i < m; i += panel) {
      const atoms = min(panel, m - i);
      for (let a = 0; a < atoms; a += 2) {
        const d = D + <usize>(i + a) * column;
        const next = a + 1 < atoms ? d + column : d;
        const at = results + <usize>a * rowBytes;
        sumRows(scratch, n, d, next, 4, at, at + rowBytes);
      }
      deinterleave(results, atoms, count, P + <usize>first * step + ((<usize>i) << 2), step);
      if (!own) continue;
      for (let a = 0; a < atoms; a++) {
        const mirror = P + <usize>(i + a) * step + ((<usize>first) << 2);
        storeLanes(results + <usize>a * rowBytes, count, mirror);
      }
    }
  }
}

/** Store only the first `count` floats of a row of lanes. */
function storeLanes(from: usize, count: i32, to: usize): void {
  if (count === lanes) memory.copy(to, from, rowBytes);
  else for (let e: usize = 0; e < (<usize>count) << 2; e += 4) store<f32>(to + e, load<f32>(from + e));
}

@unmanaged
class AddOuterArguments {
  Y: usize;
  n: i32;
  columns: i32;
  C: usize;
}

/**
 * C ← C + YYᵀ. Items are blocks of sixteen columns of C: their rows from the first of them on, and the mirror.
 * Scratch: two blocks of `columns` rows, then sixteen rows of results.
 */
export function addOuter(from: i32, to: i32, scratch: usize, args: AddOuterArguments): void {
  const Y = args.Y;
  const n = args.n;
  const columns = args.columns;
  const C = args.C;
  const other = scratch + <usize>columns * rowBytes;
  const results = other + <usize>columns * rowBytes;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, n - first);
    packRows(Y, n, columns, first, count, scratch);
    for (let i = first; i < n; i += lanes) {
      const rows = min(lanes, n - i);
      packRows(Y, n, columns, i, rows, other);
      for (let a: usize = 0; a < <usize>lanes; a += 2) {
        const at = results + a * rowBytes;
        sumRows(scratch, columns, other + (a << 2), other + ((a + 1) << 2), rowBytes, at, at + rowBytes);
      }
      addTile(C, n, first, count, i, rows, results);
    }
  }
}

/** Entries (i + a, first + e) of C and their mirror ← themselves + results[a][e]. */
function addTile(C: usize, n: i32, first: i32, count: i32, i: i32, rows: i32, results: usize): void {
  for (let a = 0; a < rows; a++) {
    const row = i + a;
    for (let e = 0; e < count; e++) {
      const column = first + e;
      if (column > row) break; // the mirror of another entry of this block
      const sum = load<f32>(results + <usize>a * rowBytes + ((<usize>e) << 2));
      const at = C + ((<usize>column * <usize>n + <usize>row) << 2);
      const value = load<f32>(at) + sum;
      store<f32>(at, value);
      store<f32>(C + ((<usize>row * <usize>n + <usize>column) << 2), value);
    }
  }
}
