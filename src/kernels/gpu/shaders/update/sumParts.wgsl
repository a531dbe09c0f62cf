// grad[:, s] ← [grad[:, s]] + the parts of gradientParts.wgsl, in their order, for the atoms of S.

struct Params {
  quads: u32,
  firstPlace: u32,
  places: u32,
  parts: u32,
  keeps: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sums: array<vec4f>;
@group(0) @binding(2) var<storage, read> S: array<u32>;
@group(0) @binding(3) var<storage, read_write> grad: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.quads) { return; }
  for (var s = id.y; s < params.places && params.firstPlace + s < S[0]; s += groups.y) {
    let at = s * params.quads + id.x;
    var sum = sums[at];
    for (var z = 1u; z < params.parts; z++) { sum += sums[z * params.places * params.quads + at]; }
    if (params.keeps != 0u) { sum += grad[at]; }
    grad[at] = sum;
  }
}
