/** Replaces atoms in the residuals of the examples that use them: see the contract. Examples come by the lists of atoms. */

import { Sparse } from "./structs";

@unmanaged
class ExchangeAtomsArguments {
  before: usize;
  after: usize;
  n: i32;
  /** The columns of `before` and `after`, and the slots of X that hold coefficients of these atoms: see `Block`. */
  blocks: usize;
  X: Sparse;
  slots: usize;
  R: usize;
  refits: i32;
  /** A word that becomes 1 if a coefficient becomes zero. */
  zeros: usize;
}

/** Some of the slots of one atom of S: from `first` to `end`. */
@unmanaged
class Block {
  place: u32;
  first: u32;
  end: u32;
}

/** Items are blocks. */
export function exchangeAtoms(from: i32, to: i32, _scratch: usize, args: ExchangeAtomsArguments): void {
  const bytes = (<usize>args.n) << 2;
  const width = <u32>args.X.width;
  const refits = args.refits !== 0;
  for (let item = from; item < to; item++) {
    const block = changetype<Block>(args.blocks + <usize>item * offsetof<Block>());
    const before = args.before + <usize>block.place * bytes;
    const after = args.after + <usize>block.place * bytes;
    for (let e = block.first; e < block.end; e++) {
      const slot = load<u32>(args.slots + ((<usize>e) << 2));
      const value = args.X.values + ((<usize>slot) << 2);
      const r = args.R + <usize>(slot / width) * bytes;
      const x = load<f32>(value);
      add(r, x, before, bytes);
      const weight = refits ? dot(after, r, bytes) : x;
      if (refits) store<f32>(value, weight);
      if (weight === 0) store<u32>(args.zeros, 1); // the same from any thread
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
