// Windows of signals as columns of Y, with their means removed if asked: one workgroup per example.
//
// A window is `lines` runs of `length` samples. Where each run starts, relative to the
// window, depends only on the shape of its signal, and is looked up in a table. The mean of a
// constant window is its first sample, so that the rest is exactly zero.

struct Params {
  examples: u32,
  lines: u32,
  length: u32,
  stride: u32, // of a column of Y
  panel: u32,  // the part of the signals that is bound
  first: u32,  // the example in column 0 of Y
  centre: u32, // whether means are removed
  meanStride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> samples: array<f32>;
@group(0) @binding(2) var<storage, read> windows: array<vec4u>; // panel, start, where its runs stand in the table
@group(0) @binding(3) var<storage, read> runs: array<u32>;
@group(0) @binding(4) var<storage, read_write> Y: array<f32>;
@group(0) @binding(5) var<storage, read_write> means: array<f32>;

const threads = 64u;
var<workgroup> sums: array<f32, threads>;
var<workgroup> differs: atomic<u32>;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var i = group.x; i < params.examples; i += groups.x) {
    let window = windows[params.first + i];
    if (window.x != params.panel) { continue; }
    let n = params.lines * params.length;
    let column = i * params.stride;
    let origin = samples[window.y];
    if (thread == 0u) { atomicStore(&differs, 0u); }
    workgroupBarrier();
    var sum = 0.0;
    var other = false;
    for (var r = thread; r < n; r += threads) {
      let value = samples[window.y + runs[window.z + r / params.length] + r % params.length];
      Y[column + r] = value;
      sum += value;
      other = other || value != origin;
    }
    if (params.centre == 0u) { continue; }
    if (other) { atomicStore(&differs, 1u); }
    sums[thread] = sum;
    workgroupBarrier();
    for (var half = threads / 2u; half > 0u; half /= 2u) {
      if (thread < half) { sums[thread] += sums[thread + half]; }
      workgroupBarrier();
    }
    let mean = select(origin, sums[0] / f32(n), atomicLoad(&differs) == 1u);
    for (var r = thread; r < n; r += threads) { Y[column + r] -= mean; }
    if (thread == 0u) { means[(params.first + i) * params.meanStride] = mean; }
    workgroupBarrier();
  }
}
