// C ← diag(s) Aᵀ B diag(t): a tiled dense product.
//
// All matrices are stored by columns, padded with zeros to whole vec4. With `gathers`, column c
// of B is column S[c] of the bound buffer, and t is s at S; otherwise t is 1. Without `scales`,
// s is 1 as well. Every entry is summed over k in ascending order, so the product of two atoms
// has the same bits whichever comes first: the Gram matrix is exactly symmetric.
//
// A workgroup computes 128 × 128 entries, a thread 8 × 8 of them, sixteen values of k at a time.

override gathers: bool = false;
override scales: bool = false;
override adds: bool = false; // C ← C + …

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
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> A: array<vec4f>;
@group(0) @binding(2) var<storage, read> B: array<vec4f>;
@group(0) @binding(3) var<storage, read> S: array<u32>; // its size, then its members
@group(0) @binding(4) var<storage, read> scale: array<f32>;
@group(0) @binding(5) var<storage, read_write> C: array<vec4f>;

const tile = 128u;
const depth = 16u;
// depth × tile / 4: k by k, four columns at a time. The order of the columns depends on k / 4,
// so that neither writes nor reads of one step fall into the same bank.
var<workgroup> tileA: array<vec4f, 512>;
var<workgroup> tileB: array<vec4f, 512>;

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

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  if (gathers && params.firstB + group.y * tile >= S[0]) { return; }
  let row0 = group.x * tile;
  let col0 = group.y * tile;
  let tx = thread % 16u; // which rows of C
  let ty = thread / 16u; // which columns of C
  // half of the threads load A, half B: each a block of four columns by four k, transposed
  let bringsA = thread < 128u;
  let quad = thread % 4u;
  let four = (thread % 128u) / 4u;
  let slot = quad * tile + (four ^ (2u * quad));
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
  var c10 = vec4f(); var c11 = vec4f(); var c12 = vec4f(); var c13 = vec4f();
  var c14 = vec4f(); var c15 = vec4f(); var c16 = vec4f(); var c17 = vec4f();

  for (var k = 0u; k < params.quads; k += 4u) {
    let block = bring(bringsA, begin, k + quad);
    workgroupBarrier();
    if (bringsA) {
      tileA[slot] = block[0]; tileA[slot + 32u] = block[1]; tileA[slot + 64u] = block[2]; tileA[slot + 96u] = block[3];
    } else {
      tileB[slot] = block[0]; tileB[slot + 32u] = block[1]; tileB[slot + 64u] = block[2]; tileB[slot + 96u] = block[3];
    }
    workgroupBarrier();
    for (var d = 0u; d < depth; d++) {
      let at = d * 32u;
      let turn = 2u * (d / 4u);
      let a0 = tileA[at + (tx ^ turn)];
      let a1 = tileA[at + ((16u + tx) ^ turn)];
      let b0 = tileB[at + (ty ^ turn)];
      let b1 = tileB[at + ((16u + ty) ^ turn)];
      c00 = fma(a0, vec4f(b0.x), c00); c01 = fma(a0, vec4f(b0.y), c01);
      c02 = fma(a0, vec4f(b0.z), c02); c03 = fma(a0, vec4f(b0.w), c03);
      c04 = fma(a0, vec4f(b1.x), c04); c05 = fma(a0, vec4f(b1.y), c05);
      c06 = fma(a0, vec4f(b1.z), c06); c07 = fma(a0, vec4f(b1.w), c07);
      c10 = fma(a1, vec4f(b0.x), c10); c11 = fma(a1, vec4f(b0.y), c11);
      c12 = fma(a1, vec4f(b0.z), c12); c13 = fma(a1, vec4f(b0.w), c13);
      c14 = fma(a1, vec4f(b1.x), c14); c15 = fma(a1, vec4f(b1.y), c15);
      c16 = fma(a1, vec4f(b1.z), c16); c17 = fma(a1, vec4f(b1.w), c17);
    }
  }

  let rowA = row0 + 4u * tx;
  let rowB = rowA + 64u;
  let left = col0 + 4u * ty;
  store(rowA, left, c00); store(rowA, left + 1u, c01); store(rowA, left + 2u, c02); store(rowA, left + 3u, c03);
  store(rowA, left + 64u, c04); store(rowA, left + 65u, c05); store(rowA, left + 66u, c06); store(rowA, left + 67u, c07);
  store(rowB, left, c10); store(rowB, left + 1u, c11); store(rowB, left + 2u, c12); store(rowB, left + 3u, c13);
  store(rowB, left + 64u, c14); store(rowB, left + 65u, c15); store(rowB, left + 66u, c16); store(rowB, left + 67u, c17);
}

// Four values of k of four columns, transposed: vec4 j has value j of each column.
fn bring(fromA: bool, begin: array<i32, 4>, quad: u32) -> mat4x4f {
  var block = mat4x4f();
  if (quad >= params.quads) { return block; }
  for (var c = 0u; c < 4u; c++) {
    if (begin[c] < 0) { continue; }
    let at = u32(begin[c]) * params.quads + quad;
    if (fromA) { block[c] = A[at]; } else { block[c] = B[at]; }
  }
  return transpose(block);
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
    result = result * rows;
  }
  let place = (params.columnC + column) * params.strideC + (params.firstA + row) / 4u;
  if (adds) { result += C[place]; }
  C[place] = result;
}
