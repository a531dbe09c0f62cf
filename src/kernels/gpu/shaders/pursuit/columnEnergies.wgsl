// ‖yᵢ‖² for each column of Y: one workgroup per column.

struct Params {
  columns: u32,
  quads: u32,
  first: u32,  // the entry of column 0
  stride: u32, // between entries
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> Y: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> energies: array<f32>;

const threads = 64u;
var<workgroup> sums: array<f32, threads>;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var i = group.x; i < params.columns; i += groups.x) {
    var sum = 0.0;
    for (var q = thread; q < params.quads; q += threads) {
      let value = Y[i * params.quads + q];
      sum += dot(value, value);
    }
    sums[thread] = sum;
    workgroupBarrier();
    for (var half = threads / 2u; half > 0u; half /= 2u) {
      if (thread < half) { sums[thread] += sums[thread + half]; }
      workgroupBarrier();
    }
    if (thread == 0u) { energies[(params.first + i) * params.stride] = sums[0]; }
    workgroupBarrier();
  }
}
