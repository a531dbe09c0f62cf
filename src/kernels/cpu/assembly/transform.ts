/**
 * Φᵀ and Φ on blocks of sixteen examples, one axis at a time.
 *
 * A plan (made by ../base.ts) lists, for each axis, pairs of outputs and the inputs that
 * either of them needs, with both weights: zeros of wavelets cost nothing.
 *
 *     plan    i32 stages, i32 rows of the largest array on the way, then the stages
 *     stage   i32 outer, inner, sizeIn, sizeOut, then the pairs of outputs
 *     pair    i32 entries, then the entries: u32 byte offset of the input row, f32 two weights
 */

import { lanes, rowBytes } from "./constants";
import { deinterleave, interleave } from "./lanes";

/** Run all stages from `source`, with two scratch blocks in turn. Returns the address of the result. */
export function runPlan(plan: usize, source: usize, one: usize, two: usize): usize {
  const stages = load<i32>(plan);
  let at = plan + 8;
  let from = source;
  let to = one;
  for (let s = 0; s < stages; s++) {
    at = runStage(at, from, to);
    from = to;
    to = to === one ? two : one;
  }
  return from;
}

/** One axis, line by line, so that inputs stay in the cache. Returns the address of the next stage. */
function runStage(stage: usize, source: usize, target: usize): usize {
  const outer = load<i32>(stage);
  const innerBytes = <usize>load<i32>(stage, 4) * rowBytes;
  const sizeIn = <usize>load<i32>(stage, 8);
  const sizeOut = load<i32>(stage, 12);
  let pair = stage + 16;
  for (let o: usize = 0; o < <usize>outer; o++) {
    const from = source + o * sizeIn * innerBytes;
    const to = target + o * <usize>sizeOut * innerBytes;
    for (let i: usize = 0; i < innerBytes; i += rowBytes)
      pair = sumLine(stage + 16, sizeOut, from + i, to + i, innerBytes);
  }
  return pair;
}

/** All outputs of one line along the axis. Returns the end of their lists. */
function sumLine(lists: usize, sizeOut: i32, from: usize, to: usize, step: usize): usize {
  let pair = lists;
  let output = to;
  for (let j = 0; j < sizeOut; j += 2) {
    const list = pair + 4;
    pair = list + <usize>load<i32>(pair) * 12;
    sumPair(list, pair, from, output, step, j + 1 < sizeOut);
    output += 2 * step;
  }
  return pair;
}

/** Two outputs of sixteen examples: Σ weight × input row. */
function sumPair(list: usize, end: usize, from: usize, to: usize, next: usize, both: bool): void {
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let b0 = a0;
  let b1 = a0;
  let b2 = a0;
  let b3 = a0;
  for (let entry = list; entry < end; entry += 12) {
    const row = from + <usize>load<u32>(entry);
    const v = v128.load32_splat(entry, 4);
    const w = v128.load32_splat(entry, 8);
    const x0 = v128.load(row);
    const x1 = v128.load(row, 16);
    const x2 = v128.load(row, 32);
    const x3 = v128.load(row, 48);
    a0 = f32x4.add(a0, f32x4.mul(v, x0));
    a1 = f32x4.add(a1, f32x4.mul(v, x1));
    a2 = f32x4.add(a2, f32x4.mul(v, x2));
    a3 = f32x4.add(a3, f32x4.mul(v, x3));
    b0 = f32x4.add(b0, f32x4.mul(w, x0));
    b1 = f32x4.add(b1, f32x4.mul(w, x1));
    b2 = f32x4.add(b2, f32x4.mul(w, x2));
    b3 = f32x4.add(b3, f32x4.mul(w, x3));
  }
  v128.store(to, a0);
  v128.store(to, a1, 16);
  v128.store(to, a2, 32);
  v128.store(to, a3, 48);
  if (!both) return;
  v128.store(to + next, b0);
  v128.store(to + next, b1, 16);
  v128.store(to + next, b2, 32);
  v128.store(to + next, b3, 48);
}

/** Bytes of the largest block that a plan makes on its way. */
export function blockBytes(plan: usize): usize {
  return <usize>load<i32>(plan, 4) * rowBytes;
}

@unmanaged
class TransformArguments {
  plan: usize;
  input: usize;
  rowsIn: i32;
  output: usize;
  rowsOut: i32;
  columns: i32;
}

/** output ← Φᵀ or Φ times the input, as the plan says. Items are blocks of sixteen columns. */
export function transform(from: i32, to: i32, scratch: usize, args: TransformArguments): void {
  const plan = args.plan;
  const rowsIn = args.rowsIn;
  const rowsOut = args.rowsOut;
  const size = blockBytes(plan);
  const stepIn = (<usize>rowsIn) << 2;
  const stepOut = (<usize>rowsOut) << 2;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, args.columns - first);
    interleave(args.input + <usize>first * stepIn, stepIn, rowsIn, count, scratch);
    const result = runPlan(plan, scratch, scratch + size, scratch + 2 * size);
    deinterleave(result, rowsOut, count, args.output + <usize>first * stepOut, stepOut);
  }
}
