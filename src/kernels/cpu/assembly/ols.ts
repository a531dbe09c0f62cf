/**
 * Orthogonal least squares: see reference/omp.ts for the algorithm. One example at a time.
 *
 * A turn computes β of the new direction from columns of G, as many as OMP reads, then
 * changes α and ν with it and finds the best atom, all in one pass over strips that stay in
 * the nearest cache:
 *
 *     v = the last row of C⁻¹ (f64),   β = G_I v,   α ← α − zβ,   ν ← ν − β²       (f32)
 *
 * β comes from G each time, not from the β before it, so that its rounding is that of one sum,
 * (t + 2) u ‖v‖₁ after t turns, and does not grow from turn to turn.
 *
 * The best atom has the largest α²/ν. The pass divides by max(ν, floor) and leaves out no atom: if the
 * atom it finds is one that may be taken, it is the best of those. If it is not, or if it turns out in f64 to depend on
 * those taken or to add a direction with large coefficients, a second pass looks at those that may be taken alone. That is rare.
 */

import { olsStrip } from "./constants";
import { largest, subtractEight, subtractFour } from "./correlations";
import { columnOf, PursuitArguments, OlsTurn as Turn } from "./structs";
import { dot, extend, isFarFromSpan, solveTransposed } from "./triangular";

const strip: i32 = olsStrip;

/** One example; how many atoms it took. Scratch: `olsBytes` of pursuit.ts. */
export function pursueOls(
  args: PursuitArguments,
  P: usize,
  energy: f64,
  scratch: usize,
  indices: usize,
  values: usize,
  path: usize,
): i32 {
  const m = args.m;
  const p = args.p;
  const limit = args.residualEnergy;
  let best = largest(P, m);
  if (best < 0) return 0;
  const height = abs(load<f32>(P + ((<usize>best) << 2)));
  const turn = changetype<Turn>(scratch);
  const factor = layOut(turn, args, P, args.pursuitFloor * height);
  if (!(height > turn.floor)) return 0;
  const w = factor + ((<usize>p * <usize>p) << 3);
  const z = w + ((<usize>p) << 3);
  const x = z + ((<usize>p) << 3);
  const bounded = limit > 0;
  let left = energy;
  let taken = 0;
  while (best >= 0 && taken < p && (bounded ? left > limit : energy > 0)) {
    const column = columnOf(args, best, taken);
    const inverse = extend(column, best, indices, taken, p, factor, w, args.dependenceFloor);
    if (inverse <= 0 || !isFarFromSpan(factor, p, x, taken + 1, args.dependenceFloor)) {
      if (taken === 0) start(turn);
      store<f32>(turn.distances + ((<usize>best) << 2), 0);
      best = bestOpen(turn);
      continue;
    }
    store<u32>(indices + ((<usize>taken) << 2), <u32>best);
    store<usize>(turn.columns + ((<usize>taken) << 2), column);
    const entry = (<f64>load<f32>(P + ((<usize>best) << 2)) - dot(w, z, taken)) * inverse;
    store<f64>(z + ((<usize>taken) << 3), entry);
    left -= entry * entry;
    if (path !== 0) store<f32>(path + ((<usize>taken) << 2), <f32>max(left, 0));
    taken++;
    if (taken === p || (bounded && !(left > limit))) break; // no further turn: the correlations are not needed
    for (let t = 0; t < taken; t++)
      store<f32>(turn.weights + ((<usize>t) << 2), <f32>load<f64>(x + ((<usize>t) << 3)));
    best = nextAtom(turn, taken, <f32>entry);
  }
  solveTransposed(factor, p, z, x, taken);
  for (let t = 0; t < taken; t++)
    store<f32>(values + ((<usize>t) << 2), <f32>load<f64>(x + ((<usize>t) << 3)));
  return taken;
}

/** Lay out the scratch; where the f64 begin. */
function layOut(turn: Turn, args: PursuitArguments, P: usize, floor: f32): usize {
  const vector = (<usize>((args.m + 15) & ~15)) << 2;
  const list = (<usize>((args.p + 3) & ~3)) << 2;
  turn.P = P;
  turn.m = args.m;
  turn.best = changetype<usize>(turn) + 64;
  turn.partial = turn.best + 64;
  turn.zeros = turn.partial + ((<usize>strip) << 2);
  turn.alpha = turn.zeros + ((<usize>strip) << 2);
  turn.distances = turn.alpha + vector;
  turn.columns = turn.distances + vector;
  turn.weights = turn.columns + list;
  turn.floor = floor;
  turn.least = <f32>args.dependenceFloor;
  memory.fill(turn.zeros, 0, args.p <= 5 ? 64 : (<usize>min(strip, args.m)) << 2); // up to four columns need a block of zeros
  return (turn.weights + list + 15) & ~15;
}

/** α ← P and ν ← 1, which the first turn otherwise takes for granted. */
function start(turn: Turn): void {
  memory.copy(turn.alpha, turn.P, (<usize>turn.m) << 2);
  for (let j = 0; j < turn.m; j++) store<f32>(turn.distances + ((<usize>j) << 2), 1);
}

/** α and ν after the last of `count` atoms, whose coefficient of q is z; the best atom, or −1. */
function nextAtom(turn: Turn, count: i32, z: f32): i32 {
  v128.store(turn.best, f32x4.splat(0));
  v128.store(turn.best, f32x4.splat(0), 16);
  turn.restBest = 0;
  if (count === 1) moveFirst(turn, z);
  else if (count <= 4) moveLast(turn, turn.zeros, 0, 0, turn.m, 0, count, z);
  else moveStrips(turn, count, z);
  const atom = bestOf(turn);
  return atom < 0 || isOpen(turn, atom) ? atom : bestOpen(turn);
}

/**
 * α and ν for more than four columns, strip by strip, back and forth: a turn begins with the strips that the one before has left
 * in the cache. On the way back a strip has no best to beat, since of equal scores the first counts.
 */
function moveStrips(turn: Turn, count: i32, z: f32): void {
  const last = ((turn.m - 1) / strip) * strip;
  const isForth = (count & 1) === 1;
  for (let k = 0; k <= last; k += strip) {
    const from = isForth ? k : last - k;
    const best = v128.load(turn.best);
    const blocks = v128.load(turn.best, 16);
    if (!isForth) v128.store(turn.best, f32x4.splat(0));
    moveStrip(turn, from, min(from + strip, turn.m), count, z);
    if (isForth) continue;
    const found = v128.load(turn.best);
    const isLess = f32x4.lt(found, best);
    v128.store(turn.best, v128.bitselect(best, found, isLess));
    v128.store(turn.best, v128.bitselect(blocks, v128.load(turn.best, 16), isLess), 16);
  }
}

/** α and ν of a strip, for more than four columns. */
function moveStrip(turn: Turn, from: i32, to: i32, count: i32, z: f32): void {
  const partial = turn.partial - ((<usize>from) << 2); // entry i of a strip is that of atom i
  let source = turn.zeros - ((<usize>from) << 2);
  let c = 0;
  for (; c + 8 < count; c += 8) {
    const at = (<usize>c) << 2;
    subtractEight(source, partial, from, to, turn.columns + at, turn.weights + at);
    source = partial;
  }
  for (; c + 4 < count; c += 4) {
    const at = (<usize>c) << 2;
    subtractFour(source, partial, from, to, turn.columns + at, turn.weights + at);
    source = partial;
  }
  moveLast(turn, partial, -1, from, to, c, count, z);
}

/** The last one to four columns, from c on. With a mask of 0, `source` has 64 bytes that serve for all atoms. */
function moveLast(
  turn: Turn,
  source: usize,
  mask: usize,
  from: i32,
  to: i32,
  c: i32,
  count: i32,
  z: f32,
): void {
  const columns = turn.columns + ((<usize>c) << 2);
  const weights = turn.weights + ((<usize>c) << 2);
  if (count - c <= 2) moveTwo(turn, source, mask, from, to, columns, weights, count - c, z);
  else moveFour(turn, source, mask, from, to, columns, weights, count - c, z);
}

/** The first turn, from P and ν = 1. */
function moveFirst(turn: Turn, z: f32): void {
  const P = turn.P;
  const alpha = turn.alpha;
  const distances = turn.distances;
  const column = load<usize>(turn.columns);
  const weight = load<f32>(turn.weights);
  const v = f32x4.splat(weight);
  const zs = f32x4.splat(z);
  const least = f32x4.splat(turn.least);
  const one = f32x4.splat(1);
  let best = v128.load(turn.best);
  let blocks = v128.load(turn.best, 16);
  let i: usize = 0;
  const end = (<usize>turn.m) << 2;
  for (; i + 64 <= end; i += 64) {
    const s = P + i;
    const a = alpha + i;
    const d = distances + i;
    const c = column + i;
    const b0 = f32x4.mul(v, v128.load(c));
    const a0 = f32x4.sub(v128.load(s), f32x4.mul(zs, b0));
    v128.store(a, a0);
    const n0 = f32x4.sub(one, f32x4.mul(b0, b0));
    v128.store(d, n0);
    let peak = f32x4.div(f32x4.mul(a0, a0), f32x4.pmax(n0, least));
    const b16 = f32x4.mul(v, v128.load(c, 16));
    const a16 = f32x4.sub(v128.load(s, 16), f32x4.mul(zs, b16));
    v128.store(a, a16, 16);
    const n16 = f32x4.sub(one, f32x4.mul(b16, b16));
    v128.store(d, n16, 16);
    peak = f32x4.pmax(peak, f32x4.div(f32x4.mul(a16, a16), f32x4.pmax(n16, least)));
    const b32 = f32x4.mul(v, v128.load(c, 32));
    const a32 = f32x4.sub(v128.load(s, 32), f32x4.mul(zs, b32));
    v128.store(a, a32, 32);
    const n32 = f32x4.sub(one, f32x4.mul(b32, b32));
    v128.store(d, n32, 32);
    peak = f32x4.pmax(peak, f32x4.div(f32x4.mul(a32, a32), f32x4.pmax(n32, least)));
    const b48 = f32x4.mul(v, v128.load(c, 48));
    const a48 = f32x4.sub(v128.load(s, 48), f32x4.mul(zs, b48));
    v128.store(a, a48, 48);
    const n48 = f32x4.sub(one, f32x4.mul(b48, b48));
    v128.store(d, n48, 48);
    peak = f32x4.pmax(peak, f32x4.div(f32x4.mul(a48, a48), f32x4.pmax(n48, least)));
    blocks = v128.bitselect(i32x4.splat(<i32>i), blocks, f32x4.gt(peak, best));
    best = f32x4.pmax(best, peak);
  }
  v128.store(turn.best, best);
  v128.store(turn.best, blocks, 16);
  for (; i < end; i += 4) {
    const beta = weight * load<f32>(column + i);
    moveOne(turn, i, load<f32>(P + i) - z * beta, 1 - beta * beta);
  }
}

/** The last atoms of a strip, one at a time, from −β so far and columns. */
function moveRest(
  turn: Turn,
  source: usize,
  mask: usize,
  i: usize,
  end: usize,
  columns: usize,
  weights: usize,
  count: i32,
  z: f32,
): void {
  for (; i < end; i += 4) {
    let beta = load<f32>(source + (i & mask));
    for (let c: usize = 0; c < (<usize>count) << 2; c += 4)
      beta -= load<f32>(weights + c) * load<f32>(load<usize>(columns + c) + i);
    moveOne(turn, i, load<f32>(turn.alpha + i) + z * beta, load<f32>(turn.distances + i) - beta * beta);
  }
}

/** New α and ν of the atom at byte i, after all whole blocks. */
function moveOne(turn: Turn, i: usize, alpha: f32, distance: f32): void {
  store<f32>(turn.alpha + i, alpha);
  store<f32>(turn.distances + i, distance);
  const score = (alpha * alpha) / max(distance, turn.least);
  if (!(score > turn.restBest)) return;
  turn.restBest = score;
  turn.restAt = i;
}

/** The first atom of the largest score: in one of four lanes of the blocks, or in the rest; −1 if all scores are 0. */
function bestOf(turn: Turn): i32 {
  let best: f32 = 0;
  let at: i32 = -1;
  for (let lane: usize = 0; lane < 16; lane += 4) {
    const score = load<f32>(turn.best + lane);
    const block = load<i32>(turn.best + lane, 16);
    if (score < best || (score === best && block >= at)) continue;
    best = score;
    at = block;
  }
  if (turn.restBest > best) return <i32>(turn.restAt >> 2);
  if (!(best > 0)) return -1;
  let atom = at >> 2;
  while (scoreOf(turn, atom) !== best) atom++;
  return atom;
}

/** The last one or two columns of a strip. */
function moveTwo(
  turn: Turn,
  source: usize,
  mask: usize,
  from: i32,
  to: i32,
  columns: usize,
  weights: usize,
  count: i32,
  z: f32,
): void {
  const alpha = turn.alpha;
  const distances = turn.distances;
  const c0 = load<usize>(columns);
  const c1 = count > 1 ? load<usize>(columns, 4) : c0;
  const v0 = v128.load32_splat(weights);
  const v1 = f32x4.splat(count > 1 ? load<f32>(weights, 4) : 0);
  const zs = f32x4.splat(z);
  const least = f32x4.splat(turn.least);
  let best = v128.load(turn.best);
  let blocks = v128.load(turn.best, 16);
  let i = (<usize>from) << 2;
  const end = (<usize>to) << 2;
  for (; i + 64 <= end; i += 64) {
    const s = source + (i & mask);
    const a = alpha + i;
    const d = distances + i;
    const p0 = c0 + i;
    const p1 = c1 + i;
    let b0 = f32x4.sub(v128.load(s), f32x4.mul(v0, v128.load(p0)));
    b0 = f32x4.sub(b0, f32x4.mul(v1, v128.load(p1)));
    const a0 = f32x4.add(v128.load(a), f32x4.mul(zs, b0));
    v128.store(a, a0);
    const n0 = f32x4.sub(v128.load(d), f32x4.mul(b0, b0));
    v128.store(d, n0);
    let peak = f32x4.div(f32x4.mul(a0, a0), f32x4.pmax(n0, least));
    let b16 = f32x4.sub(v128.load(s, 16), f32x4.mul(v0, v128.load(p0, 16)));
    b16 = f32x4.sub(b16, f32x4.mul(v1, v128.load(p1, 16)));
    const a16 = f32x4.add(v128.load(a, 16), f32x4.mul(zs, b16));
    v128.store(a, a16, 16);
    const n16 = f32x4.sub(v128.load(d, 16), f32x4.mul(b16, b16));
    v128.store(d, n16, 16);
    peak = f32x4.pmax(peak, f32x4.div(f32x4.mul(a16, a16), f32x4.pmax(n16, least)));
    let b32 = f32x4.sub(v128.load(s, 32), f32x4.mul(v0, v128.load(p0, 32)));
    b32 = f32x4.sub(b32, f32x4.mul(v1, v128.load(p1, 32)));
    const a32 = f32x4.add(v128.load(a, 32), f32x4.mul(zs, b32));
    v128.store(a, a32, 32);
    const n32 = f32x4.sub(v128.load(d, 32), f32x4.mul(b32, b32));
    v128.store(d, n32, 32);
    peak = f32x4.pmax(peak, f32x4.div(f32x4.mul(a32, a32), f32x4.pmax(n32, least)));
    let b48 = f32x4.sub(v128.load(s, 48), f32x4.mul(v0, v128.load(p0, 48)));
    b48 = f32x4.sub(b48, f32x4.mul(v1, v128.load(p1, 48)));
    const a48 = f32x4.add(v128.load(a, 48), f32x4.mul(zs, b48));
    v128.store(a, a48, 48);
    const n48 = f32x4.sub(v128.load(d, 48), f32x4.mul(b48, b48));
    v128.store(d, n48, 48);
    peak = f32x4.pmax(peak, f32x4.div(f32x4.mul(a48, a48), f32x4.pmax(n48, least)));
    blocks = v128.bitselect(i32x4.splat(<i32>i), blocks, f32x4.gt(peak, best));
    best = f32x4.pmax(best, peak);
  }
  v128.store(turn.best, best);
  v128.store(turn.best, blocks, 16);
  moveRest(turn, source, mask, i, end, columns, weights, count, z);
}

/** The last three or four columns of a strip. */
function moveFour(
  turn: Turn,
  source: usize,
  mask: usize,
  from: i32,
  to: i32,
  columns: usize,
  weights: usize,
  count: i32,
  z: f32,
): void {
  const alpha = turn.alpha;
  const distances = turn.distances;
  const c0 = load<usize>(columns);
  const c1 = load<usize>(columns, 4);
  const c2 = load<usize>(columns, 8);
  const c3 = count > 3 ? load<usize>(columns, 12) : c0;
  const v0 = v128.load32_splat(weights);
  const v1 = v128.load32_splat(weights, 4);
  const v2 = v128.load32_splat(weights, 8);
  const v3 = f32x4.splat(count > 3 ? load<f32>(weights, 12) : 0);
  const zs = f32x4.splat(z);
  const least = f32x4.splat(turn.least);
  let best = v128.load(turn.best);
  let blocks = v128.load(turn.best, 16);
  let i = (<usize>from) << 2;
  const end = (<usize>to) << 2;
  for (; i + 64 <= end; i += 64) {
    const s = source + (i & mask);
    const a = alpha + i;
    const d = distances + i;
    const p0 = c0 + i;
    const p1 = c1 + i;
    const p2 = c2 + i;
    const p3 = c3 + i;
    let b0 = f32x4.sub(v128.load(s), f32x4.mul(v0, v128.load(p0)));
    b0 = f32x4.sub(b0, f32x4.mul(v1, v128.load(p1)));
    b0 = f32x4.sub(b0, f32x4.mul(v2, v128.load(p2)));
    b0 = f32x4.sub(b0, f32x4.mul(v3, v128.load(p3)));
    const a0 = f32x4.add(v128.load(a), f32x4.mul(zs, b0));
    v128.store(a, a0);
    const n0 = f32x4.sub(v128.load(d), f32x4.mul(b0, b0));
    v128.store(d, n0);
    let peak = f32x4.div(f32x4.mul(a0, a0), f32x4.pmax(n0, least));
    let b16 = f32x4.sub(v128.load(s, 16), f32x4.mul(v0, v128.load(p0, 16)));
    b16 = f32x4.sub(b16, f32x4.mul(v1, v128.load(p1, 16)));
    b16 = f32x4.sub(b16, f32x4.mul(v2, v128.load(p2, 16)));
    b16 = f32x4.sub(b16, f32x4.mul(v3, v128.load(p3, 16)));
    const a16 = f32x4.add(v128.load(a, 16), f32x4.mul(zs, b16));
    v128.store(a, a16, 16);
    const n16 = f32x4.sub(v128.load(d, 16), f32x4.mul(b16, b16));
    v128.store(d, n16, 16);
    peak = f32x4.pmax(peak, f32x4.div(f32x4.mul(a16, a16), f32x4.pmax(n16, least)));
    let b32 = f32x4.sub(v128.load(s, 32), f32x4.mul(v0, v128.load(p0, 32)));
    b32 = f32x4.sub(b32, f32x4.mul(v1, v128.load(p1, 32)));
    b32 = f32x4.sub(b32, f32x4.mul(v2, v128.load(p2, 32)));
    b32 = f32x4.sub(b32, f32x4.mul(v3, v128.load(p3, 32)));
    const a32 = f32x4.add(v128.load(a, 32), f32x4.mul(zs, b32));
    v128.store(a, a32, 32);
    const n32 = f32x4.sub(v128.load(d, 32), f32x4.mul(b32, b32));
    v128.store(d, n32, 32);
    peak = f32x4.pmax(peak, f32x4.div(f32x4.mul(a32, a32), f32x4.pmax(n32, least)));
    let b48 = f32x4.sub(v128.load(s, 48), f32x4.mul(v0, v128.load(p0, 48)));
    b48 = f32x4.sub(b48, f32x4.mul(v1, v128.load(p1, 48)));
    b48 = f32x4.sub(b48, f32x4.mul(v2, v128.load(p2, 48)));
    b48 = f32x4.sub(b48, f32x4.mul(v3, v128.load(p3, 48)));
    const a48 = f32x4.add(v128.load(a, 48), f32x4.mul(zs, b48));
    v128.store(a, a48, 48);
    const n48 = f32x4.sub(v128.load(d, 48), f32x4.mul(b48, b48));
    v128.store(d, n48, 48);
    peak = f32x4.pmax(peak, f32x4.div(f32x4.mul(a48, a48), f32x4.pmax(n48, least)));
    blocks = v128.bitselect(i32x4.splat(<i32>i), blocks, f32x4.gt(peak, best));
    best = f32x4.pmax(best, peak);
  }
  v128.store(turn.best, best);
  v128.store(turn.best, blocks, 16);
  moveRest(turn, source, mask, i, end, columns, weights, count, z);
}

/** α²/ν of one atom, to the bit as in the pass. */
function scoreOf(turn: Turn, atom: i32): f32 {
  const a = load<f32>(turn.alpha + ((<usize>atom) << 2));
  return (a * a) / max(load<f32>(turn.distances + ((<usize>atom) << 2)), turn.least);
}

/** Whether an atom may be taken. */
function isOpen(turn: Turn, atom: i32): bool {
  const at = (<usize>atom) << 2;
  return abs(load<f32>(turn.alpha + at)) > turn.floor && load<f32>(turn.distances + at) > turn.least;
}

/** The best of the atoms that may be taken, or −1. */
function bestOpen(turn: Turn): i32 {
  let best: f32 = 0;
  let atom = -1;
  for (let j = 0; j < turn.m; j++) {
    if (!isOpen(turn, j)) continue;
    const score = scoreOf(turn, j);
    if (score <= best) continue;
    best = score;
    atom = j;
  }
  return atom;
}
