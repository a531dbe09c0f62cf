/**
 * Batch-OMP: see reference/omp.ts for the algorithm. One example at a time; nearly
 * all the work is in correlations.ts, or in rounded.ts if a pursuit is long.
 *
 * The small triangular systems are in f64: they cost little, and f32 would lose
 * several digits with the coherent atoms of wavelets.
 *
 *     factor   C, lower triangular, row r from r·p, f64
 *     z        C⁻¹ P_I, one entry more per turn: ‖r‖² = ‖y‖² − ‖z‖²
 *     x        C⁻ᵀ z
 */

import { correlations, largest } from "./correlations";
import { nextAtom, startRounded } from "./rounded";
import { Sparse } from "./structs";

@unmanaged
class BatchOmpArguments {
  G: usize;
  P: usize;
  energies: usize;
  m: i32;
  /** The most atoms of a code. */
  p: i32;
  X: Sparse;
  /** 0 for none. */
  path: usize;
  /** ε²; 0 for no such limit. */
  residualEnergy: f64;
  /** The floors of the contract. */
  pursuitFloor: f32;
  dependenceFloor: f64;
  /** Columns that rounded.ts may keep; 0 if it is not used. */
  kept: i32;
}

/**
 * X ← the codes of the columns of P. Items are examples.
 * Scratch: α (m), columns (p), weights (p), padded; then f64: C (p²), w, z, x (p each); then that of rounded.ts.
 */
export function batchOmp(from: i32, to: i32, scratch: usize, args: BatchOmpArguments): void {
  const m = args.m;
  const p = args.p;
  const width = args.X.width;
  for (let i = from; i < to; i++) {
    const P = args.P + ((<usize>i * <usize>m) << 2);
    const energy = <f64>load<f32>(args.energies + ((<usize>i) << 2));
    const slot = (<usize>i * <usize>width) << 2;
    const indices = args.X.indices + slot;
    const values = args.X.values + slot;
    const path: usize = args.path === 0 ? 0 : args.path + ((<usize>i * <usize>p) << 2);
    const taken = pursue(args, P, energy, scratch, indices, values, path);
    if (path !== 0) {
      const left = taken > 0 ? load<f32>(path + ((<usize>(taken - 1)) << 2)) : <f32>energy;
      for (let t = taken; t < p; t++) store<f32>(path + ((<usize>t) << 2), left);
    }
    for (let s = taken; s < width; s++) {
      store<u32>(indices + ((<usize>s) << 2), 0);
      store<f32>(values + ((<usize>s) << 2), 0);
    }
    store<i32>(args.X.counts + ((<usize>i) << 2), taken);
  }
}

/** One example; how many atoms it took. */
function pursue(
  args: BatchOmpArguments,
  P: usize,
  energy: f64,
  scratch: usize,
  indices: usize,
  values: usize,
  path: usize,
): i32 {
  const G = args.G;
  const m = args.m;
  const p = args.p;
  const limit = args.residualEnergy;
  const capacity = args.kept;
  const alpha = scratch;
  const columns = alpha + ((<usize>((m + 3) & ~3)) << 2);
  const weights = columns + ((<usize>((p + 3) & ~3)) << 2);
  const factor = (weights + ((<usize>((p + 3) & ~3)) << 2) + 15) & ~15;
  const w = factor + ((<usize>p * <usize>p) << 3);
  const z = w + ((<usize>p) << 3);
  const x = z + ((<usize>p) << 3);
  let best = largest(P, m);
  if (best < 0) return 0;
  const height = abs(load<f32>(P + ((<usize>best) << 2)));
  const floor = args.pursuitFloor * height;
  if (!(height > floor)) return 0;
  const rounded = (x + ((<usize>p) << 3) + 63) & ~63;
  if (capacity > 0) startRounded(rounded, G, P, m, indices, capacity, height);
  const bounded = limit > 0;
  let left = energy;
  let taken = 0;
  while (best >= 0 && taken < p && (bounded ? left > limit : energy > 0)) {
    const column = G + ((<usize>best * <usize>m) << 2);
    const pivot = extend(column, best, indices, taken, p, factor, w, args.dependenceFloor);
    if (pivot <= 0) break;
    store<u32>(indices + ((<usize>taken) << 2), <u32>best);
    store<usize>(columns + ((<usize>taken) << 2), column);
    const entry = (<f64>load<f32>(P + ((<usize>best) << 2)) - dot(w, z, taken)) / pivot;
    store<f64>(z + ((<usize>taken) << 3), entry);
    left -= entry * entry;
    if (path !== 0) store<f32>(path + ((<usize>taken) << 2), <f32>max(left, 0));
    taken++;
    if (taken === p || (bounded && !(left > limit))) break; // no further turn: the correlations are not needed
    solveTransposed(factor, p, z, x, taken);
    for (let t = 0; t < taken; t++)
      store<f32>(weights + ((<usize>t) << 2), <f32>load<f64>(x + ((<usize>t) << 3)));
    best =
      capacity > 0
        ? nextAtom(rounded, columns, weights, x, taken, entry, floor)
        : correlations(P, alpha, m, columns, weights, taken, floor);
  }
  solveTransposed(factor, p, z, x, taken);
  for (let t = 0; t < taken; t++)
    store<f32>(values + ((<usize>t) << 2), <f32>load<f64>(x + ((<usize>t) << 3)));
  return taken;
}

/** Extend C by the row (w, pivot) of an atom; the pivot, or 0 if the atom depends on those taken. */
function extend(
  column: usize,
  atom: i32,
  indices: usize,
  taken: i32,
  p: i32,
  factor: usize,
  w: usize,
  floor: f64,
): f64 {
  let distance = <f64>load<f32>(column + ((<usize>atom) << 2));
  for (let t = 0; t < taken; t++) {
    // all at once, since each may be far away in memory
    const other = (<usize>load<u32>(indices + ((<usize>t) << 2))) << 2;
    store<f64>(w + ((<usize>t) << 3), <f64>load<f32>(column + other));
  }
  for (let t = 0; t < taken; t++) {
    const row = factor + ((<usize>t * <usize>p) << 3);
    const entry = (load<f64>(w + ((<usize>t) << 3)) - dot(row, w, t)) / load<f64>(row + ((<usize>t) << 3));
    store<f64>(w + ((<usize>t) << 3), entry);
    distance -= entry * entry;
  }
  if (!(distance > floor)) return 0;
  const pivot = sqrt(distance);
  const row = factor + ((<usize>taken * <usize>p) << 3);
  memory.copy(row, w, (<usize>taken) << 3);
  store<f64>(row + ((<usize>taken) << 3), pivot);
  return pivot;
}

function dot(a: usize, b: usize, count: i32): f64 {
  let sum = f64x2.splat(0);
  const whole = (<usize>(count & ~1)) << 3;
  for (let i: usize = 0; i < whole; i += 16)
    sum = f64x2.add(sum, f64x2.mul(v128.load(a + i), v128.load(b + i)));
  let result = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  if (count & 1) result += load<f64>(a + whole) * load<f64>(b + whole);
  return result;
}

/** x ← C⁻ᵀ z, by rows of C: each solved entry is eliminated from those before it. */
function solveTransposed(factor: usize, p: i32, z: usize, x: usize, count: i32): void {
  memory.copy(x, z, (<usize>count) << 3);
  for (let t = count - 1; t >= 0; t--) {
    const row = factor + ((<usize>t * <usize>p) << 3);
    const value = load<f64>(x + ((<usize>t) << 3)) / load<f64>(row + ((<usize>t) << 3));
    store<f64>(x + ((<usize>t) << 3), value);
    const v = f64x2.splat(value);
    const whole = (<usize>(t & ~1)) << 3;
    for (let i: usize = 0; i < whole; i += 16) {
      v128.store(x + i, f64x2.sub(v128.load(x + i), f64x2.mul(v, v128.load(row + i))));
    }
    if (t & 1) store<f64>(x + whole, load<f64>(x + whole) - value * load<f64>(row + whole));
  }
}
