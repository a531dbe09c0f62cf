/**
 * Checksums of bytes.
 *
 *   CRC-32   finds damage. As in zip, gzip and PNG: the polynomial 0xEDB88320, bits
 *            reflected, four bytes per step ("slicing by 4").
 *   SHA-256  identifies content [FIPS 180-4]. Written here because browsers offer it
 *            only asynchronously, and only on secure pages. About 100 MB per second;
 *            not for secrets.
 */

const tables = makeTables();

/** The CRC-32 of `bytes`, continuing from `crc`: `crc32(b, crc32(a))` is the CRC-32 of a followed by b. */
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

/** A CRC-32 as eight hexadecimal digits. */
export function crcToHex(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}

/** Table j holds the effect of a byte followed by j more bytes. */
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

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const roundConstants = rootFractions(64, 3);
/** The same of the square roots of the first 8 primes. */
const initialState = rootFractions(8, 2);

/** The SHA-256 of pieces of bytes, one after the other: 32 bytes. */
export function sha256(...pieces: readonly Uint8Array[]): Uint8Array {
  const state = Uint32Array.from(initialState);
  const words = new Uint32Array(64);
  const block = new Uint8Array(64);
  let filled = 0;
  let length = 0;
  const add = (bytes: Uint8Array) => {
    for (let from = 0; from < bytes.length; ) {
      const taken = Math.min(64 - filled, bytes.length - from);
      block.set(bytes.subarray(from, from + taken), filled);
      filled += taken;
      from += taken;
      if (filled < 64) return;
      mixBlock(state, block, words);
      filled = 0;
    }
  };
  for (const piece of pieces) {
    add(piece);
    length += piece.length;
  }
  const padding = new Uint8Array(((119 - (length % 64)) % 64) + 9);
  padding[0] = 0x80;
  const view = new DataView(padding.buffer);
  view.setUint32(padding.length - 8, Math.floor(length / 2 ** 29));
  view.setUint32(padding.length - 4, (length * 8) % 2 ** 32);
  add(padding);
  const hash = new Uint8Array(32);
  state.forEach((word, i) => new DataView(hash.buffer).setUint32(4 * i, word));
  return hash;
}

/** Mix one block of 64 bytes into the state (FIPS 180-4, §6.2.2). */
function mixBlock(state: Uint32Array, block: Uint8Array, w: Uint32Array): void {
  const view = new DataView(block.buffer);
  for (let t = 0; t < 16; t++) w[t] = view.getUint32(4 * t);
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15];
    const y = w[t - 2];
    const s0 = rotr(x, 7) ^ rotr(x, 18) ^ (x >>> 3);
    const s1 = rotr(y, 17) ^ rotr(y, 19) ^ (y >>> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t++) {
    const s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + roundConstants[t] + w[t]) | 0;
    const s0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] += value;
}

function rotr(x: number, bits: number): number {
  return (x >>> bits) | (x << (32 - bits));
}

/** ⌊2³² · frac(ᵏ√p)⌋ for the first primes p, in integers and so without rounding. */
function rootFractions(count: number, k: 2 | 3): Uint32Array {
  const primes: bigint[] = [];
  for (let candidate = 2n; primes.length < count; candidate++)
    if (primes.every((prime) => candidate % prime !== 0n)) primes.push(candidate);
  const power = BigInt(k);
  return Uint32Array.from(primes, (prime) => {
    const target = prime << (32n * power);
    let root = 0n;
    for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) if ((root + bit) ** power <= target) root += bit;
    return Number(root & 0xffffffffn);
  });
}
