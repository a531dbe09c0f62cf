/**
 * The unit Gram matrix of D = ΦA by blocks of sixteen atoms of S: first their
 * norms, then z = ΦᵀΦa, and ⟨aᵢ, z⟩ for every atom i.
 *
 * Of two atoms of S, the one in the earlier block computes their entry, and both
 * halves of G get the same bits. Entries within a block are mirrored at its end.
 *
 * Φa is summed from its few columns, each an outer product of a column over the
 * leading axes and one over the last; or, where an atom has many non-zeros, by
 * the plan of Φ. An `atoms` argument stands for:
 *
 *     0 plan of Φ · 4 A: indices, values, counts, width (4 words) · 20 members of S
 *     24 size of S · 28 L · 32 n · 36 leading columns · 40 their length
 *     44 last columns · 48 their length · 52 their number · 56 whether to sum columns
 */

import { interleave, lanes, rowBytes, storeFour } from "./lanes";
import { correlateAtom, correlateAtoms } from "./project";
import { runPlan } from "./transform";

/** The block of Φa for the atoms members[first … first + count), somewhere in three blocks of scratch. */
function atomBlock(atoms: usize, first: i32, count: i32, scratch: usize, size: usize): usize {
  const n = load<i32>(atoms, 32);
  if (load<i32>(atoms, 56) === 0) {
    scatterAtoms(atoms, first, count, scratch);
    return runPlan(load<usize>(atoms), scratch, scratch + size, scratch + 2 * size);
  }
  const step = (<usize>n) << 2;
  for (let e = 0; e < count; e++) sumColumns(atoms, memberAt(atoms, first + e), scratch + <usize>e * step);
  interleave(scratch, step, n, count, scratch + size);
  return scratch + size;
}

function memberAt(atoms: usize, at: i32): usize {
  return <usize>load<u32>(load<usize>(atoms, 20) + ((<usize>at) << 2));
}

/** block ← atoms of S as columns of coefficients. */
function scatterAtoms(atoms: usize, first: i32, count: i32, block: usize): void {
  const indices = load<usize>(atoms, 4);
  const values = load<usize>(atoms, 8);
  memory.fill(block, 0, <usize>load<i32>(atoms, 28) * rowBytes);
  for (let e = 0; e < count; e++) {
    const atom = memberAt(atoms, first + e);
    const start = (atom * <usize>load<i32>(atoms, 16)) << 2;
    const end = start + ((<usize>load<i32>(load<usize>(atoms, 12) + (atom << 2))) << 2);
    for (let s = start; s < end; s += 4) {
      store<f32>(block + ((<usize>load<u32>(indices + s)) << 6) + ((<usize>e) << 2), load<f32>(values + s));
    }
  }
}

/** d ← Σ a φ over the non-zeros of an atom. */
function sumColumns(atoms: usize, atom: usize, d: usize): void {
  const leading = load<i32>(atoms, 40);
  const length = load<i32>(atoms, 48);
  const number = load<u32>(atoms, 52);
  memory.fill(d, 0, (<usize>load<i32>(atoms, 32)) << 2);
  const start = (atom * <usize>load<i32>(atoms, 16)) << 2;
  const end = start + ((<usize>load<i32>(load<usize>(atoms, 12) + (atom << 2))) << 2);
  for (let s = start; s < end; s += 4) {
    const index = load<u32>(load<usize>(atoms, 4) + s);
    const a = load<f32>(load<usize>(atoms, 8) + s);
    const lead = load<usize>(atoms, 36) + ((<usize>((index / number) * leading)) << 2);
    const last = load<usize>(atoms, 44) + ((<usize>((index % number) * length)) << 2);
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

/** scale ← 1/‖Φa‖ for the atoms of S. args: atoms, then 60 scale, 64 bytes of a block of scratch. */
export function atomScales(from: i32, to: i32, scratch: usize, args: usize): void {
  const total = load<i32>(args, 24);
  const n = load<i32>(args, 32);
  const scale = load<usize>(args, 60);
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, total - first);
    const d = atomBlock(args, first, count, scratch, load<usize>(args, 64));
    for (let e = 0; e < count; e += 2) {
      let energies = f64x2.splat(0);
      for (let r = 0; r < n; r++) {
        const values = f64x2.promote_low_f32x4(v128.load64_zero(d + <usize>r * rowBytes + ((<usize>e) << 2)));
        energies = f64x2.add(energies, f64x2.mul(values, values));
      }
      putScale(args, scale, first + e, f64x2.extract_lane(energies, 0));
      if (e + 1 < count) putScale(args, scale, first + e + 1, f64x2.extract_lane(energies, 1));
    }
  }
}

function putScale(atoms: usize, scale: usize, at: i32, energy: f64): void {
  store<f32>(scale + (memberAt(atoms, at) << 2), energy > 0 ? <f32>(1.0 / sqrt(energy)) : 0);
}

/** Atoms correlated before their entries go to G. */
const panel: i32 = 64;

/**
 * Rows and columns S of G.
 * args: atoms, then 60 scale, 64 bytes of a block of scratch, 68 plan of Φᵀ, 72 m, 76 G, 80 atoms outside S, 84 their number.
 */
export function gramColumns(from: i32, to: i32, scratch: usize, args: usize): void {
  const total = load<i32>(args, 24);
  const L = load<i32>(args, 28);
  const scale = load<usize>(args, 60);
  const size = load<usize>(args, 64);
  const m = load<i32>(args, 72);
  const entries = scratch + 3 * size;
  const blocks = (total + lanes - 1) / lanes;
  for (let item = from; item < to; item++) {
    const block = item & 1 ? blocks - 1 - (item >> 1) : item >> 1; // neighbours write to the same cache lines
    const first = block * lanes;
    const count = min(lanes, total - first);
    const d = atomBlock(args, first, count, scratch, size);
    const free = d === scratch + size ? scratch + 2 * size : scratch + size;
    const z = runPlan(load<usize>(args, 68), d, free, scratch);
    scaleLanes(z, L, args, scale, first, count, entries);
    const lowest = <i32>memberAt(args, first);
    putOutside(args, z, lowest, first, count, entries);
    for (let i = lowest; i < m; i += panel) {
      const atoms = min(panel, m - i);
      correlateAtoms(
        load<usize>(args, 4),
        load<usize>(args, 8),
        load<usize>(args, 12),
        load<i32>(args, 16),
        scale,
        i,
        atoms,
        z,
        entries,
      );
      putPanel(args, entries, i, atoms, first, count);
    }
    mirrorBlock(args, first, count);
  }
}

/** z ← z diag(scale of the block's atoms), with `row` for their scales side by side. */
function scaleLanes(z: usize, L: i32, atoms: usize, scale: usize, first: i32, count: i32, row: usize): void {
  memory.fill(row, 0, rowBytes);
  for (let e = 0; e < count; e++) {
    store<f32>(row + ((<usize>e) << 2), load<f32>(scale + (memberAt(atoms, first + e) << 2)));
  }
  const s0 = v128.load(row);
  const s1 = v128.load(row, 16);
  const s2 = v128.load(row, 32);
  const s3 = v128.load(row, 48);
  const end = z + <usize>L * rowBytes;
  for (let at = z; at < end; at += rowBytes) {
    v128.store(at, f32x4.mul(v128.load(at), s0));
    v128.store(at, f32x4.mul(v128.load(at, 16), s1), 16);
    v128.store(at, f32x4.mul(v128.load(at, 32), s2), 32);
    v128.store(at, f32x4.mul(v128.load(at, 48), s3), 48);
  }
}

/** Entries with the atoms outside S that come before the block: of those before it in S, earlier blocks have them. */
function putOutside(args: usize, z: usize, lowest: i32, first: i32, count: i32, entry: usize): void {
  const outside = load<usize>(args, 80);
  const number = load<i32>(args, 84);
  for (let o = 0; o < number; o++) {
    const other = load<i32>(outside + ((<usize>o) << 2));
    if (other >= lowest) return;
    const start = (<usize>other * <usize>load<i32>(args, 16)) << 2;
    correlateAtom(
      load<usize>(args, 4) + start,
      load<usize>(args, 8) + start,
      load<i32>(load<usize>(args, 12) + ((<usize>other) << 2)),
      load<f32>(load<usize>(args, 60) + ((<usize>other) << 2)),
      z,
      entry,
    );
    putPanel(args, entry, other, 1, first, count);
  }
}

/** G[i + r, j] and G[j, i + r] ← row r of the entries, for the block's atoms j: pieces of columns, then of rows. */
function putPanel(args: usize, entries: usize, i: i32, rows: i32, first: i32, count: i32): void {
  const step = (<usize>load<i32>(args, 72)) << 2;
  const G = load<usize>(args, 76);
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
  const end = entries + <usize>rows * rowBytes;
  for (let c = 0; c < count; c++) {
    let to = G + <usize>i * step + (memberAt(args, first + c) << 2);
    for (let at = entries; at < end; at += rowBytes) {
      store<f32>(to, load<f32>(at + ((<usize>c) << 2)));
      to += step;
    }
  }
}

/** Within a block, the entry that the later atom wrote stands for both halves. */
function mirrorBlock(args: usize, first: i32, count: i32): void {
  const m = <usize>load<i32>(args, 72);
  const G = load<usize>(args, 76);
  for (let a = 0; a < count; a++) {
    const j = memberAt(args, first + a);
    for (let b = a + 1; b < count; b++) {
      const i = memberAt(args, first + b);
      store<f32>(G + ((i * m + j) << 2), load<f32>(G + ((j * m + i) << 2)));
    }
  }
}
