// Where the list of each atom's examples starts, and the set S of the atoms that have examples:
// one workgroup, in which each thread takes a run of atoms.

struct Params {
  atoms: u32,
  placeAt: u32, // where the places of the atoms stand in S, after its members
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> uses: array<u32>;
@group(0) @binding(2) var<storage, read_write> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> S: array<u32>;

const threads = 256u;
const nowhere = 0xffffffffu;
var<workgroup> sums: array<vec2u, threads>; // entries, atoms with entries

@compute @workgroup_size(threads)
fn main(@builtin(local_invocation_index) thread: u32) {
  let run = (params.atoms + threads - 1u) / threads;
  let begin = thread * run;
  let to = min(begin + run, params.atoms);
  var sum = vec2u();
  for (var j = begin; j < to; j++) { sum += vec2u(uses[j], u32(uses[j] > 0u)); }
  sums[thread] = sum;
  workgroupBarrier();
  for (var step = 1u; step < threads; step *= 2u) {
    var before = vec2u();
    if (thread >= step) { before = sums[thread - step]; }
    workgroupBarrier();
    sums[thread] += before;
    workgroupBarrier();
  }
  var at = sums[thread] - sum;
  for (var j = begin; j < to; j++) {
    let used = uses[j] > 0u;
    starts[j] = at.x;
    S[params.placeAt + j] = select(nowhere, at.y, used);
    if (used) { S[1u + at.y] = j; }
    at += vec2u(uses[j], u32(used));
  }
  if (thread == threads - 1u) {
    S[0] = sums[thread].y;
    starts[params.atoms] = sums[thread].x;
  }
}
