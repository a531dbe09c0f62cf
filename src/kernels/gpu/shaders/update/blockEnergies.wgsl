// The sum of squares of each block of 4096 vec4: one workgroup per block.

struct Params {
  quads: u32,       // of the matrix that is bound
  columnQuads: u32, // of one column
  firstColumn: u32, // the column of the whole in column 0 of what is bound
  firstBlock: u32,
  limited: u32,     // whether only the first |S| columns count
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> M: array<vec4f>;
@group(0) @binding(2) var<storage, read> S: array<u32>;
@group(0) @binding(3) var<storage, read_write> partial: array<f32>;

const threads = 256u;
const block = 4096u;
var<workgroup> sums: array<f32, threads>;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  var end = params.quads;
  if (params.limited != 0u) {
    let columns = max(S[0], params.firstColumn) - params.firstColumn;
    end = min(end, columns * params.columnQuads);
  }
  for (var b = group.x; b * block < params.quads; b += groups.x) {
    let to = min((b + 1u) * block, end);
    var sum = 0.0;
    for (var q = b * block + thread; q < to; q += threads) { sum += dot(M[q], M[q]); }
    sums[thread] = sum;
    workgroupBarrier();
    for (var half = threads / 2u; half > 0u; half /= 2u) {
      if (thread < half) { sums[thread] += sums[thread + half]; }
      workgroupBarrier();
    }
    if (thread == 0u) { partial[params.firstBlock + b] = sums[0]; }
    workgroupBarrier();
  }
}
