// G[:, S] ← the columns just computed, for the columns of G that are bound.

struct Params {
  quads: u32,    // vec4 of a column of G
  places: u32,   // columns at hand
  firstPlace: u32,
  begin: u32,     // the column of G in column 0 of what is bound
  count: u32,
  least: u32,    // S of this size or more is refreshed as a whole
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> columns: array<vec4f>;
@group(0) @binding(2) var<storage, read> S: array<u32>;
@group(0) @binding(3) var<storage, read_write> G: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.quads) { return; }
  let size = S[0];
  if (size >= params.least) { return; }
  for (var c = id.y; c < params.places && params.firstPlace + c < size; c += groups.y) {
    let column = S[1u + params.firstPlace + c] - params.begin; // a smaller one wraps around
    if (column < params.count) { G[column * params.quads + id.x] = columns[c * params.quads + id.x]; }
  }
}
