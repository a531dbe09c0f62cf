// A copy of a Gram matrix of unit atoms with one byte per entry, 16 entries per vec4.
//
// A column is a record: the bytes of all its blocks of 16 atoms, then one byte per block for the
// unit q of the block, four blocks per word. The entry of byte u is (u − 128) q, to within q / 2.
// The unit is 1/127 of the largest magnitude of the block, rounded up to a float of five bits
// of exponent and three of mantissa. The diagonal is left out: an atom taken is not taken again.

struct Params {
  columns: u32,
  atoms: u32,
  quads: u32,  // vec4 of a column of G
  blocks: u32, // of 16 atoms
  record: u32, // vec4 of a column of H
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> G: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> H: array<vec4u>;

const unitBase = 728u; // the exponent 2⁻³⁶ and no mantissa
const threads = 64u;
var<workgroup> codes: array<u32, threads>;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let block = group.x * threads + thread;
  for (var column = group.y; column < params.columns; column += groups.y) {
    var code = 0u;
    if (block < params.blocks) {
      let at = column * params.quads + 4u * block;
      let a = entries(at, 4u * block, column);
      let b = entries(at + 1u, 4u * block + 1u, column);
      let c = entries(at + 2u, 4u * block + 2u, column);
      let d = entries(at + 3u, 4u * block + 3u, column);
      let most = max(max(abs(a), abs(b)), max(abs(c), abs(d)));
      let largest = max(max(most.x, most.y), max(most.z, most.w));
      let key = (bitcast<u32>(largest / 127.0) + 0xfffffu) >> 20u;
      code = min(max(key, unitBase) - unitBase, 255u);
      let unit = bitcast<f32>((code + unitBase) << 20u);
      H[column * params.record + block] = vec4u(packed(a, unit), packed(b, unit), packed(c, unit), packed(d, unit));
    }
    codes[thread] = code;
    workgroupBarrier();
    if (thread % 16u == 0u && block < params.blocks) {
      let at = column * params.record + params.blocks + block / 16u;
      H[at] = vec4u(fourCodes(thread), fourCodes(thread + 4u), fourCodes(thread + 8u), fourCodes(thread + 12u));
    }
    workgroupBarrier();
  }
}

// Four entries of a column, zero at its end and on the diagonal.
fn entries(at: u32, quad: u32, column: u32) -> vec4f {
  if (quad >= params.quads) { return vec4f(); }
  let rows = vec4u(4u * quad) + vec4u(0u, 1u, 2u, 3u);
  return select(G[at], vec4f(), (rows == vec4u(column)) | (rows >= vec4u(params.atoms)));
}

fn packed(values: vec4f, unit: f32) -> u32 {
  let bytes = vec4u(clamp(round(values / unit), vec4f(-127.0), vec4f(127.0)) + 128.0);
  return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
}

fn fourCodes(first: u32) -> u32 {
  return codes[first] | (codes[first + 1u] << 8u) | (codes[first + 2u] << 16u) | (codes[first + 3u] << 24u);
}
