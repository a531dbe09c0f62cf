/**
 * Explicit dictionaries D (n × m): DX, the sums that ODL keeps, and the updates of ODL and K-SVD.
 */

import { descentShare, lanes, refitBlock, rowBytes } from "./constants";
import { packRows, sumRows } from "./denseProducts";
import { Sparse } from "./structs";
import { energyOf, weightedSum } from "./sums";

@unmanaged
class CombineArguments {
  D: usize;
  n: i32;
  X: Sparse;
  /** 0 for the output DX. */
  Y: usize;
  output: usize;
}

/** output ← DX, or Y − DX. Items are examples. Scratch: addresses of a code's atoms, a column. */
export function combine(from: i32, to: i32, scratch: usize, args: CombineArguments): void {
  const D = args.D;
  const bytes = (<usize>args.n) << 2;
  const indices = args.X.indices;
  const values = args.X.values;
  const width = <usize>args.X.width;
  const Y = args.Y;
  const sum = scratch + (width << 2);
  for (let i = from; i < to; i++) {
    const start = (<usize>i * width) << 2;
    const count = load<i32>(args.X.counts + ((<usize>i) << 2));
    for (let s: usize = 0; s < (<usize>count) << 2; s += 4)
      store<usize>(scratch + s, D + <usize>load<u32>(indices + start + s) * bytes);
    const output = args.output + <usize>i * bytes;
    weightedSum(Y === 0 ? output : sum, bytes, scratch, values + start, count, 1);
    if (Y !== 0) subtract(Y + <usize>i * bytes, sum, bytes, output);
  }
}

/** c ← a − b. */
function subtract(a: usize, b: usize, bytes: usize, c: usize): void {
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) v128.store(c + i, f32x4.sub(v128.load(a + i), v128.load(b + i)));
  for (; i < bytes; i += 4) store<f32>(c + i, load<f32>(a + i) - load<f32>(b + i));
}

/** a ← βa + b, or a ← βa if `b` is 0. */
function decay(a: usize, beta: f32, b: usize, bytes: usize): void {
  const weight = f32x4.splat(beta);
  let i: usize = 0;
  if (b === 0) {
    for (; i + 16 <= bytes; i += 16) v128.store(a + i, f32x4.mul(weight, v128.load(a + i)));
    for (; i < bytes; i += 4) store<f32>(a + i, beta * load<f32>(a + i));
    return;
  }
  for (; i + 16 <= bytes; i += 16)
    v128.store(a + i, f32x4.add(f32x4.mul(weight, v128.load(a + i)), v128.load(b + i)));
  for (; i < bytes; i += 4) store<f32>(a + i, beta * load<f32>(a + i) + load<f32>(b + i));
}

/** y ← y + weight × x. */
function addScaled(y: usize, weight: f32, x: usize, bytes: usize): void {
  const w = f32x4.splat(weight);
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16)
    v128.store(y + i, f32x4.add(v128.load(y + i), f32x4.mul(w, v128.load(x + i))));
  for (; i < bytes; i += 4) store<f32>(y + i, load<f32>(y + i) + weight * load<f32>(x + i));
}

@unmanaged
class AddMomentsArguments {
  beta: f32;
  Y: usize;
  n: i32;
  X: Sparse;
  /** The examples that use atom j and their coefficients stand from starts[j] to starts[j + 1]. */
  starts: usize;
  examples: usize;
  coefficients: usize;
  /** The length of the longest of these lists. */
  longest: i32;
  B: usize;
  C: usize;
  m: i32;
}

/** Columns of B ← βB + YXᵀ and of C ← βC + XXᵀ. Items are atoms. Scratch: addresses of the longest list, a column. */
export function addMoments(from: i32, to: i32, scratch: usize, args: AddMomentsArguments): void {
  const beta = args.beta;
  const Y = args.Y;
  const bytes = (<usize>args.n) << 2;
  const examples = args.examples;
  const m = args.m;
  const sum = scratch + ((<usize>args.longest) << 2);
  for (let j = from; j < to; j++) {
    const first = load<i32>(args.starts + ((<usize>j) << 2));
    const count = load<i32>(args.starts + ((<usize>j) << 2), 4) - first;
    const x = args.coefficients + ((<usize>first) << 2);
    const b = args.B + <usize>j * bytes;
    const c = args.C + ((<usize>j * <usize>m) << 2);
    decay(c, beta, 0, (<usize>m) << 2);
    for (let e = 0; e < count; e++) {
      const example = <usize>load<u32>(examples + ((<usize>(first + e)) << 2));
      store<usize>(scratch + ((<usize>e) << 2), Y + example * bytes);
      addCode(args.X, example, load<f32>(x + ((<usize>e) << 2)), c);
    }
    if (count > 0) weightedSum(sum, bytes, scratch, x, count, 1);
    decay(b, beta, count > 0 ? sum : 0, bytes);
  }
}

/** c ← c + x × the code of an example. */
function addCode(X: Sparse, example: usize, x: f32, c: usize): void {
  const start = (example * <usize>X.width) << 2;
  const end = start + ((<usize>load<i32>(X.counts + (example << 2))) << 2);
  for (let s = start; s < end; s += 4) {
    const at = c + ((<usize>load<u32>(X.indices + s)) << 2);
    store<f32>(at, load<f32>(at) + x * load<f32>(X.values + s));
  }
}

/** What `blockResidual` and `descendBlock` are given. */
@unmanaged
class DescentArguments {
  D: usize;
  n: i32;
  m: i32;
  B: usize;
  C: usize;
  /** The first atom of the block J, and how many it has. */
  first: i32;
  atoms: i32;
  /** n × |J|. */
  F: usize;
  /** `momentFloor` of the contract. */
  floor: f32;
}

/**
 * F ← B_J − D C_J for a block J of atoms. An item is sixteen rows of a share of the block.
 * Scratch: m rows of a block, then two.
 */
export function blockResidual(from: i32, to: i32, scratch: usize, args: DescentArguments): void {
  const n = args.n;
  const m = args.m;
  const total = args.atoms;
  const shares = (total + descentShare - 1) / descentShare;
  const results = scratch + <usize>m * rowBytes;
  const step = (<usize>m) << 2;
  let packed = -1;
  for (let item = from; item < to; item++) {
    const row = (item / shares) * lanes;
    const rows = min(lanes, n - row);
    if (row !== packed) packRows(args.D, n, m, row, rows, scratch);
    packed = row;
    const begin = (item % shares) * descentShare;
    const count = min(descentShare, total - begin);
    for (let c = 0; c < count; c += 2) {
      const weights = args.C + <usize>(args.first + begin + c) * step;
      const next = c + 1 < count ? weights + step : weights;
      sumRows(scratch, m, weights, next, 4, results, results + rowBytes);
      putResidual(args, begin + c, row, rows, results);
      if (c + 1 < count) putResidual(args, begin + c + 1, row, rows, results + rowBytes);
    }
  }
}

/** F ← B − sums, for some rows of atom `c` of the block. */
function putResidual(args: DescentArguments, c: i32, row: i32, rows: i32, sums: usize): void {
  const n = <usize>args.n;
  const b = args.B + ((<usize>(args.first + c) * n + <usize>row) << 2);
  subtract(b, sums, (<usize>rows) << 2, args.F + ((<usize>c * n + <usize>row) << 2));
}

/**
 * The atoms of a block J one after the other, from F = B_J − D C_J: dⱼ ← u/‖u‖, then
 * the columns of F after it follow the change of dⱼ. One item. Scratch: a column.
 */
export function descendBlock(_from: i32, _to: i32, scratch: usize, args: DescentArguments): void {
  const n = args.n;
  const bytes = (<usize>n) << 2;
  const step = (<usize>args.m) << 2;
  const first = args.first;
  const total = args.atoms;
  const F = args.F;
  for (let c = 0; c < total; c++) {
    const d = args.D + <usize>(first + c) * bytes;
    const weights = args.C + <usize>(first + c) * step + ((<usize>first) << 2);
    const weight = load<f32>(weights + ((<usize>c) << 2));
    if (!(weight >= args.floor)) continue;
    if (!moveAtom(d, F + <usize>c * bytes, <f32>(1.0 / <f64>weight), n, scratch)) continue;
    for (let other = c + 1; other < total; other++)
      addScaled(F + <usize>other * bytes, load<f32>(weights + ((<usize>other) << 2)), scratch, bytes);
  }
}

/** d ← u/‖u‖ with u = d + f × weight; `change` ← d before − d after. False if u is zero. */
function moveAtom(d: usize, f: usize, weight: f32, n: i32, change: usize): bool {
  const bytes = (<usize>n) << 2;
  memory.copy(change, d, bytes);
  addScaled(change, weight, f, bytes);
  const energy = energyOf(change, n);
  if (!(energy > 0)) return false;
  const scale = <f32>(1.0 / sqrt(energy));
  const s = f32x4.splat(scale);
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) {
    const next = f32x4.mul(s, v128.load(change + i));
    v128.store(change + i, f32x4.sub(v128.load(d + i), next));
    v128.store(d + i, next);
  }
  for (; i < bytes; i += 4) {
    const next = scale * load<f32>(change + i);
    store<f32>(change + i, load<f32>(d + i) - next);
    store<f32>(d + i, next);
  }
  return true;
}

/** What `refitDirection` and `refitCodes` are given, for one atom of K-SVD. */
@unmanaged
class RefitArguments {
  R: usize;
  n: i32;
  X: Sparse;
  /** The slots of X that hold the coefficients of the atom, u32, and their number. */
  slots: usize;
  uses: i32;
  /** n f32 of each item of `refitDirection`. */
  sums: usize;
  /** The old atom and the new one. */
  before: usize;
  atom: usize;
}

/**
 * First half: Σ g r over blocks of the examples that use the atom. Items are such blocks.
 * Scratch: addresses and weights of a block.
 */
export function refitDirection(from: i32, to: i32, scratch: usize, args: RefitArguments): void {
  const bytes = (<usize>args.n) << 2;
  const width = <u32>args.X.width;
  const weights = scratch + ((<usize>refitBlock) << 2);
  for (let block = from; block < to; block++) {
    const first = block * refitBlock;
    const count = min(refitBlock, args.uses - first);
    for (let e = 0; e < count; e++) {
      const slot = load<u32>(args.slots + ((<usize>(first + e)) << 2));
      store<usize>(scratch + ((<usize>e) << 2), args.R + <usize>(slot / width) * bytes);
      store<f32>(weights + ((<usize>e) << 2), load<f32>(args.X.values + ((<usize>slot) << 2)));
    }
    weightedSum(args.sums + <usize>block * bytes, bytes, scratch, weights, count, 1);
  }
}

/** Second half, with the new atom d and the old one: g' = ⟨r + g old, d⟩, r ← r + g old − g' d. The same items. */
export function refitCodes(from: i32, to: i32, _scratch: usize, args: RefitArguments): void {
  const n = args.n;
  const bytes = (<usize>n) << 2;
  const width = <u32>args.X.width;
  const old = args.before;
  const d = args.atom;
  for (let e = from * refitBlock; e < min(to * refitBlock, args.uses); e++) {
    const slot = load<u32>(args.slots + ((<usize>e) << 2));
    const value = args.X.values + ((<usize>slot) << 2);
    const r = args.R + <usize>(slot / width) * bytes;
    addScaled(r, load<f32>(value), old, bytes);
    const g = <f32>dotOf(r, d, n);
    store<f32>(value, g);
    addScaled(r, -g, d, bytes);
  }
}

/** ⟨x, y⟩ in f64, of `count` f32. */
function dotOf(x: usize, y: usize, count: i32): f64 {
  let a = f64x2.splat(0);
  let b = a;
  const whole = (<usize>(count & ~3)) << 2;
  let i: usize = 0;
  for (; i < whole; i += 16) {
    const v = v128.load(x + i);
    const w = v128.load(y + i);
    a = f64x2.add(a, f64x2.mul(f64x2.promote_low_f32x4(v), f64x2.promote_low_f32x4(w)));
    const v2 = v128.shuffle<f32>(v, v, 2, 3, 2, 3);
    const w2 = v128.shuffle<f32>(w, w, 2, 3, 2, 3);
    b = f64x2.add(b, f64x2.mul(f64x2.promote_low_f32x4(v2), f64x2.promote_low_f32x4(w2)));
  }
  const sum = f64x2.add(a, b);
  let result = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  for (; i < (<usize>count) << 2; i += 4) result += <f64>load<f32>(x + i) * <f64>load<f32>(y + i);
  return result;
}
