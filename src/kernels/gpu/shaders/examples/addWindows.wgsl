// Adds the columns of Y to the samples of their windows: one thread per sample, which looks for the
// windows that contain it, from their last line to the first, so that each sum has one order.
//
// `places` holds the offsets of the lines of a window from its first sample; then, for each sample from
// `first` on, the number of the window that starts there plus one, or 0 if none does.

struct Params {
  samples: u32, // from `first` on
  first: u32,
  starts: u32,  // samples from `first` on that a window may start at
  lines: u32,
  length: u32,
  stride: u32,  // of a column of Y
  begin: u32,   // the window in column 0 of Y, and how many are bound
  count: u32,
  adds: u32,    // whether means are added
  meanStride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> Y: array<f32>;
@group(0) @binding(2) var<storage, read> means: array<f32>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> sum: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var s = id.x; s < params.samples; s += 64u * groups.x) {
    var total = sum[params.first + s];
    for (var line = params.lines; line > 0u; line--) {
      for (var x = params.length; x > 0u; x--) {
        let start = s - (places[line - 1u] + x - 1u); // one before `first` wraps around
        if (start >= params.starts) { continue; }
        let window = places[params.lines + start] - 1u - params.begin; // so does no window
        if (window >= params.count) { continue; }
        var value = Y[window * params.stride + (line - 1u) * params.length + x - 1u];
        if (params.adds != 0u) { value += means[(params.begin + window) * params.meanStride]; }
        total += value;
      }
    }
    sum[params.first + s] = total;
  }
}
