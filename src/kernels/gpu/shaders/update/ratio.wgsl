// scalars[out] ← √scalars[num] / √scalars[den]; 0 if either is 0.

struct Params {
  num: u32,
  den: u32,
  out: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> scalars: array<f32>;

@compute @workgroup_size(1)
fn main() {
  let num = scalars[params.num];
  let den = scalars[params.den];
  var ratio = 0.0;
  if (num != 0.0 && den != 0.0) { ratio = sqrt(num) / sqrt(den); }
  scalars[params.out] = ratio;
}
