/**
 * The unit Gram matrix of D = ΦA by blocks of sixteen atoms of S: first their
 * norms, then z = ΦᵀΦa, and ⟨aᵢ, z⟩ for every atom i.
 *
 * Of two atoms of S, the one in the earlier block computes their entry, and both
 * halves of G get the same bits. Entries within a block are mirrored at its end.
 */

import { lanes, rowBytes } from "./lanes";
import { correlateAtoms } from "./project";
import { runPlan } from "./transform";

/** block ← the atoms members[first … first + count) as columns of coefficients. */
function scatterAtoms(
  indices: usize,
  values: usize,
  counts: usize,
  width: i32,
  members: usize,
  first: i32,
  count: i32,
  L: i32,
  block: usize,
): void {
  memory.fill(block, 0, <usize>L * rowBytes);
  for (let e = 0; e < count; e++) {
    const atom = <usize>load<u32>(members + ((<usize>(first + e)) << 2));
    const start = (atom * <usize>width) << 2;
    const end = start + ((<usize>load<i32>(counts + (atom << 2))) << 2);
    for (let s = start; s < end; s += 4) {
      store<f32>(block + ((<usize>load<u32>(indices + s)) << 6) + ((<usize>e) << 2), load<f32>(values + s));
    }
  }
}

/** scale ← 1/‖Φa‖ for the atoms of S. args: plan of Φ, A (indices, values, counts, width), members, size of S, L, n, scale. */
export function atomScales(from: i32, to: i32, scratch: usize, args: usize): void {
  const plan = load<usize>(args);
  const members = load<usize>(args, 20);
  const total = load<i32>(args, 24);
  const L = load<i32>(args, 28);
  const n = load<i32>(args, 32);
  const scale = load<usize>(args, 36);
  const size = <usize>load<i32>(plan, 4) * rowBytes;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, total - first);
    scatterAtoms(
      load<usize>(args, 4),
      load<usize>(args, 8),
      load<usize>(args, 12),
      load<i32>(args, 16),
      members,
      first,
      count,
      L,
      scratch,
    );
    const d = runPlan(plan, scratch, scratch + size, scratch + 2 * size);
    for (let e = 0; e < count; e++) {
      let energy: f64 = 0;
      for (let r = 0; r < n; r++) {
        const value = <f64>load<f32>(d + <usize>r * rowBytes + ((<usize>e) << 2));
        energy += value * value;
      }
      const atom = <usize>load<u32>(members + ((<usize>(first + e)) << 2));
      store<f32>(scale + (atom << 2), energy > 0 ? <f32>(1.0 / sqrt(energy)) : 0);
    }
  }
}

/** Atoms correlated before their entries go to G. */
const panel: i32 = 64;

/**
 * Rows and columns S of G.
 * args: plans of Φ and Φᵀ, A (indices, values, counts, width), members, size of S, L, m, scale, G, flags (one byte an atom: in S).
 */
export function gramColumns(from: i32, to: i32, scratch: usize, args: usize): void {
  const synthesis = load<usize>(args);
  const analysis = load<usize>(args, 4);
  const indices = load<usize>(args, 8);
  const values = load<usize>(args, 12);
  const counts = load<usize>(args, 16);
  const width = load<i32>(args, 20);
  const members = load<usize>(args, 24);
  const total = load<i32>(args, 28);
  const L = load<i32>(args, 32);
  const m = load<i32>(args, 36);
  const scale = load<usize>(args, 40);
  const G = load<usize>(args, 44);
  const flags = load<usize>(args, 48);
  const size = <usize>max(load<i32>(synthesis, 4), load<i32>(analysis, 4)) * rowBytes;
  const entries = scratch + 3 * size;
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, total - first);
    scatterAtoms(indices, values, counts, width, members, first, count, L, scratch);
    const d = runPlan(synthesis, scratch, scratch + size, scratch + 2 * size);
    const free = d === scratch + size ? scratch + 2 * size : scratch + size;
    const z = runPlan(analysis, d, free, scratch);
    scaleLanes(z, L, members, scale, first, count);
    const lowest = load<i32>(members + ((<usize>first) << 2));
    for (let i = 0; i < m; i += panel) {
      const atoms = min(panel, m - i);
      if (i + atoms <= lowest && allIn(flags, i, atoms)) continue; // earlier blocks have computed these
      correlateAtoms(indices, values, counts, width, scale, i, atoms, z, entries);
      for (let r = 0; r < atoms; r++) {
        const other = i + r;
        if (other < lowest && load<u8>(flags + <usize>other) !== 0) continue;
        putEntries(entries + <usize>r * rowBytes, other, members, first, count, m, G);
      }
    }
    mirrorBlock(members, first, count, m, G);
  }
}

/** z ← z diag(scale of the block's atoms). */
function scaleLanes(z: usize, L: i32, members: usize, scale: usize, first: i32, count: i32): void {
  for (let e = 0; e < count; e++) {
    const atom = <usize>load<u32>(members + ((<usize>(first + e)) << 2));
    const s = load<f32>(scale + (atom << 2));
    const end = z + <usize>L * rowBytes;
    for (let at = z + ((<usize>e) << 2); at < end; at += rowBytes) store<f32>(at, load<f32>(at) * s);
  }
}

function allIn(flags: usize, first: i32, count: i32): bool {
  for (let i = 0; i < count; i++) if (load<u8>(flags + <usize>(first + i)) === 0) return false;
  return true;
}

/** G[other, j] and G[j, other] ← the entries of one atom with the block's atoms j. */
function putEntries(
  entries: usize,
  other: i32,
  members: usize,
  first: i32,
  count: i32,
  m: i32,
  G: usize,
): void {
  const column = G + ((<usize>other * <usize>m) << 2);
  const row = G + ((<usize>other) << 2);
  for (let e = 0; e < count; e++) {
    const j = <usize>load<u32>(members + ((<usize>(first + e)) << 2));
    const value = load<f32>(entries + ((<usize>e) << 2));
    store<f32>(row + ((j * <usize>m) << 2), value);
    store<f32>(column + (j << 2), value);
  }
}

/** Within a block, the entry that the later atom wrote stands for both halves. */
function mirrorBlock(members: usize, first: i32, count: i32, m: i32, G: usize): void {
  for (let a = 0; a < count; a++) {
    const j = <usize>load<u32>(members + ((<usize>(first + a)) << 2));
    for (let b = a + 1; b < count; b++) {
      const i = <usize>load<u32>(members + ((<usize>(first + b)) << 2));
      const value = load<f32>(G + ((j * <usize>m + i) << 2));
      store<f32>(G + ((i * <usize>m + j) << 2), value);
    }
  }
}
