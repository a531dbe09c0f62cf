/**
 * The update of A: the gradient, the energy ‖Φ grad X_S‖² of the step size (13), momentum and P_k.
 */

import { lanes } from "./constants";
import { blockBytes, runPlan } from "./project";
import { Base, Sparse } from "./structs";
import { energyOf, interleave, listSum, weightedSum } from "./sums";

@unmanaged
class GradientArguments {
  W: usize;
  L: i32;
  members: usize;
  X: Sparse;
  /** The slots of X that hold coefficients of atom j stand from starts[j] to starts[j + 1]. */
  starts: usize;
  slots: usize;
  grad: usize;
  /** Rows of an item; L if there are energies. */
  share: i32;
  /** ‖∇‖² of each column, f64; 0 for none. */
  energies: usize;
}

/**
 * Columns of grad ← −W X_Sᵀ. Items are some rows of a member of S: where S is small, several threads share a column.
 * Scratch: that of `listSum`.
 */
export function gradient(from: i32, to: i32, scratch: usize, args: GradientArguments): void {
  const step = (<usize>args.L) << 2;
  const energies = args.energies;
  const shares = (args.L + args.share - 1) / args.share;
  for (let item = from; item < to; item++) {
    const s = item / shares;
    const row = (item % shares) * args.share;
    const bytes = (<usize>min(args.share, args.L - row)) << 2;
    const atom = (<usize>load<u32>(args.members + ((<usize>s) << 2))) << 2;
    const first = load<i32>(args.starts + atom);
    const count = load<i32>(args.starts + atom, 4) - first;
    const slots = args.slots + ((<usize>first) << 2);
    const at = (<usize>row) << 2;
    const column = args.grad + <usize>s * step + at;
    listSum(column, bytes, args.W + at, step, args.X, slots, count, -1, scratch);
    if (energies !== 0) store<f64>(energies + ((<usize>s) << 3), energyOf(column, args.L));
  }
}

@unmanaged
class MovedEnergiesArguments {
  base: Base;
  grad: usize;
  /** The column of grad of each atom, i32; −1 outside S. */
  places: usize;
  X: Sparse;
  columns: i32;
  /** f64 of each block. */
  partial: usize;
}

/**
 * partial[b] ← ‖Φ grad X_S‖² over block b: the columns of grad X_S, their transform and its energy,
 * all while they are in the nearest cache. Items are blocks of sixteen examples.
 * Scratch: sixteen columns of L, three blocks of the plan, then addresses and weights of a sum.
 */
export function movedEnergies(from: i32, to: i32, scratch: usize, args: MovedEnergiesArguments): void {
  const plan = args.base.synthesis;
  const L = args.base.cols;
  const bytes = (<usize>L) << 2;
  const size = blockBytes(plan);
  const blocks = scratch + <usize>lanes * bytes;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, args.columns - first);
    for (let e = 0; e < count; e++)
      moveExample(first + e, scratch + <usize>e * bytes, blocks + 3 * size, args);
    interleave(scratch, bytes, L, count, blocks);
    const result = runPlan(plan, blocks, blocks + size, blocks + 2 * size);
    store<f64>(args.partial + ((<usize>block) << 3), energyOf(result, args.base.rows * lanes));
  }
}

/** column ← grad x of example i. */
function moveExample(i: i32, column: usize, lists: usize, args: MovedEnergiesArguments): void {
  const X = args.X;
  const bytes = (<usize>args.base.cols) << 2;
  const start = (<usize>i * <usize>X.width) << 2;
  const weights = lists + ((<usize>X.width) << 2);
  const end = start + ((<usize>load<i32>(X.counts + ((<usize>i) << 2))) << 2);
  let used = 0;
  for (let s = start; s < end; s += 4) {
    const atom = load<u32>(X.indices + s);
    const place = load<i32>(args.places + ((<usize>atom) << 2));
    if (place < 0) continue;
    store<usize>(lists + ((<usize>used) << 2), args.grad + <usize>place * bytes);
    store<f32>(weights + ((<usize>used) << 2), load<f32>(X.values + s));
    used++;
  }
  weightedSum(column, bytes, lists, weights, used, 1);
}

@unmanaged
class MoveAtomsArguments {
  k: i32;
  L: i32;
  U: usize;
  members: usize;
  A: Sparse;
  grad: usize;
  gamma: f32;
  eta: f32;
}

/**
 * U_S ← γ U_S + η g, and A_S ← P_k[A_S − U_S]. Items are members of S.
 * Scratch: the moved column (L f32), then twice L words for the selection.
 */
export function moveAtoms(from: i32, to: i32, scratch: usize, args: MoveAtomsArguments): void {
  const k = args.k;
  const L = args.L;
  const width = args.A.width;
  const column = scratch;
  const rest = scratch + ((<usize>L) << 2);
  for (let s = from; s < to; s++) {
    const atom = <usize>load<u32>(args.members + ((<usize>s) << 2));
    const start = (atom * <usize>width) << 2;
    const indices = args.A.indices + start;
    const values = args.A.values + start;
    const counts = args.A.counts + (atom << 2);
    const u = args.U + ((atom * <usize>L) << 2);
    stepColumn(u, args.grad + ((<usize>s * <usize>L) << 2), L, args.gamma, args.eta, column);
    addEntries(u, indices, values, load<i32>(counts), column);
    store<i32>(counts, keepLargest(column, L, k, width, indices, values, rest));
  }
}

@unmanaged
class ThresholdAtomsArguments {
  A: Sparse;
  first: i32;
  step: i32;
  mu: f32;
  L: i32;
  W: usize;
  C: Sparse;
}

/**
 * C ← P_k[A_I + μW]. Items are columns of C.
 * Scratch: the moved column (L f32), then twice L words for the selection.
 */
export function thresholdAtoms(from: i32, to: i32, scratch: usize, args: ThresholdAtomsArguments): void {
  const bytes = (<usize>args.L) << 2;
  const k = args.C.width;
  for (let j = from; j < to; j++) {
    const w = args.W + <usize>j * bytes;
    for (let l: usize = 0; l < bytes; l += 4) store<f32>(scratch + l, args.mu * load<f32>(w + l));
    const atom = <usize>(args.first + j * args.step);
    const start = (atom * <usize>args.A.width) << 2;
    const end = start + ((<usize>load<i32>(args.A.counts + (atom << 2))) << 2);
    for (let s = start; s < end; s += 4) {
      const at = scratch + ((<usize>load<u32>(args.A.indices + s)) << 2);
      store<f32>(at, load<f32>(at) + load<f32>(args.A.values + s));
    }
    const entries = (<usize>j * <usize>k) << 2;
    const rows = args.C.indices + entries;
    const kept = keepLargest(scratch, args.L, k, k, rows, args.C.values + entries, scratch + bytes);
    store<i32>(args.C.counts + ((<usize>j) << 2), kept);
  }
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

/** column ← a − u at the entries of a. */
function addEntries(u: usize, indices: usize, values: usize, count: i32, column: usize): void {
  for (let e = 0; e < count; e++) {
    const at = (<usize>load<u32>(indices + ((<usize>e) << 2))) << 2;
    store<f32>(column + at, load<f32>(values + ((<usize>e) << 2)) - load<f32>(u + at));
  }
}

/**
 * The k largest magnitudes of a column as sparse entries, ascending rows; how many there are.
 *
 * The magnitudes are divided into groups. The k-th largest of the groups' maxima is at most
 * the k-th largest of all, and few magnitudes reach it: only those are selected from.
 * `rest` has room for their rows and for their magnitudes.
 */
export function keepLargest(
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

/** The bits of a magnitude that the k-th largest reaches; 0 if all are kept. */
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
    // most magnitudes are too small: skip sixteen at a time
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
