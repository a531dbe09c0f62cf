// Codes over the atoms that each example chooses among become codes over all atoms: a thread per slot.

struct Params {
  examples: u32,
  width: u32,    // of X
  countsAt: u32, // of X
  choices: u32,  // the width of T
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> T: array<u32>;
@group(0) @binding(2) var<storage, read_write> X: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = id.y; i < params.examples; i += groups.y) {
    if (id.x >= X[params.countsAt + i]) { continue; }
    let at = i * params.width + id.x;
    X[at] = T[i * params.choices + X[at]];
  }
}
