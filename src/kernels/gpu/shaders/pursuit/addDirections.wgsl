// A new direction for every example of a pursuit without a Gram matrix: one workgroup per example.
//
// fresh holds the unit atom that was found (findAtoms.wgsl), or zeros. It is made orthogonal to the directions
// before it, one after the other, and scaled to unit norm: q. Then z = ⟨q, r⟩ and r ← r − zq. An atom that depends on
// those taken leaves q = 0; it ends OMP, and OLS passes over it. OLS also passes over an atom if 1/‖v‖² is at most the floor,
// with v = C⁻ᵀe the coefficients of q over the atoms.
//
// work, per example: atoms taken (p), z (p), C by rows, (w, pivot) of each atom, and v (p).

struct Params {
  examples: u32,
  quads: u32,        // vec4 of an example
  sparsity: u32,     // p
  ols: u32,
  limit: f32,
  dependenceFloor: f32,
  workSize: u32,
  atoms: u32,
  firstPath: u32,
  pathStride: u32,   // 0 without a path
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> fresh: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> Q: array<vec4f>; // p columns per example
@group(0) @binding(3) var<storage, read_write> residual: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> work: array<u32>;
@group(0) @binding(5) var<storage, read_write> scores: array<vec2f>;
@group(0) @binding(6) var<storage, read_write> state: array<u32>;
@group(0) @binding(7) var<storage, read_write> path: array<f32>;

const threads = 128u;
var<private> thread: u32;
var<workgroup> parts: array<f32, threads>;
var<workgroup> heads: array<u32, 2>; // atoms taken, whether the example continues

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) index: u32,
) {
  thread = index;
  for (var i = group.x; i < params.examples; i += groups.x) {
    if (thread < 2u) { heads[thread] = state[8u * i + thread]; }
    let head = workgroupUniformLoad(&heads);
    if (head[1] != 0u) { extend(i, head[0]); }
  }
}

fn extend(i: u32, count: u32) {
  let own = i * params.quads;
  let first = i * params.sparsity * params.quads;
  let row = i * params.workSize + 2u * params.sparsity + count * (count + 1u) / 2u;
  for (var s = 0u; s < count; s++) {
    let q = first + s * params.quads;
    var part = 0.0;
    for (var r = thread; r < params.quads; r += threads) { part += dot(fresh[own + r], Q[q + r]); }
    let w = total(part);
    for (var r = thread; r < params.quads; r += threads) { fresh[own + r] -= w * Q[q + r]; }
    if (thread == 0u) { work[row + s] = bitcast<u32>(w); }
  }
  var part = 0.0;
  for (var r = thread; r < params.quads; r += threads) { part += dot(fresh[own + r], fresh[own + r]); }
  let distance = total(part);
  let pivot = sqrt(max(distance, params.dependenceFloor));
  var energy = 1.0;
  if (params.ols != 0u) { energy = spread(i, count, pivot); }
  let accepted = distance > params.dependenceFloor && 1.0 / energy > params.dependenceFloor;
  let inverse = select(0.0, 1.0 / pivot, accepted);
  part = 0.0;
  for (var r = thread; r < params.quads; r += threads) {
    let q = inverse * fresh[own + r];
    fresh[own + r] = q;
    Q[first + count * params.quads + r] = q;
    part += dot(q, residual[own + r]);
  }
  let z = total(part);
  for (var r = thread; r < params.quads; r += threads) { residual[own + r] -= z * fresh[own + r]; }
  if (thread == 0u) {
    if (accepted) {
      work[row + count] = bitcast<u32>(pivot);
      take(i, count, z);
    } else { refuse(i); }
  }
}

// ‖v‖² of the direction that the row (w, pivot) of C adds, its pivot not in place yet: v = C⁻ᵀe.
fn spread(i: u32, count: u32, pivot: f32) -> f32 {
  let rows = i * params.workSize + 2u * params.sparsity;
  let v = rows + params.sparsity * (params.sparsity + 1u) / 2u;
  for (var s = thread; s < count; s += threads) { work[v + s] = 0u; }
  storageBarrier();
  var last = 1.0 / pivot;
  var energy = last * last;
  for (var t = count; t > 0u; t--) {
    let row = rows + t * (t + 1u) / 2u;
    for (var s = thread; s < t; s += threads) {
      work[v + s] = bitcast<u32>(bitcast<f32>(work[v + s]) - last * bitcast<f32>(work[row + s]));
    }
    storageBarrier();
    last = bitcast<f32>(work[v + t - 1u]) / bitcast<f32>(work[row - 1u]);
    energy += last * last;
  }
  return energy;
}

// The sum over all threads, in one order.
fn total(part: f32) -> f32 {
  parts[thread] = part;
  workgroupBarrier();
  for (var half = threads / 2u; half > 0u; half /= 2u) {
    if (thread < half) { parts[thread] += parts[thread + half]; }
    workgroupBarrier();
  }
  let sum = parts[0];
  workgroupBarrier();
  return sum;
}

fn take(i: u32, count: u32, z: f32) {
  let own = 8u * i;
  let at = i * params.workSize + count;
  let left = bitcast<f32>(state[own + 3u]) - z * z;
  work[at] = state[own + 5u];
  work[at + params.sparsity] = bitcast<u32>(z);
  state[own] = count + 1u;
  state[own + 3u] = bitcast<u32>(left);
  state[own + 4u] = bitcast<u32>(z);
  let ends = count + 1u == params.sparsity || (params.limit > 0.0 && !(left > params.limit));
  if (ends) { state[own + 1u] = 0u; }
  if (params.pathStride > 0u) { path[(params.firstPath + i) * params.pathStride + count] = max(left, 0.0); }
}

fn refuse(i: u32) {
  let own = 8u * i;
  if (params.ols == 0u) {
    state[own + 1u] = 0u;
    return;
  }
  scores[i * params.atoms + state[own + 5u]].y = 0.0;
  state[own + 4u] = 0u;
}
