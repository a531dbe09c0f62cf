// cⱼ ← cⱼ + (‖vⱼ‖²/energiesⱼ) vⱼ, the entries of V at the places of those of C: one workgroup per column.

struct Params {
  columns: u32,
  width: u32,
  valuesAt: u32,
  countsAt: u32,
  givenValuesAt: u32, // of V, which is as wide
  stride: u32,        // between the energies
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> V: array<u32>;
@group(0) @binding(2) var<storage, read> energies: array<f32>;
@group(0) @binding(3) var<storage, read_write> C: array<u32>;

const threads = 64u;
var<workgroup> sums: array<f32, threads>;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var j = group.x; j < params.columns; j += groups.x) {
    let count = C[params.countsAt + j];
    let at = j * params.width;
    var sum = 0.0;
    for (var s = thread; s < count; s += threads) {
      let v = bitcast<f32>(V[params.givenValuesAt + at + s]);
      sum += v * v;
    }
    sums[thread] = sum;
    workgroupBarrier();
    for (var half = threads / 2u; half > 0u; half /= 2u) {
      if (thread < half) { sums[thread] += sums[thread + half]; }
      workgroupBarrier();
    }
    let moved = energies[j * params.stride];
    let step = select(0.0, sums[0] / moved, moved > 0.0);
    for (var s = thread; s < count; s += threads) {
      let to = params.valuesAt + at + s;
      C[to] = bitcast<u32>(bitcast<f32>(C[to]) + step * bitcast<f32>(V[params.givenValuesAt + at + s]));
    }
    workgroupBarrier();
  }
}
