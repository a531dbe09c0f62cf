/**
 * Norms and coherence: sums in f64, over blocks of a fixed size, so that results
 * do not depend on the number of threads.
 */

import { energyOf } from "./sums";

/** f32 of a block of `blockEnergies`. */
const block: i32 = 16384;

/** partial[b] (f64) ← ‖block b‖². args: values, count (u32), partial. */
export function blockEnergies(from: i32, to: i32, _scratch: usize, args: usize): void {
  const count = load<u32>(args, 4);
  for (let b = from; b < to; b++) {
    const first = <u32>b * <u32>block;
    const values = load<usize>(args) + ((<usize>first) << 2);
    store<f64>(
      load<usize>(args, 8) + ((<usize>b) << 3),
      energyOf(values, <i32>min(<u32>block, count - first)),
    );
  }
}

/** energies[i] ← ‖column i‖². args: matrix, rows, energies. */
export function columnEnergies(from: i32, to: i32, _scratch: usize, args: usize): void {
  const rows = load<i32>(args, 4);
  for (let i = from; i < to; i++) {
    const column = load<usize>(args) + ((<usize>i * <usize>rows) << 2);
    store<f32>(load<usize>(args, 8) + ((<usize>i) << 2), <f32>energyOf(column, rows));
  }
}

/** coherence[j] ← the largest |G[i, j]| with i < j. args: G, m, coherence. */
export function coherence(from: i32, to: i32, _scratch: usize, args: usize): void {
  const m = load<i32>(args, 4);
  for (let j = from; j < to; j++) {
    const column = load<usize>(args) + ((<usize>j * <usize>m) << 2);
    let peak: f32 = 0;
    for (let i = 0; i < j; i++) peak = max(peak, abs(load<f32>(column + ((<usize>i) << 2))));
    store<f32>(load<usize>(args, 8) + ((<usize>j) << 2), peak);
  }
}
