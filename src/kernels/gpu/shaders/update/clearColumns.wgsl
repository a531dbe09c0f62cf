// Columns S of M ← 0; with `rows`, its rows S as well.

override rows: bool = false;

struct Params {
  stride: u32,   // of a column of M
  rows: u32,
  first: u32,    // the atom of the first column at hand
  count: u32,
  column: u32,   // where it stands in what is bound
  placeAt: u32,  // where the places of the atoms stand in S
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> S: array<u32>;
@group(0) @binding(2) var<storage, read_write> M: array<f32>;

fn inside(atom: u32) -> bool {
  return S[params.placeAt + atom] < S[0];
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.rows) { return; }
  let goes = rows && inside(id.x);
  for (var c = id.y; c < params.count; c += groups.y) {
    if (goes || inside(params.first + c)) { M[(params.column + c) * params.stride + id.x] = 0.0; }
  }
}
