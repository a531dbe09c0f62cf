/**
 * Weighted sums of columns, and sums of squares.
 *
 * y ← Σ w c takes one or two columns to start with, then four per pass, while the sum stays
 * in the nearest cache. The gradient and its product with codes are sums of this kind; the
 * correlations of a pursuit have a loop of their own.
 *
 * Sums of squares are in f64, over blocks of a fixed size, so that results do not depend
 * on the number of threads.
 */

import { lanes, listBlock, normBlock, rowBytes } from "./constants";
import { Sparse } from "./structs";

/** Bytes of a strip: what is summed over all columns before the next strip. */
const strip: usize = 4096;

/**
 * y ← sign Σ w c over `count` columns of `bytes` bytes; `columns` lists their
 * addresses, `weights` their weights. The order of the sum is that of the list.
 */
export function weightedSum(
  y: usize,
  bytes: usize,
  columns: usize,
  weights: usize,
  count: i32,
  sign: f32,
): void {
  if (count === 0) memory.fill(y, 0, bytes);
  for (let from: usize = 0; from < bytes; from += strip) {
    const to = min(from + strip, bytes);
    let c = 0;
    if (count & 1) {
      startOne(y, from, to, columns, weights, sign);
      c = 1;
    } else if (count > 0) {
      startTwo(y, from, to, columns, weights, sign);
      c = 2;
    }
    for (; c + 4 <= count; c += 4)
      addFour(y, from, to, columns + ((<usize>c) << 2), weights + ((<usize>c) << 2), sign);
    if (c < count) addTwo(y, from, to, columns + ((<usize>c) << 2), weights + ((<usize>c) << 2), sign);
  }
}

/** y ← y + sign Σ w c, as in `weightedSum`, for a multiple of four columns. */
function addWeighted(y: usize, bytes: usize, columns: usize, weights: usize, count: i32, sign: f32): void {
  for (let from: usize = 0; from < bytes; from += strip) {
    const to = min(from + strip, bytes);
    for (let c: usize = 0; c < (<usize>count) << 2; c += 16)
      addFour(y, from, to, columns + c, weights + c, sign);
  }
}

/**
 * y ← sign Σ x c over the entries of X in a list of slots: x their values, c the columns of their examples, `step` bytes
 * apart, of which `bytes` are summed. Lists may be long, so they are taken block by block; the order of the sum is that
 * of the list. Scratch: addresses and weights of a block.
 */
export function listSum(
  y: usize,
  bytes: usize,
  columns: usize,
  step: usize,
  X: Sparse,
  slots: usize,
  count: i32,
  sign: f32,
  scratch: usize,
): void {
  const width = <u32>X.width;
  const values = X.values;
  const weights = scratch + ((<usize>listBlock) << 2);
  let size = count % listBlock; // the first block takes the remainder, so that the others are whole
  if (size === 0) size = min(count, listBlock);
  if (count === 0) memory.fill(y, 0, bytes);
  for (let first = 0; first < count; first += size, size = listBlock) {
    for (let e: usize = 0; e < (<usize>size) << 2; e += 4) {
      const slot = load<u32>(slots + ((<usize>first) << 2) + e);
      store<usize>(scratch + e, columns + <usize>(slot / width) * step);
      store<f32>(weights + e, load<f32>(values + ((<usize>slot) << 2)));
    }
    if (first === 0) weightedSum(y, bytes, scratch, weights, size, sign);
    else addWeighted(y, bytes, scratch, weights, size, sign);
  }
}

/** y ← one column. */
function startOne(y: usize, from: usize, to: usize, columns: usize, weights: usize, sign: f32): void {
  const c0 = load<usize>(columns);
  const w0 = sign * load<f32>(weights);
  const v0 = f32x4.splat(w0);
  let i = from;
  for (; i + 16 <= to; i += 16) v128.store(y + i, f32x4.mul(v0, v128.load(c0 + i)));
  for (; i < to; i += 4) store<f32>(y + i, w0 * load<f32>(c0 + i));
}

/** y ← two columns. */
function startTwo(y: usize, from: usize, to: usize, columns: usize, weights: usize, sign: f32): void {
  const c0 = load<usize>(columns);
  const c1 = load<usize>(columns, 4);
  const w0 = sign * load<f32>(weights);
  const w1 = sign * load<f32>(weights, 4);
  const v0 = f32x4.splat(w0);
  const v1 = f32x4.splat(w1);
  let i = from;
  for (; i + 16 <= to; i += 16)
    v128.store(y + i, f32x4.add(f32x4.mul(v0, v128.load(c0 + i)), f32x4.mul(v1, v128.load(c1 + i))));
  for (; i < to; i += 4) store<f32>(y + i, w0 * load<f32>(c0 + i) + w1 * load<f32>(c1 + i));
}

function addFour(y: usize, from: usize, to: usize, columns: usize, weights: usize, sign: f32): void {
  const c0 = load<usize>(columns);
  const c1 = load<usize>(columns, 4);
  const c2 = load<usize>(columns, 8);
  const c3 = load<usize>(columns, 12);
  const w0 = sign * load<f32>(weights);
  const w1 = sign * load<f32>(weights, 4);
  const w2 = sign * load<f32>(weights, 8);
  const w3 = sign * load<f32>(weights, 12);
  const v0 = f32x4.splat(w0);
  const v1 = f32x4.splat(w1);
  const v2 = f32x4.splat(w2);
  const v3 = f32x4.splat(w3);
  let i = from;
  for (; i + 16 <= to; i += 16) {
    let sum = f32x4.add(v128.load(y + i), f32x4.mul(v0, v128.load(c0 + i)));
    sum = f32x4.add(sum, f32x4.mul(v1, v128.load(c1 + i)));
    sum = f32x4.add(sum, f32x4.mul(v2, v128.load(c2 + i)));
    v128.store(y + i, f32x4.add(sum, f32x4.mul(v3, v128.load(c3 + i))));
  }
  for (; i < to; i += 4) {
    let sum = load<f32>(y + i) + w0 * load<f32>(c0 + i);
    sum += w1 * load<f32>(c1 + i);
    sum += w2 * load<f32>(c2 + i);
    store<f32>(y + i, sum + w3 * load<f32>(c3 + i));
  }
}

function addTwo(y: usize, from: usize, to: usize, columns: usize, weights: usize, sign: f32): void {
  const c0 = load<usize>(columns);
  const c1 = load<usize>(columns, 4);
  const w0 = sign * load<f32>(weights);
  const w1 = sign * load<f32>(weights, 4);
  const v0 = f32x4.splat(w0);
  const v1 = f32x4.splat(w1);
  let i = from;
  for (; i + 16 <= to; i += 16) {
    const sum = f32x4.add(v128.load(y + i), f32x4.mul(v0, v128.load(c0 + i)));
    v128.store(y + i, f32x4.add(sum, f32x4.mul(v1, v128.load(c1 + i))));
  }
  for (; i < to; i += 4) {
    const sum = load<f32>(y + i) + w0 * load<f32>(c0 + i);
    store<f32>(y + i, sum + w1 * load<f32>(c1 + i));
  }
}

/** ‖x‖² in f64, of `count` f32. */
export function energyOf(x: usize, count: i32): f64 {
  let a = f64x2.splat(0);
  let b = a;
  const whole = x + ((<usize>(count & ~3)) << 2);
  let i = x;
  for (; i < whole; i += 16) {
    const v = v128.load(i);
    const low = f64x2.promote_low_f32x4(v);
    const high = f64x2.promote_low_f32x4(v128.shuffle<f32>(v, v, 2, 3, 2, 3));
    a = f64x2.add(a, f64x2.mul(low, low));
    b = f64x2.add(b, f64x2.mul(high, high));
  }
  const sum = f64x2.add(a, b);
  let energy = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  const end = x + ((<usize>count) << 2);
  for (; i < end; i += 4) {
    const value = <f64>load<f32>(i);
    energy += value * value;
  }
  return energy;
}

@unmanaged
class BlockEnergiesArguments {
  values: usize;
  count: u32;
  /** f64 of each block. */
  partial: usize;
}

/** partial[b] ← ‖block b‖². Items are blocks. */
export function blockEnergies(from: i32, to: i32, _scratch: usize, args: BlockEnergiesArguments): void {
  for (let b = from; b < to; b++) {
    const first = <u32>b * <u32>normBlock;
    const values = args.values + ((<usize>first) << 2);
    const energy = energyOf(values, <i32>min(<u32>normBlock, args.count - first));
    store<f64>(args.partial + ((<usize>b) << 3), energy);
  }
}

@unmanaged
class ColumnEnergiesArguments {
  matrix: usize;
  rows: i32;
  energies: usize;
}

/** energies[i] ← ‖column i‖². Items are columns. */
export function columnEnergies(from: i32, to: i32, _scratch: usize, args: ColumnEnergiesArguments): void {
  const rows = args.rows;
  for (let i = from; i < to; i++) {
    const column = args.matrix + ((<usize>i * <usize>rows) << 2);
    store<f32>(args.energies + ((<usize>i) << 2), <f32>energyOf(column, rows));
  }
}

// Blocks of sixteen examples side by side: row r of a block is 64 bytes, one f32
// of each example, so that one instruction computes four examples and a
// sparse index reads exactly one cache line.

/** Transpose 4×4: four vectors of four rows become four of four columns, each stored at an address of its own. */
function storeTransposed(
  a: v128,
  b: v128,
  c: v128,
  d: v128,
  to0: usize,
  to1: usize,
  to2: usize,
  to3: usize,
): void {
  const ab0 = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
  const ab1 = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
  const cd0 = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  const cd1 = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  v128.store(to0, v128.shuffle<f32>(ab0, cd0, 0, 1, 4, 5));
  v128.store(to1, v128.shuffle<f32>(ab0, cd0, 2, 3, 6, 7));
  v128.store(to2, v128.shuffle<f32>(ab1, cd1, 0, 1, 4, 5));
  v128.store(to3, v128.shuffle<f32>(ab1, cd1, 2, 3, 6, 7));
}

/** Four rows of four examples of a block, as pieces of four columns. */
export function storeFour(block: usize, to0: usize, to1: usize, to2: usize, to3: usize): void {
  storeTransposed(
    v128.load(block),
    v128.load(block + rowBytes),
    v128.load(block + 2 * rowBytes),
    v128.load(block + 3 * rowBytes),
    to0,
    to1,
    to2,
    to3,
  );
}

/** Transpose 4×4: vectors `step` bytes apart become vectors `stepTo` bytes apart. */
export function transposeFour(from: usize, step: usize, to: usize, stepTo: usize): void {
  storeTransposed(
    v128.load(from),
    v128.load(from + step),
    v128.load(from + 2 * step),
    v128.load(from + 3 * step),
    to,
    to + stepTo,
    to + 2 * stepTo,
    to + 3 * stepTo,
  );
}

/** block[r][e] ← column e at row r, for `count` columns `step` bytes apart; missing columns are zero. */
export function interleave(from: usize, step: usize, rows: i32, count: i32, block: usize): void {
  if (count < lanes) memory.fill(block, 0, <usize>rows * rowBytes);
  const whole = rows & ~3;
  let e = 0;
  for (; e + 4 <= count; e += 4) {
    const source = from + <usize>e * step;
    for (let r = 0; r < whole; r += 4) {
      const row = block + <usize>r * rowBytes + ((<usize>e) << 2);
      transposeFour(source + ((<usize>r) << 2), step, row, rowBytes);
    }
    for (let r = whole; r < rows; r++) {
      for (let i = 0; i < 4; i++) copyIn(source + <usize>i * step, r, block, e + i);
    }
  }
  for (; e < count; e++) {
    const source = from + <usize>e * step;
    for (let r = 0; r < rows; r++) copyIn(source, r, block, e);
  }
}

function copyIn(column: usize, r: i32, block: usize, e: i32): void {
  store<f32>(block + <usize>r * rowBytes + ((<usize>e) << 2), load<f32>(column + ((<usize>r) << 2)));
}

/** Column e at row r ← block[r][e]. */
export function deinterleave(block: usize, rows: i32, count: i32, to: usize, step: usize): void {
  const whole = rows & ~3;
  let e = 0;
  for (; e + 4 <= count; e += 4) {
    const target = to + <usize>e * step;
    for (let r = 0; r < whole; r += 4) {
      const row = block + <usize>r * rowBytes + ((<usize>e) << 2);
      transposeFour(row, rowBytes, target + ((<usize>r) << 2), step);
    }
    for (let r = whole; r < rows; r++) {
      for (let i = 0; i < 4; i++) copyOut(block, r, e + i, target + <usize>i * step);
    }
  }
  for (; e < count; e++) {
    const target = to + <usize>e * step;
    for (let r = 0; r < rows; r++) copyOut(block, r, e, target);
  }
}

function copyOut(block: usize, r: i32, e: i32, column: usize): void {
  store<f32>(column + ((<usize>r) << 2), load<f32>(block + <usize>r * rowBytes + ((<usize>e) << 2)));
}
