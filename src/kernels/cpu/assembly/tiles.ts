/**
 * Blocks of dense products, Σₖ xᵢₖ yⱼₖ for up to 120 rows i and as many columns j.
 *
 * Both factors are packed into panels, strips of eight rows and of five columns: term after
 * term, the eight or five values of a strip side by side, zeros where there are no more. A tile
 * of 8 × 5 sums stays in registers and reads both strips once, front to back. Panels hold
 * 376 terms; between them the sums wait in memory.
 *
 * Every sum runs over its terms in ascending order, whichever factor is which, so that Gram
 * matrices are symmetric to the bit.
 */

import { blockSide, panelTerms, tileColumns, tileRows } from "./constants";
import { transposeFour } from "./sums";

/** Bytes from one column of a block of sums to the next. */
export const sumStep: usize = (<usize>blockSide) << 2;
const panelBytes: usize = sumStep * <usize>panelTerms;

/** The parts of the scratch memory of a block: its sums by columns, and the panels of rows and columns. */
export function rowPanel(scratch: usize): usize {
  return scratch + sumStep * <usize>blockSide;
}

export function columnPanel(scratch: usize): usize {
  return rowPanel(scratch) + panelBytes;
}

/** Pack `terms` terms of `count` vectors that are columns of a matrix, `step` bytes apart, into strips of `width`. */
export function packColumns(
  from: usize,
  step: usize,
  count: i32,
  terms: i32,
  panel: usize,
  width: i32,
): void {
  for (let first = 0; first < count; first += width) {
    const strip = panel + ((<usize>(first * terms)) << 2);
    const vectors = min(width, count - first);
    if (vectors < width) memory.fill(strip, 0, (<usize>(width * terms)) << 2);
    packStrip(from + <usize>first * step, step, vectors, terms, strip, (<usize>width) << 2);
  }
}

/** One strip of `count` vectors: four of them, or five, are transposed at a time. */
function packStrip(from: usize, step: usize, count: i32, terms: i32, to: usize, bytes: usize): void {
  const five = bytes === 20 && count === tileColumns;
  if (five) packFive(from, step, terms, to);
  let v = five ? count : 0;
  for (; v + 4 <= count; v += 4) packFour(from + <usize>v * step, step, terms, to + ((<usize>v) << 2), bytes);
  for (; v < count; v++) packOne(from + <usize>v * step, terms, to + ((<usize>v) << 2), bytes);
}

/** Five vectors, side by side. */
function packFive(from: usize, step: usize, terms: i32, to: usize): void {
  let source = from;
  let target = to;
  for (let t = 0; t + 4 <= terms; t += 4) {
    transposeFour(source, step, target, 20);
    const fifth = v128.load(source + 4 * step);
    v128.store32_lane(target, fifth, 0, 16);
    v128.store32_lane(target, fifth, 1, 36);
    v128.store32_lane(target, fifth, 2, 56);
    v128.store32_lane(target, fifth, 3, 76);
    source += 16;
    target += 80;
  }
  for (let v: usize = 0; v < 5; v++) packOne(source + v * step, terms & 3, target + (v << 2), 20);
}

function packFour(from: usize, step: usize, terms: i32, to: usize, bytes: usize): void {
  let source = from;
  let target = to;
  for (let t = 0; t + 4 <= terms; t += 4) {
    transposeFour(source, step, target, bytes);
    source += 16;
    target += 4 * bytes;
  }
  for (let v: usize = 0; v < 4; v++) packOne(source + v * step, terms & 3, target + (v << 2), bytes);
}

function packOne(from: usize, terms: i32, to: usize, bytes: usize): void {
  let target = to;
  const end = from + ((<usize>terms) << 2);
  for (let source = from; source < end; source += 4) {
    store<f32>(target, load<f32>(source));
    target += bytes;
  }
}

/**
 * The same for vectors that are rows: term t is in column t, and columns are `step` bytes apart. Whole strips are packed
 * column by column, since lines of far columns do not wait in the caches for the next strip.
 */
export function packRows(from: usize, step: usize, count: i32, terms: i32, panel: usize, width: i32): void {
  const bytes = (<usize>width) << 2;
  const strip = <usize>terms * bytes;
  const whole = <usize>(count / width);
  for (let t: usize = 0; t < <usize>terms; t++) {
    let source = from + t * step;
    const end = source + whole * bytes;
    let target = panel + t * bytes;
    for (; source < end; source += bytes) {
      v128.store(target, v128.load(source));
      if (width === tileRows) v128.store(target, v128.load(source, 16), 16);
      else store<f32>(target, load<f32>(source, 16), 16);
      target += strip;
    }
  }
  const left = count % width;
  if (left > 0) {
    const last = panel + whole * strip;
    packPart(from + whole * bytes, step, (<usize>left) << 2, last, last + strip, bytes);
  }
}

/** A strip that has room for more vectors. */
function packPart(from: usize, step: usize, used: usize, to: usize, end: usize, bytes: usize): void {
  memory.fill(to, 0, end - to);
  let source = from;
  for (let target = to; target < end; target += bytes) {
    for (let v: usize = 0; v < used; v += 4) store<f32>(target + v, load<f32>(source + v));
    source += step;
  }
}

/**
 * The sums of a block ← themselves + the products of its panels, for `rows` × `columns` sums.
 * If `lower`, tiles above the diagonal are left out.
 */
export function addPanels(scratch: usize, rows: i32, columns: i32, terms: i32, lower: bool): void {
  if (terms === 0) return;
  const left = rowPanel(scratch);
  const right = columnPanel(scratch);
  for (let j = 0; j < columns; j += tileColumns) {
    const b = right + ((<usize>(j * terms)) << 2);
    const sums = scratch + <usize>j * sumStep;
    const first = lower ? (j / tileRows) * tileRows : 0;
    for (let i = first; i < rows; i += tileRows)
      addTile(left + ((<usize>(i * terms)) << 2), b, terms, sums + ((<usize>i) << 2));
  }
}

/**
 * A tile of 8 × 5 sums ← itself + Σ a × b, at least one term. The first term stands before the loop, with the
 * same offsets: the engine then computes the addresses of all five factors once. Sums are declared in the order
 * in which the engine computes them: two vectors of a, one factor of b at a time, which fits its registers.
 */
function addTile(left: usize, right: usize, terms: i32, to: usize): void {
  let s00 = v128.load(to);
  let s10 = v128.load(to, 16);
  let s01 = v128.load(to, sumStep);
  let s11 = v128.load(to, sumStep + 16);
  let s02 = v128.load(to, 2 * sumStep);
  let s12 = v128.load(to, 2 * sumStep + 16);
  let s03 = v128.load(to, 3 * sumStep);
  let s13 = v128.load(to, 3 * sumStep + 16);
  let s04 = v128.load(to, 4 * sumStep);
  let s14 = v128.load(to, 4 * sumStep + 16);
  let a = left;
  let b = right;
  let x0 = v128.load(a);
  let x1 = v128.load(a, 16);
  let y = v128.load32_splat(b);
  s00 = f32x4.add(s00, f32x4.mul(x0, y));
  s10 = f32x4.add(s10, f32x4.mul(x1, y));
  y = v128.load32_splat(b, 4);
  s01 = f32x4.add(s01, f32x4.mul(x0, y));
  s11 = f32x4.add(s11, f32x4.mul(x1, y));
  y = v128.load32_splat(b, 8);
  s02 = f32x4.add(s02, f32x4.mul(x0, y));
  s12 = f32x4.add(s12, f32x4.mul(x1, y));
  y = v128.load32_splat(b, 12);
  s03 = f32x4.add(s03, f32x4.mul(x0, y));
  s13 = f32x4.add(s13, f32x4.mul(x1, y));
  y = v128.load32_splat(b, 16);
  s04 = f32x4.add(s04, f32x4.mul(x0, y));
  s14 = f32x4.add(s14, f32x4.mul(x1, y));
  const end = left + ((<usize>terms) << 5);
  a += 32;
  b += 20;
  while (a < end) {
    x0 = v128.load(a);
    x1 = v128.load(a, 16);
    y = v128.load32_splat(b);
    s00 = f32x4.add(s00, f32x4.mul(x0, y));
    s10 = f32x4.add(s10, f32x4.mul(x1, y));
    y = v128.load32_splat(b, 4);
    s01 = f32x4.add(s01, f32x4.mul(x0, y));
    s11 = f32x4.add(s11, f32x4.mul(x1, y));
    y = v128.load32_splat(b, 8);
    s02 = f32x4.add(s02, f32x4.mul(x0, y));
    s12 = f32x4.add(s12, f32x4.mul(x1, y));
    y = v128.load32_splat(b, 12);
    s03 = f32x4.add(s03, f32x4.mul(x0, y));
    s13 = f32x4.add(s13, f32x4.mul(x1, y));
    y = v128.load32_splat(b, 16);
    s04 = f32x4.add(s04, f32x4.mul(x0, y));
    s14 = f32x4.add(s14, f32x4.mul(x1, y));
    a += 32;
    b += 20;
  }
  v128.store(to, s00);
  v128.store(to, s10, 16);
  v128.store(to, s01, sumStep);
  v128.store(to, s11, sumStep + 16);
  v128.store(to, s02, 2 * sumStep);
  v128.store(to, s12, 2 * sumStep + 16);
  v128.store(to, s03, 3 * sumStep);
  v128.store(to, s13, 3 * sumStep + 16);
  v128.store(to, s04, 4 * sumStep);
  v128.store(to, s14, 4 * sumStep + 16);
}

/** Start the sums of a block at zero. */
export function clearSums(scratch: usize, columns: i32): void {
  memory.fill(scratch, 0, <usize>((columns + tileColumns - 1) / tileColumns) * <usize>tileColumns * sumStep);
}

/** Columns of a matrix, `step` bytes apart, ← the sums of a block. */
export function putColumns(scratch: usize, rows: i32, columns: i32, to: usize, step: usize): void {
  for (let j = 0; j < columns; j++)
    memory.copy(to + <usize>j * step, scratch + <usize>j * sumStep, (<usize>rows) << 2);
}

/** Rows of a matrix ← the columns of a block: its mirror. */
export function putMirror(scratch: usize, rows: i32, columns: i32, to: usize, step: usize): void {
  const wide = columns & ~3;
  let i = 0;
  for (; i + 4 <= rows; i += 4) {
    const target = to + <usize>i * step;
    for (let j = 0; j < wide; j += 4) {
      const at = scratch + <usize>j * sumStep + ((<usize>i) << 2);
      transposeFour(at, sumStep, target + ((<usize>j) << 2), step);
    }
  }
  for (let row = 0; row < rows; row++) {
    const target = to + <usize>row * step;
    for (let j = row < i ? wide : 0; j < columns; j++)
      store<f32>(target + ((<usize>j) << 2), load<f32>(scratch + <usize>j * sumStep + ((<usize>row) << 2)));
  }
}
