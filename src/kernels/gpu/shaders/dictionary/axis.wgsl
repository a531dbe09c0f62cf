// One axis of a separable transform: out[o, r, i] ← Σⱼ F[r, j] in[o, j, i], for every column.
//
// A column is an array outer × size × inner, row-major. A workgroup computes 16 values of r at 64
// places (o, i), a thread all of one place: what it reads serves for all of them. F is stored by
// columns (F[r, j] at j · sizeOut + r); a block of it at a time is in workgroup memory.

struct Params {
  columns: u32,
  outer: u32,
  sizeIn: u32,
  sizeOut: u32,
  inner: u32,
  strideIn: u32,  // of a column
  strideOut: u32,
  firstIn: u32,   // the column that column 0 comes from
  firstOut: u32,
  factorAt: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> factors: array<f32>;
@group(0) @binding(2) var<storage, read> source: array<f32>;
@group(0) @binding(3) var<storage, read_write> result: array<f32>;

const threads = 64u;
const deep = 64u; // values of j at a time
const wide = 4u;  // vec4 of r
var<workgroup> block: array<vec4f, 256>; // deep × wide

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let places = params.outer * params.inner;
  let all = places * params.columns;
  let r0 = group.y * 4u * wide;
  for (var first = group.x * threads; first < all; first += groups.x * threads) {
    let place = min(first + thread, all - 1u);
    let column = place / places;
    let o = (place % places) / params.inner;
    let i = place % params.inner;
    let begin = (params.firstIn + column) * params.strideIn + o * params.sizeIn * params.inner + i;
    var s0 = vec4f(); var s1 = vec4f(); var s2 = vec4f(); var s3 = vec4f();
    for (var j0 = 0u; j0 < params.sizeIn; j0 += deep) {
      workgroupBarrier();
      for (var at = thread; at < deep * wide; at += threads) { block[at] = factor(j0 + at / wide, r0 + 4u * (at % wide)); }
      workgroupBarrier();
      let steps = min(deep, params.sizeIn - j0);
      for (var j = 0u; j < steps; j++) {
        let value = source[begin + (j0 + j) * params.inner];
        s0 += block[wide * j] * value;
        s1 += block[wide * j + 1u] * value;
        s2 += block[wide * j + 2u] * value;
        s3 += block[wide * j + 3u] * value;
      }
    }
    if (first + thread < all) {
      let to = (params.firstOut + column) * params.strideOut + o * params.sizeOut * params.inner + i;
      store(to, r0, s0);
      store(to, r0 + 4u, s1);
      store(to, r0 + 8u, s2);
      store(to, r0 + 12u, s3);
    }
  }
}

// F[r … r + 3, j], zero outside.
fn factor(j: u32, r: u32) -> vec4f {
  var four = vec4f();
  if (j >= params.sizeIn) { return four; }
  for (var c = 0u; c < 4u; c++) {
    if (r + c < params.sizeOut) { four[c] = factors[params.factorAt + j * params.sizeOut + r + c]; }
  }
  return four;
}

fn store(to: u32, r: u32, values: vec4f) {
  for (var c = 0u; c < 4u; c++) {
    if (r + c < params.sizeOut) { result[to + (r + c) * params.inner] = values[c]; }
  }
}
