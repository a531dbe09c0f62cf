/**
 * Windows of packed signals as columns, and columns added up as windows of a signal.
 */

/** Samples that one item of `addWindows` adds up: as in ../index.ts. */
const block = 4096;

/**
 * Column i of Y ← window i.
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
      copyLine(line, (<usize>length) << 2, y + ((<usize>(l * length)) << 2));
    }
    if (means !== 0) store<f32>(means + example, removeMean(y, n));
  }
}

/** A few samples: too few for `memory.copy`, which is a call out of WebAssembly. */
function copyLine(from: usize, bytes: usize, to: usize): void {
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) v128.store(to + i, v128.load(from + i));
  for (; i < bytes; i += 4) store<f32>(to + i, load<f32>(from + i));
}

/** Subtract the mean of n samples, and return it. */
function removeMean(y: usize, n: i32): f32 {
  const whole = y + ((<usize>(n & ~3)) << 2);
  const end = y + ((<usize>n) << 2);
  let low = f64x2.splat(0);
  let high = low;
  let at = y;
  for (; at < whole; at += 16) {
    const v = v128.load(at);
    low = f64x2.add(low, f64x2.promote_low_f32x4(v));
    high = f64x2.add(high, f64x2.promote_low_f32x4(v128.shuffle<f32>(v, v, 2, 3, 2, 3)));
  }
  const sums = f64x2.add(low, high);
  let sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  for (; at < end; at += 4) sum += <f64>load<f32>(at);
  const mean = <f32>(sum / <f64>n);
  const means = f32x4.splat(mean);
  for (at = y; at < whole; at += 16) v128.store(at, f32x4.sub(v128.load(at), means));
  for (; at < end; at += 4) store<f32>(at, load<f32>(at) - mean);
  return mean;
}

/**
 * Columns of Y added to the samples of their windows. An item is a block of samples, which takes
 * its part of every window in the order of the windows: each sum has one order.
 *
 * args: starts (u32 an example), examples, lines (u32 offsets of the lines of a window from its
 *       first sample), number of lines, samples of a line, Y, means (0: none), sum, the first
 *       sample of block 0, the sample after the last.
 */
export function addWindows(from: i32, to: i32, _scratch: usize, args: usize): void {
  const starts = load<usize>(args);
  const examples = load<i32>(args, 4);
  const lines = load<usize>(args, 8);
  const count = load<i32>(args, 12);
  const length = load<i32>(args, 16);
  const means = load<usize>(args, 24);
  const sum = load<usize>(args, 28);
  const reach = load<i32>(lines + ((<usize>(count - 1)) << 2)) + length;
  const begin = load<i32>(args, 32) + from * block;
  const end = min(load<i32>(args, 32) + to * block, load<i32>(args, 36));
  for (let i = 0; i < examples; i++) {
    const example = (<usize>i) << 2;
    const start = load<i32>(starts + example);
    if (start >= end || start + reach <= begin) continue;
    const mean: f32 = means !== 0 ? load<f32>(means + example) : 0;
    const y = load<usize>(args, 20) + ((<usize>i * <usize>(count * length)) << 2);
    for (let l = 0; l < count; l++) {
      const line = start + load<i32>(lines + ((<usize>l) << 2));
      const first = max(line, begin);
      const last = min(line + length, end);
      if (first >= last) continue;
      const source = y + ((<usize>(l * length + first - line)) << 2);
      addLine(source, (<usize>(last - first)) << 2, mean, sum + ((<usize>first) << 2));
    }
  }
}

/** to ← to + from + mean. */
function addLine(from: usize, bytes: usize, mean: f32, to: usize): void {
  const means = f32x4.splat(mean);
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16)
    v128.store(to + i, f32x4.add(v128.load(to + i), f32x4.add(v128.load(from + i), means)));
  for (; i < bytes; i += 4) store<f32>(to + i, load<f32>(to + i) + (load<f32>(from + i) + mean));
}
