// Rows of M become columns: T[first + c, r] ← M[r, c], tile by tile in workgroup memory.
//
// Columns of M from `column` on are bound; rows [begin, begin + count) of M are the columns of
// T that are bound, from its column `place` on.

struct Params {
  columns: u32,  // of M at hand
  column: u32,   // the first of them in what is bound
  stride: u32,   // of a column of M
  first: u32,    // the row of T that the first of them becomes
  begin: u32,
  count: u32,
  place: u32,
  strideT: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> M: array<f32>;
@group(0) @binding(2) var<storage, read_write> T: array<f32>;

const tile = 16u;
var<workgroup> turned: array<f32, 272>; // tile × (tile + 1)

@compute @workgroup_size(16, 16)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_id) at: vec3u,
) {
  for (var block = group.y; block * tile < params.columns; block += groups.y) {
    let row = group.x * tile + at.x;
    let column = block * tile + at.y;
    if (row < params.count && column < params.columns) {
      turned[at.y * (tile + 1u) + at.x] = M[(params.column + column) * params.stride + params.begin + row];
    }
    workgroupBarrier();
    let r = group.x * tile + at.y;
    let c = block * tile + at.x;
    if (r < params.count && c < params.columns) {
      T[(params.place + r) * params.strideT + params.first + c] = turned[at.x * (tile + 1u) + at.y];
    }
    workgroupBarrier();
  }
}
