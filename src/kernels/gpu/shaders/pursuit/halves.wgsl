// A copy of a Gram matrix of unit atoms in half precision, times 2¹⁰, eight entries per vec4.
//
// Entries are rounded to the nearest eleven bits here, so that packing them is exact. Entries
// below 2⁻²⁴ may be lost, no more than f32 sums lose.

struct Params {
  columns: u32,
  quads: u32, // vec4 of a column of G
  octs: u32,  // vec4 of a column of H
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> G: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> H: array<vec4u>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.octs) { return; }
  for (var column = id.y; column < params.columns; column += groups.y) {
    let at = column * params.quads + 2u * id.x;
    let low = G[at];
    var high = vec4f();
    if (2u * id.x + 1u < params.quads) { high = G[at + 1u]; }
    H[column * params.octs + id.x] = vec4u(
      pack2x16float(rounded(low.xy)), pack2x16float(rounded(low.zw)),
      pack2x16float(rounded(high.xy)), pack2x16float(rounded(high.zw)),
    );
  }
}

fn rounded(value: vec2f) -> vec2f {
  let bits = bitcast<vec2u>(value * 1024.0);
  let nearest = bits + vec2u(0xfffu) + ((bits >> vec2u(13u)) & vec2u(1u)); // ties to even
  return bitcast<vec2f>(nearest & vec2u(0xffffe000u));
}
