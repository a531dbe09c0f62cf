// Sparse columns as dense ones. The target must be zero before.

struct Params {
  columns: u32,
  width: u32,
  valuesAt: u32,
  countsAt: u32,
  first: u32,  // the sparse column that dense column 0 comes from
  stride: u32, // of a dense column
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read_write> dense: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var column = id.y; column < params.columns; column += groups.y) {
    let begin = params.first + column;
    if (id.x < columns[params.countsAt + begin]) {
      let at = begin * params.width + id.x;
      dense[column * params.stride + columns[at]] = bitcast<f32>(columns[params.valuesAt + at]);
    }
  }
}
