// out ← [out] ± M X: for each example, the sum of the columns of M that its code names.
//
// With `placed`, the column of M for an atom is its place in S, and atoms outside S are skipped.
// Only columns [begin, begin + count) of M are bound; other calls bring the others.

override placed: bool = false;
override subtracts: bool = false;

struct Params {
  examples: u32,
  quads: u32,    // vec4 of a column of M and of the result
  width: u32,
  valuesAt: u32,
  countsAt: u32,
  firstX: u32,   // the code of column 0 of the result
  begin: u32,
  count: u32,
  keeps: u32,    // whether the result is added to what is there
  placeAt: u32,  // where the places of the atoms stand in S
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> M: array<vec4f>;
@group(0) @binding(2) var<storage, read> X: array<u32>;
@group(0) @binding(3) var<storage, read> S: array<u32>;
@group(0) @binding(4) var<storage, read_write> result: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.quads) { return; }
  for (var i = id.y; i < params.examples; i += groups.y) {
    let at = i * params.quads + id.x;
    let code = (params.firstX + i) * params.width;
    let count = X[params.countsAt + params.firstX + i];
    var sum = vec4f();
    for (var t = 0u; t < count; t++) {
      var column = X[code + t];
      if (placed) { column = S[params.placeAt + column]; }
      column -= params.begin; // a smaller one wraps around, beyond any count
      if (column < params.count) {
        sum += M[column * params.quads + id.x] * bitcast<f32>(X[params.valuesAt + code + t]);
      }
    }
    if (subtracts) { sum = -sum; }
    if (params.keeps != 0u) { sum = result[at] + sum; }
    result[at] = sum;
  }
}
