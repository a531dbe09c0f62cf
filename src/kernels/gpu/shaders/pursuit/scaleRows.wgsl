// X ← diag(scale) X.

struct Params {
  examples: u32,
  width: u32,
  valuesAt: u32,
  countsAt: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> scale: array<f32>;
@group(0) @binding(2) var<storage, read_write> X: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = id.y; i < params.examples; i += groups.y) {
    if (id.x < X[params.countsAt + i]) {
      let at = i * params.width + id.x;
      X[params.valuesAt + at] = bitcast<u32>(bitcast<f32>(X[params.valuesAt + at]) * scale[X[at]]);
    }
  }
}
