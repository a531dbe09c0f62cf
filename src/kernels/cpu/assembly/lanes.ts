/**
 * Blocks of sixteen examples side by side: row r of a block is 64 bytes, one f32
 * of each example, so that one instruction computes four examples and a
 * sparse index reads exactly one cache line.
 */

import { lanes, rowBytes } from "./constants";

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

/** block[r][e] ← column e at row r, for `count` columns `step` bytes apart; missing columns are zero. */
export function interleave(from: usize, step: usize, rows: i32, count: i32, block: usize): void {
  if (count < lanes) memory.fill(block, 0, <usize>rows * rowBytes);
  const whole = rows & ~3;
  let e = 0;
  for (; e + 4 <= count; e += 4) {
    const source = from + <usize>e * step;
    for (let r = 0; r < whole; r += 4) {
      const at = source + ((<usize>r) << 2);
      const row = block + <usize>r * rowBytes + ((<usize>e) << 2);
      storeTransposed(
        v128.load(at),
        v128.load(at + step),
        v128.load(at + 2 * step),
        v128.load(at + 3 * step),
        row,
        row + rowBytes,
        row + 2 * rowBytes,
        row + 3 * rowBytes,
      );
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
      const column = target + ((<usize>r) << 2);
      storeFour(
        block + <usize>r * rowBytes + ((<usize>e) << 2),
        column,
        column + step,
        column + 2 * step,
        column + 3 * step,
      );
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
