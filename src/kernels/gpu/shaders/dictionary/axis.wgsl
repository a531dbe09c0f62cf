// One axis of a separable transform: out[o, r, i] ← Σⱼ F[r, j] in[o, j, i], for every column.
//
// A column is an array outer × size × inner, row-major. A workgroup computes 16 values of r at 64
// places (o, i), a thread all of one place: what it reads serves for all of them. F is stored by
// columns (F[r, j] at j · sizeOut + r); a block of it at a time is in workgroup memory.
//
// Neighbouring threads read and write neighbours if i changes from one to the next. Along the last axis (`inner` is 1)
// it does not; there, `along` brings values in and out through workgroup memory, in the order they are stored in.

override along: bool = false;

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
const deep = 32u; // values of j at a time
const wide = 4u;  // vec4 of r
const pitch = 33u; // of a place in `values`: an odd number, so that no two threads use one bank
var<workgroup> block: array<vec4f, 128>; // deep × wide
var<workgroup> values: array<f32, 2112>; // threads × pitch
var<workgroup> begins: array<vec2u, threads>; // where each place reads and writes

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
    let to = (params.firstOut + column) * params.strideOut + o * params.sizeOut * params.inner + i;
    workgroupBarrier();
    begins[thread] = vec2u(begin, to);
    var s0 = vec4f(); var s1 = vec4f(); var s2 = vec4f(); var s3 = vec4f();
    for (var j0 = 0u; j0 < params.sizeIn; j0 += deep) {
      workgroupBarrier();
      for (var at = thread; at < deep * wide; at += threads) { block[at] = factor(j0 + at / wide, r0 + 4u * (at % wide)); }
      let steps = min(deep, params.sizeIn - j0);
      if (along) { bring(thread, j0, steps); }
      workgroupBarrier();
      for (var j = 0u; j < steps; j++) {
        var value: f32;
        if (along) { value = values[thread * pitch + j]; } else { value = source[begin + (j0 + j) * params.inner]; }
        s0 += block[wide * j] * value;
        s1 += block[wide * j + 1u] * value;
        s2 += block[wide * j + 2u] * value;
        s3 += block[wide * j + 3u] * value;
      }
    }
    if (along) {
      workgroupBarrier();
      let own = thread * pitch;
      put(own, s0);
      put(own + 4u, s1);
      put(own + 8u, s2);
      put(own + 12u, s3);
      workgroupBarrier();
      send(thread, r0, min(threads, all - first));
    } else if (first + thread < all) {
      store(to, r0, s0);
      store(to, r0 + 4u, s1);
      store(to, r0 + 8u, s2);
      store(to, r0 + 12u, s3);
    }
  }
}

// `steps` values of every place, from j0 on.
fn bring(thread: u32, j0: u32, steps: u32) {
  let j = thread % deep;
  if (j >= steps) { return; }
  for (var at = thread / deep; at < threads; at += threads / deep) { values[at * pitch + j] = source[begins[at].x + j0 + j]; }
}

fn put(at: u32, four: vec4f) {
  values[at] = four.x;
  values[at + 1u] = four.y;
  values[at + 2u] = four.z;
  values[at + 3u] = four.w;
}

// The values of r of every place.
fn send(thread: u32, r0: u32, count: u32) {
  let r = thread % (4u * wide);
  if (r0 + r >= params.sizeOut) { return; }
  for (var at = thread / (4u * wide); at < count; at += threads / (4u * wide)) { result[begins[at].y + r0 + r] = values[at * pitch + r]; }
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
