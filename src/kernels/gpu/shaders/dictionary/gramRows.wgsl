// G[S, :] ← the mirror of the columns just computed, for the columns of G that are bound.
//
// If S holds all atoms, the columns are all of G. For two atoms in S, the mirror has the same
// bits (product.wgsl), so it does not matter which is written last. A tile is transposed in
// workgroup memory, so that threads read and write neighbours.

struct Params {
  stride: u32,   // of a column of G
  atoms: u32,
  places: u32,
  firstPlace: u32,
  begin: u32,
  count: u32,
  least: u32,    // S of this size or more is refreshed as a whole
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> columns: array<f32>;
@group(0) @binding(2) var<storage, read> S: array<u32>;
@group(0) @binding(3) var<storage, read_write> G: array<f32>;

const tile = 16u;
var<workgroup> turned: array<f32, 272>; // tile × (tile + 1)

@compute @workgroup_size(16, 16)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_id) at: vec3u,
) {
  let size = S[0];
  if (size == params.atoms || size >= params.least) { return; }
  let last = min(params.places, size - min(size, params.firstPlace));
  for (var block = group.y; block * tile < last; block += groups.y) {
    let row = group.x * tile + at.x; // of the columns at hand: a column of G, within what is bound
    let place = block * tile + at.y;
    if (row < params.count && place < last) {
      turned[at.y * (tile + 1u) + at.x] = columns[place * params.stride + params.begin + row];
    }
    workgroupBarrier();
    let column = group.x * tile + at.y;
    let member = block * tile + at.x;
    if (column < params.count && member < last) {
      let atom = S[1u + params.firstPlace + member];
      G[column * params.stride + atom] = turned[at.x * (tile + 1u) + at.y];
    }
    workgroupBarrier();
  }
}
