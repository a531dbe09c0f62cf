/**
 * SHA-256 of bytes [FIPS 180-4], for names of contents that are the same wherever
 * they are computed: browsers offer it only asynchronously, and on secure pages.
 * Some 100 MB a second. Not for secrets.
 */

/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
const constants = rootFractions(64, 3);
/** Those of the square roots of the first 8. */
const start = rootFractions(8, 2);

/** The hash of pieces of bytes, one after the other: 32 bytes. */
export function sha256(...pieces: readonly Uint8Array[]): Uint8Array {
  const state = Uint32Array.from(start);
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

/** One block of 64 bytes into the state (FIPS 180-4, §6.2.2). */
function mixBlock(state: Uint32Array, block: Uint8Array, w: Uint32Array): void {
  const view = new DataView(block.buffer);
  for (let t = 0; t < 16; t++) w[t] = view.getUint32(4 * t);
  for (let t = 16; t < 64; t++) {
    const [x, y] = [w[t - 15], w[t - 2]];
    const s0 = rotr(x, 7) ^ rotr(x, 18) ^ (x >>> 3);
    const s1 = rotr(y, 17) ^ rotr(y, 19) ^ (y >>> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let t = 0; t < 64; t++) {
    const s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[t] + w[t]) | 0;
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

/** ⌊2³² · frac(ᵏ√p)⌋ for the first primes p, in integers, so that no rounding is in it. */
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
