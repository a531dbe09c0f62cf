// How many examples use each atom: the bits of its row.

struct Params {
  atoms: u32,
  words: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> bits: array<u32>;
@group(0) @binding(2) var<storage, read_write> uses: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.atoms) { return; }
  var count = 0u;
  for (var w = 0u; w < params.words; w++) { count += countOneBits(bits[id.x * params.words + w]); }
  uses[id.x] = count;
}
