// C ← diag(s) Aᵀ B diag(t): a tiled dense product.
//
// All matrices are stored by columns, padded with zeros to whole vec4. With `gathers`, column c
// of B is column S[c] of the bound buffer, and t is s at S; otherwise t is 1. Without `scales`,
// s is 1 as well. Every entry is summed over k in ascending order, so the product of two atoms
// has the same bits whichever comes first: the Gram matrix is exactly symmetric.
//
// With `symmetric`, B is A and t is s: each pair of tiles is computed once and written twice, once
// transposed. Tile x is paired with itself and the tiles after it, in a circle, half way round.
// With `bounded`, only rows and columns of atoms in S are written.
//
// If S decides how a Gram matrix is refreshed, `least` is the size from which it is done as a
// whole (`symmetric`) rather than by columns (`gathers`).
//
// A workgroup computes 128 × 128 entries, a thread 8 × 16 of them, eight values of k at a time.
// While one step is computed, the next one is read; workgroup memory has room for both.
//
// With `sliced`, slice z of k goes to matrix z of as many, for sumSlices.wgsl to add up: a product with few
// tiles but long columns keeps a device busy only then.

override gathers: bool = false;
override symmetric: bool = false;
override bounded: bool = false;
override scales: bool = false;
override adds: bool = false; // C ← C + …
override sliced: bool = false;

struct Params {
  rows: u32,     // columns of A
  cols: u32,     // columns of B; with `gathers`, columns of C at hand
  quads: u32,    // vec4 of a column of A and of B
  strideC: u32,  // vec4 of a column of C
  firstA: u32,   // the atom in column 0 of A: s and the rows of C start there
  firstB: u32,   // with `gathers`: the place in S of column 0 of C
  panelB: u32,   // with `gathers`: the atom in column 0 of what is bound as B
  panelCols: u32,
  columnA: u32,  // the first column of A that takes part
  columnB: u32,
  columnC: u32,
  placeAt: u32,  // with `bounded`: where the places of the atoms stand in S
  least: u32,
  sliceQuads: u32, // vec4 of k in a slice
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> A: array<vec4f>;
@group(0) @binding(2) var<storage, read> B: array<vec4f>;
@group(0) @binding(3) var<storage, read> S: array<u32>; // its size, then its members
@group(0) @binding(4) var<storage, read> scale: array<f32>;
@group(0) @binding(5) var<storage, read_write> C: array<vec4f>;

const tile = 128u;
const depth = 8u;
// twice depth × tile / 4: k by k, four columns at a time. The order of the columns depends on k / 4,
// so that neither writes nor reads of one step fall into the same bank.
const room = 512u;
var<workgroup> tileA: array<vec4f, room>;
var<workgroup> tileB: array<vec4f, room>;

var<private> firstColumn: u32; // of C

// The column of B behind column c of C, or −1.
fn source(c: u32) -> i32 {
  if (c >= params.cols) { return -1; }
  if (!gathers) { return i32(params.columnB + c); }
  let place = params.firstB + c;
  if (place >= S[0]) { return -1; }
  let atom = S[1u + place];
  if (atom < params.panelB || atom >= params.panelB + params.panelCols) { return -1; }
  return i32(atom - params.panelB);
}

// Whether nothing is to be done at all.
fn idle(group: vec3u, groups: vec3u) -> bool {
  if (gathers) { return S[0] >= params.least || params.firstB + group.y * tile >= S[0]; }
  if (symmetric) { // the tile half way round an even circle is met from both sides
    return (bounded && S[0] < params.least) || (2u * group.y == groups.x && 2u * group.x >= groups.x);
  }
  return false;
}

@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  if (idle(group, groups)) { return; }
  let row0 = group.x * tile;
  var col0 = group.y * tile;
  if (symmetric) { col0 = ((group.x + group.y) % groups.x) * tile; }
  // 32 threads compute 64 × 64 entries
  let tx = 16u * ((thread / 32u) % 2u) + thread % 8u;        // which rows of C, four at a time
  let ty = 16u * (thread / 64u) + (thread / 8u) % 4u;        // which columns of C, four at a time
  // half of the threads load A, half B: each a block of four columns by four k, transposed
  let bringsA = thread < 64u;
  let quad = thread % 2u;
  let four = (thread % 64u) / 2u;
  let slot = quad * tile + (four ^ (4u * quad));
  var begin = array<i32, 4>();
  for (var c = 0u; c < 4u; c++) {
    if (bringsA) {
      let column = row0 + 4u * four + c;
      begin[c] = select(-1, i32(params.columnA + column), column < params.rows);
    } else {
      begin[c] = source(col0 + 4u * four + c);
    }
  }

  var c00 = vec4f(); var c01 = vec4f(); var c02 = vec4f(); var c03 = vec4f();
  var c04 = vec4f(); var c05 = vec4f(); var c06 = vec4f(); var c07 = vec4f();
  var c08 = vec4f(); var c09 = vec4f(); var c0a = vec4f(); var c0b = vec4f();
  var c0c = vec4f(); var c0d = vec4f(); var c0e = vec4f(); var c0f = vec4f();
  var c10 = vec4f(); var c11 = vec4f(); var c12 = vec4f(); var c13 = vec4f();
  var c14 = vec4f(); var c15 = vec4f(); var c16 = vec4f(); var c17 = vec4f();
  var c18 = vec4f(); var c19 = vec4f(); var c1a = vec4f(); var c1b = vec4f();
  var c1c = vec4f(); var c1d = vec4f(); var c1e = vec4f(); var c1f = vec4f();

  var k = 0u;
  var end = params.quads;
  if (sliced) {
    k = group.z * params.sliceQuads;
    end = min(end, k + params.sliceQuads);
  }
  var block = bring(bringsA, begin, k + quad, end);
  var half = 0u;
  for (; k < end; k += 2u) {
    put(bringsA, half + slot, block);
    workgroupBarrier();
    block = bring(bringsA, begin, k + 2u + quad, end);
    for (var d = 0u; d < depth; d++) {
      let at = half + d * 32u;
      let turn = d & 4u;
      let a0 = tileA[at + (tx ^ turn)];
      let a1 = tileA[at + ((tx + 8u) ^ turn)];
      let b0 = tileB[at + (ty ^ turn)];
      let b1 = tileB[at + ((ty + 4u) ^ turn)];
      let b2 = tileB[at + ((ty + 8u) ^ turn)];
      let b3 = tileB[at + ((ty + 12u) ^ turn)];
      c00 = fma(a0, vec4f(b0.x), c00); c01 = fma(a0, vec4f(b0.y), c01);
      c02 = fma(a0, vec4f(b0.z), c02); c03 = fma(a0, vec4f(b0.w), c03);
      c04 = fma(a0, vec4f(b1.x), c04); c05 = fma(a0, vec4f(b1.y), c05);
      c06 = fma(a0, vec4f(b1.z), c06); c07 = fma(a0, vec4f(b1.w), c07);
      c08 = fma(a0, vec4f(b2.x), c08); c09 = fma(a0, vec4f(b2.y), c09);
      c0a = fma(a0, vec4f(b2.z), c0a); c0b = fma(a0, vec4f(b2.w), c0b);
      c0c = fma(a0, vec4f(b3.x), c0c); c0d = fma(a0, vec4f(b3.y), c0d);
      c0e = fma(a0, vec4f(b3.z), c0e); c0f = fma(a0, vec4f(b3.w), c0f);
      c10 = fma(a1, vec4f(b0.x), c10); c11 = fma(a1, vec4f(b0.y), c11);
      c12 = fma(a1, vec4f(b0.z), c12); c13 = fma(a1, vec4f(b0.w), c13);
      c14 = fma(a1, vec4f(b1.x), c14); c15 = fma(a1, vec4f(b1.y), c15);
      c16 = fma(a1, vec4f(b1.z), c16); c17 = fma(a1, vec4f(b1.w), c17);
      c18 = fma(a1, vec4f(b2.x), c18); c19 = fma(a1, vec4f(b2.y), c19);
      c1a = fma(a1, vec4f(b2.z), c1a); c1b = fma(a1, vec4f(b2.w), c1b);
      c1c = fma(a1, vec4f(b3.x), c1c); c1d = fma(a1, vec4f(b3.y), c1d);
      c1e = fma(a1, vec4f(b3.z), c1e); c1f = fma(a1, vec4f(b3.w), c1f);
    }
    half = room / 2u - half;
  }

  firstColumn = params.columnC;
  if (sliced) { firstColumn = group.z * params.cols; }
  let row = row0 + 4u * tx;
  let left = col0 + 4u * ty;
  let twice = symmetric && row0 != col0;
  keep(row, left, mat4x4f(c00, c01, c02, c03), twice);
  keep(row, left + 16u, mat4x4f(c04, c05, c06, c07), twice);
  keep(row, left + 32u, mat4x4f(c08, c09, c0a, c0b), twice);
  keep(row, left + 48u, mat4x4f(c0c, c0d, c0e, c0f), twice);
  keep(row + 32u, left, mat4x4f(c10, c11, c12, c13), twice);
  keep(row + 32u, left + 16u, mat4x4f(c14, c15, c16, c17), twice);
  keep(row + 32u, left + 32u, mat4x4f(c18, c19, c1a, c1b), twice);
  keep(row + 32u, left + 48u, mat4x4f(c1c, c1d, c1e, c1f), twice);
}

// Four values of k of four columns, transposed: vec4 j has value j of each column.
fn bring(fromA: bool, begin: array<i32, 4>, quad: u32, end: u32) -> mat4x4f {
  var block = mat4x4f();
  if (quad >= end) { return block; }
  for (var c = 0u; c < 4u; c++) {
    if (begin[c] < 0) { continue; }
    let at = u32(begin[c]) * params.quads + quad;
    if (fromA) { block[c] = A[at]; } else { block[c] = B[at]; }
  }
  return transpose(block);
}

fn put(toA: bool, at: u32, block: mat4x4f) {
  for (var j = 0u; j < 4u; j++) {
    if (toA) { tileA[at + 32u * j] = block[j]; } else { tileB[at + 32u * j] = block[j]; }
  }
}

// A block of C, and with `twice` its mirror.
fn keep(row: u32, column: u32, block: mat4x4f, twice: bool) {
  for (var c = 0u; c < 4u; c++) { store(row, column + c, block[c]); }
  if (twice) {
    let mirrored = transpose(block);
    for (var r = 0u; r < 4u; r++) { store(column, row + r, mirrored[r]); }
  }
}

// Four rows of a column of C, scaled. Rows after the last one, which pad the column, are zero.
fn store(row: u32, column: u32, value: vec4f) {
  if (row >= params.rows || source(column) < 0) { return; }
  var result = value;
  if (scales) {
    let at = params.firstA + row;
    let last = params.firstA + params.rows - 1u;
    var rows = vec4f(scale[at], scale[min(at + 1u, last)], scale[min(at + 2u, last)], scale[min(at + 3u, last)]);
    if (gathers) { rows *= scale[S[1u + params.firstB + column]]; } // sᵢ sⱼ first: the same for (i, j) and (j, i)
    if (symmetric) { rows *= scale[column]; }
    result = result * rows;
  }
  let place = (firstColumn + column) * params.strideC + (params.firstA + row) / 4u;
  if (adds) { result += C[place]; }
  if (bounded && !inside(column)) {
    let last = params.rows - 1u;
    let fresh = vec4<bool>(inside(row), inside(min(row + 1u, last)), inside(min(row + 2u, last)), inside(min(row + 3u, last)));
    if (!any(fresh)) { return; }
    result = select(C[place], result, fresh);
  }
  C[place] = result;
}

fn inside(atom: u32) -> bool {
  return S[params.placeAt + atom] < S[0];
}
