/**
 * OMP and OLS from the atoms themselves, for blocks of sixteen examples side by side: see
 * reference/ompFromAtoms.ts for the algorithm. The examples of a block take their turns
 * together; one that has ended has zeros for its new direction, so that nothing of it changes.
 *
 *     α, ν    m rows each (ν for OLS alone); OMP gets α from the residual, OLS α and ν from q
 *     Q       p blocks of n rows
 *     C, z    per example, f64 (triangular.ts)
 *
 * Inner products are summed in f32 over a few rows at a time, and these sums in f64.
 */

import { lanes, panel, rowBytes } from "./constants";
import { multiplyLanes, sumColumns } from "./gram";
import { blockBytes, correlateAtoms, runPlan } from "./project";
import { Base, Sparse } from "./structs";
import { interleave } from "./sums";
import { isFarFromSpan, solveTransposed } from "./triangular";

@unmanaged
class AtomPursuitArguments {
  base: Base;
  A: Sparse;
  scale: usize;
  /** Whether an atom is summed from columns of Φ. */
  direct: i32;
  Y: usize;
  columns: i32;
  energies: usize;
  m: i32;
  /** The most atoms of a code. */
  p: i32;
  X: Sparse;
  /** 0 for none. */
  path: usize;
  /** ε²; 0 for no such limit. */
  residualEnergy: f64;
  /** The floors of the contract. */
  pursuitFloor: f32;
  dependenceFloor: f64;
  /** 1 for orthogonal least squares. */
  isOls: i32;
}

/** Where the parts of a block lie in scratch memory. */
@unmanaged
class Room {
  /** Three blocks of the larger plan, `size` bytes each. */
  blocks: usize;
  size: usize;
  residual: usize;
  /** The new atoms, then their directions q. */
  fresh: usize;
  alpha: usize;
  nu: usize;
  results: usize;
  /** Rows of one value per example: the atom found, its score, weights, floors of the correlations. */
  best: usize;
  most: usize;
  weights: usize;
  floors: usize;
  /** f64 per example: a sum, the energy that is left. */
  sums: usize;
  left: usize;
  /** i32 per example: atoms taken, whether it continues. */
  taken: usize;
  alive: usize;
  z: usize;
  x: usize;
  factor: usize;
  Q: usize;
}

/** Examples of a block, as a count of bytes. */
const all: usize = lanes;
/** Bytes for `Room` itself. */
const roomBytes: usize = 128;
/** Atoms whose scores are looked at for four examples after the other: 16 KB. */
const strip = 256;
/** Rows that are summed in f32. */
const shortSum: usize = 32 * 64;

function makeRoom(scratch: usize, args: AtomPursuitArguments): Room {
  const room = changetype<Room>(scratch);
  const rows = <usize>args.base.rows * rowBytes;
  const p = <usize>args.p;
  const scores = <usize>args.m * rowBytes;
  room.blocks = scratch + roomBytes;
  room.size = max(rows, max(blockBytes(args.base.analysis), blockBytes(args.base.synthesis)));
  room.residual = room.blocks + 3 * room.size;
  room.fresh = room.residual + rows;
  room.alpha = room.fresh + rows;
  room.nu = room.alpha + scores;
  room.results = room.nu + (args.isOls ? scores : 0);
  room.best = room.results + <usize>panel * rowBytes;
  room.most = room.best + rowBytes;
  room.weights = room.most + rowBytes;
  room.floors = room.weights + rowBytes;
  room.taken = room.floors + rowBytes;
  room.alive = room.taken + rowBytes;
  room.sums = room.alive + rowBytes;
  room.left = room.sums + 2 * rowBytes;
  room.z = room.left + 2 * rowBytes;
  room.x = room.z + all * p * 8;
  room.factor = room.x + p * 8;
  room.Q = (room.factor + all * p * p * 8 + 63) & ~63;
  return room;
}

/** X ← the codes of the columns of Y. Items are blocks of sixteen columns. */
export function ompFromAtoms(from: i32, to: i32, scratch: usize, args: AtomPursuitArguments): void {
  const room = makeRoom(scratch, args);
  for (let block = from; block < to; block++) {
    const first = block * lanes;
    const count = min(lanes, args.columns - first);
    start(args, room, first, count);
    while (findAtoms(args, room)) {
      buildAtoms(args, room);
      orthogonalize(args, room);
      acceptAtoms(args, room, first);
      if (!advance(args, room, first)) break;
      correlate(args, room);
      leaveOut(args, room, first);
    }
    for (let e: usize = 0; e < <usize>count; e++) writeCode(args, room, first, e);
  }
}

function start(args: AtomPursuitArguments, room: Room, first: i32, count: i32): void {
  const step = (<usize>args.base.rows) << 2;
  const scores = <usize>args.m * rowBytes;
  interleave(args.Y + <usize>first * step, step, args.base.rows, count, room.residual);
  const Z = runPlan(args.base.analysis, room.residual, room.blocks, room.blocks + room.size);
  correlateAtoms(args.A, args.scale, 0, args.m, Z, room.alpha);
  if (args.isOls) fillOnes(room.nu, scores);
  putFloors(room, args.m, args.pursuitFloor);
  for (let e: usize = 0; e < all; e++) {
    const energy: f64 = e < <usize>count ? <f64>load<f32>(args.energies + ((<usize>first + e) << 2)) : 0;
    const limit = args.residualEnergy;
    store<f64>(room.left + (e << 3), energy);
    store<i32>(room.taken + (e << 2), 0);
    store<i32>(room.alive + (e << 2), args.p > 0 && (limit > 0 ? energy > limit : energy > 0) ? 1 : 0);
  }
}

function fillOnes(at: usize, bytes: usize): void {
  const ones = f32x4.splat(1);
  for (let i: usize = 0; i < bytes; i += 16) v128.store(at + i, ones);
}

/** The floors of the correlations: a share of the largest. */
function putFloors(room: Room, m: i32, share: f32): void {
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  const end = room.alpha + <usize>m * rowBytes;
  for (let at = room.alpha; at < end; at += rowBytes) {
    a0 = f32x4.max(a0, f32x4.abs(v128.load(at)));
    a1 = f32x4.max(a1, f32x4.abs(v128.load(at, 16)));
    a2 = f32x4.max(a2, f32x4.abs(v128.load(at, 32)));
    a3 = f32x4.max(a3, f32x4.abs(v128.load(at, 48)));
  }
  const s = f32x4.splat(share);
  v128.store(room.floors, f32x4.mul(a0, s));
  v128.store(room.floors, f32x4.mul(a1, s), 16);
  v128.store(room.floors, f32x4.mul(a2, s), 32);
  v128.store(room.floors, f32x4.mul(a3, s), 48);
}

/** The next atom of every example; those that have none end. False if all have ended. */
function findAtoms(args: AtomPursuitArguments, room: Room): bool {
  for (let e: usize = 0; e < all; e++) {
    store<i32>(room.best + (e << 2), -1);
    store<f32>(room.most + (e << 2), args.isOls ? 0 : load<f32>(room.floors + (e << 2)));
  }
  for (let j = 0; j < args.m; j += strip) {
    const end = min(j + strip, args.m);
    for (let quad: usize = 0; quad < 64; quad += 16) {
      if (args.isOls) bestByGain(room, j, end, <f32>args.dependenceFloor, quad);
      else bestByCorrelation(room, j, end, quad);
    }
  }
  let any = false;
  for (let e: usize = 0; e < all; e++) {
    if (load<i32>(room.best + (e << 2)) < 0) store<i32>(room.alive + (e << 2), 0);
    if (load<i32>(room.alive + (e << 2))) any = true;
    else store<i32>(room.best + (e << 2), -1);
  }
  return any;
}

/** Four examples, atoms [from, to): the first of the largest |α| above the floor. */
function bestByCorrelation(room: Room, from: i32, to: i32, quad: usize): void {
  let most = v128.load(room.most + quad);
  let best = v128.load(room.best + quad);
  let at = room.alpha + <usize>from * rowBytes + quad;
  for (let j = from; j < to; j++) {
    const size = f32x4.abs(v128.load(at));
    const larger = f32x4.gt(size, most);
    most = v128.bitselect(size, most, larger);
    best = v128.bitselect(i32x4.splat(j), best, larger);
    at += rowBytes;
  }
  v128.store(room.most + quad, most);
  v128.store(room.best + quad, best);
}

/** Four examples, atoms [from, to): the first of the largest |α|/√ν, of those above both floors. */
function bestByGain(room: Room, from: i32, to: i32, dependenceFloor: f32, quad: usize): void {
  const floor = v128.load(room.floors + quad);
  const nearest = f32x4.splat(dependenceFloor);
  let most = v128.load(room.most + quad);
  let best = v128.load(room.best + quad);
  let at = room.alpha + <usize>from * rowBytes + quad;
  let nu = room.nu + <usize>from * rowBytes + quad;
  for (let j = from; j < to; j++) {
    const size = f32x4.abs(v128.load(at));
    const distance = v128.load(nu);
    const open = v128.and(f32x4.gt(size, floor), f32x4.gt(distance, nearest));
    const score = v128.and(open, f32x4.div(size, f32x4.sqrt(distance)));
    const larger = f32x4.gt(score, most);
    most = v128.bitselect(score, most, larger);
    best = v128.bitselect(i32x4.splat(j), best, larger);
    at += rowBytes;
    nu += rowBytes;
  }
  v128.store(room.most + quad, most);
  v128.store(room.best + quad, best);
}

/** fresh ← the unit atoms that were found; zeros for examples that have ended. */
function buildAtoms(args: AtomPursuitArguments, room: Room): void {
  const base = args.base;
  const n = base.rows;
  if (args.direct) {
    const step = (<usize>n) << 2;
    for (let e: usize = 0; e < all; e++) {
      const atom = load<i32>(room.best + (e << 2));
      const d = room.blocks + e * step;
      if (atom < 0) memory.fill(d, 0, step);
      else sumColumns(base, args.A, <usize>atom, d);
    }
    interleave(room.blocks, step, n, lanes, room.fresh);
  } else {
    scatterAtoms(args, room);
    const two = room.blocks + room.size;
    const d = runPlan(base.synthesis, room.blocks, two, two + room.size);
    memory.copy(room.fresh, d, <usize>n * rowBytes);
  }
  for (let e: usize = 0; e < all; e++) {
    const atom = load<i32>(room.best + (e << 2));
    store<f32>(room.weights + (e << 2), atom < 0 ? 0 : load<f32>(args.scale + ((<usize>atom) << 2)));
  }
  multiplyLanes(room.fresh, n, room.weights);
}

/** The first block ← the atoms that were found, as columns of coefficients. */
function scatterAtoms(args: AtomPursuitArguments, room: Room): void {
  const A = args.A;
  memory.fill(room.blocks, 0, <usize>args.base.cols * rowBytes);
  for (let e: usize = 0; e < all; e++) {
    const found = load<i32>(room.best + (e << 2));
    if (found < 0) continue;
    const atom = <usize>found;
    const begin = (atom * <usize>A.width) << 2;
    const end = begin + ((<usize>load<i32>(A.counts + (atom << 2))) << 2);
    for (let s = begin; s < end; s += 4)
      store<f32>(room.blocks + ((<usize>load<u32>(A.indices + s)) << 6) + (e << 2), load<f32>(A.values + s));
  }
}

/** fresh ← fresh − Σ wq over all earlier directions, w into the rows of C; then sums ← ‖fresh‖². */
function orthogonalize(args: AtomPursuitArguments, room: Room): void {
  const n = args.base.rows;
  const p = <usize>args.p;
  const rows = <usize>n * rowBytes;
  const turns = mostTaken(room);
  dots(room.fresh, turns > 0 ? room.Q : room.fresh, n, room.sums);
  for (let s = 0; s < turns; s++) {
    for (let e: usize = 0; e < all; e++) {
      const w = <f32>load<f64>(room.sums + (e << 3)); // as it is subtracted
      store<f32>(room.weights + (e << 2), w);
      const row = <usize>load<i32>(room.taken + (e << 2));
      if (<usize>s < row && row < p) store<f64>(factorOf(room, p, e) + ((row * p + <usize>s) << 3), <f64>w);
    }
    const q = room.Q + <usize>s * rows;
    subtract(room.fresh, q, n, room.weights);
    dots(room.fresh, s + 1 < turns ? q + rows : room.fresh, n, room.sums);
  }
}

function factorOf(room: Room, p: usize, e: usize): usize {
  return room.factor + ((e * p * p) << 3);
}

/** The most atoms that an example of the block has taken. */
function mostTaken(room: Room): i32 {
  let most = 0;
  for (let e: usize = 0; e < all; e++) most = max(most, load<i32>(room.taken + (e << 2)));
  return most;
}

/** sums ← Σ a b over the rows of two blocks, in f64. */
function dots(a: usize, b: usize, rows: i32, sums: usize): void {
  const end = a + <usize>rows * rowBytes;
  memory.fill(sums, 0, 2 * rowBytes);
  while (a < end) {
    const stop = min(a + shortSum, end);
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    for (; a < stop; a += rowBytes) {
      s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(b)));
      s1 = f32x4.add(s1, f32x4.mul(v128.load(a, 16), v128.load(b, 16)));
      s2 = f32x4.add(s2, f32x4.mul(v128.load(a, 32), v128.load(b, 32)));
      s3 = f32x4.add(s3, f32x4.mul(v128.load(a, 48), v128.load(b, 48)));
      b += rowBytes;
    }
    addWide(sums, s0);
    addWide(sums + 32, s1);
    addWide(sums + 64, s2);
    addWide(sums + 96, s3);
  }
}

/** Four f64 ← themselves plus four f32. */
function addWide(at: usize, values: v128): void {
  const high = v128.shuffle<i64>(values, values, 1, 1);
  v128.store(at, f64x2.add(v128.load(at), f64x2.promote_low_f32x4(values)));
  v128.store(at, f64x2.add(v128.load(at, 16), f64x2.promote_low_f32x4(high)), 16);
}

/** a ← a − b diag(weights). */
function subtract(a: usize, b: usize, rows: i32, weights: usize): void {
  const w0 = v128.load(weights);
  const w1 = v128.load(weights, 16);
  const w2 = v128.load(weights, 32);
  const w3 = v128.load(weights, 48);
  const end = a + <usize>rows * rowBytes;
  for (; a < end; a += rowBytes) {
    v128.store(a, f32x4.sub(v128.load(a), f32x4.mul(w0, v128.load(b))));
    v128.store(a, f32x4.sub(v128.load(a, 16), f32x4.mul(w1, v128.load(b, 16))), 16);
    v128.store(a, f32x4.sub(v128.load(a, 32), f32x4.mul(w2, v128.load(b, 32))), 32);
    v128.store(a, f32x4.sub(v128.load(a, 48), f32x4.mul(w3, v128.load(b, 48))), 48);
    b += rowBytes;
  }
}

/**
 * fresh ← unit directions, into Q; zeros where an atom depends on those taken, which ends OMP, and where OLS passes over one:
 * also if its direction has large coefficients.
 */
function acceptAtoms(args: AtomPursuitArguments, room: Room, first: i32): void {
  const rows = <usize>args.base.rows * rowBytes;
  const turns = mostTaken(room);
  let grows = false;
  for (let e: usize = 0; e < all; e++) {
    store<f32>(room.weights + (e << 2), 0);
    const atom = load<i32>(room.best + (e << 2));
    if (atom < 0) continue;
    const distance = load<f64>(room.sums + (e << 3));
    const row = load<i32>(room.taken + (e << 2));
    const inverse = distance > args.dependenceFloor ? 1.0 / sqrt(distance) : 0; // of the pivot
    if (inverse > 0 && mayTake(args, room, e, row, inverse)) {
      store<f32>(room.weights + (e << 2), <f32>inverse);
      const slot = ((<usize>first + e) * <usize>args.X.width + <usize>row) << 2;
      store<u32>(args.X.indices + slot, <u32>atom);
      grows = grows || row === turns;
    } else if (args.isOls) store<f32>(room.nu + <usize>atom * rowBytes + (e << 2), 0);
    else store<i32>(room.alive + (e << 2), 0);
  }
  multiplyLanes(room.fresh, args.base.rows, room.weights);
  if (grows) memory.fill(room.Q + <usize>turns * rows, 0, rows);
  for (let e: usize = 0; e < all; e++) {
    if (load<f32>(room.weights + (e << 2)) === 0) continue;
    const to = room.Q + <usize>load<i32>(room.taken + (e << 2)) * rows + (e << 2);
    const from = room.fresh + (e << 2);
    for (let r: usize = 0; r < rows; r += rowBytes) store<f32>(to + r, load<f32>(from + r));
  }
}

/** Whether an atom whose row of C ends with 1/inverse may be taken: OLS passes over those too near the span of the others. */
function mayTake(args: AtomPursuitArguments, room: Room, e: usize, row: i32, inverse: f64): bool {
  const p = <usize>args.p;
  const factor = factorOf(room, p, e);
  store<f64>(factor + ((<usize>row * p + <usize>row) << 3), inverse);
  return !args.isOls || isFarFromSpan(factor, args.p, room.x, row + 1, args.dependenceFloor);
}

/** r ← r − zq and what follows from it for each example. False if all have ended. */
function advance(args: AtomPursuitArguments, room: Room, first: i32): bool {
  const p = args.p;
  const limit = args.residualEnergy;
  dots(room.fresh, room.residual, args.base.rows, room.sums);
  let any = false;
  for (let e: usize = 0; e < all; e++) {
    const accepted = load<f32>(room.weights + (e << 2)) !== 0;
    const entry = accepted ? <f32>load<f64>(room.sums + (e << 3)) : 0; // as it is subtracted
    store<f32>(room.weights + (e << 2), entry);
    if (accepted) {
      const row = load<i32>(room.taken + (e << 2));
      const left = load<f64>(room.left + (e << 3)) - <f64>entry * <f64>entry;
      store<f64>(room.z + ((e * <usize>p + <usize>row) << 3), <f64>entry);
      store<f64>(room.left + (e << 3), left);
      store<i32>(room.taken + (e << 2), row + 1);
      if (args.path !== 0)
        store<f32>(args.path + (((<usize>first + e) * <usize>p + <usize>row) << 2), <f32>max(left, 0));
      if (row + 1 === p || (limit > 0 && !(left > limit))) store<i32>(room.alive + (e << 2), 0);
    }
    if (load<i32>(room.alive + (e << 2))) any = true;
  }
  subtract(room.residual, room.fresh, args.base.rows, room.weights);
  return any;
}

/** α of the new residuals; for OLS α ← α − zβ and ν ← ν − β², with β = D̂ᵀq. */
function correlate(args: AtomPursuitArguments, room: Room): void {
  const m = args.m;
  const source = args.isOls ? room.fresh : room.residual;
  const Z = runPlan(args.base.analysis, source, room.blocks, room.blocks + room.size);
  if (!args.isOls) {
    correlateAtoms(args.A, args.scale, 0, m, Z, room.alpha);
    return;
  }
  for (let j = 0; j < m; j += panel) {
    const atoms = min(panel, m - j);
    const at = <usize>j * rowBytes;
    correlateAtoms(args.A, args.scale, j, atoms, Z, room.results);
    subtract(room.alpha + at, room.results, atoms, room.weights);
    subtractSquares(room.nu + at, room.results, <usize>atoms * rowBytes);
  }
}

/** α = 0 (ν for OLS) for the atoms that an example has taken: rounding must not take one twice. */
function leaveOut(args: AtomPursuitArguments, room: Room, first: i32): void {
  const scores = args.isOls ? room.nu : room.alpha;
  for (let e: usize = 0; e < all; e++) {
    const slot = ((<usize>first + e) * <usize>args.X.width) << 2;
    const taken = load<i32>(room.taken + (e << 2));
    for (let t: usize = 0; t < <usize>taken; t++) {
      const atom = <usize>load<u32>(args.X.indices + slot + (t << 2));
      store<f32>(scores + atom * rowBytes + (e << 2), 0);
    }
  }
}

/** a ← a − b². */
function subtractSquares(a: usize, b: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 16) {
    const value = v128.load(b + i);
    v128.store(a + i, f32x4.sub(v128.load(a + i), f32x4.mul(value, value)));
  }
}

/** The coefficients x = C⁻ᵀz, and what comes after them. */
function writeCode(args: AtomPursuitArguments, room: Room, first: i32, e: usize): void {
  const p = <usize>args.p;
  const width = <usize>args.X.width;
  const code = <usize>first + e;
  const taken = load<i32>(room.taken + (e << 2));
  const slot = (code * width) << 2;
  solveTransposed(factorOf(room, p, e), args.p, room.z + ((e * p) << 3), room.x, taken);
  for (let t: usize = 0; t < <usize>taken; t++)
    store<f32>(args.X.values + slot + (t << 2), <f32>load<f64>(room.x + (t << 3)));
  for (let t = <usize>taken; t < width; t++) {
    store<u32>(args.X.indices + slot + (t << 2), 0);
    store<f32>(args.X.values + slot + (t << 2), 0);
  }
  store<i32>(args.X.counts + (code << 2), taken);
  if (args.path === 0) return;
  const left =
    taken > 0
      ? load<f32>(args.path + ((code * p + <usize>taken - 1) << 2))
      : load<f32>(args.energies + (code << 2));
  for (let t = <usize>taken; t < p; t++) store<f32>(args.path + ((code * p + t) << 2), left);
}
