// One atom of K-SVD: u ← [u] + Σ (rᵢ + d gᵢ) gᵢ over the examples i that use it. One workgroup
// per 64 rows, its threads in 16 parts of the list. Only examples [begin, begin + count) are bound as R.

struct Params {
  quads: u32,
  atom: u32,
  begin: u32,
  count: u32,
  offset: u32,   // the column of what is bound as R that is example `begin`
  column: u32,   // where the atom stands in what is bound as D
  keeps: u32,    // whether u is added to
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> R: array<vec4f>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> entries: array<vec2u>;
@group(0) @binding(4) var<storage, read> D: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> u: array<vec4f>;

const rows = 16u; // vec4
const parts = 16u;
var<workgroup> sums: array<vec4f, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let q = group.x * rows + thread % rows;
  let part = thread / rows;
  let end = starts[params.atom + 1u];
  var sum = vec4f();
  if (q < params.quads) {
    let d = D[params.column * params.quads + q];
    for (var e = starts[params.atom] + part; e < end; e += parts) {
      let entry = entries[e];
      let example = entry.x - params.begin; // a smaller one wraps around
      let g = bitcast<f32>(entry.y);
      if (example < params.count) { sum += (R[(params.offset + example) * params.quads + q] + d * g) * g; }
    }
  }
  sums[thread] = sum;
  workgroupBarrier();
  if (part > 0u || q >= params.quads) { return; }
  for (var other = 1u; other < parts; other++) { sum += sums[other * rows + thread]; }
  if (params.keeps != 0u) { sum += u[q]; }
  u[q] = sum;
}
