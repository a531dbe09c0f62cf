// Batch-OMP (see reference/omp.ts): one workgroup per example, all turns in one dispatch.
//
// Nearly all the time is spent reading columns of G for α ← P − G_I x, vec4 by vec4 and
// without storing α: each thread keeps the best atom it has seen. The small systems are solved
// with V = C⁻¹, the inverse of the Cholesky factor of G_II, since the sums of a product with it
// do not depend on one another:
//
//     w = V g,   pivot² = G_jj − ‖w‖²,   new row of V = (−wᵀV, 1) / pivot
//     z = (P_j − ⟨w, z⟩) / pivot,   x ← x + z · (new row of V),   ‖r‖² ← ‖r‖² − z²
//
// The other data of an example (V, w, z, x, the atoms taken) is in workgroup memory if it fits. V grows with p²: with
// `factorSpills` it is in `work`, at a place of the workgroup's own; with `spills` all of it is.
//
// With `halves`, G1 holds a copy of G in half precision (halves.wgsl). A pass over it costs half,
// and gives every α to within 2⁻¹¹ Σ|x||g|. The few atoms that may be the best are then computed
// in full precision, so that the atom taken is the same.
//
// Without `halves`, G may be in up to four panels of `panelCols` columns. With a `gramStep`, each example has a G of its own
// (gatherNear.wgsl).
//
// With `ols` it is orthogonal least squares, which takes the largest |α|/√ν. α and ν of an example are
// in `work`, each thread's own, and each turn changes them with β = G_I v, v the new row of V, which is in place of g then:
// α ← α − zβ, ν ← ν − β². They need full precision, as their rounding adds up. An atom is passed over if 1/‖v‖² is too small.

override threads: u32 = 128;
override panels: u32 = 1;
override factorSpills: bool = false;
override spills: bool = false; // and the factor, too
override halves: bool = false;
override ols: bool = false;
override room: u32 = 64;       // p; 1 with `spills`
override factorRoom: u32 = 64; // p (p + 1) / 2 or 1
override termRoom: u32 = 64;   // p with `halves`, unless it spills; or 1
override markRoom: u32 = 8;    // words of the marks of atoms taken, m / 32 or 1

struct Params {
  examples: u32,
  atoms: u32,
  quads: u32,     // vec4 of a column of G and of P
  sparsity: u32,
  limit: f32,     // ε², 0 for none
  width: u32,
  valuesAt: u32,
  countsAt: u32,
  firstX: u32,    // the code of column 0 of P
  panelCols: u32,
  energyStride: u32,
  pathStride: u32, // in work: words per example for ‖r‖² after each turn; 0 if it is not asked for
  workAt: u32,     // in work: where the workgroups' places start
  workSize: u32,
  scoreSize: u32,  // words of α and ν at the start of a place; 0 for OMP
  pursuitFloor: f32,
  dependenceFloor: f32,
  least: u32,      // codes with fewer entries are done already; 0 at the first pass
  gramStep: u32,   // vec4 from the G of an example to that of the next; 0 if all have the same
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> G0: array<vec4f>;
@group(0) @binding(2) var<storage, read> G1: array<vec4f>;
@group(0) @binding(3) var<storage, read> G2: array<vec4f>;
@group(0) @binding(4) var<storage, read> G3: array<vec4f>;
@group(0) @binding(5) var<storage, read> P: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> X: array<u32>;
@group(0) @binding(7) var<storage, read_write> work: array<u32>;
@group(0) @binding(8) var<storage, read> energies: array<f32>;

var<workgroup> factor: array<f32, factorRoom>; // V by rows, row t from t (t + 1) / 2
var<workgroup> taken: array<u32, room>;
override vectorRoom: u32 = 4 * room;
var<workgroup> vectors: array<f32, vectorRoom>; // x, g, w and z
var<workgroup> terms: array<vec2u, termRoom>; // for the pass over G1: where the column of an atom starts, x · halfUnit
var<workgroup> marks: array<u32, markRoom>;
var<workgroup> bestValue: array<f32, threads>;
var<workgroup> bestAtom: array<u32, threads>;
struct Choice { size: f32, atom: u32 } // the largest magnitude, and where
var<workgroup> choice: Choice;
var<workgroup> candidates: atomic<u32>;
var<workgroup> listed: u32;
var<workgroup> shares: array<vec2f, 8>; // parts of ‖w‖² and ⟨w, z⟩
var<workgroup> fit: vec2f;    // 1 / pivot (0: the atom must not be taken) and z

const none = 0xffffffffu;
const xs = 0u; const gs = 1u; const ws = 2u; const zs = 3u; // kinds of vectors
const halfError = 0.00049; // above 2⁻¹¹: half a unit in the last place of a half, and f32's own rounding
const halfUnit = 0.0009765625; // 2⁻¹⁰: entries of G1 are those of G times 2¹⁰, far from the smallest halves
const lanes = 16u;              // threads that compute one candidate together
var<private> scores: u32; // α and ν of this workgroup in work
var<private> place: u32;  // of its other data
var<private> column: u32; // of this example in P, in vec4
var<private> thread: u32;
var<private> table: u32;  // where the G of this example starts, in vec4

// — memory: in the workgroup or in work ————————————————————————————————————————————————————————

fn floatAt(at: u32) -> f32 { return bitcast<f32>(work[at]); }
fn setFloat(at: u32, value: f32) { work[at] = bitcast<u32>(value); }
fn markWords() -> u32 { return (params.atoms + 31u) / 32u; }
fn factorPlace() -> u32 { return place + 5u * params.sparsity + markWords(); }
fn takenAt(t: u32) -> u32 { if (spills) { return work[place + t]; } return taken[t]; }
fn setTaken(t: u32, atom: u32) { if (spills) { work[place + t] = atom; } else { taken[t] = atom; } }
fn vectorAt(kind: u32, t: u32) -> f32 { if (spills) { return floatAt(place + (1u + kind) * params.sparsity + t); } return vectors[kind * room + t]; }
fn setVector(kind: u32, t: u32, value: f32) { if (spills) { setFloat(place + (1u + kind) * params.sparsity + t, value); } else { vectors[kind * room + t] = value; } }
fn termAt(t: u32) -> vec2u { if (spills) { return term(takenAt(t), vectorAt(xs, t)); } return terms[t]; }
fn setTerm(t: u32, atom: u32, x: f32) { if (halves && !spills) { terms[t] = term(atom, x); } }
fn term(atom: u32, x: f32) -> vec2u { return vec2u(atom * ((params.quads + 1u) / 2u), bitcast<u32>(x * halfUnit)); }
fn marksAt(word: u32) -> u32 { if (spills) { return work[place + 5u * params.sparsity + word]; } return marks[word]; }
fn setMarks(word: u32, value: u32) { if (spills) { work[place + 5u * params.sparsity + word] = value; } else { marks[word] = value; } }
fn factorAt(at: u32) -> f32 { if (factorSpills) { return floatAt(factorPlace() + at); } return factor[at]; }
fn setFactor(at: u32, value: f32) { if (factorSpills) { setFloat(factorPlace() + at, value); } else { factor[at] = value; } }
fn sync() { if (factorSpills) { storageBarrier(); } workgroupBarrier(); }

fn gram(atom: u32, quad: u32) -> vec4f {
  if (panels == 1u) { return G0[table + atom * params.quads + quad]; }
  let panel = atom / params.panelCols;
  let at = (atom % params.panelCols) * params.quads + quad;
  if (panel == 0u) { return G0[at]; }
  if (panel == 1u) { return G1[at]; }
  if (panel == 2u) { return G2[at]; }
  return G3[at];
}

// — one example ————————————————————————————————————————————————————————————————

@compute @workgroup_size(threads)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) index: u32) {
  thread = index;
  scores = params.workAt + group.x * params.workSize;
  place = scores + params.scoreSize;
  for (var i = group.x; i < params.examples; i += groups.x) {
    if (isDone(i)) { continue; }
    column = i * params.quads;
    table = i * params.gramStep;
    for (var w = thread; w < markWords(); w += threads) { setMarks(w, 0u); }
    sync();
    let count = pursue(i);
    write(i, count);
    sync();
  }
}

// Whether the pursuit with less room has finished this code.
fn isDone(i: u32) -> bool {
  if (params.least == 0u) { return false; }
  if (thread == 0u) { listed = X[params.countsAt + params.firstX + i]; }
  return workgroupUniformLoad(&listed) < params.least;
}

// Take atoms until one of the contract's reasons to stop; how many were taken.
fn pursue(i: u32) -> u32 {
  let energy = energies[(params.firstX + i) * params.energyStride];
  let bounded = params.limit > 0.0;
  let path = (params.firstX + i) * params.pathStride;
  let traced = params.pathStride > 0u;
  var left = energy;
  var count = 0u;
  correlate(0u);
  let first = workgroupUniformLoad(&choice);
  var best = first;
  let floor = params.pursuitFloor * first.size;
  lowest = floor;
  for (; count < params.sparsity; count++) {
    let continues = select(energy > 0.0, left > params.limit, bounded) && best.size > floor;
    if (!continues) { break; }
    var atom = best.atom;
    extend(atom, count);
    var step = workgroupUniformLoad(&fit);
    while (ols && step.x == 0.0 && best.size > floor) { // pass over it
      if (thread == 0u) { setMarks(atom / 32u, marksAt(atom / 32u) | (1u << (atom % 32u))); }
      sync();
      if (count == 0u) { correlate(0u); } else { chooseAgain(); }
      best = workgroupUniformLoad(&choice);
      if (!(best.size > floor)) { break; }
      atom = best.atom;
      extend(atom, count);
      step = workgroupUniformLoad(&fit);
    }
    if (step.x == 0.0) { break; }
    take(atom, count, step);
    left -= step.y * step.y;
    if (traced && thread == 0u) { setFloat(path + count, max(left, 0.0)); }
    if (count + 1u == params.sparsity) { count++; break; }
    if (bounded && !(left > params.limit)) { count++; break; } // the correlations are not needed after the last turn
    sync();
    correlate(count + 1u);
    best = workgroupUniformLoad(&choice);
  }
  if (traced) {
    for (var t = count + thread; t < params.sparsity; t += threads) { setFloat(path + t, max(left, 0.0)); }
  }
  return count;
}

// choice ← the atom not yet taken with the largest |α|, the first of equal ones.
fn correlate(count: u32) {
  if (ols && count > 0u) {
    approach(count);
    return;
  }
  if (halves && count > 0u) {
    if (correlateHalves(count)) { return; }
  }
  var best = Choice(-1.0, none);
  for (var q = thread; q < params.quads; q += threads) {
    var alpha = P[column + q];
    var t = 0u;
    for (; t + 4u <= count; t += 4u) {
      let g0 = gram(takenAt(t), q);
      let g1 = gram(takenAt(t + 1u), q);
      let g2 = gram(takenAt(t + 2u), q);
      let g3 = gram(takenAt(t + 3u), q);
      alpha -= vectorAt(xs, t) * g0;
      alpha -= vectorAt(xs, t + 1u) * g1;
      alpha -= vectorAt(xs, t + 2u) * g2;
      alpha -= vectorAt(xs, t + 3u) * g3;
    }
    for (; t < count; t++) { alpha -= vectorAt(xs, t) * gram(takenAt(t), q); }
    let size = openOf(alpha, q);
    for (var lane = 0u; lane < 4u; lane++) {
      if (size[lane] > best.size) { best = Choice(size[lane], 4u * q + lane); }
    }
  }
  settle(best);
}

// — orthogonal least squares ———————————————————————————————————————————————————————

var<private> lowest: f32; // the least |α| of an atom that may be taken

// α (kind 0) or ν (kind 1) of four atoms. A thread reads what it wrote itself.
fn fourAt(kind: u32, quad: u32) -> vec4f {
  let at = scores + 4u * (kind * params.quads + quad);
  return vec4f(floatAt(at), floatAt(at + 1u), floatAt(at + 2u), floatAt(at + 3u));
}

fn setFour(kind: u32, quad: u32, value: vec4f) {
  let at = scores + 4u * (kind * params.quads + quad);
  for (var lane = 0u; lane < 4u; lane++) { setFloat(at + lane, value[lane]); }
}

// α and ν after the last of `count` atoms; choice ← the atom with the largest |α|/√ν.
fn approach(count: u32) {
  let z = vectorAt(zs, count - 1u);
  var best = Choice(-1.0, none);
  for (var q = thread; q < params.quads; q += threads) {
    var beta = vec4f();
    var t = 0u;
    for (; t + 4u <= count; t += 4u) {
      let g0 = gram(takenAt(t), q);
      let g1 = gram(takenAt(t + 1u), q);
      let g2 = gram(takenAt(t + 2u), q);
      let g3 = gram(takenAt(t + 3u), q);
      beta += vectorAt(gs, t) * g0;
      beta += vectorAt(gs, t + 1u) * g1;
      beta += vectorAt(gs, t + 2u) * g2;
      beta += vectorAt(gs, t + 3u) * g3;
    }
    for (; t < count; t++) { beta += vectorAt(gs, t) * gram(takenAt(t), q); }
    var alpha = P[column + q];
    var distance = vec4f(1.0);
    if (count > 1u) {
      alpha = fourAt(0u, q);
      distance = fourAt(1u, q);
    }
    alpha -= z * beta;
    distance -= beta * beta;
    setFour(0u, q, alpha);
    setFour(1u, q, distance);
    best = better(best, alpha, distance, q);
  }
  settle(best);
}

// choice ← the best atom again, after one of them was marked.
fn chooseAgain() {
  var best = Choice(-1.0, none);
  for (var q = thread; q < params.quads; q += threads) { best = better(best, fourAt(0u, q), fourAt(1u, q), q); }
  settle(best);
}

// The better of a choice and four atoms; those that may not be taken do not count.
fn better(best: Choice, alpha: vec4f, distance: vec4f, quad: u32) -> Choice {
  var result = best;
  let size = openOf(alpha, quad);
  for (var lane = 0u; lane < 4u; lane++) {
    if (!(size[lane] > lowest && distance[lane] > params.dependenceFloor)) { continue; }
    let score = size[lane] * inverseSqrt(distance[lane]);
    if (score > result.size) { result = Choice(score, 4u * quad + lane); }
  }
  return result;
}

// |α| of four atoms, −1 for those taken and those after the last.
fn openOf(alpha: vec4f, quad: u32) -> vec4f {
  let gone = (marksAt(quad / 8u) >> (4u * (quad % 8u))) & 15u;
  let taken = (vec4u(gone) & vec4u(1u, 2u, 4u, 8u)) != vec4u();
  let past = vec4u(4u * quad) + vec4u(0u, 1u, 2u, 3u) >= vec4u(params.atoms);
  return select(abs(alpha), vec4f(-1.0), taken | past);
}

// choice ← the best atom that any thread found: eight become one, until one is left.
fn settle(best: Choice) {
  bestValue[thread] = best.size;
  bestAtom[thread] = best.atom;
  var mine = best;
  for (var step = 1u; step < threads; step *= 8u) {
    workgroupBarrier();
    let first = thread * 8u * step;
    if (first < threads) {
      mine = Choice(bestValue[first], bestAtom[first]);
      for (var k = 1u; k < 8u; k++) {
        let at = min(first + k * step, threads - 1u);
        let other = Choice(bestValue[at], bestAtom[at]);
        if (precedes(other, mine)) { mine = other; }
      }
      bestValue[first] = mine.size;
      bestAtom[first] = mine.atom;
    }
  }
  if (thread == 0u) { choice = mine; }
}

fn precedes(one: Choice, other: Choice) -> bool { return one.size > other.size || (one.size == other.size && one.atom < other.atom); }

// — the pass in half precision —————————————————————————————————————————————————————

// Eight approximate correlations, and bounds on their rounding.
struct Eight { low: vec4f, high: vec4f, lowReach: vec4f, highReach: vec4f }

fn nearly(oct: u32, count: u32) -> Eight {
  var sum = Eight(P[column + 2u * oct], vec4f(), vec4f(), vec4f());
  if (2u * oct + 1u < params.quads) { sum.high = P[column + 2u * oct + 1u]; }
  var t = 0u;
  for (; t + 4u <= count; t += 4u) {
    let t0 = termAt(t); let t1 = termAt(t + 1u); let t2 = termAt(t + 2u); let t3 = termAt(t + 3u);
    let g0 = G1[t0.x + oct]; let g1 = G1[t1.x + oct]; let g2 = G1[t2.x + oct]; let g3 = G1[t3.x + oct];
    sum = less(less(less(less(sum, t0, g0), t1, g1), t2, g2), t3, g3);
  }
  for (; t < count; t++) { sum = less(sum, termAt(t), G1[termAt(t).x + oct]); }
  return sum;
}

fn less(sum: Eight, term: vec2u, packed: vec4f) -> Eight {
  let x = bitcast<f32>(term.y);
  let g = bitcast<vec4u>(packed);
  let low = vec4f(unpack2x16float(g.x), unpack2x16float(g.y));
  let high = vec4f(unpack2x16float(g.z), unpack2x16float(g.w));
  let size = abs(x);
  return Eight(sum.low - x * low, sum.high - x * high, sum.lowReach + size * abs(low), sum.highReach + size * abs(high));
}

// What a thread found: the atom that may be the largest, bounds on the second and (from below) on the largest.
struct Span { best: Choice, second: f32, least: f32 }

fn widen(span: Span, alpha: vec4f, reach: vec4f, quad: u32) -> Span {
  var result = span;
  let size = openOf(alpha, quad);
  for (var lane = 0u; lane < 4u; lane++) {
    if (size[lane] < 0.0) { continue; }
    let most = size[lane] + halfError * reach[lane];
    result.second = max(result.second, min(most, result.best.size));
    if (most > result.best.size) { result.best = Choice(most, 4u * quad + lane); }
    result.least = max(result.least, size[lane] - halfError * reach[lane]);
  }
  return result;
}

// The same as `correlate`; false if too many atoms may be the best to compute each of them.
fn correlateHalves(count: u32) -> bool {
  let octs = (params.quads + 1u) / 2u;
  var span = Span(Choice(-1.0, none), -1.0, -1.0);
  for (var oct = thread; oct < octs; oct += threads) {
    let alpha = nearly(oct, count);
    span = widen(span, alpha.low, alpha.lowReach, 2u * oct);
    span = widen(span, alpha.high, alpha.highReach, 2u * oct + 1u);
  }
  settle(Choice(span.least, thread));
  let least = workgroupUniformLoad(&choice).size;
  if (thread == 0u) { atomicStore(&candidates, 0u); }
  workgroupBarrier();
  if (span.second >= least) {
    for (var oct = thread; oct < octs; oct += threads) {
      let alpha = nearly(oct, count);
      listAbove(least, alpha.low, alpha.lowReach, 2u * oct);
      listAbove(least, alpha.high, alpha.highReach, 2u * oct + 1u);
    }
  } else if (span.best.size >= least && span.best.atom != none) {
    list(span.best.atom);
  }
  workgroupBarrier();
  if (thread == 0u) { listed = atomicLoad(&candidates); }
  let many = workgroupUniformLoad(&listed);
  if (many > threads) { return false; }
  lookAt(many, count);
  return true;
}

fn listAbove(least: f32, alpha: vec4f, reach: vec4f, quad: u32) {
  let size = openOf(alpha, quad);
  for (var lane = 0u; lane < 4u; lane++) {
    if (size[lane] >= 0.0 && size[lane] + halfError * reach[lane] >= least) { list(4u * quad + lane); }
  }
}

fn list(atom: u32) {
  let slot = atomicAdd(&candidates, 1u);
  if (slot < threads) { bestAtom[slot] = atom; }
}

// choice ← the best of the listed atoms, in full precision, with a few threads for each.
fn lookAt(many: u32, count: u32) {
  var best = Choice(-1.0, none);
  let lane = thread % lanes;
  let rounds = threads / lanes;
  for (var start = 0u; start < many; start += rounds) {
    let c = start + thread / lanes;
    var sum = 0.0;
    var own = 0.0;
    if (c < many) {
      let atom = bestAtom[c];
      if (lane == 0u) { own = P[column + atom / 4u][atom % 4u]; }
      for (var t = lane; t < count; t += 4u * lanes) {
        let last = count - 1u; // four at a time, so that none waits for another
        let a = entryOf(atom, takenAt(t));
        let b = entryOf(atom, takenAt(min(t + lanes, last)));
        let c = entryOf(atom, takenAt(min(t + 2u * lanes, last)));
        let d = entryOf(atom, takenAt(min(t + 3u * lanes, last)));
        sum += vectorAt(xs, t) * a;
        if (t + lanes < count) { sum += vectorAt(xs, t + lanes) * b; }
        if (t + 2u * lanes < count) { sum += vectorAt(xs, t + 2u * lanes) * c; }
        if (t + 3u * lanes < count) { sum += vectorAt(xs, t + 3u * lanes) * d; }
      }
    }
    bestValue[thread] = sum;
    workgroupBarrier();
    if (lane == 0u && c < many) {
      var total = 0.0;
      for (var l = 0u; l < lanes; l++) { total += bestValue[thread + l]; }
      bestValue[thread] = abs(own - total);
    }
    workgroupBarrier();
    if (thread == 0u) {
      for (var at = 0u; at < min(rounds, many - start); at++) {
        let one = Choice(bestValue[at * lanes], bestAtom[start + at]);
        if (precedes(one, best)) { best = one; }
      }
    }
    workgroupBarrier();
  }
  if (thread == 0u) { choice = best; }
}

fn entryOf(atom: u32, other: u32) -> f32 { return gram(atom, other / 4u)[other % 4u]; }

// — the small systems ————————————————————————————————————————————————————————————

// Threads share the rows or columns of V: each sum is made of parts, in a fixed order.
fn slicesOf(count: u32) -> u32 { return min(8u, max(1u, threads / max(count, 1u))); }

// w = V g, and fit ← (1 / pivot, z); 1 / pivot is 0 if the atom depends on those taken, and for OLS if 1/‖v‖² is too small. In
// bestValue, parts of wᵀV; for OLS all of it in place of g.
fn extend(atom: u32, count: u32) {
  var own = vec2f(); // G_jj and P_j
  if (thread == 0u) { own = vec2f(entryOf(atom, atom), P[column + atom / 4u][atom % 4u]); }
  for (var t = thread; t < count; t += threads) { setVector(gs, t, entryOf(atom, takenAt(t))); }
  sync();
  let slices = slicesOf(count);
  for (var item = thread; item < count * slices; item += threads) {
    let t = item % count;
    var sum = 0.0;
    for (var s = item / count; s <= t; s += slices) { sum += factorAt(t * (t + 1u) / 2u + s) * vectorAt(gs, s); }
    if (slices == 1u) { setVector(ws, t, sum); } else { bestValue[item] = sum; }
  }
  sync();
  if (slices > 1u && thread < count) {
    var sum = bestValue[thread];
    for (var q = 1u; q < slices; q++) { sum += bestValue[q * count + thread]; }
    setVector(ws, thread, sum);
  }
  sync();
  if (thread < 8u) {
    var share = vec2f();
    for (var t = thread; t < count; t += 8u) { share += vectorAt(ws, t) * vec2f(vectorAt(ws, t), vectorAt(zs, t)); }
    shares[thread] = share;
  }
  for (var item = thread; slices > 1u && item < count * slices; item += threads) {
    bestValue[item] = backwards(item % count, item / count, slices, count);
  }
  workgroupBarrier();
  if (thread == 0u) {
    for (var q = 0u; q < 8u; q++) { own -= shares[q]; }
  }
  if (ols) {
    for (var s = thread; s < count; s += threads) { setVector(gs, s, allBackwards(s, slices, count)); }
    sync();
    if (thread < 8u) {
      var energy = 0.0;
      for (var s = thread; s < count; s += 8u) { energy += vectorAt(gs, s) * vectorAt(gs, s); }
      shares[thread] = vec2f(energy, 0.0);
    }
    workgroupBarrier();
  }
  if (thread == 0u) {
    var spread = 1.0; // ‖v‖² = (1 + ‖wᵀV‖²) / pivot²
    for (var q = 0u; ols && q < 8u; q++) { spread += shares[q].x; }
    var inverse = 0.0;
    if (own.x > params.dependenceFloor * spread) { inverse = 1.0 / sqrt(own.x); }
    fit = vec2f(inverse, own.y * inverse);
  }
}

// Entry s of wᵀV, over the rows s + slice, s + slice + slices, ….
fn backwards(s: u32, slice: u32, slices: u32, count: u32) -> f32 {
  var sum = 0.0;
  for (var t = s + slice; t < count; t += slices) { sum += vectorAt(ws, t) * factorAt(t * (t + 1u) / 2u + s); }
  return sum;
}

// Entry s of wᵀV from the parts in bestValue, if there are any.
fn allBackwards(s: u32, slices: u32, count: u32) -> f32 {
  if (slices == 1u) { return backwards(s, 0u, 1u, count); }
  var sum = 0.0;
  for (var q = 0u; q < slices; q++) { sum += bestValue[q * count + s]; }
  return sum;
}

// The new row of V, also in place of g, and x with it.
fn take(atom: u32, count: u32, step: vec2f) {
  let last = count * (count + 1u) / 2u;
  let slices = slicesOf(count);
  for (var s = thread; s < count; s += threads) {
    var sum = vectorAt(gs, s);
    if (!ols) { sum = allBackwards(s, slices, count); }
    let entry = -sum * step.x;
    setFactor(last + s, entry);
    setVector(gs, s, entry);
    let x = vectorAt(xs, s) + step.y * entry;
    setVector(xs, s, x);
    setTerm(s, takenAt(s), x);
  }
  if (thread == 0u) {
    setFactor(last + count, step.x);
    setVector(gs, count, step.x);
    setVector(xs, count, step.y * step.x);
    setTerm(count, atom, step.y * step.x);
    setVector(zs, count, step.y);
    setTaken(count, atom);
    setMarks(atom / 32u, marksAt(atom / 32u) | (1u << (atom % 32u)));
  }
}

// Write the code, and zeros in the slots after it.
fn write(i: u32, count: u32) {
  sync();
  let slots = (params.firstX + i) * params.width;
  for (var t = thread; t < params.width; t += threads) {
    var atom = 0u;
    var value = 0.0;
    if (t < count) {
      atom = takenAt(t);
      value = vectorAt(xs, t);
    }
    X[slots + t] = atom;
    X[params.valuesAt + slots + t] = bitcast<u32>(value);
  }
  if (thread == 0u) { X[params.countsAt + params.firstX + i] = count; }
}
