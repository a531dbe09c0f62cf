// One atom of K-SVD, with the new atom d and the old one: e = r + g d_old, g ← ⟨e, d⟩, r ← e − g d,
// for the examples that use it: one workgroup per example. If the direction was zero, nothing changes.

struct Params {
  quads: u32,
  atom: u32,
  begin: u32,
  count: u32,
  offset: u32,
  column: u32,
  width: u32,
  valuesAt: u32,
  countsAt: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> u: array<vec4f>; // the direction, then the old atom
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> entries: array<vec2u>;
@group(0) @binding(4) var<storage, read> D: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> R: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> X: array<u32>;

const threads = 64u;
var<workgroup> sums: array<f32, threads>;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let end = starts[params.atom + 1u];
  let d = params.column * params.quads;
  var moved = 0.0; // ‖u‖∞: 0 if the atom did not change
  for (var q = 0u; q < params.quads; q++) { moved = max(moved, maxOf(abs(u[q]))); }
  if (!(moved > 0.0)) { return; }
  for (var e = starts[params.atom] + group.x; e < end; e += groups.x) {
    let entry = entries[e];
    let example = entry.x - params.begin; // a smaller one wraps around
    if (example >= params.count) { continue; }
    let g = bitcast<f32>(entry.y);
    let r = (params.offset + example) * params.quads;
    var sum = 0.0;
    for (var q = thread; q < params.quads; q += threads) {
      sum += dot(R[r + q] + u[params.quads + q] * g, D[d + q]);
    }
    sums[thread] = sum;
    workgroupBarrier();
    for (var step = threads / 2u; step > 0u; step /= 2u) {
      if (thread < step) { sums[thread] += sums[thread + step]; }
      workgroupBarrier();
    }
    let fitted = sums[0];
    workgroupBarrier();
    for (var q = thread; q < params.quads; q += threads) {
      R[r + q] = R[r + q] + u[params.quads + q] * g - D[d + q] * fitted;
    }
    if (thread == 0u) { put(entry.x, fitted); }
  }
}

fn maxOf(v: vec4f) -> f32 {
  return max(max(v.x, v.y), max(v.z, v.w));
}

// Write the coefficient of the atom into the code of an example.
fn put(example: u32, value: f32) {
  let begin = example * params.width;
  for (var t = 0u; t < X[params.countsAt + example]; t++) {
    if (X[begin + t] == params.atom) { X[params.valuesAt + begin + t] = bitcast<u32>(value); return; }
  }
}
