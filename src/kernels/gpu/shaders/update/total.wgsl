// scalars[slot] ← [scalars[slot]] + the sum of all blocks, in one order.

struct Params {
  blocks: u32,
  slot: u32,
  adds: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> partial: array<f32>;
@group(0) @binding(2) var<storage, read_write> scalars: array<f32>;

const threads = 256u;
var<workgroup> sums: array<f32, threads>;

@compute @workgroup_size(threads)
fn main(@builtin(local_invocation_index) thread: u32) {
  var sum = 0.0;
  for (var b = thread; b < params.blocks; b += threads) { sum += partial[b]; }
  sums[thread] = sum;
  workgroupBarrier();
  for (var half = threads / 2u; half > 0u; half /= 2u) {
    if (thread < half) { sums[thread] += sums[thread + half]; }
    workgroupBarrier();
  }
  if (thread == 0u) {
    scalars[params.slot] = select(sums[0], scalars[params.slot] + sums[0], params.adds != 0u);
  }
}
