/**
 * ‖Φ grad X_S‖² of blocks of sixteen examples, for the step size (13): the columns
 * of grad X_S, their transform and its energy, all while they are in the nearest cache.
 */

import { interleave, lanes, rowBytes } from "./lanes";
import { energyOf, weightedSum } from "./sums";
import { runPlan } from "./transform";

/**
 * partial[b] (f64) ← the energy of block b.
 * args: plan of Φ, grad, L, places (i32 an atom, −1 outside S), X (indices, values, counts, width), columns, n, partial.
 * scratch: sixteen columns of L, three blocks of the plan, then addresses and weights of a sum.
 */
export function movedEnergies(from: i32, to: i32, scratch: usize, args: usize): void {
  const plan = load<usize>(args);
  const L = load<i32>(args, 8);
  const bytes = (<usize>L) << 2;
  const columns = load<i32>(args, 32);
  const n = load<i32>(args, 36);
  const size = <usize>load<i32>(plan, 4) * rowBytes;
  const blocks = scratch + <usize>lanes * bytes;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, columns - first);
    for (let e = 0; e < count; e++) moveOne(first + e, scratch + <usize>e * bytes, blocks + 3 * size, args);
    interleave(scratch, bytes, L, count, blocks);
    const result = runPlan(plan, blocks, blocks + size, blocks + 2 * size);
    store<f64>(load<usize>(args, 40) + ((<usize>block) << 3), energyOf(result, n * lanes));
  }
}

/** column ← grad x of example i. */
function moveOne(i: i32, column: usize, lists: usize, args: usize): void {
  const grad = load<usize>(args, 4);
  const bytes = (<usize>load<i32>(args, 8)) << 2;
  const places = load<usize>(args, 12);
  const width = load<i32>(args, 28);
  const start = (<usize>i * <usize>width) << 2;
  const weights = lists + ((<usize>width) << 2);
  const end = start + ((<usize>load<i32>(load<usize>(args, 24) + ((<usize>i) << 2))) << 2);
  let used = 0;
  for (let s = start; s < end; s += 4) {
    const atom = load<u32>(load<usize>(args, 16) + s);
    const place = load<i32>(places + ((<usize>atom) << 2));
    if (place < 0) continue;
    store<usize>(lists + ((<usize>used) << 2), grad + <usize>place * bytes);
    store<f32>(weights + ((<usize>used) << 2), load<f32>(load<usize>(args, 20) + s));
    used++;
  }
  weightedSum(column, bytes, lists, weights, used, 1);
}
