/**
 * Explicit dictionaries D (n × m): DX, the sums that ODL keeps, and the updates of ODL and K-SVD.
 */

import { listBlock, listScratch, panelTerms, tileColumns, tileRows } from "./constants";
import { Sparse } from "./structs";
import { energyOf, listSum, weightedSum } from "./sums";
import { addPanels, clearSums, columnPanel, packColumns, packRows, rowPanel, sumStep } from "./tiles";

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
  /** The slots of X that hold coefficients of atom j stand from starts[j] to starts[j + 1]. */
  starts: usize;
  slots: usize;
  B: usize;
  C: usize;
  m: i32;
}

/** Columns of B ← βB + YXᵀ and of C ← βC + XXᵀ. Items are atoms. Scratch: that of `listSum`, a column. */
export function addMoments(from: i32, to: i32, scratch: usize, args: AddMomentsArguments): void {
  const beta = args.beta;
  const bytes = (<usize>args.n) << 2;
  const X = args.X;
  const width = <u32>X.width;
  const m = args.m;
  const sum = scratch + <usize>listScratch;
  for (let j = from; j < to; j++) {
    const first = load<i32>(args.starts + ((<usize>j) << 2));
    const count = load<i32>(args.starts + ((<usize>j) << 2), 4) - first;
    const slots = args.slots + ((<usize>first) << 2);
    const b = args.B + <usize>j * bytes;
    const c = args.C + ((<usize>j * <usize>m) << 2);
    decay(c, beta, 0, (<usize>m) << 2);
    for (let e = 0; e < count; e++) {
      const slot = load<u32>(slots + ((<usize>e) << 2));
      addCode(X, <usize>(slot / width), load<f32>(X.values + ((<usize>slot) << 2)), c);
    }
    if (count > 0) listSum(sum, bytes, args.Y, bytes, X, slots, count, 1, scratch);
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

@unmanaged
class CountEntriesArguments {
  C: usize;
  m: i32;
  counts: usize;
}

/** counts[j] ← the entries of column j that are not zero. Items are columns. */
export function countEntries(from: i32, to: i32, _scratch: usize, args: CountEntriesArguments): void {
  const bytes = (<usize>args.m) << 2;
  for (let j = from; j < to; j++) {
    const column = args.C + <usize>j * bytes;
    let zeros = i32x4.splat(0); // −1 for each
    let i: usize = 0;
    for (; i + 16 <= bytes; i += 16)
      zeros = i32x4.add(zeros, f32x4.eq(v128.load(column + i), f32x4.splat(0)));
    let count = args.m + i32x4.extract_lane(zeros, 0) + i32x4.extract_lane(zeros, 1);
    count += i32x4.extract_lane(zeros, 2) + i32x4.extract_lane(zeros, 3);
    for (; i < bytes; i += 4) if (load<f32>(column + i) === 0) count--;
    store<i32>(args.counts + ((<usize>j) << 2), count);
  }
}

/** What `descend` is given: two blocks of atoms one after the other, J and K. */
@unmanaged
class DescendArguments {
  D: usize;
  n: i32;
  m: i32;
  B: usize;
  C: usize;
  /** The first atom of the block before J, of J, of K, and after K. */
  before: i32;
  first: i32;
  next: i32;
  end: i32;
  /** n × |J|, and n × |K|. */
  F: usize;
  nextF: usize;
  /** Rows of an item; 0 if items are columns, since few entries of C_K are not zero. */
  share: i32;
  /** `momentFloor` of the contract. */
  floor: f32;
  /** ω. */
  step: f32;
}

/**
 * A step of the update of all atoms. Item 0 moves the atoms of J in turn. The others, some rows or one column each, prepare
 * K: F ← B_K − D C_K without the products of the atoms of J and K, which item 0 of this step and of the next one change.
 * The sums have the same bits by rows and by columns: zeros of C add nothing.
 * Scratch: addresses and weights of all atoms and a column; or a block of a product.
 */
export function descend(from: i32, to: i32, scratch: usize, args: DescendArguments): void {
  for (let item = from; item < to; item++) {
    if (item === 0) moveBlock(args, scratch);
    else if (args.share > 0) prepareRows(args, (item - 1) * args.share, scratch);
    else prepareColumn(args, item - 1, scratch);
  }
}

/** F for one atom of the block K. */
function prepareColumn(args: DescendArguments, c: i32, scratch: usize): void {
  const bytes = (<usize>args.n) << 2;
  const weights = scratch + ((<usize>args.m) << 2);
  const sum = weights + ((<usize>args.m) << 2);
  const j = args.next + c;
  const before = listAtoms(args, j, 0, args.first, scratch, weights, 0);
  const count = listAtoms(args, j, args.end, args.m, scratch, weights, before);
  weightedSum(sum, bytes, scratch, weights, count, 1);
  subtract(args.B + <usize>j * bytes, sum, bytes, args.nextF + <usize>c * bytes);
}

/** Append the atoms of [from, to) whose entries in column j of C are not zero, and these entries; their number. */
function listAtoms(
  args: DescendArguments,
  j: i32,
  from: i32,
  to: i32,
  atoms: usize,
  weights: usize,
  listed: i32,
): i32 {
  const bytes = (<usize>args.n) << 2;
  const column = args.C + ((<usize>j * <usize>args.m) << 2);
  let count = (<usize>listed) << 2;
  for (let a = from; a < to; a++) {
    const weight = load<f32>(column + ((<usize>a) << 2));
    store<usize>(atoms + count, args.D + <usize>a * bytes); // overwritten if the entry is zero: no branch to guess
    store<f32>(weights + count, weight);
    count += (<usize>(weight !== 0)) << 2;
  }
  return <i32>(count >> 2);
}

/** F for some rows of the block K. */
function prepareRows(args: DescendArguments, row: i32, scratch: usize): void {
  const rows = min(args.share, args.n - row);
  const columns = args.end - args.next;
  clearSums(scratch, columns);
  addAtoms(args, 0, args.first, row, rows, scratch);
  addAtoms(args, args.end, args.m, row, rows, scratch);
  const at = (<usize>row) << 2;
  const bytes = (<usize>args.n) << 2;
  for (let c = 0; c < columns; c++) {
    const b = args.B + <usize>(args.next + c) * bytes + at;
    subtract(b, scratch + <usize>c * sumStep, (<usize>rows) << 2, args.nextF + <usize>c * bytes + at);
  }
}

/** Some rows of D C_K ← themselves + the products of atoms [from, to). */
function addAtoms(args: DescendArguments, from: i32, to: i32, row: i32, rows: i32, scratch: usize): void {
  const columns = args.end - args.next;
  const step = (<usize>args.n) << 2;
  const stepC = (<usize>args.m) << 2;
  for (let first = from; first < to; first += panelTerms) {
    const terms = min(panelTerms, to - first);
    const D = args.D + <usize>first * step + ((<usize>row) << 2);
    const C = args.C + <usize>args.next * stepC + ((<usize>first) << 2);
    packRows(D, step, rows, terms, rowPanel(scratch), tileRows);
    packColumns(C, stepC, columns, terms, columnPanel(scratch), tileColumns);
    addPanels(scratch, rows, columns, terms, false);
  }
}

/** dⱼ ← u/‖u‖ for the atoms of J one after the other, with the products that F does not have yet. */
function moveBlock(args: DescendArguments, scratch: usize): void {
  const bytes = (<usize>args.n) << 2;
  const weights = scratch + ((<usize>args.m) << 2);
  const f = weights + ((<usize>args.m) << 2);
  for (let j = args.first; j < args.next; j++) {
    const weight = load<f32>(args.C + ((<usize>j * <usize>args.m + <usize>j) << 2));
    if (!(weight >= args.floor)) continue;
    const count = listAtoms(args, j, args.before, args.next, scratch, weights, 0);
    weightedSum(f, bytes, scratch, weights, count, -1);
    addScaled(f, 1, args.F + <usize>(j - args.first) * bytes, bytes);
    moveAtom(args.D + <usize>j * bytes, f, <f32>(<f64>args.step / <f64>weight), args.n);
  }
}

/** d ← u/‖u‖ with u = d + f × weight, unless u is zero. Overwrites f. */
function moveAtom(d: usize, f: usize, weight: f32, n: i32): void {
  const bytes = (<usize>n) << 2;
  const w = f32x4.splat(weight);
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16)
    v128.store(f + i, f32x4.add(v128.load(d + i), f32x4.mul(w, v128.load(f + i))));
  for (; i < bytes; i += 4) store<f32>(f + i, load<f32>(d + i) + weight * load<f32>(f + i));
  const energy = energyOf(f, n);
  if (!(energy > 0)) return;
  const scale = <f32>(1.0 / sqrt(energy));
  const s = f32x4.splat(scale);
  i = 0;
  for (; i + 16 <= bytes; i += 16) v128.store(d + i, f32x4.mul(s, v128.load(f + i)));
  for (; i < bytes; i += 4) store<f32>(d + i, scale * load<f32>(f + i));
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
 * First half: Σ g r over blocks of the examples that use the atom. Items are such blocks. Scratch: that of `listSum`.
 */
export function refitDirection(from: i32, to: i32, scratch: usize, args: RefitArguments): void {
  const bytes = (<usize>args.n) << 2;
  for (let block = from; block < to; block++) {
    const first = block * listBlock;
    const count = min(listBlock, args.uses - first);
    const slots = args.slots + ((<usize>first) << 2);
    listSum(args.sums + <usize>block * bytes, bytes, args.R, bytes, args.X, slots, count, 1, scratch);
  }
}

/** Second half, with the new atom d and the old one: g' = ⟨r + g old, d⟩, r ← r + g old − g' d. The same items. */
export function refitCodes(from: i32, to: i32, _scratch: usize, args: RefitArguments): void {
  const n = args.n;
  const bytes = (<usize>n) << 2;
  const width = <u32>args.X.width;
  const old = args.before;
  const d = args.atom;
  for (let e = from * listBlock; e < min(to * listBlock, args.uses); e++) {
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
