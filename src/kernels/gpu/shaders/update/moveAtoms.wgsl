// A_S ← P_k[A_S + μU_S]: the k largest magnitudes of each column, one workgroup per atom.
//
// The moved column is in workgroup memory (`inside`), or at a place of the workgroup's own in `work`. Magnitudes are ordered as
// their bits, so the k-th largest is found byte by byte, from the highest to the lowest, by
// counting. Then larger ones are kept, and the first of those equal to it.

override inside: bool = false;
override room: u32 = 1; // rows with `inside`

struct Params {
  rows: u32,
  stride: u32,   // of a column of U
  k: u32,
  width: u32,
  valuesAt: u32,
  countsAt: u32,
  begin: u32,     // the atom in column 0 of U
  count: u32,
  mu: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> U: array<f32>;
@group(0) @binding(2) var<storage, read> S: array<u32>;
@group(0) @binding(3) var<storage, read_write> A: array<u32>;
@group(0) @binding(4) var<storage, read_write> work: array<f32>;

const threads = 256u;
var<workgroup> moved: array<f32, room>;
var<workgroup> histogram: array<atomic<u32>, 256>;
var<workgroup> sums: array<vec2u, threads>; // entries above the threshold, entries equal to it
var<workgroup> digit: vec2u; // the byte found, and how many entries of it are wanted

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let size = S[0];
  let column = select(group.x * params.rows, 0u, inside); // where it starts
  for (var place = group.x; place < size; place += groups.x) {
    let atom = S[1u + place];
    if (atom - params.begin >= params.count) { continue; } // a smaller one wraps around
    let u = (atom - params.begin) * params.stride;
    let entries = atom * params.width;
    for (var l = thread; l < params.rows; l += threads) { setEntry(column + l, params.mu * U[u + l]); }
    storageBarrier();
    workgroupBarrier();
    for (var s = thread; s < A[params.countsAt + atom]; s += threads) {
      let l = A[entries + s];
      setEntry(column + l, bitcast<f32>(A[params.valuesAt + entries + s]) + params.mu * U[u + l]);
    }
    storageBarrier();
    workgroupBarrier();
    let threshold = kthLargest(column, thread);
    keep(column, thread, atom, threshold.x, threshold.y);
    storageBarrier();
    workgroupBarrier();
  }
}

fn entry(at: u32) -> f32 {
  if (inside) { return moved[at]; }
  return work[at];
}

fn setEntry(at: u32, value: f32) {
  if (inside) { moved[at] = value; } else { work[at] = value; }
}

fn magnitude(at: u32) -> u32 {
  return bitcast<u32>(entry(at)) & 0x7fffffffu;
}

// The bits of the k-th largest magnitude, and how many entries equal to it are to be kept.
fn kthLargest(column: u32, thread: u32) -> vec2u {
  var prefix = 0u;
  var wanted = min(params.k, params.rows);
  for (var shift = 24i; shift >= 0; shift -= 8) {
    let low = u32(shift);
    atomicStore(&histogram[thread], 0u);
    workgroupBarrier();
    for (var l = thread; l < params.rows; l += threads) {
      let bits = magnitude(column + l);
      if (low == 24u || (bits >> (low + 8u)) == prefix) { atomicAdd(&histogram[(bits >> low) & 255u], 1u); }
    }
    workgroupBarrier();
    // suffix sums: how many have this byte or a larger one
    sums[thread] = vec2u(atomicLoad(&histogram[thread]), 0u);
    workgroupBarrier();
    for (var step = 1u; step < threads; step *= 2u) {
      var above = 0u;
      if (thread + step < threads) { above = sums[thread + step].x; }
      workgroupBarrier();
      sums[thread].x += above;
      workgroupBarrier();
    }
    let mine = sums[thread].x;
    let above = mine - atomicLoad(&histogram[thread]);
    if (above < wanted && mine >= wanted) { digit = vec2u(thread, wanted - above); }
    let found = workgroupUniformLoad(&digit);
    prefix = (prefix << 8u) | found.x;
    wanted = found.y;
  }
  return vec2u(prefix, wanted);
}

// Write the entries that are kept, in ascending rows; each thread takes a run of rows.
fn keep(column: u32, thread: u32, atom: u32, threshold: u32, equals: u32) {
  let run = (params.rows + threads - 1u) / threads;
  let begin = min(thread * run, params.rows);
  let to = min(begin + run, params.rows);
  var counted = vec2u();
  for (var l = begin; l < to; l++) {
    let bits = magnitude(column + l);
    if (bits > threshold) { counted.x++; }
    if (bits == threshold && bits != 0u) { counted.y++; }
  }
  sums[thread] = counted;
  workgroupBarrier();
  for (var step = 1u; step < threads; step *= 2u) {
    var before = vec2u();
    if (thread >= step) { before = sums[thread - step]; }
    workgroupBarrier();
    sums[thread] += before;
    workgroupBarrier();
  }
  var before = sums[thread] - counted;
  let all = sums[threads - 1u];
  let entries = atom * params.width;
  for (var l = begin; l < to; l++) {
    let bits = magnitude(column + l);
    let equal = bits == threshold && bits != 0u;
    if (bits > threshold || (equal && before.y < equals)) {
      let at = entries + before.x + min(before.y, equals);
      A[at] = l;
      A[params.valuesAt + at] = bitcast<u32>(entry(column + l));
    }
    before += vec2u(u32(bits > threshold), u32(equal));
  }
  let kept = all.x + min(all.y, equals);
  for (var s = kept + thread; s < params.width; s += threads) {
    A[entries + s] = 0u;
    A[params.valuesAt + entries + s] = 0u;
  }
  if (thread == 0u) { A[params.countsAt + atom] = kept; }
}
