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
const deepest = 64u;   // values of j for which F is in workgroup memory
const shallow = 8u;    // values of j that come through workgroup memory at a time, and of r that leave it
const pitch = 9u;      // of a place in `values`: an odd number, so that no two threads use one bank
const apart = 576u;    // threads × pitch
var<workgroup> block: array<vec4f, 256>;     // deepest × wide
var<workgroup> values: array<f32, 2304>;     // reach × pitch
var<workgroup> begins: array<vec2u, reach>;  // where each place reads and writes

var<private> thread: u32;
var<private> at: vec4u; // where the four places read
// Sums of 16 values of r at each of the four places.
var<private> a0: vec4f; var<private> a1: vec4f; var<private> a2: vec4f; var<private> a3: vec4f;
var<private> b0: vec4f; var<private> b1: vec4f; var<private> b2: vec4f; var<private> b3: vec4f;
var<private> c0: vec4f; var<private> c1: vec4f; var<private> c2: vec4f; var<private> c3: vec4f;
var<private> d0: vec4f; var<private> d1: vec4f; var<private> d2: vec4f; var<private> d3: vec4f;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) index: u32,
) {
  thread = index;
  let all = params.outer * params.inner * params.columns;
  let r0 = group.y * 4u * wide;
  for (var first = group.x * reach; first < all; first += groups.x * reach) {
    workgroupBarrier();
    for (var q = thread; q < reach; q += threads) { begins[q] = placeOf(min(first + q, all - 1u)); }
    at = vec4u(begins[thread].x, begins[thread + threads].x, begins[thread + 2u * threads].x, begins[thread + 3u * threads].x);
    clear();
    for (var j0 = 0u; j0 < params.sizeIn; j0 += deepest) {
      let deep = min(deepest, params.sizeIn - j0);
      workgroupBarrier();
      for (var b = thread; b < deep * wide; b += threads) { block[b] = factor(j0 + b / wide, r0 + 4u * (b % wide)); }
      if (along) {
        for (var j = 0u; j < deep; j += shallow) {
          let steps = min(shallow, deep - j);
          workgroupBarrier();
          bring(j0 + j, steps);
          workgroupBarrier();
          addAll(j, 0u, steps);
        }
      } else {
        workgroupBarrier();
        addAll(0u, j0, deep);
      }
    }
    let count = min(reach, all - first);
    if (along) {
      workgroupBarrier();
      putEight(thread, a0, a1); putEight(thread + threads, b0, b1);
      putEight(thread + 2u * threads, c0, c1); putEight(thread + 3u * threads, d0, d1);
      workgroupBarrier();
      send(r0, count);
      workgroupBarrier();
      putEight(thread, a2, a3); putEight(thread + threads, b2, b3);
      putEight(thread + 2u * threads, c2, c3); putEight(thread + 3u * threads, d2, d3);
      workgroupBarrier();
      send(r0 + shallow, count);
    } else {
      storeAll(thread, count, r0, a0, a1, a2, a3);
      storeAll(thread + threads, count, r0, b0, b1, b2, b3);
      storeAll(thread + 2u * threads, count, r0, c0, c1, c2, c3);
      storeAll(thread + 3u * threads, count, r0, d0, d1, d2, d3);
    }
  }
}

fn clear() {
  a0 = vec4f(); a1 = vec4f(); a2 = vec4f(); a3 = vec4f();
  b0 = vec4f(); b1 = vec4f(); b2 = vec4f(); b3 = vec4f();
  c0 = vec4f(); c1 = vec4f(); c2 = vec4f(); c3 = vec4f();
  d0 = vec4f(); d1 = vec4f(); d2 = vec4f(); d3 = vec4f();
}

// Add `steps` values of j, whose rows of F start at `row` of the block. Four are read before the first is used, so that reads overlap.
fn addAll(row: u32, j0: u32, steps: u32) {
  var j = 0u;
  for (; j + 4u <= steps; j += 4u) {
    let v0 = fourAt(j0 + j); let v1 = fourAt(j0 + j + 1u); let v2 = fourAt(j0 + j + 2u); let v3 = fourAt(j0 + j + 3u);
    add(row + j, v0); add(row + j + 1u, v1); add(row + j + 2u, v2); add(row + j + 3u, v3);
  }
  for (; j < steps; j++) { add(row + j, fourAt(j0 + j)); }
}

// Value j of the four places, in workgroup memory or where it is stored.
fn fourAt(j: u32) -> vec4f {
  if (along) {
    let begin = thread * pitch + j;
    return vec4f(values[begin], values[begin + apart], values[begin + 2u * apart], values[begin + 3u * apart]);
  }
  let begin = at + vec4u(j * params.inner);
  return vec4f(source[begin.x], source[begin.y], source[begin.z], source[begin.w]);
}

fn add(row: u32, four: vec4f) {
  let f0 = block[wide * row]; let f1 = block[wide * row + 1u]; let f2 = block[wide * row + 2u]; let f3 = block[wide * row + 3u];
  a0 += f0 * four.x; a1 += f1 * four.x; a2 += f2 * four.x; a3 += f3 * four.x;
  b0 += f0 * four.y; b1 += f1 * four.y; b2 += f2 * four.y; b3 += f3 * four.y;
  c0 += f0 * four.z; c1 += f1 * four.z; c2 += f2 * four.z; c3 += f3 * four.z;
  d0 += f0 * four.w; d1 += f1 * four.w; d2 += f2 * four.w; d3 += f3 * four.w;
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

// `steps` values of every place, starting with j = `first`: eight places are read before the first is written, so that reads overlap.
fn bring(first: u32, steps: u32) {
  let j = thread % shallow;
  if (j >= steps) { return; }
  let begin = first + j;
  for (var q = thread / shallow; q < reach; q += threads) {
    let v0 = source[begins[q].x + begin]; let v1 = source[begins[q + 8u].x + begin];
    let v2 = source[begins[q + 16u].x + begin]; let v3 = source[begins[q + 24u].x + begin];
    let v4 = source[begins[q + 32u].x + begin]; let v5 = source[begins[q + 40u].x + begin];
    let v6 = source[begins[q + 48u].x + begin]; let v7 = source[begins[q + 56u].x + begin];
    let to = q * pitch + j;
    values[to] = v0; values[to + 72u] = v1; values[to + 144u] = v2; values[to + 216u] = v3;
    values[to + 288u] = v4; values[to + 360u] = v5; values[to + 432u] = v6; values[to + 504u] = v7;
  }
}

fn putEight(q: u32, low: vec4f, high: vec4f) {
  for (var c = 0u; c < 4u; c++) {
    values[q * pitch + c] = low[c];
    values[q * pitch + 4u + c] = high[c];
  }
}

// Eight values of r of every place.
fn send(r0: u32, count: u32) {
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
