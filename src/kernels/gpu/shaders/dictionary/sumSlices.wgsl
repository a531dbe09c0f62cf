// C ← [C] + the sum of the slices of a product, in their order (product.wgsl).

struct Params {
  quads: u32,  // vec4 of a slice
  slices: u32,
  first: u32,  // the vec4 of C where the product starts
}

override adds: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> parts: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var q = id.x; q < params.quads; q += groups.x * 64u) {
    var sum = parts[q];
    for (var s = 1u; s < params.slices; s++) { sum += parts[s * params.quads + q]; }
    if (adds) { sum += C[params.first + q]; }
    C[params.first + q] = sum;
  }
}
