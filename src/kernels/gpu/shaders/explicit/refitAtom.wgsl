// d ← u/‖u‖, and the old atom to the second half of u. If u is zero, d does not change. The norm is
// that of u divided by its largest magnitude, so that squares stay in the range of f32. One workgroup.

struct Params {
  quads: u32,
  column: u32,   // where the atom stands in what is bound
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> u: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> D: array<vec4f>;

const threads = 256u;
var<workgroup> shared_: array<f32, threads>;

@compute @workgroup_size(threads)
fn main(@builtin(local_invocation_index) thread: u32) {
  var peak = 0.0;
  for (var q = thread; q < params.quads; q += threads) {
    let size = abs(u[q]);
    peak = max(peak, max(max(size.x, size.y), max(size.z, size.w)));
  }
  shared_[thread] = peak;
  workgroupBarrier();
  for (var step = threads / 2u; step > 0u; step /= 2u) {
    if (thread < step) { shared_[thread] = max(shared_[thread], shared_[thread + step]); }
    workgroupBarrier();
  }
  let largest = shared_[0];
  workgroupBarrier();
  var energy = 0.0;
  if (largest > 0.0) {
    for (var q = thread; q < params.quads; q += threads) {
      let part = u[q] / largest;
      energy += dot(part, part);
    }
  }
  shared_[thread] = energy;
  workgroupBarrier();
  for (var step = threads / 2u; step > 0u; step /= 2u) {
    if (thread < step) { shared_[thread] += shared_[thread + step]; }
    workgroupBarrier();
  }
  let norm = sqrt(shared_[0]);
  for (var q = thread; q < params.quads; q += threads) {
    let at = params.column * params.quads + q;
    u[params.quads + q] = D[at];
    if (largest > 0.0) { D[at] = (u[q] / largest) / norm; }
  }
}
