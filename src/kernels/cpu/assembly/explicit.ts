/**
 * Explicit dictionaries D (n × m): dense products on blocks of sixteen columns or
 * rows side by side, what ODL remembers, and the updates of ODL and K-SVD.
 *
 * Every sum of a dense product runs over its terms in ascending order, whichever
 * factor comes first, so that Gram matrices are symmetric to the bit.
 */

import { deinterleave, interleave, lanes, rowBytes } from "./lanes";
import { energyOf, weightedSum } from "./sums";

/** Results computed before they are laid out as columns: 4 KB, which stays in the nearest cache. */
const panel: i32 = 64;

/**
 * Two sums over the rows of a block, of sixteen lanes each: to0 ← Σ w0[r] × row r, to1 ← Σ w1[r] × row r.
 * Weights stand `step` bytes apart.
 */
function sumRows(block: usize, rows: i32, w0: usize, w1: usize, step: usize, to0: usize, to1: usize): void {
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let b0 = a0;
  let b1 = a0;
  let b2 = a0;
  let b3 = a0;
  const end = block + <usize>rows * rowBytes;
  let v = w0;
  let w = w1;
  for (let row = block; row < end; row += rowBytes) {
    const p = v128.load32_splat(v);
    const q = v128.load32_splat(w);
    const x0 = v128.load(row);
    const x1 = v128.load(row, 16);
    const x2 = v128.load(row, 32);
    const x3 = v128.load(row, 48);
    a0 = f32x4.add(a0, f32x4.mul(p, x0));
    a1 = f32x4.add(a1, f32x4.mul(p, x1));
    a2 = f32x4.add(a2, f32x4.mul(p, x2));
    a3 = f32x4.add(a3, f32x4.mul(p, x3));
    b0 = f32x4.add(b0, f32x4.mul(q, x0));
    b1 = f32x4.add(b1, f32x4.mul(q, x1));
    b2 = f32x4.add(b2, f32x4.mul(q, x2));
    b3 = f32x4.add(b3, f32x4.mul(q, x3));
    v += step;
    w += step;
  }
  v128.store(to0, a0);
  v128.store(to0, a1, 16);
  v128.store(to0, a2, 32);
  v128.store(to0, a3, 48);
  v128.store(to1, b0);
  v128.store(to1, b1, 16);
  v128.store(to1, b2, 32);
  v128.store(to1, b3, 48);
}

/** Floats [0, count) of a row of lanes to a place that may have no room for more. */
function storeLanes(from: usize, count: i32, to: usize): void {
  if (count === lanes) memory.copy(to, from, rowBytes);
  else for (let e: usize = 0; e < (<usize>count) << 2; e += 4) store<f32>(to + e, load<f32>(from + e));
}

/**
 * P ← DᵀY by blocks of sixteen columns of Y. Where Y is D, a block computes the
 * rows from its own on, and the other half of P is its mirror.
 * args: D, n, m, Y, columns, P.
 */
export function correlate(from: i32, to: i32, scratch: usize, args: usize): void {
  const D = load<usize>(args);
  const n = load<i32>(args, 4);
  const m = load<i32>(args, 8);
  const Y = load<usize>(args, 12);
  const columns = load<i32>(args, 16);
  const P = load<usize>(args, 20);
  const own = D === Y && columns === m;
  const column = (<usize>n) << 2;
  const step = (<usize>m) << 2;
  const results = scratch + <usize>n * rowBytes;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, columns - first);
    interleave(Y + <usize>first * column, column, n, count, scratch);
    for (let i = own ? first : 0; i < m; i += panel) {
      const atoms = min(panel, m - i);
      for (let a = 0; a < atoms; a += 2) {
        const d = D + <usize>(i + a) * column;
        const next = a + 1 < atoms ? d + column : d;
        const at = results + <usize>a * rowBytes;
        sumRows(scratch, n, d, next, 4, at, at + rowBytes);
      }
      deinterleave(results, atoms, count, P + <usize>first * step + ((<usize>i) << 2), step);
      if (!own) continue;
      for (let a = 0; a < atoms; a++) {
        const mirror = P + <usize>(i + a) * step + ((<usize>first) << 2);
        storeLanes(results + <usize>a * rowBytes, count, mirror);
      }
    }
  }
}

/** Y ← DX, or R ← Y − DX. args: D, n, X (indices, values, counts, width), Y (0: none), output. */
export function combine(from: i32, to: i32, scratch: usize, args: usize): void {
  const D = load<usize>(args);
  const bytes = (<usize>load<i32>(args, 4)) << 2;
  const indices = load<usize>(args, 8);
  const values = load<usize>(args, 12);
  const counts = load<usize>(args, 16);
  const width = <usize>load<i32>(args, 20);
  const Y = load<usize>(args, 24);
  const sum = scratch + (width << 2);
  for (let i = from; i < to; i++) {
    const start = (<usize>i * width) << 2;
    const count = load<i32>(counts + ((<usize>i) << 2));
    for (let s: usize = 0; s < (<usize>count) << 2; s += 4)
      store<usize>(scratch + s, D + <usize>load<u32>(indices + start + s) * bytes);
    const output = load<usize>(args, 28) + <usize>i * bytes;
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

/** a ← βa + b; where `b` is 0, a ← βa. */
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

/**
 * Columns [from, to) of B ← βB + YXᵀ and of C ← βC + XXᵀ, from the row lists of X (rowLists.ts).
 * args: β (f32), Y, n, X (indices, values, counts, width), starts, examples, coefficients, B, C, m, longest list.
 */
export function addMoments(from: i32, to: i32, scratch: usize, args: usize): void {
  const beta = load<f32>(args);
  const Y = load<usize>(args, 4);
  const bytes = (<usize>load<i32>(args, 8)) << 2;
  const starts = load<usize>(args, 28);
  const examples = load<usize>(args, 32);
  const coefficients = load<usize>(args, 36);
  const m = load<i32>(args, 48);
  const sum = scratch + ((<usize>load<i32>(args, 52)) << 2);
  for (let j = from; j < to; j++) {
    const first = load<i32>(starts + ((<usize>j) << 2));
    const count = load<i32>(starts + ((<usize>j) << 2), 4) - first;
    const x = coefficients + ((<usize>first) << 2);
    const b = load<usize>(args, 40) + <usize>j * bytes;
    const c = load<usize>(args, 44) + ((<usize>j * <usize>m) << 2);
    decay(c, beta, 0, (<usize>m) << 2);
    for (let e = 0; e < count; e++) {
      const example = <usize>load<u32>(examples + ((<usize>(first + e)) << 2));
      store<usize>(scratch + ((<usize>e) << 2), Y + example * bytes);
      addCode(args, example, load<f32>(x + ((<usize>e) << 2)), c);
    }
    if (count > 0) weightedSum(sum, bytes, scratch, x, count, 1);
    decay(b, beta, count > 0 ? sum : 0, bytes);
  }
}

/** c ← c + x × the code of an example. */
function addCode(args: usize, example: usize, x: f32, c: usize): void {
  const start = (example * <usize>load<i32>(args, 24)) << 2;
  const end = start + ((<usize>load<i32>(load<usize>(args, 20) + (example << 2))) << 2);
  for (let s = start; s < end; s += 4) {
    const at = c + ((<usize>load<u32>(load<usize>(args, 12) + s)) << 2);
    store<f32>(at, load<f32>(at) + x * load<f32>(load<usize>(args, 16) + s));
  }
}

/** Columns of a share of a block of atoms, in pairs. */
const share: i32 = 32;

/**
 * F ← B_J − D C_J for a block J of atoms. An item is sixteen rows of a share of the block.
 * args: D, n, m, C, B, first atom of J, atoms of J, F (n × |J|).
 */
export function blockResidual(from: i32, to: i32, scratch: usize, args: usize): void {
  const n = load<i32>(args, 4);
  const m = load<i32>(args, 8);
  const first = load<i32>(args, 20);
  const total = load<i32>(args, 24);
  const shares = (total + share - 1) / share;
  const results = scratch + <usize>m * rowBytes;
  const step = (<usize>m) << 2;
  let packed = -1;
  for (let item = from; item < to; item++) {
    const row = (item / shares) * lanes;
    const rows = min(lanes, n - row);
    if (row !== packed) packRows(load<usize>(args), n, m, row, rows, scratch);
    packed = row;
    const begin = (item % shares) * share;
    const count = min(share, total - begin);
    for (let c = 0; c < count; c += 2) {
      const weights = load<usize>(args, 12) + <usize>(first + begin + c) * step;
      const next = c + 1 < count ? weights + step : weights;
      sumRows(scratch, m, weights, next, 4, results, results + rowBytes);
      putResidual(args, begin + c, row, rows, results);
      if (c + 1 < count) putResidual(args, begin + c + 1, row, rows, results + rowBytes);
    }
  }
}

/** Rows [row, row + rows) of the columns of a matrix, sixteen side by side; missing ones are zero. */
function packRows(matrix: usize, n: i32, columns: i32, row: i32, rows: i32, block: usize): void {
  let from = matrix + ((<usize>row) << 2);
  const end = block + <usize>columns * rowBytes;
  const bytes = (<usize>rows) << 2;
  if (rows < lanes) memory.fill(block, 0, <usize>columns * rowBytes);
  for (let to = block; to < end; to += rowBytes) {
    if (rows === lanes) {
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
      v128.store(to, v128.load(from, 32), 32);
      v128.store(to, v128.load(from, 48), 48);
    } else for (let i: usize = 0; i < bytes; i += 4) store<f32>(to + i, load<f32>(from + i));
    from += (<usize>n) << 2;
  }
}

/** F ← B − what was summed, for some rows of atom `c` of the block. */
function putResidual(args: usize, c: i32, row: i32, rows: i32, sums: usize): void {
  const n = <usize>load<i32>(args, 4);
  const b = load<usize>(args, 16) + ((<usize>(load<i32>(args, 20) + c) * n + <usize>row) << 2);
  subtract(b, sums, (<usize>rows) << 2, load<usize>(args, 28) + ((<usize>c * n + <usize>row) << 2));
}

/**
 * The atoms of a block J one after the other, from F = B_J − D C_J: dⱼ ← u/‖u‖, then
 * the columns of F behind it follow the change of dⱼ. One item.
 * args: D, n, m, C, B, first atom of J, atoms of J, F, floor (f32).
 */
export function descendBlock(_from: i32, _to: i32, scratch: usize, args: usize): void {
  const n = load<i32>(args, 4);
  const bytes = (<usize>n) << 2;
  const step = (<usize>load<i32>(args, 8)) << 2;
  const first = load<i32>(args, 20);
  const total = load<i32>(args, 24);
  const F = load<usize>(args, 28);
  for (let c = 0; c < total; c++) {
    const d = load<usize>(args) + <usize>(first + c) * bytes;
    const weights = load<usize>(args, 12) + <usize>(first + c) * step + ((<usize>first) << 2);
    const weight = load<f32>(weights + ((<usize>c) << 2));
    if (!(weight >= load<f32>(args, 32))) continue;
    if (!moveAtom(d, F + <usize>c * bytes, <f32>(1.0 / <f64>weight), n, scratch)) continue;
    for (let other = c + 1; other < total; other++)
      addScaled(F + <usize>other * bytes, load<f32>(weights + ((<usize>other) << 2)), scratch, bytes);
  }
}

/** d ← u/‖u‖ with u = d + f × weight; `change` ← d before − d after. False where u is zero. */
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

/** Examples of an item of `refitDirection` and `refitCodes`. */
const refitBlock: i32 = 256;

/**
 * One atom of K-SVD, first half: Σ g r over blocks of the examples that use it.
 * args: R, n, slots of X that hold its coefficients, their number, X values, width, sums (n f32 a block).
 */
export function refitDirection(from: i32, to: i32, scratch: usize, args: usize): void {
  const bytes = (<usize>load<i32>(args, 4)) << 2;
  const slots = load<usize>(args, 8);
  const total = load<i32>(args, 12);
  const width = load<u32>(args, 20);
  const weights = scratch + ((<usize>refitBlock) << 2);
  for (let block = from; block < to; block++) {
    const first = block * refitBlock;
    const count = min(refitBlock, total - first);
    for (let e = 0; e < count; e++) {
      const slot = load<u32>(slots + ((<usize>(first + e)) << 2));
      store<usize>(scratch + ((<usize>e) << 2), load<usize>(args) + <usize>(slot / width) * bytes);
      store<f32>(weights + ((<usize>e) << 2), load<f32>(load<usize>(args, 16) + ((<usize>slot) << 2)));
    }
    weightedSum(load<usize>(args, 24) + <usize>block * bytes, bytes, scratch, weights, count, 1);
  }
}

/**
 * Second half, with the new atom d and the old one: g' = ⟨r + g old, d⟩, r ← r + g old − g' d.
 * args: R, n, slots, their number, X values, width, old atom, new atom.
 */
export function refitCodes(from: i32, to: i32, _scratch: usize, args: usize): void {
  const n = load<i32>(args, 4);
  const bytes = (<usize>n) << 2;
  const slots = load<usize>(args, 8);
  const total = load<i32>(args, 12);
  const width = load<u32>(args, 20);
  const old = load<usize>(args, 24);
  const d = load<usize>(args, 28);
  for (let e = from * refitBlock; e < min(to * refitBlock, total); e++) {
    const slot = load<u32>(slots + ((<usize>e) << 2));
    const value = load<usize>(args, 16) + ((<usize>slot) << 2);
    const r = load<usize>(args) + <usize>(slot / width) * bytes;
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

/**
 * C ← C + YYᵀ by blocks of sixteen columns of C: rows from its own on, and their mirror.
 * args: Y, n, columns, C. scratch: two blocks of `columns` rows, then sixteen rows of results.
 */
export function addOuter(from: i32, to: i32, scratch: usize, args: usize): void {
  const Y = load<usize>(args);
  const n = load<i32>(args, 4);
  const columns = load<i32>(args, 8);
  const C = load<usize>(args, 12);
  const other = scratch + <usize>columns * rowBytes;
  const results = other + <usize>columns * rowBytes;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, n - first);
    packRows(Y, n, columns, first, count, scratch);
    for (let i = first; i < n; i += lanes) {
      const rows = min(lanes, n - i);
      packRows(Y, n, columns, i, rows, other);
      for (let a: usize = 0; a < <usize>lanes; a += 2) {
        const at = results + a * rowBytes;
        sumRows(scratch, columns, other + (a << 2), other + ((a + 1) << 2), rowBytes, at, at + rowBytes);
      }
      addTile(C, n, first, count, i, rows, results);
    }
  }
}

/** Entries (i + a, first + e) of C and their mirror ← themselves + results[a][e]. */
function addTile(C: usize, n: i32, first: i32, count: i32, i: i32, rows: i32, results: usize): void {
  for (let a = 0; a < rows; a++) {
    const row = i + a;
    for (let e = 0; e < count; e++) {
      const column = first + e;
      if (column > row) break; // the mirror of another entry of this block
      const sum = load<f32>(results + <usize>a * rowBytes + ((<usize>e) << 2));
      const at = C + ((<usize>column * <usize>n + <usize>row) << 2);
      const value = load<f32>(at) + sum;
      store<f32>(at, value);
      store<f32>(C + ((<usize>row * <usize>n + <usize>column) << 2), value);
    }
  }
}
