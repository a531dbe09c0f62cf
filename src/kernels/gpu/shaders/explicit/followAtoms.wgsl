// V[:, j] ← V[:, j] + Σ δᵢ Cᵢⱼ over the atoms i of a block that has just moved, for the atoms j after it.

struct Params {
  quads: u32,    // vec4 of a column of V
  strideC: u32,
  first: u32,    // the first atom of the block
  atoms: u32,    // of the block
  columns: u32,  // of V at hand
  columnV: u32,  // where the first of them stands in what is bound
  columnC: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> changes: array<vec4f>;
@group(0) @binding(2) var<storage, read> C: array<f32>;
@group(0) @binding(3) var<storage, read_write> V: array<vec4f>;

// A thread takes four columns, and uses every change it reads for all of them.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.quads) { return; }
  for (var j = id.y * 4u; j < params.columns; j += groups.y * 4u) {
    let last = params.columns - 1u;
    let weights = vec4u(j, min(j + 1u, last), min(j + 2u, last), min(j + 3u, last)) + params.columnC;
    let at = weights * params.strideC + params.first;
    var v0 = vec4f(); var v1 = vec4f(); var v2 = vec4f(); var v3 = vec4f();
    for (var i = 0u; i < params.atoms; i++) {
      let change = changes[i * params.quads + id.x];
      v0 += change * C[at.x + i];
      v1 += change * C[at.y + i];
      v2 += change * C[at.z + i];
      v3 += change * C[at.w + i];
    }
    let to = (params.columnV + j) * params.quads + id.x;
    V[to] += v0;
    if (j + 1u <= last) { V[to + params.quads] += v1; }
    if (j + 2u <= last) { V[to + 2u * params.quads] += v2; }
    if (j + 3u <= last) { V[to + 3u * params.quads] += v3; }
  }
}
