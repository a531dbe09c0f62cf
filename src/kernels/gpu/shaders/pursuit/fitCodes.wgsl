// X ← the codes of a pursuit without a Gram matrix: x = C⁻ᵀz for every example, one workgroup each.
//
// For the layout of state and work see findAtoms.wgsl and addDirections.wgsl. With a path, its rows after the last turn
// repeat the energy that is left.

struct Params {
  examples: u32,
  sparsity: u32,
  workSize: u32,
  width: u32,
  valuesAt: u32,
  countsAt: u32,
  firstX: u32,
  pathStride: u32,   // 0 without a path
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read_write> work: array<u32>;
@group(0) @binding(3) var<storage, read_write> X: array<u32>;
@group(0) @binding(4) var<storage, read_write> path: array<f32>;

const threads = 128u;
var<workgroup> taken: u32;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var i = group.x; i < params.examples; i += groups.x) {
    if (thread == 0u) { taken = state[8u * i]; }
    let count = workgroupUniformLoad(&taken);
    let zs = i * params.workSize + params.sparsity;
    let rows = zs + params.sparsity;
    for (var t = count; t > 0u; t--) {
      let last = t - 1u;
      let row = rows + last * t / 2u;
      let x = bitcast<f32>(work[zs + last]) / bitcast<f32>(work[row + last]);
      storageBarrier();
      for (var s = thread; s < last; s += threads) {
        work[zs + s] = bitcast<u32>(bitcast<f32>(work[zs + s]) - x * bitcast<f32>(work[row + s]));
      }
      if (thread == 0u) { work[zs + last] = bitcast<u32>(x); }
      storageBarrier();
    }
    write(i, thread, count, zs);
  }
}

fn write(i: u32, thread: u32, count: u32, zs: u32) {
  let code = params.firstX + i;
  for (var t = thread; t < params.width; t += threads) {
    var atom = 0u;
    var value = 0u;
    if (t < count) {
      atom = work[zs - params.sparsity + t];
      value = work[zs + t];
    }
    X[code * params.width + t] = atom;
    X[params.valuesAt + code * params.width + t] = value;
  }
  if (thread == 0u) { X[params.countsAt + code] = count; }
  if (params.pathStride == 0u) { return; }
  let left = max(bitcast<f32>(state[8u * i + 3u]), 0.0);
  for (var t = count + thread; t < params.sparsity; t += threads) { path[code * params.pathStride + t] = left; }
}
