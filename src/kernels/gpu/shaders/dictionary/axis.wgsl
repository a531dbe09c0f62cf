// One axis of a separable transform: out[o, r, i] ← Σⱼ F[r, j] in[o, j, i], for every column.
//
// A column is an array outer × size × inner, row-major. A workgroup computes 16 values of r at 256
// places (o, i), a thread all of four places: what it reads serves for all of them. F is stored by
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
const reach = 256u;    // places of a workgroup, four of each thread, `threads` apart
const wide = 4u;       // vec4 of r
const deepest = 32u;   // values of j at a time, where places read for themselves
const shallow = 8u;    // the same through workgroup memory, and the values of r that leave it at a time
const pitch = 9u;      // of a place in `values`: an odd number, so that no two threads use one bank
var<workgroup> block: array<vec4f, 128>;     // deepest × wide
var<workgroup> values: array<f32, 2304>;     // reach × pitch
var<workgroup> begins: array<vec2u, reach>;  // where each place reads and writes

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let all = params.outer * params.inner * params.columns;
  let r0 = group.y * 4u * wide;
  let deep = select(deepest, shallow, along);
  for (var first = group.x * reach; first < all; first += groups.x * reach) {
    workgroupBarrier();
    for (var q = thread; q < reach; q += threads) { begins[q] = placeOf(min(first + q, all - 1u)); }
    let a = begins[thread].x; let b = begins[thread + threads].x;
    let c = begins[thread + 2u * threads].x; let d = begins[thread + 3u * threads].x;
    var a0 = vec4f(); var a1 = vec4f(); var a2 = vec4f(); var a3 = vec4f();
    var b0 = vec4f(); var b1 = vec4f(); var b2 = vec4f(); var b3 = vec4f();
    var c0 = vec4f(); var c1 = vec4f(); var c2 = vec4f(); var c3 = vec4f();
    var d0 = vec4f(); var d1 = vec4f(); var d2 = vec4f(); var d3 = vec4f();
    for (var j0 = 0u; j0 < params.sizeIn; j0 += deep) {
      workgroupBarrier();
      for (var at = thread; at < deep * wide; at += threads) { block[at] = factor(j0 + at / wide, r0 + 4u * (at % wide)); }
      let steps = min(deep, params.sizeIn - j0);
      if (along) { bring(thread, j0, steps); }
      workgroupBarrier();
      for (var j = 0u; j < steps; j++) {
        var four: vec4f;
        if (along) {
          let at = thread * pitch + j;
          let apart = threads * pitch;
          four = vec4f(values[at], values[at + apart], values[at + 2u * apart], values[at + 3u * apart]);
        } else {
          let at = (j0 + j) * params.inner;
          four = vec4f(source[a + at], source[b + at], source[c + at], source[d + at]);
        }
        let f0 = block[wide * j]; let f1 = block[wide * j + 1u]; let f2 = block[wide * j + 2u]; let f3 = block[wide * j + 3u];
        a0 += f0 * four.x; a1 += f1 * four.x; a2 += f2 * four.x; a3 += f3 * four.x;
        b0 += f0 * four.y; b1 += f1 * four.y; b2 += f2 * four.y; b3 += f3 * four.y;
        c0 += f0 * four.z; c1 += f1 * four.z; c2 += f2 * four.z; c3 += f3 * four.z;
        d0 += f0 * four.w; d1 += f1 * four.w; d2 += f2 * four.w; d3 += f3 * four.w;
      }
    }
    let count = min(reach, all - first);
    if (along) {
      workgroupBarrier();
      putEight(thread, a0, a1); putEight(thread + threads, b0, b1);
      putEight(thread + 2u * threads, c0, c1); putEight(thread + 3u * threads, d0, d1);
      workgroupBarrier();
      send(thread, r0, count);
      workgroupBarrier();
      putEight(thread, a2, a3); putEight(thread + threads, b2, b3);
      putEight(thread + 2u * threads, c2, c3); putEight(thread + 3u * threads, d2, d3);
      workgroupBarrier();
      send(thread, r0 + shallow, count);
    } else {
      storeAll(thread, count, r0, a0, a1, a2, a3);
      storeAll(thread + threads, count, r0, b0, b1, b2, b3);
      storeAll(thread + 2u * threads, count, r0, c0, c1, c2, c3);
      storeAll(thread + 3u * threads, count, r0, d0, d1, d2, d3);
    }
  }
}

// Where a place reads and writes its first values.
fn placeOf(place: u32) -> vec2u {
  let places = params.outer * params.inner;
  let column = place / places;
  let o = (place % places) / params.inner;
  let i = place % params.inner;
  return vec2u(
    (params.firstIn + column) * params.strideIn + o * params.sizeIn * params.inner + i,
    (params.firstOut + column) * params.strideOut + o * params.sizeOut * params.inner + i,
  );
}

// `steps` values of every place, from j0 on.
fn bring(thread: u32, j0: u32, steps: u32) {
  let j = thread % shallow;
  if (j >= steps) { return; }
  for (var q = thread / shallow; q < reach; q += threads / shallow) { values[q * pitch + j] = source[begins[q].x + j0 + j]; }
}

fn putEight(q: u32, low: vec4f, high: vec4f) {
  for (var c = 0u; c < 4u; c++) {
    values[q * pitch + c] = low[c];
    values[q * pitch + 4u + c] = high[c];
  }
}

// Eight values of r of every place.
fn send(thread: u32, r0: u32, count: u32) {
  let r = thread % shallow;
  if (r0 + r >= params.sizeOut) { return; }
  for (var q = thread / shallow; q < count; q += threads / shallow) { result[begins[q].y + r0 + r] = values[q * pitch + r]; }
}

fn storeAll(q: u32, count: u32, r0: u32, s0: vec4f, s1: vec4f, s2: vec4f, s3: vec4f) {
  if (q >= count) { return; }
  let to = begins[q].y;
  store(to, r0, s0);
  store(to, r0 + 4u, s1);
  store(to, r0 + 8u, s2);
  store(to, r0 + 12u, s3);
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
