// T ← columns of A, with their values, or with `marks` as entries that are larger than all others, so that moveAtoms.wgsl keeps
// them: a thread per slot of a column.

override marks: bool = false;

struct Params {
  examples: u32,
  first: u32,         // the column of A of example 0
  step: u32,          // from one to that of the next
  given: u32,         // the width of A
  givenValuesAt: u32, // where the values and counts of A start
  givenCountsAt: u32,
  width: u32,         // of T
  valuesAt: u32,
  countsAt: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> A: array<u32>;
@group(0) @binding(2) var<storage, read_write> T: array<u32>;

const largest = 0x7f7fffffu; // of f32

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.width) { return; }
  for (var i = id.y; i < params.examples; i += groups.y) {
    let column = params.first + i * params.step;
    let count = A[params.givenCountsAt + column];
    let at = i * params.width + id.x;
    if (id.x < count) {
      let source = column * params.given + id.x;
      T[at] = A[source];
      T[params.valuesAt + at] = select(A[params.givenValuesAt + source], largest, marks);
    }
    if (id.x == 0u) { T[params.countsAt + i] = count; }
  }
}
