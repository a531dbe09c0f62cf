// The atoms of a block J one after the other: dⱼ ← u/‖u‖ with u = dⱼ + ω(bⱼ − vⱼ)/Cⱼⱼ, where
// v = DC with the current atoms. One workgroup; a thread owns rows, four at a time.
//
// V holds DC_J from before the block; the changes of the block so far, Σ δᵢ Cᵢⱼ over its atoms
// i before j, are added to it. δ stays in `changes` for the atoms after the block. Atoms wait for one another,
// so the time is that of waiting for memory: C_JJ is in workgroup memory, dⱼ + ω(bⱼ − vⱼ)/Cⱼⱼ is computed for all j
// beforehand, and changes are read eight at a time.

override threads: u32 = 256;

struct Params {
  quads: u32,    // vec4 of a column of B, V and D
  strideC: u32,  // of a column of C
  first: u32,    // the first atom of J
  atoms: u32,
  columnB: u32,  // where that atom stands in what is bound
  columnC: u32,
  columnV: u32,
  columnD: u32,
  floor: f32,    // Cⱼⱼ below this counts as zero
  step: f32,     // ω
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> B: array<vec4f>;
@group(0) @binding(2) var<storage, read> C: array<f32>;
@group(0) @binding(3) var<storage, read> V: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> D: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> changes: array<vec4f>;

const most = 16u; // atoms of a block
const lanes = 32u;
var<workgroup> diagonal: array<f32, most>;       // Cⱼⱼ
var<workgroup> weights: array<f32, most * most>; // Cᵢⱼ at j·most + i for i < j; else zero
var<workgroup> sums: array<f32, threads>;
var<workgroup> laneSums: array<f32, lanes>;

@compute @workgroup_size(threads)
fn main(@builtin(local_invocation_index) thread: u32) {
  for (var e = thread; e < most * most; e += threads) {
    let j = e / most;
    let i = e % most;
    var weight = 0.0;
    if (j < params.atoms && i <= j) { weight = C[(params.columnC + j) * params.strideC + params.first + i]; }
    if (i == j) { diagonal[j] = weight; }
    weights[e] = select(weight, 0.0, i == j);
  }
  workgroupBarrier();
  begin(thread);
  storageBarrier();
  for (var c = 0u; c < params.atoms; c++) {
    let weight = diagonal[c];
    let moves = weight >= params.floor;
    let own = c * params.quads;
    var energy = 0.0;
    for (var q = thread; moves && q < params.quads; q += threads) {
      let u = changes[own + q] - params.step / weight * changed(c, q);
      energy += dot(u, u);
      changes[own + q] = u;
    }
    let squared = total(thread, energy);
    let scale = 1.0 / sqrt(squared);
    for (var q = thread; q < params.quads; q += threads) {
      let at = params.columnD * params.quads + own + q;
      let old = D[at];
      let d = select(old, changes[own + q] * scale, moves && squared > 0.0);
      changes[own + q] = d - old;
      D[at] = d;
    }
  }
}

// changes ← dⱼ + ω(bⱼ − vⱼ)/Cⱼⱼ for all atoms of the block, four values at a time.
fn begin(thread: u32) {
  let last = params.atoms * params.quads - 1u;
  for (var e = thread; e <= last; e += 4u * threads) {
    let e1 = e + threads;
    let e2 = e1 + threads;
    let e3 = e2 + threads;
    let u0 = uncorrected(e);
    let u1 = uncorrected(min(e1, last));
    let u2 = uncorrected(min(e2, last));
    let u3 = uncorrected(min(e3, last));
    changes[e] = u0;
    if (e1 <= last) { changes[e1] = u1; }
    if (e2 <= last) { changes[e2] = u2; }
    if (e3 <= last) { changes[e3] = u3; }
  }
}

fn uncorrected(e: u32) -> vec4f {
  let rest = B[params.columnB * params.quads + e] - V[params.columnV * params.quads + e];
  let weight = diagonal[e / params.quads];
  return D[params.columnD * params.quads + e] + select(0.0, params.step / weight, weight >= params.floor) * rest;
}

// Σ δᵢ Cᵢⱼ over the atoms of the block before j, its atom c. Behind them the last one is read again, with weight 0.
fn changed(c: u32, q: u32) -> vec4f {
  var sum = vec4f();
  for (var i = 0u; i < c; i += 8u) {
    let w = c * most + i;
    let last = c - 1u;
    let a0 = changes[i * params.quads + q];
    let a1 = changes[min(i + 1u, last) * params.quads + q];
    let a2 = changes[min(i + 2u, last) * params.quads + q];
    let a3 = changes[min(i + 3u, last) * params.quads + q];
    let a4 = changes[min(i + 4u, last) * params.quads + q];
    let a5 = changes[min(i + 5u, last) * params.quads + q];
    let a6 = changes[min(i + 6u, last) * params.quads + q];
    let a7 = changes[min(i + 7u, last) * params.quads + q];
    sum += a0 * weights[w] + a1 * weights[w + 1u] + a2 * weights[w + 2u] + a3 * weights[w + 3u];
    sum += a4 * weights[w + 4u] + a5 * weights[w + 5u] + a6 * weights[w + 6u] + a7 * weights[w + 7u];
  }
  return sum;
}

// The sum over all threads, always in the same order.
fn total(thread: u32, own: f32) -> f32 {
  sums[thread] = own;
  workgroupBarrier();
  if (thread < lanes) {
    var sum = 0.0;
    for (var i = thread; i < threads; i += lanes) { sum += sums[i]; }
    laneSums[thread] = sum;
  }
  workgroupBarrier();
  var sum = 0.0;
  for (var i = 0u; i < lanes; i++) { sum += laneSums[i]; }
  return sum;
}
