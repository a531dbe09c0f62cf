// grad[:, s] ← [grad[:, s]] − Σ W[:, i] xᵢ over the examples i that use atom S[s].
//
// A workgroup takes one atom and 512 rows. Examples come in ascending order; only those in
// [begin, begin + count) are bound as W, other calls bring the others.

struct Params {
  quads: u32,    // vec4 of a column of W and of the gradient
  begin: u32,
  count: u32,
  keeps: u32,
  firstPlace: u32, // the place of column 0 of the gradient
  places: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> W: array<vec4f>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> entries: array<vec2u>;
@group(0) @binding(4) var<storage, read> S: array<u32>;
@group(0) @binding(5) var<storage, read_write> grad: array<vec4f>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.quads) { return; }
  let size = S[0];
  for (var s = id.y; s < params.places && params.firstPlace + s < size; s += groups.y) {
    let atom = S[1u + params.firstPlace + s];
    let end = starts[atom + 1u];
    var sum = vec4f();
    for (var e = starts[atom]; e < end; e++) {
      let entry = entries[e];
      let column = entry.x - params.begin; // a smaller one wraps around
      if (column < params.count) { sum -= W[column * params.quads + id.x] * bitcast<f32>(entry.y); }
    }
    let at = s * params.quads + id.x;
    if (params.keeps != 0u) { sum += grad[at]; }
    grad[at] = sum;
  }
}
