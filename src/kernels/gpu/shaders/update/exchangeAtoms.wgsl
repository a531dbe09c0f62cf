// Replaces the atoms of S in the residuals of the examples that use them: one workgroup per example.
//
// Only the atoms with places in [begin, begin + count) of S are bound; other calls bring the
// others. An example uses at most one atom of S.

struct Params {
  examples: u32,
  quads: u32,    // vec4 of a column
  width: u32,
  valuesAt: u32,
  countsAt: u32,
  firstX: u32,   // the code of column 0 of R
  placeAt: u32,  // where the places of the atoms stand in S
  begin: u32,
  count: u32,
  beforeAt: u32, // the column of place `begin`
  afterAt: u32,
  refits: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> before: array<vec4f>;
@group(0) @binding(2) var<storage, read> after: array<vec4f>;
@group(0) @binding(3) var<storage, read> S: array<u32>;
@group(0) @binding(4) var<storage, read_write> X: array<u32>;
@group(0) @binding(5) var<storage, read_write> R: array<vec4f>;

const threads = 64u;
const nowhere = 0xffffffffu;
var<workgroup> sums: array<f32, threads>;
var<workgroup> slot: u32;
var<workgroup> place: u32;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var i = group.x; i < params.examples; i += groups.x) {
    if (thread == 0u) { find(params.firstX + i); }
    let at = workgroupUniformLoad(&slot);
    if (at == nowhere) { continue; }
    let column = workgroupUniformLoad(&place);
    let x = bitcast<f32>(X[params.valuesAt + at]);
    let old = (params.beforeAt + column) * params.quads;
    let fresh = (params.afterAt + column) * params.quads;
    var sum = 0.0;
    for (var q = thread; q < params.quads; q += threads) {
      let error = R[i * params.quads + q] + x * before[old + q];
      R[i * params.quads + q] = error;
      sum += dot(error, after[fresh + q]);
    }
    sums[thread] = sum;
    workgroupBarrier();
    for (var half = threads / 2u; half > 0u; half /= 2u) {
      if (thread < half) { sums[thread] += sums[thread + half]; }
      workgroupBarrier();
    }
    let weight = select(x, sums[0], params.refits != 0u);
    for (var q = thread; q < params.quads; q += threads) {
      R[i * params.quads + q] -= weight * after[fresh + q];
    }
    workgroupBarrier();
    if (thread == 0u) { X[params.valuesAt + at] = bitcast<u32>(weight); }
  }
}

// The slot of the atom of S that an example uses, and the column that is bound for it.
fn find(example: u32) {
  slot = nowhere;
  let begin = example * params.width;
  let count = X[params.countsAt + example];
  for (var t = 0u; t < count; t++) {
    let column = S[params.placeAt + X[begin + t]] - params.begin; // a smaller one wraps around, beyond any count
    if (column < params.count && bitcast<f32>(X[params.valuesAt + begin + t]) != 0.0) {
      slot = begin + t;
      place = column;
    }
  }
}
