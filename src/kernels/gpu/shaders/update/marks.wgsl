// One bit for each atom and example: whether the code of the example uses the atom.
// All bits are zero before, and may be set in any order.

struct Params {
  examples: u32,
  width: u32,
  valuesAt: u32,
  countsAt: u32,
  words: u32, // of an atom's row of bits
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> X: array<u32>;
@group(0) @binding(2) var<storage, read_write> bits: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = id.y; i < params.examples; i += groups.y) {
    if (id.x < X[params.countsAt + i]) {
      let at = i * params.width + id.x;
      if (bitcast<f32>(X[params.valuesAt + at]) != 0.0) {
        atomicOr(&bits[X[at] * params.words + i / 32u], 1u << (i % 32u));
      }
    }
  }
}
