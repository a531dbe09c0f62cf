// Replaces the atoms of S in the residuals of the examples that use them: one workgroup per entry of an atom's list.
//
// Only the atoms with places in [firstPlace, firstPlace + places) of S, and the examples in [begin, begin + count), are
// bound; other calls bring the others. An example uses at most one atom of S. A new coefficient is written to X and to
// the list, which stays correct. Entries that have become zero are no uses.

struct Params {
  quads: u32,      // vec4 of a column
  width: u32,
  valuesAt: u32,
  countsAt: u32,
  begin: u32,      // the example in column 0 of R
  count: u32,
  firstPlace: u32,
  places: u32,
  beforeAt: u32,   // the column of place `firstPlace`
  afterAt: u32,
  refits: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> before: array<vec4f>;
@group(0) @binding(2) var<storage, read> after: array<vec4f>;
@group(0) @binding(3) var<storage, read> S: array<u32>;
@group(0) @binding(4) var<storage, read> starts: array<u32>;
@group(0) @binding(5) var<storage, read_write> entries: array<vec2u>; // example, coefficient
@group(0) @binding(6) var<storage, read_write> X: array<u32>;
@group(0) @binding(7) var<storage, read_write> R: array<vec4f>;

const threads = 64u;
var<workgroup> sums: array<f32, threads>;
var<workgroup> entry: vec2u;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var p = group.y; p < params.places && params.firstPlace + p < S[0]; p += groups.y) {
    let atom = S[1u + params.firstPlace + p];
    let end = starts[atom + 1u];
    for (var e = starts[atom] + group.x; e < end; e += groups.x) {
      if (thread == 0u) { entry = entries[e]; }
      let at = workgroupUniformLoad(&entry);
      let example = at.x - params.begin; // a smaller one wraps around
      let x = bitcast<f32>(at.y);
      if (example >= params.count || x == 0.0) { continue; }
      let weight = exchange(example * params.quads, x, p, thread);
      if (params.refits != 0u && thread == 0u) {
        entries[e].y = bitcast<u32>(weight);
        put(at.x, atom, weight);
      }
    }
  }
}

// R ← R + x before − weight after in one column; the weight.
fn exchange(r: u32, x: f32, place: u32, thread: u32) -> f32 {
  let old = (params.beforeAt + place) * params.quads;
  let fresh = (params.afterAt + place) * params.quads;
  var sum = 0.0;
  for (var q = thread; q < params.quads; q += threads) {
    let error = R[r + q] + x * before[old + q];
    R[r + q] = error;
    sum += dot(error, after[fresh + q]);
  }
  sums[thread] = sum;
  workgroupBarrier();
  for (var half = threads / 2u; half > 0u; half /= 2u) {
    if (thread < half) { sums[thread] += sums[thread + half]; }
    workgroupBarrier();
  }
  let weight = select(x, sums[0], params.refits != 0u);
  for (var q = thread; q < params.quads; q += threads) { R[r + q] -= weight * after[fresh + q]; }
  return weight;
}

// Write the coefficient of an atom into the code of an example.
fn put(example: u32, atom: u32, value: f32) {
  let begin = example * params.width;
  for (var t = 0u; t < X[params.countsAt + example]; t++) {
    if (X[begin + t] == atom) { X[params.valuesAt + begin + t] = bitcast<u32>(value); return; }
  }
}
