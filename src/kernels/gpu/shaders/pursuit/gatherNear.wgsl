// G and P of the atoms that each example chooses among, which are the rows of its column of T: for batchOmp.wgsl, with zeros
// for atoms after the last. A thread makes four entries of a column.

override panels: u32 = 1;

struct Params {
  examples: u32,
  firstT: u32,    // the column of T of example 0
  width: u32,     // of T
  countsAt: u32,
  stride: u32,    // of a column of G and of P, in floats
  panelCols: u32,
  firstP: u32,    // the column of P of example 0
  quads: u32,     // vec4 of a column of few atoms
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> G0: array<f32>;
@group(0) @binding(2) var<storage, read> G1: array<f32>;
@group(0) @binding(3) var<storage, read> G2: array<f32>;
@group(0) @binding(4) var<storage, read> G3: array<f32>;
@group(0) @binding(5) var<storage, read> T: array<u32>;
@group(0) @binding(6) var<storage, read> P: array<f32>;
@group(0) @binding(7) var<storage, read_write> few: array<vec4f>; // G of all examples, then P of all

fn gram(atom: u32, row: u32) -> f32 {
  if (panels == 1u) { return G0[atom * params.stride + row]; }
  let panel = atom / params.panelCols;
  let at = (atom % params.panelCols) * params.stride + row;
  if (panel == 0u) { return G0[at]; }
  if (panel == 1u) { return G1[at]; }
  if (panel == 2u) { return G2[at]; }
  return G3[at];
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let quad = id.x;
  if (quad >= params.quads) { return; }
  let size = params.width * params.quads; // of the G of an example
  for (var item = id.y; item < params.examples * params.width; item += groups.y) {
    let i = item / params.width;
    let column = item % params.width;
    let rows = (params.firstT + i) * params.width;
    let count = T[params.countsAt + params.firstT + i];
    var entries = vec4f();
    var projections = vec4f();
    for (var lane = 0u; lane < 4u; lane++) {
      let row = 4u * quad + lane;
      if (row >= count) { continue; }
      if (column < count) { entries[lane] = gram(T[rows + column], T[rows + row]); }
      if (column == 0u) { projections[lane] = P[(params.firstP + i) * params.stride + T[rows + row]]; }
    }
    few[i * size + column * params.quads + quad] = entries;
    if (column == 0u) { few[params.examples * size + i * params.quads + quad] = projections; }
  }
}
