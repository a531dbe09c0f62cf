/**
 * The correlations of a pursuit, α = P − G_I x, and the atom of the largest one:
 * most of the time of Batch-OMP.
 *
 * Columns of G are subtracted in strips that stay in the nearest cache, eight
 * columns at a time, then four; the last pass over a strip also finds its largest
 * magnitude. Each loop loads, computes and stores one vector before it loads the
 * next: the engine moves arithmetic down to its store, and would otherwise run out
 * of registers.
 */

import { correlationStrip } from "./constants";

const strip: i32 = correlationStrip;

/** α ← P − Σ w c, and the first atom of the largest |α|; −1 if no |α| is above `floor`. */
export function correlations(
  P: usize,
  alpha: usize,
  m: i32,
  columns: usize,
  weights: usize,
  count: i32,
  floor: f32,
): i32 {
  let best = floor;
  let bestStrip = -1;
  for (let from = 0; from < m; from += strip) {
    const to = min(from + strip, m);
    let source = P;
    let c = 0;
    for (; c + 8 < count; c += 8) {
      subtractEight(source, alpha, from, to, columns + ((<usize>c) << 2), weights + ((<usize>c) << 2));
      source = alpha;
    }
    for (; c + 4 < count; c += 4) {
      subtractFour(source, alpha, from, to, columns + ((<usize>c) << 2), weights + ((<usize>c) << 2));
      source = alpha;
    }
    const at = (<usize>c) << 2;
    const peak =
      count - c <= 2
        ? subtractLastTwo(source, alpha, from, to, columns + at, weights + at, count - c)
        : subtractLast(source, alpha, from, to, columns + at, weights + at, count - c);
    if (peak > best) {
      best = peak;
      bestStrip = from;
    }
  }
  return bestStrip < 0 ? -1 : firstOf(alpha, bestStrip, min(bestStrip + strip, m), best);
}

/** The first index in [from, to) whose magnitude is `peak`; −1 if no index has it. */
function firstOf(values: usize, from: i32, to: i32, peak: f32): i32 {
  const high = f32x4.splat(peak);
  const low = f32x4.neg(high);
  let j = from;
  while (j + 8 <= to && !anyIs(values + ((<usize>j) << 2), high, low)) j += 8;
  for (; j < to; j++) if (abs(load<f32>(values + ((<usize>j) << 2))) === peak) return j;
  return -1;
}

/** Whether one of eight values is one or the other. */
function anyIs(values: usize, one: v128, other: v128): bool {
  const first = v128.load(values);
  const second = v128.load(values, 16);
  return v128.any_true(
    v128.or(
      v128.or(f32x4.eq(first, one), f32x4.eq(first, other)),
      v128.or(f32x4.eq(second, one), f32x4.eq(second, other)),
    ),
  );
}

/** α ← source − four columns, over f32 [from, to). */
export function subtractFour(
  source: usize,
  alpha: usize,
  from: i32,
  to: i32,
  columns: usize,
  weights: usize,
): void {
  const c0 = load<usize>(columns);
  const c1 = load<usize>(columns, 4);
  const c2 = load<usize>(columns, 8);
  const c3 = load<usize>(columns, 12);
  const v0 = v128.load32_splat(weights);
  const v1 = v128.load32_splat(weights, 4);
  const v2 = v128.load32_splat(weights, 8);
  const v3 = v128.load32_splat(weights, 12);
  let i = (<usize>from) << 2;
  const end = (<usize>to) << 2;
  for (; i + 64 <= end; i += 64) {
    const s = source + i;
    const p0 = c0 + i;
    const p1 = c1 + i;
    const p2 = c2 + i;
    const p3 = c3 + i;
    const a = alpha + i;
    let s0 = f32x4.sub(v128.load(s), f32x4.mul(v0, v128.load(p0)));
    s0 = f32x4.sub(s0, f32x4.mul(v1, v128.load(p1)));
    s0 = f32x4.sub(s0, f32x4.mul(v2, v128.load(p2)));
    v128.store(a, f32x4.sub(s0, f32x4.mul(v3, v128.load(p3))));
    let s16 = f32x4.sub(v128.load(s, 16), f32x4.mul(v0, v128.load(p0, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v1, v128.load(p1, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v2, v128.load(p2, 16)));
    v128.store(a, f32x4.sub(s16, f32x4.mul(v3, v128.load(p3, 16))), 16);
    let s32 = f32x4.sub(v128.load(s, 32), f32x4.mul(v0, v128.load(p0, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v1, v128.load(p1, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v2, v128.load(p2, 32)));
    v128.store(a, f32x4.sub(s32, f32x4.mul(v3, v128.load(p3, 32))), 32);
    let s48 = f32x4.sub(v128.load(s, 48), f32x4.mul(v0, v128.load(p0, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v1, v128.load(p1, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v2, v128.load(p2, 48)));
    v128.store(a, f32x4.sub(s48, f32x4.mul(v3, v128.load(p3, 48))), 48);
  }
  for (; i + 16 <= end; i += 16) {
    let sum = f32x4.sub(v128.load(source + i), f32x4.mul(v0, v128.load(c0 + i)));
    sum = f32x4.sub(sum, f32x4.mul(v1, v128.load(c1 + i)));
    sum = f32x4.sub(sum, f32x4.mul(v2, v128.load(c2 + i)));
    v128.store(alpha + i, f32x4.sub(sum, f32x4.mul(v3, v128.load(c3 + i))));
  }
  for (; i < end; i += 4) {
    let sum = load<f32>(source + i) - load<f32>(weights) * load<f32>(c0 + i);
    sum -= load<f32>(weights, 4) * load<f32>(c1 + i);
    sum -= load<f32>(weights, 8) * load<f32>(c2 + i);
    store<f32>(alpha + i, sum - load<f32>(weights, 12) * load<f32>(c3 + i));
  }
}

/** α ← source − eight columns, over f32 [from, to). */
export function subtractEight(
  source: usize,
  alpha: usize,
  from: i32,
  to: i32,
  columns: usize,
  weights: usize,
): void {
  const c0 = load<usize>(columns);
  const c1 = load<usize>(columns, 4);
  const c2 = load<usize>(columns, 8);
  const c3 = load<usize>(columns, 12);
  const c4 = load<usize>(columns, 16);
  const c5 = load<usize>(columns, 20);
  const c6 = load<usize>(columns, 24);
  const c7 = load<usize>(columns, 28);
  const v0 = v128.load32_splat(weights);
  const v1 = v128.load32_splat(weights, 4);
  const v2 = v128.load32_splat(weights, 8);
  const v3 = v128.load32_splat(weights, 12);
  const v4 = v128.load32_splat(weights, 16);
  const v5 = v128.load32_splat(weights, 20);
  const v6 = v128.load32_splat(weights, 24);
  const v7 = v128.load32_splat(weights, 28);
  let i = (<usize>from) << 2;
  const end = (<usize>to) << 2;
  for (; i + 64 <= end; i += 64) {
    const s = source + i;
    const a = alpha + i;
    const p0 = c0 + i;
    const p1 = c1 + i;
    const p2 = c2 + i;
    const p3 = c3 + i;
    const p4 = c4 + i;
    const p5 = c5 + i;
    const p6 = c6 + i;
    const p7 = c7 + i;
    let s0 = f32x4.sub(v128.load(s), f32x4.mul(v0, v128.load(p0)));
    s0 = f32x4.sub(s0, f32x4.mul(v1, v128.load(p1)));
    s0 = f32x4.sub(s0, f32x4.mul(v2, v128.load(p2)));
    s0 = f32x4.sub(s0, f32x4.mul(v3, v128.load(p3)));
    s0 = f32x4.sub(s0, f32x4.mul(v4, v128.load(p4)));
    s0 = f32x4.sub(s0, f32x4.mul(v5, v128.load(p5)));
    s0 = f32x4.sub(s0, f32x4.mul(v6, v128.load(p6)));
    v128.store(a, f32x4.sub(s0, f32x4.mul(v7, v128.load(p7))));
    let s16 = f32x4.sub(v128.load(s, 16), f32x4.mul(v0, v128.load(p0, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v1, v128.load(p1, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v2, v128.load(p2, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v3, v128.load(p3, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v4, v128.load(p4, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v5, v128.load(p5, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v6, v128.load(p6, 16)));
    v128.store(a, f32x4.sub(s16, f32x4.mul(v7, v128.load(p7, 16))), 16);
    let s32 = f32x4.sub(v128.load(s, 32), f32x4.mul(v0, v128.load(p0, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v1, v128.load(p1, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v2, v128.load(p2, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v3, v128.load(p3, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v4, v128.load(p4, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v5, v128.load(p5, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v6, v128.load(p6, 32)));
    v128.store(a, f32x4.sub(s32, f32x4.mul(v7, v128.load(p7, 32))), 32);
    let s48 = f32x4.sub(v128.load(s, 48), f32x4.mul(v0, v128.load(p0, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v1, v128.load(p1, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v2, v128.load(p2, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v3, v128.load(p3, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v4, v128.load(p4, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v5, v128.load(p5, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v6, v128.load(p6, 48)));
    v128.store(a, f32x4.sub(s48, f32x4.mul(v7, v128.load(p7, 48))), 48);
  }
  for (; i < end; i += 4) {
    let sum = load<f32>(source + i);
    for (let c: usize = 0; c < 32; c += 4)
      sum -= load<f32>(weights + c) * load<f32>(load<usize>(columns + c) + i);
    store<f32>(alpha + i, sum);
  }
}

/** α ← source − the last one to four columns; the largest |α| of the strip. */
function subtractLast(
  source: usize,
  alpha: usize,
  from: i32,
  to: i32,
  columns: usize,
  weights: usize,
  count: i32,
): f32 {
  const c0 = load<usize>(columns);
  const c1 = count > 1 ? load<usize>(columns, 4) : c0;
  const c2 = count > 2 ? load<usize>(columns, 8) : c0;
  const c3 = count > 3 ? load<usize>(columns, 12) : c0;
  const w0 = load<f32>(weights);
  const w1: f32 = count > 1 ? load<f32>(weights, 4) : 0;
  const w2: f32 = count > 2 ? load<f32>(weights, 8) : 0;
  const w3: f32 = count > 3 ? load<f32>(weights, 12) : 0;
  const v0 = f32x4.splat(w0);
  const v1 = f32x4.splat(w1);
  const v2 = f32x4.splat(w2);
  const v3 = f32x4.splat(w3);
  let high = f32x4.splat(0);
  let low = high;
  let i = (<usize>from) << 2;
  const end = (<usize>to) << 2;
  for (; i + 64 <= end; i += 64) {
    const s = source + i;
    const a = alpha + i;
    const p0 = c0 + i;
    const p1 = c1 + i;
    const p2 = c2 + i;
    const p3 = c3 + i;
    let s0 = f32x4.sub(v128.load(s), f32x4.mul(v0, v128.load(p0)));
    s0 = f32x4.sub(s0, f32x4.mul(v1, v128.load(p1)));
    s0 = f32x4.sub(s0, f32x4.mul(v2, v128.load(p2)));
    s0 = f32x4.sub(s0, f32x4.mul(v3, v128.load(p3)));
    v128.store(a, s0);
    let s16 = f32x4.sub(v128.load(s, 16), f32x4.mul(v0, v128.load(p0, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v1, v128.load(p1, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v2, v128.load(p2, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v3, v128.load(p3, 16)));
    v128.store(a, s16, 16);
    let s32 = f32x4.sub(v128.load(s, 32), f32x4.mul(v0, v128.load(p0, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v1, v128.load(p1, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v2, v128.load(p2, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v3, v128.load(p3, 32)));
    v128.store(a, s32, 32);
    let s48 = f32x4.sub(v128.load(s, 48), f32x4.mul(v0, v128.load(p0, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v1, v128.load(p1, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v2, v128.load(p2, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v3, v128.load(p3, 48)));
    v128.store(a, s48, 48);
    high = f32x4.pmax(high, f32x4.pmax(f32x4.pmax(s0, s16), f32x4.pmax(s32, s48)));
    low = f32x4.pmin(low, f32x4.pmin(f32x4.pmin(s0, s16), f32x4.pmin(s32, s48)));
  }
  for (; i + 16 <= end; i += 16) {
    let sum = f32x4.sub(v128.load(source + i), f32x4.mul(v0, v128.load(c0 + i)));
    sum = f32x4.sub(sum, f32x4.mul(v1, v128.load(c1 + i)));
    sum = f32x4.sub(sum, f32x4.mul(v2, v128.load(c2 + i)));
    sum = f32x4.sub(sum, f32x4.mul(v3, v128.load(c3 + i)));
    v128.store(alpha + i, sum);
    high = f32x4.pmax(high, sum);
    low = f32x4.pmin(low, sum);
  }
  let peak = peakOf(high, low);
  for (; i < end; i += 4) {
    let sum = load<f32>(source + i) - w0 * load<f32>(c0 + i);
    sum -= w1 * load<f32>(c1 + i);
    sum -= w2 * load<f32>(c2 + i);
    sum -= w3 * load<f32>(c3 + i);
    store<f32>(alpha + i, sum);
    peak = max(peak, abs(sum));
  }
  return peak;
}

/** α ← source − the last one or two columns; the largest |α| of the strip. */
function subtractLastTwo(
  source: usize,
  alpha: usize,
  from: i32,
  to: i32,
  columns: usize,
  weights: usize,
  count: i32,
): f32 {
  const c0 = load<usize>(columns);
  const c1 = count > 1 ? load<usize>(columns, 4) : c0;
  const w0 = load<f32>(weights);
  const w1: f32 = count > 1 ? load<f32>(weights, 4) : 0;
  const v0 = f32x4.splat(w0);
  const v1 = f32x4.splat(w1);
  let high = f32x4.splat(0);
  let low = high;
  let i = (<usize>from) << 2;
  const end = (<usize>to) << 2;
  for (; i + 64 <= end; i += 64) {
    const s = source + i;
    const a = alpha + i;
    const p0 = c0 + i;
    const p1 = c1 + i;
    let s0 = f32x4.sub(v128.load(s), f32x4.mul(v0, v128.load(p0)));
    s0 = f32x4.sub(s0, f32x4.mul(v1, v128.load(p1)));
    v128.store(a, s0);
    let s16 = f32x4.sub(v128.load(s, 16), f32x4.mul(v0, v128.load(p0, 16)));
    s16 = f32x4.sub(s16, f32x4.mul(v1, v128.load(p1, 16)));
    v128.store(a, s16, 16);
    let s32 = f32x4.sub(v128.load(s, 32), f32x4.mul(v0, v128.load(p0, 32)));
    s32 = f32x4.sub(s32, f32x4.mul(v1, v128.load(p1, 32)));
    v128.store(a, s32, 32);
    let s48 = f32x4.sub(v128.load(s, 48), f32x4.mul(v0, v128.load(p0, 48)));
    s48 = f32x4.sub(s48, f32x4.mul(v1, v128.load(p1, 48)));
    v128.store(a, s48, 48);
    high = f32x4.pmax(high, f32x4.pmax(f32x4.pmax(s0, s16), f32x4.pmax(s32, s48)));
    low = f32x4.pmin(low, f32x4.pmin(f32x4.pmin(s0, s16), f32x4.pmin(s32, s48)));
  }
  for (; i + 16 <= end; i += 16) {
    let sum = f32x4.sub(v128.load(source + i), f32x4.mul(v0, v128.load(c0 + i)));
    sum = f32x4.sub(sum, f32x4.mul(v1, v128.load(c1 + i)));
    v128.store(alpha + i, sum);
    high = f32x4.pmax(high, sum);
    low = f32x4.pmin(low, sum);
  }
  let peak = peakOf(high, low);
  for (; i < end; i += 4) {
    const sum = load<f32>(source + i) - w0 * load<f32>(c0 + i) - w1 * load<f32>(c1 + i);
    store<f32>(alpha + i, sum);
    peak = max(peak, abs(sum));
  }
  return peak;
}

/** The largest magnitude, from the highest and the lowest values of four lanes: the magnitude of every value would cost more. */
function peakOf(high: v128, low: v128): f32 {
  let peaks = f32x4.pmax(high, f32x4.neg(low));
  peaks = f32x4.pmax(peaks, v128.shuffle<f32>(peaks, peaks, 2, 3, 0, 1));
  peaks = f32x4.pmax(peaks, v128.shuffle<f32>(peaks, peaks, 1, 0, 3, 2));
  return f32x4.extract_lane(peaks, 0);
}

/** The first index of the largest magnitude; −1 for no value. */
export function largest(values: usize, count: i32): i32 {
  let best: f32 = -1;
  let bestStrip = 0;
  for (let from = 0; from < count; from += strip) {
    const peak = peakIn(values, from, min(from + strip, count));
    if (peak > best) {
      best = peak;
      bestStrip = from;
    }
  }
  return firstOf(values, bestStrip, min(bestStrip + strip, count), best);
}

/** The largest magnitude in [from, to). */
function peakIn(values: usize, from: i32, to: i32): f32 {
  let high = f32x4.splat(0);
  let low = high;
  let i = (<usize>from) << 2;
  const end = (<usize>to) << 2;
  for (; i + 64 <= end; i += 64) {
    const at = values + i;
    const s0 = v128.load(at);
    const s16 = v128.load(at, 16);
    const s32 = v128.load(at, 32);
    const s48 = v128.load(at, 48);
    high = f32x4.pmax(high, f32x4.pmax(f32x4.pmax(s0, s16), f32x4.pmax(s32, s48)));
    low = f32x4.pmin(low, f32x4.pmin(f32x4.pmin(s0, s16), f32x4.pmin(s32, s48)));
  }
  let peak = peakOf(high, low);
  for (; i < end; i += 4) peak = max(peak, abs(load<f32>(values + i)));
  return peak;
}
