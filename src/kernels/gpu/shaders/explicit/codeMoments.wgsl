// C[:, j] ← βC[:, j] + Σ xⱼᵢ X[:, i] over the examples i that use atom j, ascending: one
// workgroup per atom. The rows of one code are distinct, so no two threads write to the same entry.

struct Params {
  beta: f32,
  stride: u32,   // of a column of C
  width: u32,
  valuesAt: u32,
  countsAt: u32,
  firstAtom: u32, // the atom in the first column of C at hand
  atoms: u32,
  column: u32,   // where that column stands in what is bound
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> X: array<u32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> entries: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> C: array<f32>;

const threads = 64u;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var a = group.x; a < params.atoms; a += groups.x) {
    let column = (params.column + a) * params.stride;
    for (var r = thread; r < params.stride; r += threads) { C[column + r] = params.beta * C[column + r]; }
    storageBarrier();
    workgroupBarrier();
    let end = starts[params.firstAtom + a + 1u];
    for (var e = starts[params.firstAtom + a]; e < end; e++) {
      let entry = entries[e];
      let code = entry.x * params.width;
      for (var t = thread; t < X[params.countsAt + entry.x]; t += threads) {
        let at = column + X[code + t];
        C[at] += bitcast<f32>(entry.y) * bitcast<f32>(X[params.valuesAt + code + t]);
      }
      storageBarrier();
      workgroupBarrier();
    }
  }
}
