/**
 * Columns of a Gram matrix rounded to 16 bits, for long pursuits (rounded.ts, roundedOls.ts): round(32000 G), in
 * tiles of 24 atoms. A tile has two columns side by side, one i16 of each, and all pairs of columns one after the
 * other: `i32x4.dot_i16x8_s` multiplies and adds four such pairs.
 */

/** Units of a rounded entry of G: a little room above 1 within 16 bits. */
export const units: f64 = 32000;
/** The most that rounding changes an entry of G, the product with `units` in f32 included. */
export const entryError: f64 = 0.51 / units;
/** The largest factor of a column, in its units. */
export const largestFactor: f64 = 32767;
/** The unit roundoff of f32. */
export const roundoff: f64 = 5.9604644775390625e-8;
/** 1.5 · 2²³: added to an f32 it leaves the nearest integer in the low bits. */
const magic: f32 = 12582912;

/** Atoms of a tile, and bytes of two columns of it. */
export const tile: i32 = 24;
export const pairBytes: usize = 96;

/** A tile of a column, of which `count` entries are left: in the low halves of a pair of columns, or in the high ones. */
export function keepColumn(column: usize, count: i32, pair: usize, odd: i32): void {
  if (count >= tile) keepTile(column, pair, odd);
  else keepPart(column, count, pair, odd);
}

/** A tile of a column, rounded: in the low halves, or in the high ones beside them. */
function keepTile(column: usize, pair: usize, odd: i32): void {
  const factor = f32x4.splat(<f32>units);
  const shift = f32x4.splat(magic);
  if (odd) {
    for (let i: usize = 0; i < pairBytes; i += 16) {
      const rounded = f32x4.add(f32x4.mul(v128.load(column + i), factor), shift);
      v128.store(pair + i, v128.or(v128.load(pair + i), i32x4.shl(rounded, 16)));
    }
  } else {
    const low = i32x4.splat(0xffff);
    for (let i: usize = 0; i < pairBytes; i += 16) {
      const rounded = f32x4.add(f32x4.mul(v128.load(column + i), factor), shift);
      v128.store(pair + i, v128.and(rounded, low));
    }
  }
}

/** The same for the last tile, if it is not whole. */
function keepPart(column: usize, count: i32, pair: usize, odd: i32): void {
  if (!odd) memory.fill(pair, 0, pairBytes);
  for (let i: usize = 0; i < (<usize>count) << 2; i += 4) {
    const rounded = reinterpret<u32>(load<f32>(column + i) * <f32>units + magic) & 0xffff;
    store<u32>(pair + i, odd ? load<u32>(pair + i) | (rounded << 16) : rounded);
  }
}
