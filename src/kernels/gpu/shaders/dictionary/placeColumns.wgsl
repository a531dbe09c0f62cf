// Some sparse columns of a matrix ← columns that were just written: a thread per slot, zeros after the last entry.

struct Params {
  columns: u32,
  given: u32, // the width of the new columns
  width: u32, // of the matrix
  valuesAt: u32,
  countsAt: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> fresh: array<u32>; // places, counts, indices, values
@group(0) @binding(2) var<storage, read_write> M: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.width) { return; }
  for (var c = id.y; c < params.columns; c += groups.y) {
    let place = fresh[c];
    let count = fresh[params.columns + c];
    var entry = vec2u(); // row, value
    if (id.x < count) {
      let at = 2u * params.columns + c * params.given + id.x;
      entry = vec2u(fresh[at], fresh[at + params.columns * params.given]);
    }
    let to = place * params.width + id.x;
    M[to] = entry.x;
    M[params.valuesAt + to] = entry.y;
    if (id.x == 0u) { M[params.countsAt + place] = count; }
  }
}
