// Part z of −Σ W[:, i] xᵢ over the examples i that use atom S[s], for few atoms that many examples use: several workgroups
// share the list of an atom, and sumParts.wgsl adds up what they found.
//
// A workgroup takes 64 rows, its threads in 16 turns along the list. Only examples [begin, begin + count) are bound as W.

struct Params {
  quads: u32,      // vec4 of a column of W
  begin: u32,
  count: u32,
  firstPlace: u32, // the place of s = 0
  places: u32,
  parts: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> W: array<vec4f>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> entries: array<vec2u>;
@group(0) @binding(4) var<storage, read> S: array<u32>;
@group(0) @binding(5) var<storage, read_write> sums: array<vec4f>; // by parts, then places

const rows = 16u; // vec4
const turns = 16u;
var<workgroup> found: array<vec4f, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let q = group.x * rows + thread % rows;
  let turn = group.z * turns + thread / rows;
  for (var s = group.y; s < params.places && params.firstPlace + s < S[0]; s += groups.y) {
    let atom = S[1u + params.firstPlace + s];
    let end = starts[atom + 1u];
    var sum = vec4f();
    if (q < params.quads) {
      for (var e = starts[atom] + turn; e < end; e += turns * params.parts) {
        let entry = entries[e];
        let column = entry.x - params.begin; // a smaller one wraps around
        if (column < params.count) { sum -= W[column * params.quads + q] * bitcast<f32>(entry.y); }
      }
    }
    workgroupBarrier(); // the sums of the atom before are read
    found[thread] = sum;
    workgroupBarrier();
    if (thread < rows && q < params.quads) {
      for (var other = 1u; other < turns; other++) { sum += found[other * rows + thread]; }
      sums[(group.z * params.places + s) * params.quads + q] = sum;
    }
  }
}
