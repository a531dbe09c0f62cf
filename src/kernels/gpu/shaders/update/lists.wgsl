// The examples that use each atom, ascending, with their coefficients: one workgroup per atom.
//
// The row of bits says which examples; the coefficient is looked up in the example's code.

struct Params {
  atoms: u32,
  words: u32,
  width: u32,
  valuesAt: u32,
  countsAt: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> X: array<u32>;
@group(0) @binding(2) var<storage, read> bits: array<u32>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> entries: array<vec2u>; // example, coefficient

const threads = 64u;
var<workgroup> sums: array<u32, threads>;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var atom = group.x; atom < params.atoms; atom += groups.x) {
    var start = starts[atom];
    for (var block = 0u; block < params.words; block += threads) {
      let w = block + thread;
      var word = 0u;
      if (w < params.words) { word = bits[atom * params.words + w]; }
      sums[thread] = countOneBits(word);
      workgroupBarrier();
      for (var step = 1u; step < threads; step *= 2u) {
        var before = 0u;
        if (thread >= step) { before = sums[thread - step]; }
        workgroupBarrier();
        sums[thread] += before;
        workgroupBarrier();
      }
      var at = start + sums[thread] - countOneBits(word);
      let total = sums[threads - 1u];
      while (word != 0u) {
        let example = w * 32u + firstTrailingBit(word);
        word &= word - 1u;
        entries[at] = vec2u(example, coefficient(example, atom));
        at++;
      }
      start += total;
      workgroupBarrier();
    }
  }
}

fn coefficient(example: u32, atom: u32) -> u32 {
  let begin = example * params.width;
  let count = X[params.countsAt + example];
  for (var t = 0u; t < count; t++) {
    if (X[begin + t] == atom) { return X[params.valuesAt + begin + t]; }
  }
  return 0u;
}
