// B[:, j] ← [β] B[:, j] + Σ Y[:, i] xᵢ over the examples i that use atom j, ascending.
//
// A workgroup takes one atom and 512 rows. Only the examples in [begin, begin + count) are bound
// as Y, other calls bring the others; only the first call multiplies by β.

struct Params {
  beta: f32,
  quads: u32,    // vec4 of a column of Y and of B
  begin: u32,
  count: u32,
  offset: u32,   // the column of what is bound as Y that is example `begin`
  firstAtom: u32, // the atom in the first column of B at hand
  atoms: u32,
  column: u32,   // where that column stands in what is bound
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> Y: array<vec4f>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> entries: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> B: array<vec4f>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.quads) { return; }
  for (var a = id.y; a < params.atoms; a += groups.y) {
    let end = starts[params.firstAtom + a + 1u];
    var sum = vec4f();
    for (var e = starts[params.firstAtom + a]; e < end; e++) {
      let entry = entries[e];
      let example = entry.x - params.begin; // a smaller one wraps around
      if (example < params.count) { sum += Y[(params.offset + example) * params.quads + id.x] * bitcast<f32>(entry.y); }
    }
    let at = (params.column + a) * params.quads + id.x;
    B[at] = params.beta * B[at] + sum;
  }
}
