/** Windows of signals as columns, and columns added to the windows of a signal. */

import { sampleBlock } from "./constants";

@unmanaged
class ExtractArguments {
  samples: usize;
  /** The first sample of each example, u32. */
  starts: usize;
  /** Where in `offsets` the lines of each example's window stand, u32. */
  layouts: usize;
  /** The lines of windows: offsets from the first sample, u32. */
  offsets: usize;
  /** Lines of a window, and samples of a line. */
  lines: i32;
  length: i32;
  Y: usize;
  /** 0 to keep them in Y. */
  means: usize;
}

/** Column i of Y ← window i. Items are examples. */
export function extract(from: i32, to: i32, _scratch: usize, args: ExtractArguments): void {
  const lines = args.lines;
  const length = args.length;
  const n = lines * length;
  const means = args.means;
  for (let i = from; i < to; i++) {
    const example = (<usize>i) << 2;
    const start = args.samples + ((<usize>load<u32>(args.starts + example)) << 2);
    const layout = args.offsets + ((<usize>load<u32>(args.layouts + example)) << 2);
    const y = args.Y + ((<usize>i * <usize>n) << 2);
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

@unmanaged
class AddWindowsArguments {
  /** The first sample of each example, u32. */
  starts: usize;
  examples: i32;
  /** The lines of a window: offsets from its first sample, u32. */
  offsets: usize;
  /** Lines of a window, and samples of a line. */
  lines: i32;
  length: i32;
  Y: usize;
  /** 0 for none. */
  means: usize;
  sum: usize;
  /** The first sample of block 0, and the one after the last of all. */
  begin: i32;
  end: i32;
}

/**
 * Adds the columns of Y to the samples of their windows. An item is a block of samples, which adds
 * its part of every window in the order of the windows, so that each sum has one order.
 */
export function addWindows(from: i32, to: i32, _scratch: usize, args: AddWindowsArguments): void {
  const starts = args.starts;
  const offsets = args.offsets;
  const lines = args.lines;
  const length = args.length;
  const means = args.means;
  const sum = args.sum;
  const reach = load<i32>(offsets + ((<usize>(lines - 1)) << 2)) + length;
  const begin = args.begin + from * sampleBlock;
  const end = min(args.begin + to * sampleBlock, args.end);
  for (let i = 0; i < args.examples; i++) {
    const example = (<usize>i) << 2;
    const start = load<i32>(starts + example);
    if (start >= end || start + reach <= begin) continue;
    const mean: f32 = means !== 0 ? load<f32>(means + example) : 0;
    const y = args.Y + ((<usize>i * <usize>(lines * length)) << 2);
    for (let l = 0; l < lines; l++) {
      const line = start + load<i32>(offsets + ((<usize>l) << 2));
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
