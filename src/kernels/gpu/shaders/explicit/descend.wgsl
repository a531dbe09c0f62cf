// The atoms of a block J one after the other: dⱼ ← u/‖u‖ with u = dⱼ + ω(bⱼ − vⱼ)/Cⱼⱼ, where
// v = DC with the current atoms. One workgroup; a thread owns rows, four at a time.
//
// V holds DC_J from before the block; the changes of the block so far, Σ δᵢ Cᵢⱼ over its atoms
// i before j, are added to it. δ stays in `changes` for the atoms after the block.

struct Params {
  quads: u32,    // vec4 of a column of B, V and D
  strideC: u32,  // of a column of C
  first: u32,    // the first atom of J
  atoms: u32,
  columnB: u32,  // where that atom stands in what is bound
  columnC: u32,
  columnV: u32,
  columnD: u32,
  floor: f32,    // Cⱼⱼ below this counts as zero
  step: f32,     // ω
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> B: array<vec4f>;
@group(0) @binding(2) var<storage, read> C: array<f32>;
@group(0) @binding(3) var<storage, read> V: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> D: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> changes: array<vec4f>;

const threads = 256u;
var<workgroup> sums: array<f32, threads>;

@compute @workgroup_size(threads)
fn main(@builtin(local_invocation_index) thread: u32) {
  for (var c = 0u; c < params.atoms; c++) {
    let weights = (params.columnC + c) * params.strideC + params.first;
    let weight = C[weights + c];
    let moves = weight >= params.floor;
    var energy = 0.0;
    for (var q = thread; q < params.quads; q += threads) {
      var change = vec4f();
      if (moves) {
        let column = params.columnV + c;
        var v = V[column * params.quads + q];
        for (var i = 0u; i < c; i++) { v += changes[i * params.quads + q] * C[weights + i]; }
        let rest = B[(params.columnB + c) * params.quads + q] - v;
        let u = D[(params.columnD + c) * params.quads + q] + params.step * rest / weight;
        energy += dot(u, u);
        change = u;
      }
      changes[c * params.quads + q] = change; // u for now
    }
    sums[thread] = energy;
    workgroupBarrier();
    for (var step = threads / 2u; step > 0u; step /= 2u) {
      if (thread < step) { sums[thread] += sums[thread + step]; }
      workgroupBarrier();
    }
    let squared = sums[0];
    workgroupBarrier();
    if (moves && squared > 0.0) {
      let norm = sqrt(squared);
      for (var q = thread; q < params.quads; q += threads) {
        let at = (params.columnD + c) * params.quads + q;
        let d = changes[c * params.quads + q] / norm;
        changes[c * params.quads + q] = d - D[at];
        D[at] = d;
      }
    } else {
      for (var q = thread; q < params.quads; q += threads) { changes[c * params.quads + q] = vec4f(); }
    }
  }
}
