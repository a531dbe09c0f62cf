/**
 * The unit Gram matrix of D = ΦA by blocks of sixteen atoms of S: first their
 * norms, then z = ΦᵀΦa, and ⟨aᵢ, z⟩ for every atom i.
 *
 * Of two atoms of S, the one in the earlier block computes their entry, and both
 * halves of G get the same bits. Entries within a block are mirrored at its end.
 * Entries of a block that another process computed are written the same way (`placeColumns`).
 *
 * Φa is summed from its few columns, each an outer product of a column over the
 * leading axes and one over the last; or, if an atom has many non-zeros, by the
 * plan of Φ.
 */

import { lanes, panel, rowBytes } from "./constants";
import { correlateAtom, correlateAtoms, runPlan } from "./project";
import { Base, Sparse } from "./structs";
import { interleave, storeFour } from "./sums";

/** What `atomScales`, `gramColumns` and `placeColumns` are given. */
@unmanaged
class GramArguments {
  base: Base;
  A: Sparse;
  m: i32;
  /** S and its size; the atoms outside S, ascending, and their number. */
  members: usize;
  size: i32;
  outside: usize;
  outsideCount: i32;
  /** Whether Φa is summed from columns of Φ. */
  direct: i32;
  scale: usize;
  G: usize;
  /** Bytes of a block of scratch. */
  blockBytes: usize;
  /** Room for the blocks of Φa, which `atomScales` leaves for `gramColumns`; 0 if they are not kept. */
  blocks: usize;
  /** The block of each item. */
  order: usize;
  /** The address of the entries of each item: 64 bytes per row, in the order in which they are computed; 0 if they are not kept. */
  rooms: usize;
}

function blockAt(args: GramArguments, item: i32): i32 {
  return load<i32>(args.order + ((<usize>item) << 2));
}

function roomAt(args: GramArguments, item: i32): usize {
  return args.rooms === 0 ? 0 : <usize>load<u32>(args.rooms + ((<usize>item) << 2));
}

/** The block of Φa for the atoms members[first … first + count), in three blocks of scratch or where it is kept. */
function atomBlock(args: GramArguments, first: i32, count: i32, scratch: usize): usize {
  const size = args.blockBytes;
  const n = args.base.rows;
  const kept = keptBlock(args, first);
  if (!args.direct) {
    scatterAtoms(args, first, count, scratch);
    const block = runPlan(args.base.synthesis, scratch, scratch + size, scratch + 2 * size);
    if (kept === 0) return block;
    memory.copy(kept, block, <usize>n * rowBytes);
    return kept;
  }
  const step = (<usize>n) << 2;
  const block = kept === 0 ? scratch + size : kept;
  for (let e = 0; e < count; e++)
    sumColumns(args.base, args.A, memberAt(args, first + e), scratch + <usize>e * step);
  interleave(scratch, step, n, count, block);
  return block;
}

/** Where the block of Φa that starts with members[first] is kept; 0 if it is not. */
function keptBlock(args: GramArguments, first: i32): usize {
  return args.blocks === 0 ? 0 : args.blocks + ((<usize>first * <usize>args.base.rows) << 2);
}

function memberAt(args: GramArguments, at: i32): usize {
  return <usize>load<u32>(args.members + ((<usize>at) << 2));
}

/** block ← atoms of S as columns of coefficients. */
function scatterAtoms(args: GramArguments, first: i32, count: i32, block: usize): void {
  const A = args.A;
  const indices = A.indices;
  const values = A.values;
  memory.fill(block, 0, <usize>args.base.cols * rowBytes);
  for (let e = 0; e < count; e++) {
    const atom = memberAt(args, first + e);
    const start = (atom * <usize>A.width) << 2;
    const end = start + ((<usize>load<i32>(A.counts + (atom << 2))) << 2);
    for (let s = start; s < end; s += 4) {
      store<f32>(block + ((<usize>load<u32>(indices + s)) << 6) + ((<usize>e) << 2), load<f32>(values + s));
    }
  }
}

/** d ← Σ a φ over the non-zeros of an atom. */
export function sumColumns(base: Base, A: Sparse, atom: usize, d: usize): void {
  const leading = base.leadingLength;
  const length = base.lastLength;
  const number = <u32>base.lastCount;
  memory.fill(d, 0, (<usize>base.rows) << 2);
  const start = (atom * <usize>A.width) << 2;
  const end = start + ((<usize>load<i32>(A.counts + (atom << 2))) << 2);
  for (let s = start; s < end; s += 4) {
    const index = load<u32>(A.indices + s);
    const a = load<f32>(A.values + s);
    const lead = base.leading + ((<usize>((index / number) * leading)) << 2);
    const last = base.last + ((<usize>((index % number) * length)) << 2);
    for (let r = 0; r < leading; r++) {
      const weight = a * load<f32>(lead + ((<usize>r) << 2));
      if (weight !== 0) addScaled(weight, last, length, d + ((<usize>(r * length)) << 2));
    }
  }
}

/** to ← to + weight × from. */
function addScaled(weight: f32, from: usize, length: i32, to: usize): void {
  const w = f32x4.splat(weight);
  const bytes = (<usize>length) << 2;
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) {
    v128.store(to + i, f32x4.add(v128.load(to + i), f32x4.mul(w, v128.load(from + i))));
  }
  for (; i < bytes; i += 4) store<f32>(to + i, load<f32>(to + i) + weight * load<f32>(from + i));
}

/** scale ← 1/‖Φa‖ for the atoms of S. Items are blocks of sixteen of them. */
export function atomScales(from: i32, to: i32, scratch: usize, args: GramArguments): void {
  const n = args.base.rows;
  for (let item = from; item < to; item++) {
    const first = blockAt(args, item) * lanes;
    const count = min(lanes, args.size - first);
    const d = atomBlock(args, first, count, scratch);
    for (let e = 0; e < count; e += 2) {
      let energies = f64x2.splat(0);
      for (let r = 0; r < n; r++) {
        const values = f64x2.promote_low_f32x4(v128.load64_zero(d + <usize>r * rowBytes + ((<usize>e) << 2)));
        energies = f64x2.add(energies, f64x2.mul(values, values));
      }
      putScale(args, first + e, f64x2.extract_lane(energies, 0));
      if (e + 1 < count) putScale(args, first + e + 1, f64x2.extract_lane(energies, 1));
    }
  }
}

function putScale(args: GramArguments, at: i32, energy: f64): void {
  store<f32>(args.scale + (memberAt(args, at) << 2), energy > 0 ? <f32>(1.0 / sqrt(energy)) : 0);
}

/** Rows and columns S of G. Items are blocks of sixteen atoms of S. Scratch: three blocks, a panel. */
export function gramColumns(from: i32, to: i32, scratch: usize, args: GramArguments): void {
  const total = args.size;
  const size = args.blockBytes;
  const m = args.m;
  for (let item = from; item < to; item++) {
    const first = blockAt(args, item) * lanes;
    const count = min(lanes, total - first);
    const kept = keptBlock(args, first);
    const d = kept === 0 ? atomBlock(args, first, count, scratch) : kept;
    const free = d === scratch + size ? scratch + 2 * size : scratch + size;
    const z = runPlan(args.base.analysis, d, free, scratch);
    const room = roomAt(args, item);
    let entries = room === 0 ? scratch + 3 * size : room;
    scaleLanes(args, z, first, count, entries);
    const lowest = <i32>memberAt(args, first);
    entries = putOutside(args, z, lowest, first, count, entries, room !== 0);
    for (let i = lowest; i < m; i += panel) {
      const atoms = min(panel, m - i);
      correlateAtoms(args.A, args.scale, i, atoms, z, entries);
      putPanel(args, entries, i, atoms, first, count);
      if (room !== 0) entries += <usize>atoms * rowBytes;
    }
    mirrorBlock(args, first, count);
  }
}

/** Rows and columns S of G from entries that are there. Items are blocks of sixteen atoms of S. */
export function placeColumns(from: i32, to: i32, _scratch: usize, args: GramArguments): void {
  const m = args.m;
  for (let item = from; item < to; item++) {
    const first = blockAt(args, item) * lanes;
    const count = min(lanes, args.size - first);
    const lowest = <i32>memberAt(args, first);
    let entries = roomAt(args, item);
    const others = outsideBefore(args, lowest);
    putScattered(args, entries, args.outside, others, first, count);
    entries += <usize>others * rowBytes;
    for (let i = lowest; i < m; i += panel) {
      const atoms = min(panel, m - i);
      putPanel(args, entries, i, atoms, first, count);
      entries += <usize>atoms * rowBytes;
    }
    mirrorBlock(args, first, count);
  }
}

/** z ← z diag(scale of the block's atoms), with `row` for their scales side by side. */
function scaleLanes(args: GramArguments, z: usize, first: i32, count: i32, row: usize): void {
  memory.fill(row, 0, rowBytes);
  for (let e = 0; e < count; e++) {
    store<f32>(row + ((<usize>e) << 2), load<f32>(args.scale + (memberAt(args, first + e) << 2)));
  }
  multiplyLanes(z, args.base.cols, row);
}

/** Each row of a block ← itself times a row of weights. */
export function multiplyLanes(block: usize, rows: i32, weights: usize): void {
  const s0 = v128.load(weights);
  const s1 = v128.load(weights, 16);
  const s2 = v128.load(weights, 32);
  const s3 = v128.load(weights, 48);
  const end = block + <usize>rows * rowBytes;
  for (let at = block; at < end; at += rowBytes) {
    v128.store(at, f32x4.mul(v128.load(at), s0));
    v128.store(at, f32x4.mul(v128.load(at, 16), s1), 16);
    v128.store(at, f32x4.mul(v128.load(at, 32), s2), 32);
    v128.store(at, f32x4.mul(v128.load(at, 48), s3), 48);
  }
}

/** How many of the atoms outside S come before an atom. */
function outsideBefore(args: GramArguments, atom: i32): i32 {
  let from = 0;
  let to = args.outsideCount;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (load<i32>(args.outside + ((<usize>middle) << 2)) < atom) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Entries of the atoms outside S that come before the block, one after the other if they are `kept`; the address after
 * them. Those of atoms in S are written by earlier blocks.
 */
function putOutside(
  args: GramArguments,
  z: usize,
  lowest: i32,
  first: i32,
  count: i32,
  entries: usize,
  kept: bool,
): usize {
  const A = args.A;
  const others = outsideBefore(args, lowest);
  for (let o = 0; o < others; o += panel) {
    const list = args.outside + ((<usize>o) << 2);
    const rows = min(panel, others - o);
    for (let r: usize = 0; r < <usize>rows; r++) {
      const other = <usize>load<u32>(list + (r << 2));
      const start = (other * <usize>A.width) << 2;
      correlateAtom(
        A.indices + start,
        A.values + start,
        load<i32>(A.counts + (other << 2)),
        load<f32>(args.scale + (other << 2)),
        z,
        entries + r * rowBytes,
      );
    }
    putScattered(args, entries, list, rows, first, count);
    if (kept) entries += <usize>rows * rowBytes;
  }
  return entries;
}

/** G[i, j] and G[j, i] ← row r of the entries, for the block's atoms j and atom r of a list i. */
function putScattered(
  args: GramArguments,
  entries: usize,
  list: usize,
  rows: i32,
  first: i32,
  count: i32,
): void {
  const step = (<usize>args.m) << 2;
  const G = args.G;
  const end = list + ((<usize>rows) << 2);
  for (let c = 0; c < count; c++) {
    const j = memberAt(args, first + c);
    const column = G + j * step;
    const row = G + (j << 2);
    let at = entries + ((<usize>c) << 2);
    for (let place = list; place < end; place += 4) {
      const i = <usize>load<u32>(place);
      const entry = load<f32>(at);
      store<f32>(column + (i << 2), entry);
      store<f32>(row + i * step, entry);
      at += rowBytes;
    }
  }
}

/** G[i + r, j] and G[j, i + r] ← row r of the entries, for the block's atoms j: pieces of columns, then of rows. */
function putPanel(args: GramArguments, entries: usize, i: i32, rows: i32, first: i32, count: i32): void {
  const step = (<usize>args.m) << 2;
  const G = args.G;
  const down = G + ((<usize>i) << 2);
  const whole = rows & ~3;
  let e = 0;
  for (; e + 4 <= count; e += 4) {
    const j0 = down + memberAt(args, first + e) * step;
    const j1 = down + memberAt(args, first + e + 1) * step;
    const j2 = down + memberAt(args, first + e + 2) * step;
    const j3 = down + memberAt(args, first + e + 3) * step;
    for (let r = 0; r < whole; r += 4) {
      const at = (<usize>r) << 2;
      storeFour(entries + <usize>r * rowBytes + ((<usize>e) << 2), j0 + at, j1 + at, j2 + at, j3 + at);
    }
  }
  for (let c = 0; c < count; c++) {
    const column = down + memberAt(args, first + c) * step;
    for (let r = c < e ? whole : 0; r < rows; r++) {
      store<f32>(column + ((<usize>r) << 2), load<f32>(entries + <usize>r * rowBytes + ((<usize>c) << 2)));
    }
  }
  putRows(args, entries, i, rows, first, count);
}

/** The rows of a panel: sixteen entries side by side, unless atoms between those of the block are not in S. */
function putRows(args: GramArguments, entries: usize, i: i32, rows: i32, first: i32, count: i32): void {
  const step = (<usize>args.m) << 2;
  const lowest = memberAt(args, first);
  const whole = count === lanes && memberAt(args, first + lanes - 1) - lowest === <usize>(lanes - 1);
  const place = args.G + <usize>i * step;
  const end = entries + <usize>rows * rowBytes;
  if (whole) {
    let row = place + (lowest << 2);
    for (let at = entries; at < end; at += rowBytes) {
      copyRow(at, row);
      row += step;
    }
    return;
  }
  for (let c = 0; c < count; c++) {
    let row = place + (memberAt(args, first + c) << 2);
    for (let at = entries + ((<usize>c) << 2); at < end; at += rowBytes) {
      store<f32>(row, load<f32>(at));
      row += step;
    }
  }
}

function copyRow(from: usize, to: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
  v128.store(to, v128.load(from, 32), 32);
  v128.store(to, v128.load(from, 48), 48);
}

/** Within a block, the entry that the later atom wrote stands for both halves. */
function mirrorBlock(args: GramArguments, first: i32, count: i32): void {
  const m = <usize>args.m;
  const G = args.G;
  for (let a = 0; a < count; a++) {
    const j = memberAt(args, first + a);
    for (let b = a + 1; b < count; b++) {
      const i = memberAt(args, first + b);
      store<f32>(G + ((i * m + j) << 2), load<f32>(G + ((j * m + i) << 2)));
    }
  }
}

@unmanaged
class CoherenceArguments {
  G: usize;
  m: i32;
  /** The atom of column 0. */
  first: i32;
  coherence: usize;
}

/** coherence[first + c] ← the largest |G[i, c]| with i < first + c. Items are columns. */
export function coherence(from: i32, to: i32, _scratch: usize, args: CoherenceArguments): void {
  for (let c = from; c < to; c++) {
    const column = args.G + ((<usize>c * <usize>args.m) << 2);
    const j = args.first + c;
    let peak: f32 = 0;
    for (let i = 0; i < j; i++) peak = max(peak, abs(load<f32>(column + ((<usize>i) << 2))));
    store<f32>(args.coherence + ((<usize>j) << 2), peak);
  }
}
