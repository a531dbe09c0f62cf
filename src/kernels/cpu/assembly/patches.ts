/**
 * Windows of packed signals as columns.
 *
 * args: samples, starts (u32 an example: index of the first sample in the pack),
 *       layouts (u32 an example: offset of its window's line offsets), lines (u32
 *       offsets of the lines of a window from its first sample), number of lines,
 *       samples of a line, Y, means (0: keep them).
 */
export function extract(from: i32, to: i32, _scratch: usize, args: usize): void {
  const samples = load<usize>(args);
  const lines = load<i32>(args, 16);
  const length = load<i32>(args, 20);
  const n = lines * length;
  const means = load<usize>(args, 28);
  for (let i = from; i < to; i++) {
    const example = (<usize>i) << 2;
    const start = samples + ((<usize>load<u32>(load<usize>(args, 4) + example)) << 2);
    const layout = load<usize>(args, 12) + ((<usize>load<u32>(load<usize>(args, 8) + example)) << 2);
    const y = load<usize>(args, 24) + ((<usize>i * <usize>n) << 2);
    for (let l = 0; l < lines; l++) {
      const line = start + ((<usize>load<u32>(layout + ((<usize>l) << 2))) << 2);
      memory.copy(y + ((<usize>(l * length)) << 2), line, (<usize>length) << 2);
    }
    if (means !== 0) store<f32>(means + example, removeMean(y, n));
  }
}

/** Subtract the mean of n samples, and return it. */
function removeMean(y: usize, n: i32): f32 {
  let sum: f64 = 0;
  const end = y + ((<usize>n) << 2);
  for (let at = y; at < end; at += 4) sum += <f64>load<f32>(at);
  const mean = <f32>(sum / <f64>n);
  for (let at = y; at < end; at += 4) store<f32>(at, load<f32>(at) - mean);
  return mean;
}
