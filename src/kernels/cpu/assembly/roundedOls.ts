/**
 * Orthogonal least squares of a long pursuit, from columns rounded to 16 bits (rounded.ts), as for
 * OMP. The atom chosen is still the one of the definition.
 *
 * Turns. As in ols.ts, but with v rounded to 16 bits in units of its largest entry, and G̃:
 *
 *     β̃ = G̃ ṽ,   α̃ ← α̃ − zβ̃,   ν̃ ← ν̃ − β̃²,   |β̃ − β| ≤ e = ½/32000 ‖ṽ‖₁ + ‖v − ṽ‖₁ + rounding of f32
 *
 * After several turns α̃ = P − G̃x̃, with x̃ = Σzṽ where x = Σzv. Since Σβ² = 1 − ν ≤ 1 over them, and by Cauchy and Schwarz,
 *
 *     |α̃ − α| ≤ a = ½/32000 ‖x̃‖₁ + ‖x − x̃‖₁ + rounding,   |ν̃ − ν| ≤ b = 2√(Σe²) + Σe² + rounding
 *
 * Choice. α²/ν of an atom is at most U = (|α̃| + a)² / (ν̃ − b), and at least (|α̃| − a)² / (ν̃ + b). The largest of the latter
 * so far is the bar of the pass: it looks closer only at tiles in which some U is above it, without dividing. In the end, atoms whose U is below the bar
 * cannot be the best. If others are left besides one, α²/ν of each is computed in f64, and the first of the largest is taken. An atom that depends
 * on those taken is left out from then on: ν only falls. If there are many, if one of them is too near the span of those taken although ν is not
 * small, or if none may be taken, the pursuit is given up, for ols.ts to start again.
 *
 * Overflow. For unit atoms |β| ≤ 1, and v ends with 1/pivot ≥ 1: sums of products stay below 32000 · 32767 and the
 * rounding, within 32 bits.
 */

import { largest } from "./correlations";
import { entryError, keepColumn, largestFactor, pairBytes, roundoff, tile, units } from "./rounded";
import { columnOf, PursuitArguments } from "./structs";
import { dot, extend, isFarFromSpan, solveTransposed } from "./triangular";

/** What `pursueRoundedOls` returns if it gives up. */
export const gaveUp: i32 = -1;
/** What stands for the score of an atom whose direction has large coefficients. */
const nearSpan: f64 = -2;
/** With more candidates than this it gives up. */
const most: i32 = 96;
/** ν of atoms that may not be taken: their scores are next to nothing. */
const excluded: f32 = 1e30;
/** Bounds are computed in f64 and used in f32. */
const slack: f64 = 1.00001;

/** The state of a pursuit, which lies before the lists it points to. */
@unmanaged
class RoundedOls {
  args: PursuitArguments;
  P: usize;
  indices: usize;
  /** α̃, ν̃, and the largest U of each tile, or 0 if all are below the bar. */
  alpha: usize;
  distances: usize;
  peaks: usize;
  /** Columns in tiles, and ṽ as i16. */
  tiles: usize;
  factors: usize;
  /** f64: C, the row of a candidate, z, v. */
  factor: usize;
  w: usize;
  z: usize;
  v: usize;
  /** x and x̃, f64. */
  x: usize;
  fitted: usize;
  taken: i32;
  /** The least |α| of an atom that may be taken. */
  floor: f64;
  /** ‖y‖, which no |α| exceeds. */
  norm: f64;
  /** Σe², and what f32 may have added to |α̃ − α|. */
  squares: f64;
  drift: f64;
  /** a and b. */
  alphaError: f64;
  distanceError: f64;
  /** The best atom has at least this α²/ν. */
  bar: f64;
}

/** One example; how many atoms it took, or `gaveUp`. Scratch: `olsBytes` of pursuit.ts. */
export function pursueRoundedOls(
  args: PursuitArguments,
  P: usize,
  energy: f64,
  scratch: usize,
  indices: usize,
  values: usize,
  path: usize,
): i32 {
  const p = args.p;
  const limit = args.residualEnergy;
  let best = largest(P, args.m);
  if (best < 0) return 0;
  const height = abs(load<f32>(P + ((<usize>best) << 2)));
  const floor = args.pursuitFloor * height;
  if (!(height > floor)) return 0;
  const state = layOut(args, P, energy, scratch, indices, floor);
  const bounded = limit > 0;
  let left = energy;
  while (best >= 0 && state.taken < p && (bounded ? left > limit : energy > 0)) {
    const taken = state.taken;
    const column = columnOf(args, best, taken);
    const inverse = extend(column, best, indices, taken, p, state.factor, state.w, args.dependenceFloor);
    if (inverse <= 0 || !isFarFromSpan(state.factor, p, state.v, taken + 1, args.dependenceFloor))
      return gaveUp;
    store<u32>(indices + ((<usize>taken) << 2), <u32>best);
    const entry = (<f64>load<f32>(P + ((<usize>best) << 2)) - dot(state.w, state.z, taken)) * inverse;
    store<f64>(state.z + ((<usize>taken) << 3), entry);
    left -= entry * entry;
    if (path !== 0) store<f32>(path + ((<usize>taken) << 2), <f32>max(left, 0));
    state.taken = taken + 1;
    if (state.taken === p || (bounded && !(left > limit))) break; // no further turn: the correlations are not needed
    store<f32>(state.distances + ((<usize>best) << 2), excluded);
    move(state, column, entry);
    best = choose(state);
    if (best === gaveUp) return gaveUp;
  }
  const taken = state.taken;
  solveTransposed(state.factor, p, state.z, state.v, taken);
  for (let t = 0; t < taken; t++)
    store<f32>(values + ((<usize>t) << 2), <f32>load<f64>(state.v + ((<usize>t) << 3)));
  return taken;
}

/** Lay out the scratch, and start with α̃ = P and ν̃ = 1. */
function layOut(
  args: PursuitArguments,
  P: usize,
  energy: f64,
  scratch: usize,
  indices: usize,
  floor: f32,
): RoundedOls {
  const state = changetype<RoundedOls>(scratch);
  const m = args.m;
  const p = <usize>args.p;
  const count = <usize>((m + tile - 1) / tile);
  const vector = count * pairBytes;
  state.args = args;
  state.P = P;
  state.indices = indices;
  state.factor = scratch + 256;
  state.w = state.factor + ((p * p) << 3);
  state.z = state.w + (p << 3);
  state.v = state.z + (p << 3);
  state.x = state.v + (p << 3);
  state.fitted = state.x + (p << 3);
  state.factors = (state.fitted + (p << 3) + 15) & ~15;
  state.peaks = (state.factors + ((p + 2) << 1) + 63) & ~63;
  state.alpha = (state.peaks + (count << 2) + 63) & ~63;
  state.distances = state.alpha + vector;
  state.tiles = state.distances + vector;
  state.taken = 0;
  state.floor = floor;
  state.norm = sqrt(max(energy, 0));
  state.squares = 0;
  state.drift = 0;
  state.alphaError = 0;
  state.distanceError = 0;
  const bytes = (<usize>m) << 2;
  memory.copy(state.alpha, P, bytes);
  memory.fill(state.alpha + bytes, 0, vector - bytes);
  const one = f32x4.splat(1);
  for (let i: usize = 0; i < vector; i += 16) v128.store(state.distances + i, one);
  for (let i = bytes; i < vector; i += 4) store<f32>(state.distances + i, excluded); // after the last atom
  return state;
}

/** Keep the column of the atom just taken, and change α̃, ν̃ and their bounds with the direction it adds, whose coefficient is z. */
function move(state: RoundedOls, column: usize, z: f64): void {
  const taken = state.taken;
  const p = state.args.p;
  const unit = roundDirection(state, z);
  state.distanceError = 2 * sqrt(state.squares) + state.squares + roundoff * <f64>(2 * taken + 4);
  state.bar = 0;
  const a = f32x4.splat(reachOf(state));
  const b = f32x4.splat(<f32>(slack * state.distanceError));
  const least = f32x4.splat(<f32>state.args.dependenceFloor);
  const m = state.args.m;
  const newest = taken - 1;
  const slot = <usize>(newest >> 1) * pairBytes;
  const step = <usize>((p + 1) >> 1) * pairBytes;
  const end = state.factors + ((<usize>((taken + 1) >> 1)) << 2);
  const scale = f32x4.splat(<f32>(unit / units));
  const zs = f32x4.splat(<f32>z);
  let bar = f32x4.splat(0);
  let pairs = state.tiles;
  let peaks = state.peaks;
  let alpha = state.alpha;
  let distances = state.distances;
  for (let j = 0; j < m; j += tile) {
    keepColumn(column + ((<usize>j) << 2), m - j, pairs + slot, newest & 1);
    let peak: f32 = 0;
    if (moveTile(pairs, state.factors, end, alpha, distances, scale, zs, a, b, least, bar)) {
      peak = lookAt(state, j);
      bar = f32x4.splat(<f32>(state.bar * 0.99998)); // rounding must not leave one out
    }
    store<f32>(peaks, peak);
    pairs += step;
    peaks += 4;
    alpha += pairBytes;
    distances += pairBytes;
  }
}

/** a in f32, not below a. */
function reachOf(state: RoundedOls): f32 {
  return <f32>(slack * state.alphaError) + <f32>1e-30;
}

/** factors ← v rounded to 16 bits, and x, x̃ and the bounds with it; the unit that they are in. */
function roundDirection(state: RoundedOls, z: f64): f64 {
  const bytes = (<usize>state.taken) << 3;
  store<f64>(state.x + bytes - 8, 0);
  store<f64>(state.fitted + bytes - 8, 0);
  let highest: f64 = 0;
  for (let t: usize = 0; t < bytes; t += 8) highest = max(highest, abs(load<f64>(state.v + t)));
  const unit = highest / largestFactor;
  const inverse = largestFactor / highest;
  const step = <f64>(<f32>z); // as the pass has it
  let norm: f64 = 0;
  let left: f64 = 0;
  let fit: f64 = 0;
  let apart: f64 = 0;
  for (let t: usize = 0; t < bytes; t += 8) {
    const entry = load<f64>(state.v + t);
    const rounded = nearest(entry * inverse);
    store<i16>(state.factors + (t >> 2), <i16>rounded);
    norm += abs(rounded);
    left += abs(entry - rounded * unit);
    const x = load<f64>(state.x + t) + z * entry;
    const fitted = load<f64>(state.fitted + t) + step * rounded * unit;
    store<f64>(state.x + t, x);
    store<f64>(state.fitted + t, fitted);
    fit += abs(fitted);
    apart += abs(x - fitted);
  }
  if (state.taken & 1) store<i16>(state.factors + (bytes >> 2), 0);
  const e = entryError * norm * unit + left + 4 * roundoff;
  state.squares += e * e;
  state.drift += roundoff * (6 * abs(z) + 2 * state.norm);
  state.alphaError = entryError * fit + apart + state.drift;
  return unit;
}

/** α̃ and ν̃ of a tile; whether any U is above the bar. Six sums: more would not stay in registers. */
function moveTile(
  pairs: usize,
  factors: usize,
  end: usize,
  alpha: usize,
  distances: usize,
  scale: v128,
  z: v128,
  a: v128,
  b: v128,
  least: v128,
  bar: v128,
): bool {
  let s0 = i32x4.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  let s4 = s0;
  let s5 = s0;
  let pair = pairs;
  for (let f = factors; f < end; f += 4) {
    const w = v128.load32_splat(f);
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load(pair), w));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load(pair, 16), w));
    s2 = i32x4.add(s2, i32x4.dot_i16x8_s(v128.load(pair, 32), w));
    s3 = i32x4.add(s3, i32x4.dot_i16x8_s(v128.load(pair, 48), w));
    s4 = i32x4.add(s4, i32x4.dot_i16x8_s(v128.load(pair, 64), w));
    s5 = i32x4.add(s5, i32x4.dot_i16x8_s(v128.load(pair, 80), w));
    pair += pairBytes;
  }
  let above = moveFour(s0, alpha, distances, scale, z, a, b, least, bar);
  above = v128.or(above, moveFour(s1, alpha + 16, distances + 16, scale, z, a, b, least, bar));
  above = v128.or(above, moveFour(s2, alpha + 32, distances + 32, scale, z, a, b, least, bar));
  above = v128.or(above, moveFour(s3, alpha + 48, distances + 48, scale, z, a, b, least, bar));
  above = v128.or(above, moveFour(s4, alpha + 64, distances + 64, scale, z, a, b, least, bar));
  above = v128.or(above, moveFour(s5, alpha + 80, distances + 80, scale, z, a, b, least, bar));
  return v128.any_true(above);
}

/** Four values of α̃ and ν̃; whether their U are above the bar. */
function moveFour(
  sums: v128,
  alpha: usize,
  distances: usize,
  scale: v128,
  z: v128,
  a: v128,
  b: v128,
  least: v128,
  bar: v128,
): v128 {
  const beta = f32x4.mul(f32x4.convert_i32x4_s(sums), scale);
  const next = f32x4.sub(v128.load(alpha), f32x4.mul(z, beta));
  v128.store(alpha, next);
  const distance = f32x4.sub(v128.load(distances), f32x4.mul(beta, beta));
  v128.store(distances, distance);
  const reach = f32x4.add(f32x4.abs(next), a);
  return f32x4.gt(f32x4.mul(reach, reach), f32x4.mul(bar, f32x4.pmax(f32x4.sub(distance, b), least)));
}

/** The largest U of the tile that begins with atom j; raises the bar. */
function lookAt(state: RoundedOls, j: i32): f32 {
  const to = min(j + tile, state.args.m);
  let peak: f32 = 0;
  for (let i = j; i < to; i++) {
    peak = max(peak, upperOf(state, i));
    state.bar = max(state.bar, leastOf(state, i));
  }
  return peak;
}

/** The best atom, or `gaveUp`. */
function choose(state: RoundedOls): i32 {
  if (!(state.bar > 0)) return gaveUp;
  const limit = <f32>(state.bar * 0.99998);
  const m = state.args.m;
  let best = -1;
  let score: f64 = -1;
  let found = 0;
  let peaks = state.peaks;
  for (let j = 0; j < m; j += tile) {
    if (load<f32>(peaks) >= limit) {
      const to = min(j + tile, m);
      for (let i = j; i < to; i++) {
        if (upperOf(state, i) < limit) continue;
        found++;
        if (found > most) return gaveUp;
        if (found === 2) score = exact(state, best); // the only one needs none
        const other: f64 = found > 1 ? exact(state, i) : -1;
        if (score === nearSpan || other === nearSpan) return gaveUp;
        if (found > 1 && other <= score) continue;
        best = i;
        score = other;
      }
    }
    peaks += 4;
  }
  return found > 1 && !(score >= limit) ? gaveUp : best; // the atom that set the bar may be one that must not be taken
}

/** U of one atom. */
function upperOf(state: RoundedOls, atom: i32): f32 {
  const at = (<usize>atom) << 2;
  const reach = abs(load<f32>(state.alpha + at)) + reachOf(state);
  const distance = load<f32>(state.distances + at) - <f32>(slack * state.distanceError);
  return (reach * reach) / max(distance, <f32>state.args.dependenceFloor);
}

/** α²/ν of an atom is at least this; 0 if it may be one that must not be taken. */
function leastOf(state: RoundedOls, atom: i32): f64 {
  const at = (<usize>atom) << 2;
  const size = abs(<f64>load<f32>(state.alpha + at)) - slack * state.alphaError;
  const distance = <f64>load<f32>(state.distances + at);
  if (!(size > state.floor) || !(distance - slack * state.distanceError > state.args.dependenceFloor))
    return 0;
  return (size * size) / (distance + slack * state.distanceError);
}

/**
 * α²/ν of an atom in f64; −1 if it must not be taken, `nearSpan` if only its direction forbids that. One that depends on those taken is left out
 * from now on.
 */
function exact(state: RoundedOls, atom: i32): f64 {
  const args = state.args;
  const column = columnOf(args, atom, state.taken);
  const inverse = extend(
    column,
    atom,
    state.indices,
    state.taken,
    args.p,
    state.factor,
    state.w,
    args.dependenceFloor,
  );
  if (inverse <= 0) {
    store<f32>(state.distances + ((<usize>atom) << 2), excluded);
    return -1;
  }
  if (!isFarFromSpan(state.factor, args.p, state.v, state.taken + 1, args.dependenceFloor)) return nearSpan;
  const alpha = <f64>load<f32>(state.P + ((<usize>atom) << 2)) - dot(state.w, state.z, state.taken);
  return abs(alpha) > state.floor ? alpha * alpha * inverse * inverse : -1;
}
