/**
 * The dictionary update: gradient, momentum and P_k.
 */

import { energyOf, weightedSum } from "./sums";

/**
 * Columns [from, to) of grad ← −W X_Sᵀ. Row lists of X, made by rowLists.ts: the
 * examples that use atom j and their coefficients stand from starts[j] to starts[j + 1].
 * args: W, L, members, starts, examples, coefficients, grad, energies of the columns (f64, 0: none).
 */
export function gradient(from: i32, to: i32, scratch: usize, args: usize): void {
  const W = load<usize>(args);
  const bytes = (<usize>load<i32>(args, 4)) << 2;
  const members = load<usize>(args, 8);
  const starts = load<usize>(args, 12);
  const examples = load<usize>(args, 16);
  const coefficients = load<usize>(args, 20);
  const grad = load<usize>(args, 24);
  const energies = load<usize>(args, 28);
  for (let s = from; s < to; s++) {
    const atom = <usize>load<u32>(members + ((<usize>s) << 2));
    const first = load<i32>(starts + (atom << 2));
    const count = load<i32>(starts + (atom << 2), 4) - first;
    for (let e = 0; e < count; e++) {
      const example = <usize>load<u32>(examples + ((<usize>(first + e)) << 2));
      store<usize>(scratch + ((<usize>e) << 2), W + example * bytes);
    }
    const column = grad + <usize>s * bytes;
    weightedSum(column, bytes, scratch, coefficients + ((<usize>first) << 2), count, -1);
    if (energies !== 0) store<f64>(energies + ((<usize>s) << 3), energyOf(column, <i32>(bytes >> 2)));
  }
}

/** U_S ← γ U_S + η g. args: γ (f32), η (f32), grad, L, members, U. */
export function momentum(from: i32, to: i32, _scratch: usize, args: usize): void {
  const gamma = load<f32>(args);
  const eta = load<f32>(args, 4);
  const bytes = (<usize>load<i32>(args, 12)) << 2;
  const vGamma = f32x4.splat(gamma);
  const vEta = f32x4.splat(eta);
  for (let s = from; s < to; s++) {
    const g = load<usize>(args, 8) + <usize>s * bytes;
    const u = load<usize>(args, 20) + <usize>load<u32>(load<usize>(args, 16) + ((<usize>s) << 2)) * bytes;
    let i: usize = 0;
    for (; i + 16 <= bytes; i += 16) {
      v128.store(u + i, f32x4.add(f32x4.mul(vGamma, v128.load(u + i)), f32x4.mul(vEta, v128.load(g + i))));
    }
    for (; i < bytes; i += 4) store<f32>(u + i, gamma * load<f32>(u + i) + eta * load<f32>(g + i));
  }
}

/**
 * A_S ← P_k[A_S − U_S], with U_S ← γ U_S + η g on the way where there is a gradient.
 * args: k, L, U, members, A (indices, values, counts, width), grad (0: none), γ (f32), η (f32).
 * scratch: the moved column (L f32), then twice L words for the selection.
 */
export function moveAtoms(from: i32, to: i32, scratch: usize, args: usize): void {
  const k = load<i32>(args);
  const L = load<i32>(args, 4);
  const U = load<usize>(args, 8);
  const members = load<usize>(args, 12);
  const width = load<i32>(args, 28);
  const grad = load<usize>(args, 32);
  const gamma = load<f32>(args, 36);
  const eta = load<f32>(args, 40);
  const column = scratch;
  const rest = scratch + ((<usize>L) << 2);
  for (let s = from; s < to; s++) {
    const atom = <usize>load<u32>(members + ((<usize>s) << 2));
    const start = (atom * <usize>width) << 2;
    const indices = load<usize>(args, 16) + start;
    const values = load<usize>(args, 20) + start;
    const counts = load<usize>(args, 24) + (atom << 2);
    const u = U + ((atom * <usize>L) << 2);
    if (grad !== 0) stepColumn(u, grad + ((<usize>s * <usize>L) << 2), L, gamma, eta, column);
    else negate(u, L, column);
    addEntries(u, indices, values, load<i32>(counts), column);
    store<i32>(counts, keepLargest(column, L, k, width, indices, values, rest));
  }
}

/** column ← −u. */
function negate(u: usize, L: i32, column: usize): void {
  const bytes = (<usize>L) << 2;
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) v128.store(column + i, f32x4.neg(v128.load(u + i)));
  for (; i < bytes; i += 4) store<f32>(column + i, -load<f32>(u + i));
}

/** u ← γu + ηg, and column ← −u. */
function stepColumn(u: usize, g: usize, L: i32, gamma: f32, eta: f32, column: usize): void {
  const bytes = (<usize>L) << 2;
  const vGamma = f32x4.splat(gamma);
  const vEta = f32x4.splat(eta);
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) {
    const next = f32x4.add(f32x4.mul(vGamma, v128.load(u + i)), f32x4.mul(vEta, v128.load(g + i)));
    v128.store(u + i, next);
    v128.store(column + i, f32x4.neg(next));
  }
  for (; i < bytes; i += 4) {
    const next = gamma * load<f32>(u + i) + eta * load<f32>(g + i);
    store<f32>(u + i, next);
    store<f32>(column + i, -next);
  }
}

/** column ← a − u where a has entries. */
function addEntries(u: usize, indices: usize, values: usize, count: i32, column: usize): void {
  for (let e = 0; e < count; e++) {
    const at = (<usize>load<u32>(indices + ((<usize>e) << 2))) << 2;
    store<f32>(column + at, load<f32>(values + ((<usize>e) << 2)) - load<f32>(u + at));
  }
}

/**
 * The k largest magnitudes of a column as sparse entries, ascending rows; how many there are.
 *
 * The magnitudes are dealt out to groups; the k-th largest of the groups' maxima is
 * at most the k-th largest of all, and few others reach it: selection looks at those.
 * `rest` has room for their rows, and for their magnitudes.
 */
function keepLargest(
  column: usize,
  L: i32,
  k: i32,
  width: i32,
  indices: usize,
  values: usize,
  rest: usize,
): i32 {
  const rows = rest;
  const bits = rest + ((<usize>L) << 2);
  const count = collect(column, L, boundOf(column, L, k, bits), rows);
  let threshold: u32 = 0;
  let equal = count; // how many at the threshold itself still fit
  if (count > k) {
    for (let c: usize = 0; c < (<usize>count) << 2; c += 4)
      store<u32>(bits + c, magnitude(column, load<i32>(rows + c)));
    threshold = select(bits, count, k);
    equal = k - above(bits, count, threshold);
  }
  let kept: usize = 0;
  for (let c: usize = 0; c < (<usize>count) << 2; c += 4) {
    const row = load<i32>(rows + c);
    const size = magnitude(column, row);
    if (size < threshold || (size === threshold && equal-- <= 0)) continue;
    store<u32>(indices + kept, <u32>row);
    store<u32>(values + kept, load<u32>(column + ((<usize>row) << 2)));
    kept += 4;
  }
  for (let s = kept; s < (<usize>width) << 2; s += 4) {
    store<u32>(indices + s, 0);
    store<f32>(values + s, 0);
  }
  return <i32>(kept >> 2);
}

/** The bits of |value|, which are ordered as the magnitudes are. */
function magnitude(column: usize, l: i32): u32 {
  return load<u32>(column + ((<usize>l) << 2)) & 0x7fffffff;
}

/** The bits of a magnitude that the k-th largest reaches; 0 where all are kept. */
function boundOf(column: usize, L: i32, k: i32, maxima: usize): u32 {
  let groups = 4;
  while (groups < 2 * k && groups * 4 <= L) groups *= 2;
  return k < L && groups >= k && groups <= L ? lowerBound(column, L, k, groups, maxima) : 0;
}

/** The k-th largest of the maxima of groups: magnitude l is in group l modulo their number, a multiple of 4. */
function lowerBound(column: usize, L: i32, k: i32, groups: i32, maxima: usize): u32 {
  const size = (<usize>groups) << 2;
  const whole = (<usize>(L & ~3)) << 2;
  for (let g: usize = 0; g < size; g += 16) {
    let peaks = f32x4.abs(v128.load(column + g));
    for (let l = g + size; l < whole; l += size) peaks = f32x4.pmax(peaks, f32x4.abs(v128.load(column + l)));
    v128.store(maxima + g, peaks);
  }
  for (let l = L & ~3; l < L; l++) {
    const group = maxima + ((<usize>(l % groups)) << 2);
    store<u32>(group, max(load<u32>(group), magnitude(column, l)));
  }
  return select(maxima, groups, k);
}

/** The rows of all magnitudes that reach a bound and are not zero, ascending; how many there are. */
function collect(column: usize, L: i32, bound: u32, to: usize): i32 {
  const least = max(bound, 1);
  const wanted = i32x4.splat(least);
  const bits = i32x4.splat(0x7fffffff);
  const whole = L & ~15;
  let count: usize = 0;
  let l = 0;
  for (; l < whole; l += 16) {
    // most magnitudes go: pass over sixteen at a time
    const at = column + ((<usize>l) << 2);
    const m0 = i32x4.ge_s(v128.and(v128.load(at), bits), wanted);
    const m1 = i32x4.ge_s(v128.and(v128.load(at, 16), bits), wanted);
    const m2 = i32x4.ge_s(v128.and(v128.load(at, 32), bits), wanted);
    const m3 = i32x4.ge_s(v128.and(v128.load(at, 48), bits), wanted);
    let mask = i8x16.bitmask(
      i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(m0, m1), i16x8.narrow_i32x4_s(m2, m3)),
    );
    while (mask !== 0) {
      store<i32>(to + count, l + ctz(mask));
      count += 4;
      mask &= mask - 1;
    }
  }
  for (; l < L; l++) {
    if (magnitude(column, l) < least) continue;
    store<i32>(to + count, l);
    count += 4;
  }
  return <i32>(count >> 2);
}

/** How many of u32 values are above a threshold. */
function above(values: usize, count: i32, threshold: u32): i32 {
  let found = 0;
  for (let c: usize = 0; c < (<usize>count) << 2; c += 4) if (load<u32>(values + c) > threshold) found++;
  return found;
}

/** The k-th largest of u32 values, which are rearranged (quickselect with a middle pivot). */
function select(values: usize, count: i32, k: i32): u32 {
  let low = 0;
  let high = count - 1;
  const target = k - 1;
  while (low < high) {
    const pivot = load<u32>(values + ((<usize>((low + high) >> 1)) << 2));
    let i = low;
    let j = high;
    while (i <= j) {
      while (load<u32>(values + ((<usize>i) << 2)) > pivot) i++;
      while (load<u32>(values + ((<usize>j) << 2)) < pivot) j--;
      if (i <= j) {
        const a = values + ((<usize>i) << 2);
        const b = values + ((<usize>j) << 2);
        const swap = load<u32>(a);
        store<u32>(a, load<u32>(b));
        store<u32>(b, swap);
        i++;
        j--;
      }
    }
    if (target <= j) high = j;
    else if (target >= i) low = i;
    else break;
  }
  return load<u32>(values + ((<usize>target) << 2));
}
