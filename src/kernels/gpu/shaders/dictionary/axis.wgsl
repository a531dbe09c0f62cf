// One axis of a separable transform: out[o, r, i] ← Σⱼ F[r, j] in[o, j, i], for every column.
//
// A column is an array outer × size × inner, row-major. F is stored by columns (F[r, j] at
// j · sizeOut + r), so that neighbouring threads read neighbours whether they differ in r or in i.

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

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let element = id.x;
  let inner = params.inner;
  let sizeOut = params.sizeOut;
  if (element >= params.outer * sizeOut * inner) { return; }
  let i = element % inner;
  let r = (element / inner) % sizeOut;
  let o = element / (inner * sizeOut);
  for (var column = id.y; column < params.columns; column += groups.y) {
    let begin = (params.firstIn + column) * params.strideIn + o * params.sizeIn * inner + i;
    var sum = 0.0;
    for (var j = 0u; j < params.sizeIn; j++) {
      sum += factors[params.factorAt + j * sizeOut + r] * source[begin + j * inner];
    }
    result[(params.firstOut + column) * params.strideOut + element] = sum;
  }
}
