/**
 * The sparse dictionary on blocks of sixteen examples: P = diag(s) Aᵀ Φᵀ Y, and
 * ΦAX with its residual.
 *
 * A column of A is read once per block, and each of its entries reads one cache
 * line, which holds that coefficient of all sixteen examples.
 */

import { lanes, panel, rowBytes } from "./constants";
import { Base, Sparse } from "./structs";
import { deinterleave, interleave } from "./sums";

/** block[0 … 3] ← scale × Σ value × row of Z, for one atom; four vectors of four examples. */
export function correlateAtom(
  indices: usize,
  values: usize,
  entries: i32,
  scale: f32,
  Z: usize,
  to: usize,
): void {
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  const end = indices + ((<usize>entries) << 2);
  let v = values;
  for (let i = indices; i < end; i += 4) {
    const row = Z + ((<usize>load<u32>(i)) << 6);
    const w = v128.load32_splat(v);
    a0 = f32x4.add(a0, f32x4.mul(w, v128.load(row)));
    a1 = f32x4.add(a1, f32x4.mul(w, v128.load(row, 16)));
    a2 = f32x4.add(a2, f32x4.mul(w, v128.load(row, 32)));
    a3 = f32x4.add(a3, f32x4.mul(w, v128.load(row, 48)));
    v += 4;
  }
  const s = f32x4.splat(scale);
  v128.store(to, f32x4.mul(a0, s));
  v128.store(to, f32x4.mul(a1, s), 16);
  v128.store(to, f32x4.mul(a2, s), 32);
  v128.store(to, f32x4.mul(a3, s), 48);
}

/** Rows [0, atoms) of the block at `to` ← the scaled correlations of atoms [first, first + atoms) with Z. */
export function correlateAtoms(A: Sparse, scale: usize, first: i32, atoms: i32, Z: usize, to: usize): void {
  const indices = A.indices;
  const values = A.values;
  const counts = A.counts;
  const width = A.width;
  for (let j = 0; j < atoms; j++) {
    const atom = <usize>(first + j);
    const start = (atom * <usize>width) << 2;
    correlateAtom(
      indices + start,
      values + start,
      load<i32>(counts + (atom << 2)),
      load<f32>(scale + (atom << 2)),
      Z,
      to + <usize>j * rowBytes,
    );
  }
}

@unmanaged
class ProjectArguments {
  base: Base;
  Y: usize;
  columns: i32;
  A: Sparse;
  scale: usize;
  P: usize;
  m: i32;
}

/** P ← diag(scale) AᵀΦᵀY. Items are blocks of sixteen columns. Scratch: three blocks of the plan, a panel. */
export function project(from: i32, to: i32, scratch: usize, args: ProjectArguments): void {
  const plan = args.base.analysis;
  const n = args.base.rows;
  const m = args.m;
  const size = blockBytes(plan);
  const results = scratch + 3 * size;
  const stepY = (<usize>n) << 2;
  const stepP = (<usize>m) << 2;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, args.columns - first);
    interleave(args.Y + <usize>first * stepY, stepY, n, count, scratch);
    const Z = runPlan(plan, scratch, scratch + size, scratch + 2 * size);
    const target = args.P + <usize>first * stepP;
    for (let j = 0; j < m; j += panel) {
      const atoms = min(panel, m - j);
      correlateAtoms(args.A, args.scale, j, atoms, Z, results);
      deinterleave(results, atoms, count, target + ((<usize>j) << 2), stepP);
    }
  }
}

/** Row-wise block of coefficients ← A x for sixteen codes: scattered, one example after the other. */
function scatterCodes(A: Sparse, X: Sparse, first: i32, count: i32, L: i32, block: usize): void {
  const indices = A.indices;
  const values = A.values;
  const width = <usize>A.width;
  memory.fill(block, 0, <usize>L * rowBytes);
  for (let e = 0; e < count; e++) {
    const code = <usize>(first + e);
    const start = (code * <usize>X.width) << 2;
    const end = start + ((<usize>load<i32>(X.counts + (code << 2))) << 2);
    const lane = block + ((<usize>e) << 2);
    for (let s = start; s < end; s += 4) {
      const atom = <usize>load<u32>(X.indices + s);
      const x = load<f32>(X.values + s);
      const a = (atom * width) << 2;
      const last = a + ((<usize>load<i32>(A.counts + (atom << 2))) << 2);
      for (let i = a; i < last; i += 4) {
        const at = lane + ((<usize>load<u32>(indices + i)) << 6);
        store<f32>(at, load<f32>(at) + load<f32>(values + i) * x);
      }
    }
  }
}

@unmanaged
class ReconstructArguments {
  base: Base;
  A: Sparse;
  X: Sparse;
  columns: i32;
  /** 0 for the output ΦAX. */
  Y: usize;
  output: usize;
  /** 0 for none. */
  W: usize;
}

/**
 * output ← ΦAX, or Y − ΦAX; and W ← Φᵀ output while a block is in the cache. Items are blocks
 * of sixteen columns. Scratch: three blocks of the larger plan.
 */
export function reconstruct(from: i32, to: i32, scratch: usize, args: ReconstructArguments): void {
  const synthesis = args.base.synthesis;
  const analysis = args.base.analysis;
  const n = args.base.rows;
  const L = args.base.cols;
  const Y = args.Y;
  const W = args.W;
  const size = max(blockBytes(synthesis), blockBytes(analysis));
  const step = (<usize>n) << 2;
  const stepW = (<usize>L) << 2;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, args.columns - first);
    scatterCodes(args.A, args.X, first, count, L, scratch);
    const result = runPlan(synthesis, scratch, scratch + size, scratch + 2 * size);
    if (Y !== 0) {
      const other = result === scratch + size ? scratch + 2 * size : scratch + size;
      interleave(Y + <usize>first * step, step, n, count, other);
      subtract(other, result, <usize>n * rowBytes);
    }
    deinterleave(result, n, count, args.output + <usize>first * step, step);
    if (W === 0) continue;
    const one = result === scratch ? scratch + size : scratch;
    const two = result === scratch + 2 * size ? scratch + size : scratch + 2 * size;
    const coefficients = runPlan(analysis, result, one, two);
    deinterleave(coefficients, L, count, W + <usize>first * stepW, stepW);
  }
}

/** b ← a − b. */
function subtract(a: usize, b: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 16) v128.store(b + i, f32x4.sub(v128.load(a + i), v128.load(b + i)));
}

// Φᵀ and Φ on blocks of sixteen examples, one axis at a time.
//
// A plan (made by ../memory.ts) lists, for each axis, pairs of outputs and the inputs that
// either of them needs, with both weights: zeros of wavelets cost nothing.
//
//     plan    i32 stages, i32 rows of the largest array on the way, then the stages
//     stage   i32 outer, inner, sizeIn, sizeOut, then the pairs of outputs
//     pair    i32 entries, at least 1, then the entries: u32 byte offset of the input row, f32 two weights

/** Bytes of input lines that stay in the nearest cache while all outputs are summed from them. */
const nearBytes: i32 = 16384;

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

/** One axis. Returns the address of the next stage. */
function runStage(stage: usize, source: usize, target: usize): usize {
  const outer = load<i32>(stage);
  const inner = load<i32>(stage, 4);
  const step = <usize>inner * rowBytes;
  const sizeIn = <usize>load<i32>(stage, 8);
  const sizeOut = load<i32>(stage, 12);
  const stepIn = sizeIn * step;
  const stepOut = <usize>sizeOut * step;
  const group = max(1, nearBytes / (<i32>sizeIn * rowBytes));
  let next = stage + 16;
  if (inner === 1) {
    for (let o = 0; o < outer; o += group) {
      const from = source + <usize>o * stepIn;
      const to = target + <usize>o * stepOut;
      next = sumLines(stage + 16, sizeOut, from, to, rowBytes, min(group, outer - o), stepIn, stepOut);
    }
    return next;
  }
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i += group) {
      const from = source + <usize>o * stepIn + <usize>i * rowBytes;
      const to = target + <usize>o * stepOut + <usize>i * rowBytes;
      next = sumLines(stage + 16, sizeOut, from, to, step, min(group, inner - i), rowBytes, rowBytes);
    }
  }
  return next;
}

/** All outputs of a few lines along the axis, whose rows are `step` bytes apart. Returns the end of their lists. */
function sumLines(
  lists: usize,
  sizeOut: i32,
  from: usize,
  to: usize,
  step: usize,
  lines: i32,
  stepIn: usize,
  stepOut: usize,
): usize {
  let pair = lists;
  let output = to;
  for (let j = 0; j < sizeOut; j += 2) {
    const list = pair + 4;
    pair = list + <usize>load<i32>(pair) * 12;
    const second: usize = j + 1 < sizeOut ? step : 0;
    sumPair(list, pair, from, output, second, lines, stepIn, stepOut);
    output += 2 * step;
  }
  return pair;
}

/**
 * Two outputs of sixteen examples, Σ weight × input row, for a few lines: the same list serves one after the other, so
 * that its length is predicted. The second output is `second` bytes after the first; 0 for a single output. Lists have an
 * entry at least: loops that end with their test keep addresses in registers.
 */
function sumPair(
  list: usize,
  end: usize,
  from: usize,
  to: usize,
  second: usize,
  lines: i32,
  stepIn: usize,
  stepOut: usize,
): void {
  do {
    let a0 = f32x4.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = a0;
    let b1 = a0;
    let b2 = a0;
    let b3 = a0;
    let entry = list;
    do {
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
      entry += 12;
    } while (entry < end);
    v128.store(to, a0);
    v128.store(to, a1, 16);
    v128.store(to, a2, 32);
    v128.store(to, a3, 48);
    if (second !== 0) {
      v128.store(to + second, b0);
      v128.store(to + second, b1, 16);
      v128.store(to + second, b2, 32);
      v128.store(to + second, b3, 48);
    }
    from += stepIn;
    to += stepOut;
    lines--;
  } while (lines > 0);
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
