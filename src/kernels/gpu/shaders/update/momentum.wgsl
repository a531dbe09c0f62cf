// U_S ← γ U_S + η g, with η = scalars[eta] and g in the first |S| columns of the gradient.

struct Params {
  gamma: f32,
  eta: u32,      // the scalar that is η
  quads: u32,
  firstPlace: u32, // the place of column 0 of the gradient
  places: u32,
  begin: u32,     // the atom in column 0 of U
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> scalars: array<f32>;
@group(0) @binding(2) var<storage, read> S: array<u32>;
@group(0) @binding(3) var<storage, read> grad: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> U: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.quads) { return; }
  let size = S[0];
  let eta = scalars[params.eta];
  for (var s = id.y; s < params.places && params.firstPlace + s < size; s += groups.y) {
    let column = S[1u + params.firstPlace + s] - params.begin; // a smaller one wraps around
    if (column < params.count) {
      let at = column * params.quads + id.x;
      U[at] = params.gamma * U[at] + eta * grad[s * params.quads + id.x];
    }
  }
}
