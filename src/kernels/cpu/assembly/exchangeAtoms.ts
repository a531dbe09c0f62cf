/** Replaces atoms in the residuals of the examples that use them: see the contract. */

import { Sparse } from "./structs";

@unmanaged
class ExchangeAtomsArguments {
  before: usize;
  after: usize;
  n: i32;
  /** The column of each atom in `before` and `after`, i32; −1 outside S. */
  places: usize;
  X: Sparse;
  R: usize;
  refits: i32;
}

/** Items are examples. */
export function exchangeAtoms(from: i32, to: i32, _scratch: usize, args: ExchangeAtomsArguments): void {
  const bytes = (<usize>args.n) << 2;
  const places = args.places;
  const indices = args.X.indices;
  const values = args.X.values;
  const refits = args.refits !== 0;
  for (let i = from; i < to; i++) {
    const start = (<usize>i * <usize>args.X.width) << 2;
    const end = start + ((<usize>load<i32>(args.X.counts + ((<usize>i) << 2))) << 2);
    for (let s = start; s < end; s += 4) {
      const place = load<i32>(places + ((<usize>load<u32>(indices + s)) << 2));
      if (place < 0) continue;
      const x = load<f32>(values + s);
      if (x === 0) continue;
      const r = args.R + <usize>i * bytes;
      const after = args.after + <usize>place * bytes;
      add(r, x, args.before + <usize>place * bytes, bytes);
      const weight = refits ? dot(after, r, bytes) : x;
      if (refits) store<f32>(values + s, weight);
      add(r, -weight, after, bytes);
    }
  }
}

/** r ← r + x d. */
function add(r: usize, x: f32, d: usize, bytes: usize): void {
  const weight = f32x4.splat(x);
  let l: usize = 0;
  for (; l + 16 <= bytes; l += 16)
    v128.store(r + l, f32x4.add(v128.load(r + l), f32x4.mul(weight, v128.load(d + l))));
  for (; l < bytes; l += 4) store<f32>(r + l, load<f32>(r + l) + x * load<f32>(d + l));
}

/** ⟨d, r⟩. */
function dot(d: usize, r: usize, bytes: usize): f32 {
  let a = f32x4.splat(0);
  let b = f32x4.splat(0);
  let l: usize = 0;
  for (; l + 32 <= bytes; l += 32) {
    a = f32x4.add(a, f32x4.mul(v128.load(d + l), v128.load(r + l)));
    b = f32x4.add(b, f32x4.mul(v128.load(d + l, 16), v128.load(r + l, 16)));
  }
  a = f32x4.add(a, b);
  let sum =
    f32x4.extract_lane(a, 0) +
    f32x4.extract_lane(a, 1) +
    (f32x4.extract_lane(a, 2) + f32x4.extract_lane(a, 3));
  for (; l < bytes; l += 4) sum += load<f32>(d + l) * load<f32>(r + l);
  return sum;
}
