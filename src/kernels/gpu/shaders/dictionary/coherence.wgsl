// coherenceⱼ ← max over i < j of |Gᵢⱼ|: one workgroup per column of G.

struct Params {
  columns: u32,
  stride: u32,
  begin: u32, // the atom in column 0 of what is bound
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> G: array<f32>;
@group(0) @binding(2) var<storage, read_write> coherence: array<f32>;

const threads = 64u;
var<workgroup> largest: array<f32, threads>;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var c = group.x; c < params.columns; c += groups.x) {
    let j = params.begin + c;
    var most = 0.0;
    for (var i = thread; i < j; i += threads) { most = max(most, abs(G[c * params.stride + i])); }
    largest[thread] = most;
    workgroupBarrier();
    for (var half = threads / 2u; half > 0u; half /= 2u) {
      if (thread < half) { largest[thread] = max(largest[thread], largest[thread + half]); }
      workgroupBarrier();
    }
    if (thread == 0u) { coherence[j] = largest[0]; }
    workgroupBarrier();
  }
}
