// total ← total + uses, as f32.

struct Params {
  atoms: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> uses: array<u32>;
@group(0) @binding(2) var<storage, read_write> total: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < params.atoms) { total[id.x] += f32(uses[id.x]); }
}
