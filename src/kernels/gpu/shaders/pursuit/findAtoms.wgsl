// The next atom of every example in a pursuit without a Gram matrix: one workgroup per example.
//
// OMP takes the largest |α|, and gets α from the residuals each turn. OLS takes the largest |α|/√ν and
// gets β = D̂ᵀq of the last direction instead: α ← α − zβ, ν ← ν − β². An example without an atom ends.
//
// state, eight words per example: atoms taken, whether it continues, the floor of |α|, the energy left, z, the atom found.

struct Params {
  examples: u32,
  atoms: u32,
  stride: u32,       // of a column of products
  begins: u32,       // whether this is the first turn
  ols: u32,
  sparsity: u32,
  limit: f32,
  pursuitFloor: f32,
  dependenceFloor: f32,
  firstEnergy: u32,
  energyStride: u32,
  workSize: u32,     // words of an example in `work`, the atoms taken first
  valuesAt: u32,     // of the atoms found
  countsAt: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> products: array<f32>; // α or β
@group(0) @binding(2) var<storage, read> scale: array<f32>;
@group(0) @binding(3) var<storage, read> energies: array<f32>;
@group(0) @binding(4) var<storage, read> work: array<u32>;
@group(0) @binding(5) var<storage, read_write> scores: array<vec2f>; // α and ν of OLS
@group(0) @binding(6) var<storage, read_write> state: array<u32>;
@group(0) @binding(7) var<storage, read_write> found: array<u32>; // sparse columns of one entry

const threads = 128u;
const none = 0xffffffffu;
var<workgroup> bestScore: array<f32, threads>;
var<workgroup> bestAtom: array<u32, threads>;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var i = group.x; i < params.examples; i += groups.x) {
    look(i, thread);
    workgroupBarrier();
    for (var half = threads / 2u; half > 0u; half /= 2u) {
      if (thread < half) { prefer(thread, thread + half); }
      workgroupBarrier();
    }
    if (thread == 0u) { settle(i); }
    workgroupBarrier();
  }
}

// The best of the atoms of one thread.
fn look(i: u32, thread: u32) {
  let own = 8u * i;
  let begins = params.begins != 0u;
  var count = 0u;
  var floor = 0.0;
  var z = 0.0;
  var end = params.atoms;
  if (!begins) {
    count = state[own];
    floor = bitcast<f32>(state[own + 2u]);
    z = bitcast<f32>(state[own + 4u]);
    if (state[own + 1u] == 0u) { end = 0u; }
  }
  var score = 0.0;
  var atom = none;
  for (var j = thread; j < end; j += threads) {
    let product = products[i * params.stride + j];
    var size = abs(product);
    var value = size;
    if (params.ols != 0u) {
      let at = i * params.atoms + j;
      var both = vec2f(product, 1.0);
      if (!begins) { both = scores[at] - product * vec2f(z, product); }
      scores[at] = both;
      if (!(both.y > params.dependenceFloor)) { continue; }
      size = abs(both.x);
      value = size / sqrt(both.y);
    }
    if (size > floor && value > score && !isTaken(i, j, count)) {
      score = value;
      atom = j;
    }
  }
  bestScore[thread] = score;
  bestAtom[thread] = atom;
}

fn isTaken(i: u32, atom: u32, count: u32) -> bool {
  for (var t = 0u; t < count; t++) {
    if (work[i * params.workSize + t] == atom) { return true; }
  }
  return false;
}

// The larger score; of equal ones the lower atom.
fn prefer(one: u32, other: u32) {
  let larger = bestScore[other] > bestScore[one];
  if (larger || (bestScore[other] == bestScore[one] && bestAtom[other] < bestAtom[one])) {
    bestScore[one] = bestScore[other];
    bestAtom[one] = bestAtom[other];
  }
}

fn settle(i: u32) {
  let own = 8u * i;
  if (params.begins != 0u) {
    let energy = energies[(params.firstEnergy + i) * params.energyStride];
    var goesOn = energy > 0.0;
    if (params.limit > 0.0) { goesOn = energy > params.limit; }
    let floor = params.pursuitFloor * bestScore[0];
    state[own] = 0u;
    state[own + 1u] = select(0u, 1u, goesOn && params.sparsity > 0u && bestScore[0] > floor);
    state[own + 2u] = bitcast<u32>(floor);
    state[own + 3u] = bitcast<u32>(energy);
    state[own + 4u] = 0u;
  }
  let atom = bestAtom[0];
  let ends = state[own + 1u] == 0u || atom == none;
  if (ends) {
    state[own + 1u] = 0u;
    found[i] = 0u;
    found[params.valuesAt + i] = 0u;
    found[params.countsAt + i] = 0u;
    return;
  }
  state[own + 5u] = atom;
  found[i] = atom;
  found[params.valuesAt + i] = bitcast<u32>(scale[atom]);
  found[params.countsAt + i] = 1u;
}
