/**
 * CRC-32 of bytes, as zip, gzip and PNG define it: the polynomial 0xEDB88320,
 * bits reflected, four bytes a step ("slicing by 4").
 */

const tables = makeTables();

/** The CRC-32 of `bytes`, continuing from `crc`: `crc32(b, crc32(a))` is that of a followed by b. */
export function crc32(bytes: Uint8Array, crc = 0): number {
  const [t0, t1, t2, t3] = tables;
  let state = ~crc;
  let i = 0;
  for (; i + 4 <= bytes.length; i += 4) {
    const word = state ^ (bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
    state = t3[word & 255] ^ t2[(word >>> 8) & 255] ^ t1[(word >>> 16) & 255] ^ t0[word >>> 24];
  }
  for (; i < bytes.length; i++) state = t0[(state ^ bytes[i]) & 255] ^ (state >>> 8);
  return ~state >>> 0;
}

/** Table j holds the effect of a byte that j more bytes follow. */
function makeTables(): [Int32Array, Int32Array, Int32Array, Int32Array] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
    return remainder;
  });
  const after = (table: Int32Array) => table.map((crc) => first[crc & 255] ^ (crc >>> 8));
  const second = after(first);
  const third = after(second);
  return [first, second, third, after(third)];
}
