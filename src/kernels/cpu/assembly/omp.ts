/**
 * Batch-OMP: see reference/omp.ts for the algorithm. One example at a time; nearly
 * all the work is in correlations.ts, or in rounded.ts if a pursuit is long. OLS is in ols.ts and, if a pursuit is
 * long, in roundedOls.ts.
 *
 *     factor   C, lower triangular, with inverse pivots (triangular.ts), f64
 *     z        C⁻¹ P_I, one entry more per turn: ‖r‖² = ‖y‖² − ‖z‖²
 *     x        C⁻ᵀ z
 */

import { correlations, largest } from "./correlations";
import { chooseNear, nameRows, ownArguments, pursuitScratch } from "./near";
import { pursueOls } from "./ols";
import { nextAtom, startRounded } from "./rounded";
import { gaveUp, pursueRoundedOls } from "./roundedOls";
import { columnOf, PursuitArguments } from "./structs";
import { dot, extend, solveTransposed } from "./triangular";

/**
 * X ← the codes of the columns of P, over all atoms or a few of each example (near.ts). Items are examples.
 * Scratch of OMP: α (m), columns (p), weights (p), padded; then f64: C (p²), w, z, x (p each); then that of rounded.ts.
 */
export function batchOmp(from: i32, to: i32, scratch: usize, args: PursuitArguments): void {
  const p = args.p;
  const width = args.X.width;
  const isNear = args.choices > 0;
  const own = isNear ? ownArguments(args, scratch) : args;
  const work = isNear ? pursuitScratch(own) : scratch;
  for (let i = from; i < to; i++) {
    if (isNear) chooseNear(own, args, i);
    const P = isNear ? own.P : args.P + ((<usize>i * <usize>args.m) << 2);
    const energy = <f64>load<f32>(args.energies + ((<usize>i) << 2));
    const slot = (<usize>i * <usize>width) << 2;
    const indices = args.X.indices + slot;
    const values = args.X.values + slot;
    const path: usize = args.path === 0 ? 0 : args.path + ((<usize>i * <usize>p) << 2);
    const taken = args.isOls
      ? pursueByLeastSquares(own, P, energy, work, indices, values, path)
      : pursue(own, P, energy, work, indices, values, path);
    if (isNear) nameRows(own, indices, taken);
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

/** OLS of one example, from rounded columns where they are kept; how many atoms it took. */
function pursueByLeastSquares(
  args: PursuitArguments,
  P: usize,
  energy: f64,
  scratch: usize,
  indices: usize,
  values: usize,
  path: usize,
): i32 {
  if (args.kept > 0) {
    const taken = pursueRoundedOls(args, P, energy, scratch, indices, values, path);
    if (taken !== gaveUp) return taken;
  }
  return pursueOls(args, P, energy, scratch, indices, values, path);
}

/** One example; how many atoms it took. */
function pursue(
  args: PursuitArguments,
  P: usize,
  energy: f64,
  scratch: usize,
  indices: usize,
  values: usize,
  path: usize,
): i32 {
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
  if (capacity > 0) startRounded(rounded, args.G, P, m, indices, capacity, height);
  const bounded = limit > 0;
  let left = energy;
  let taken = 0;
  while (best >= 0 && taken < p && (bounded ? left > limit : energy > 0)) {
    const column = columnOf(args, best, taken);
    const inverse = extend(column, best, indices, taken, p, factor, w, args.dependenceFloor);
    if (inverse <= 0) break;
    store<u32>(indices + ((<usize>taken) << 2), <u32>best);
    store<usize>(columns + ((<usize>taken) << 2), column);
    const entry = (<f64>load<f32>(P + ((<usize>best) << 2)) - dot(w, z, taken)) * inverse;
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
