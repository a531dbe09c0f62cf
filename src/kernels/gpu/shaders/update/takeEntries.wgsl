// V ← the entries of W at the places of the entries of C: a thread per slot, zeros after the last entry.

struct Params {
  columns: u32,
  first: u32,  // the column of C that belongs to the first one of W at hand
  offset: u32, // where that stands in what is bound
  stride: u32, // of a column of W
  width: u32,
  valuesAt: u32,
  countsAt: u32,
  takenValuesAt: u32, // of V, which is as wide
  takenCountsAt: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> W: array<f32>;
@group(0) @binding(2) var<storage, read> C: array<u32>;
@group(0) @binding(3) var<storage, read_write> V: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.width) { return; }
  for (var c = id.y; c < params.columns; c += groups.y) {
    let column = params.first + c;
    let at = column * params.width + id.x;
    let count = C[params.countsAt + column];
    var entry = vec2u(); // row, value
    if (id.x < count) {
      let row = C[at];
      entry = vec2u(row, bitcast<u32>(W[(params.offset + c) * params.stride + row]));
    }
    V[at] = entry.x;
    V[params.takenValuesAt + at] = entry.y;
    if (id.x == 0u) { V[params.takenCountsAt + column] = count; }
  }
}
