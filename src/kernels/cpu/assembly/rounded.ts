/**
 * The correlations of a long pursuit, from columns rounded to 16 bits: twice the
 * products per instruction, half the bytes, and all columns of an example in the
 * second cache. The atom chosen is still the one of the definition.
 *
 * Columns. Of each atom taken, round(32000 G) is kept in scratch, in tiles of 24
 * atoms: two columns side by side, one i16 of each, and all pairs of columns of a
 * tile one after the other. One instruction multiplies and adds four such pairs.
 *
 * Turns. Each turn changes the fit x a little. Its change is rounded to 16 bits in
 * units of its own largest entry, and the rounding error is added to the change of the
 * next turn. With x̃ the sum of the rounded changes,
 *
 *     α̃ = P − G̃ x̃,   |α̃ − α| ≤ ½/32000 ‖x̃‖₁ + ‖x − x̃‖₁ + rounding of f32   for α = P − G x
 *
 * Choice. Only atoms within twice that bound of the largest |α̃| can be the largest
 * of |α|. If there are several, α of each is computed in f64, and the first of
 * the largest is taken. If there are many, or the bound is too weak, all of α is
 * computed from G in f32 (correlations.ts), and x̃ and the bound start again.
 *
 * Overflow. For unit atoms |Σ δᵢ Gᵢⱼ| ≤ ‖Dδ‖, which is |z| of the turn and at most the
 * ℓ₁ norm of the rounding error: the unit of δ is large enough for 32 bits.
 */

import { correlations } from "./correlations";

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

/** More than is lost below the normal numbers of f32. */
const smallest: f64 = 1e-33;

/** With more candidates than this, α is computed from G. */
const most: i32 = 24;

/** The state of a pursuit, which lies before the lists it points to. */
@unmanaged
class Rounded {
  G: usize;
  P: usize;
  m: i32;
  /** The atoms taken. */
  indices: usize;
  /** The most columns that are kept. */
  capacity: i32;
  /** α̃, padded to whole tiles with zeros. */
  alpha: usize;
  /** Columns in tiles. */
  tiles: usize;
  /** The largest |α̃| of each tile, in four lanes. */
  peaks: usize;
  /** The rounded change of x, i16. */
  change: usize;
  /** x̃ now, and where α was last computed from G; f64. */
  fitted: usize;
  origin: usize;
  /** ‖x − x̃‖₁. */
  left: f64;
  /** What f32 may have added to |α̃ − α| since then. */
  drift: f64;
  /** The largest |P|. */
  height: f64;
}

/** Lay out the scratch at `at`, and start with α̃ = P and x̃ = 0. */
export function startRounded(
  at: usize,
  G: usize,
  P: usize,
  m: i32,
  indices: usize,
  capacity: i32,
  height: f64,
): void {
  const state = changetype<Rounded>(at);
  const count = <usize>((m + tile - 1) / tile);
  const list = (<usize>((capacity + 7) & ~7)) << 3;
  state.G = G;
  state.P = P;
  state.m = m;
  state.indices = indices;
  state.capacity = capacity;
  state.change = at + 128;
  state.fitted = state.change + list;
  state.origin = state.fitted + list;
  state.peaks = state.origin + list;
  state.alpha = state.peaks + (count << 4);
  state.tiles = state.alpha + count * pairBytes;
  state.left = 0;
  state.drift = 0;
  state.height = height;
  const bytes = (<usize>m) << 2;
  memory.copy(state.alpha, P, bytes);
  memory.fill(state.alpha + bytes, 0, count * pairBytes - bytes);
}

/**
 * The atom of the largest |α| for the fit x of the atoms taken, the last of which is
 * new; −1 if no |α| is above `floor`. `at` is the scratch, `columns` and `weights` are
 * those of G and x in f32, and z is the length of the last change of Dx.
 */
export function nextAtom(
  at: usize,
  columns: usize,
  weights: usize,
  x: usize,
  taken: i32,
  z: f64,
  floor: f32,
): i32 {
  const state = changetype<Rounded>(at);
  if (taken > state.capacity)
    return correlations(state.P, state.alpha, state.m, columns, weights, taken, floor);
  const newest = (<usize>(taken - 1)) << 3;
  store<f64>(state.fitted + newest, 0);
  store<f64>(state.origin + newest, 0);
  const unit = roundChange(state, x, taken, abs(z));
  const peak = <f64>subtractChange(state, load<usize>(columns + (newest >> 1)), taken, unit);
  state.drift += roundoff * (4 * largestFactor * unit + peak) + smallest;
  const bound = boundOf(state, x, taken);
  if (peak - bound > <f64>floor) {
    const atom = certain(state, x, taken, peak - 2 * bound);
    if (atom >= 0) return atom;
  }
  startAfresh(state, x, taken);
  return correlations(state.P, state.alpha, state.m, columns, weights, taken, floor);
}

/** change ← x − x̃ rounded to 16 bits, and x̃ with it; the unit it is in. */
function roundChange(state: Rounded, x: usize, taken: i32, z: f64): f64 {
  let most = z + state.left; // of |Σ δ G|
  const bytes = (<usize>taken) << 3;
  for (let t: usize = 0; t < bytes; t += 8)
    most = max(most, abs(load<f64>(x + t) - load<f64>(state.fitted + t)));
  const unit = most / largestFactor;
  const inverse = most > 0 ? largestFactor / most : 0;
  for (let t: usize = 0; t < bytes; t += 8) {
    const fitted = load<f64>(state.fitted + t);
    const rounded = nearest((load<f64>(x + t) - fitted) * inverse);
    store<f64>(state.fitted + t, fitted + rounded * unit);
    store<i16>(state.change + (t >> 2), <i16>rounded);
  }
  if (taken & 1) store<i16>(state.change + (bytes >> 2), 0);
  return unit;
}

/** |α̃ − α| is at most this. */
function boundOf(state: Rounded, x: usize, taken: i32): f64 {
  let left: f64 = 0;
  let moved: f64 = 0;
  const bytes = (<usize>taken) << 3;
  for (let t: usize = 0; t < bytes; t += 8) {
    const fitted = load<f64>(state.fitted + t);
    left += abs(load<f64>(x + t) - fitted);
    moved += abs(fitted - load<f64>(state.origin + t));
  }
  state.left = left;
  return 1.0001 * (state.drift + entryError * moved + left);
}

/** Keep the new column, and α̃ ← α̃ − G̃ change; the largest |α̃|. */
function subtractChange(state: Rounded, column: usize, taken: i32, unit: f64): f32 {
  const newest = taken - 1;
  const slot = <usize>(newest >> 1) * pairBytes;
  const step = <usize>((state.capacity + 1) >> 1) * pairBytes;
  const end = state.change + ((<usize>((taken + 1) >> 1)) << 2);
  const scale = f32x4.splat(<f32>(unit / units));
  let highest = f32x4.splat(0);
  let pairs = state.tiles;
  let peaks = state.peaks;
  for (let j = 0; j < state.m; j += tile) {
    const at = (<usize>j) << 2;
    keepColumn(column + at, state.m - j, pairs + slot, newest & 1);
    const peak = subtractTile(pairs, state.change, end, state.alpha + at, scale);
    v128.store(peaks, peak);
    highest = f32x4.pmax(highest, peak);
    pairs += step;
    peaks += 16;
  }
  return max(
    max(f32x4.extract_lane(highest, 0), f32x4.extract_lane(highest, 1)),
    max(f32x4.extract_lane(highest, 2), f32x4.extract_lane(highest, 3)),
  );
}

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

/**
 * α̃ of a tile ← α̃ − scale × Σ change × column; the largest magnitudes, in four lanes.
 * Six sums: more would not stay in registers.
 */
function subtractTile(pairs: usize, change: usize, end: usize, alpha: usize, scale: v128): v128 {
  let s0 = i32x4.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  let s4 = s0;
  let s5 = s0;
  let pair = pairs;
  for (let c = change; c < end; c += 4) {
    const w = v128.load32_splat(c);
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load(pair), w));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load(pair, 16), w));
    s2 = i32x4.add(s2, i32x4.dot_i16x8_s(v128.load(pair, 32), w));
    s3 = i32x4.add(s3, i32x4.dot_i16x8_s(v128.load(pair, 48), w));
    s4 = i32x4.add(s4, i32x4.dot_i16x8_s(v128.load(pair, 64), w));
    s5 = i32x4.add(s5, i32x4.dot_i16x8_s(v128.load(pair, 80), w));
    pair += pairBytes;
  }
  let peaks = subtractFour(alpha, s0, scale);
  peaks = f32x4.pmax(peaks, subtractFour(alpha + 16, s1, scale));
  peaks = f32x4.pmax(peaks, subtractFour(alpha + 32, s2, scale));
  peaks = f32x4.pmax(peaks, subtractFour(alpha + 48, s3, scale));
  peaks = f32x4.pmax(peaks, subtractFour(alpha + 64, s4, scale));
  return f32x4.pmax(peaks, subtractFour(alpha + 80, s5, scale));
}

/** Four values of α̃ minus four sums; their magnitudes. */
function subtractFour(alpha: usize, sums: v128, scale: v128): v128 {
  const next = f32x4.sub(v128.load(alpha), f32x4.mul(f32x4.convert_i32x4_s(sums), scale));
  v128.store(alpha, next);
  return f32x4.abs(next);
}

/** The first atom of the largest |α| among those whose |α̃| reaches `least`; −1 if there are too many. */
function certain(state: Rounded, x: usize, taken: i32, least: f64): i32 {
  if (!(least > 0)) return -1;
  const limit = <f32>(least * 0.999999); // rounding must not leave one out
  const limits = f32x4.splat(limit);
  let best = -1;
  let value: f64 = 0;
  let found = 0;
  let peaks = state.peaks;
  for (let j = 0; j < state.m; j += tile) {
    if (v128.any_true(f32x4.ge(v128.load(peaks), limits))) {
      const to = min(j + tile, state.m);
      for (let i = j; i < to; i++) {
        if (abs(load<f32>(state.alpha + ((<usize>i) << 2))) < limit) continue;
        found++;
        if (found > most) return -1;
        if (found === 2) value = exact(state, x, taken, best);
        const candidate: f64 = found > 1 ? exact(state, x, taken, i) : 0;
        if (found > 1 && candidate <= value) continue;
        best = i;
        value = candidate;
      }
    }
    peaks += 16;
  }
  return best;
}

/** |α| of one atom, in f64. If it is chosen, the same entries of its column are read next. */
function exact(state: Rounded, x: usize, taken: i32, atom: i32): f64 {
  const column = state.G + ((<usize>atom * <usize>state.m) << 2);
  let alpha = <f64>load<f32>(state.P + ((<usize>atom) << 2));
  for (let t = 0; t < taken; t++) {
    const other = <usize>load<u32>(state.indices + ((<usize>t) << 2));
    alpha -= load<f64>(x + ((<usize>t) << 3)) * <f64>load<f32>(column + (other << 2));
  }
  return abs(alpha);
}

/** α̃ will be computed from G, so it equals α up to rounding in f32: x̃ = x. */
function startAfresh(state: Rounded, x: usize, taken: i32): void {
  let norm: f64 = 0;
  const bytes = (<usize>taken) << 3;
  for (let t: usize = 0; t < bytes; t += 8) norm += abs(load<f64>(x + t));
  memory.copy(state.fitted, x, bytes);
  memory.copy(state.origin, x, bytes);
  state.left = 0;
  state.drift = 1.01 * roundoff * <f64>(taken + 3) * (norm + state.height);
}
