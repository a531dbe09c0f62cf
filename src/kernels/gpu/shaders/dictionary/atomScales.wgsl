// scaleⱼ ← 1/‖dⱼ‖₂ for the atoms of S, 0 for a zero atom: one workgroup per atom.

struct Params {
  quads: u32,    // vec4 of a column of D
  begin: u32,     // the atom in column 0 of what is bound
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> D: array<vec4f>;
@group(0) @binding(2) var<storage, read> S: array<u32>;
@group(0) @binding(3) var<storage, read_write> scale: array<f32>;

const threads = 64u;
var<workgroup> sums: array<f32, threads>;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let size = S[0];
  for (var place = group.x; place < size; place += groups.x) {
    let atom = S[1u + place];
    let column = atom - params.begin; // a smaller one wraps around
    if (column >= params.count) { continue; }
    var sum = 0.0;
    for (var q = thread; q < params.quads; q += threads) {
      let value = D[column * params.quads + q];
      sum += dot(value, value);
    }
    sums[thread] = sum;
    workgroupBarrier();
    for (var half = threads / 2u; half > 0u; half /= 2u) {
      if (thread < half) { sums[thread] += sums[thread + half]; }
      workgroupBarrier();
    }
    if (thread == 0u) { scale[atom] = select(0.0, 1.0 / sqrt(sums[0]), sums[0] > 0.0); }
    workgroupBarrier();
  }
}
