// Columns of A from `first` on ← cⱼ/√eⱼ, where that unit atom is closer to its target than the current one: a thread per
// slot, zeros after the last entry.

struct Params {
  columns: u32,
  given: u32,         // the width of C
  givenValuesAt: u32, // where the values and counts of C start
  givenCountsAt: u32,
  width: u32,         // of A
  valuesAt: u32,
  countsAt: u32,
  first: u32,
  stride: u32,        // between the entries of 1 × N matrices
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> C: array<u32>;
@group(0) @binding(2) var<storage, read> energies: array<f32>;
@group(0) @binding(3) var<storage, read> left: array<f32>;
@group(0) @binding(4) var<storage, read> distances: array<f32>;
@group(0) @binding(5) var<storage, read_write> A: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (id.x >= params.width) { return; }
  for (var j = id.y; j < params.columns; j += groups.y) {
    let energy = energies[j * params.stride];
    let norm = sqrt(energy);
    let distance = (left[j * params.stride] - (1.0 - norm) * (1.0 - norm)) / norm;
    if (!(energy > 0.0 && distance < distances[j * params.stride])) { continue; }
    let place = params.first + j;
    let count = C[params.givenCountsAt + j];
    var entry = vec2u(); // row, value
    if (id.x < count) {
      let at = j * params.given + id.x;
      entry = vec2u(C[at], bitcast<u32>(bitcast<f32>(C[params.givenValuesAt + at]) / norm));
    }
    let to = place * params.width + id.x;
    A[to] = entry.x;
    A[params.valuesAt + to] = entry.y;
    if (id.x == 0u) { A[params.countsAt + place] = count; }
  }
}
