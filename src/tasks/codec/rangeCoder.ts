/**
 * Binary arithmetic coding. A bit with the probability p of being 1 takes
 * −log₂ p or −log₂(1 − p) bits, as near as 32-bit intervals come.
 *
 * Writer and reader have one face, `BitCoder`: the writer codes the bit it is given,
 * the reader ignores it and returns the one that was written. A syntax is written
 * once, and serves both ways. All arithmetic is on integers below 2^53, so that every
 * machine finds the same.
 *
 * The interval [low, high] is cut at low + ⌊(high − low) p⌋; bytes on which both
 * ends agree are done. Behind its last byte a file reads as zeros.
 */

/** Probabilities are whole numbers of 1/65536. */
export const certainty = 65536;
/** No adaptive probability comes nearer to 0 or 1 than this: a bit costs at least 1/710 bit. */
const leastChance = 64;
/** After so many bits a probability forgets older ones. */
const memory = 60;

export interface BitCoder {
  /** Code a bit that is 1 with probability p/65536, 1 ≤ p ≤ 65535; the bit. */
  code(bit: number, p: number): number;
}

export class BitWriter implements BitCoder {
  #low = 0;
  #high = 0xffffffff;
  readonly #bytes: number[] = [];

  code(bit: number, p: number): number {
    const middle = cut(this.#low, this.#high, p);
    if (bit === 1) this.#high = middle;
    else this.#low = middle + 1;
    while (((this.#low ^ this.#high) & 0xff000000) === 0) {
      this.#bytes.push(this.#high >>> 24);
      this.#low = (this.#low << 8) >>> 0;
      this.#high = ((this.#high << 8) | 0xff) >>> 0;
    }
    return bit;
  }

  /** All bytes: the shortest that lead into the last interval. */
  finish(): Uint8Array {
    for (let count = 0; ; count++) {
      const unit = 2 ** (32 - 8 * count);
      const value = Math.ceil(this.#low / unit) * unit;
      if (value > this.#high) continue;
      const tail = Array.from({ length: count }, (_, i) => (value >>> (24 - 8 * i)) & 255);
      return Uint8Array.from(this.#bytes.concat(tail));
    }
  }
}

export class BitReader implements BitCoder {
  readonly #bytes: Uint8Array;
  #position = 0;
  #low = 0;
  #high = 0xffffffff;
  #value = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    for (let i = 0; i < 4; i++) this.#take();
  }

  code(_bit: number, p: number): number {
    const middle = cut(this.#low, this.#high, p);
    const bit = this.#value <= middle ? 1 : 0;
    if (bit === 1) this.#high = middle;
    else this.#low = middle + 1;
    while (((this.#low ^ this.#high) & 0xff000000) === 0) {
      this.#low = (this.#low << 8) >>> 0;
      this.#high = ((this.#high << 8) | 0xff) >>> 0;
      this.#take();
    }
    return bit;
  }

  /** Whether what was read ends where the bytes end, as it does when a writer made them. */
  get atEnd(): boolean {
    const done = this.#position - 4; // bytes that are settled; the writer adds at most 4
    return done <= this.#bytes.length && this.#bytes.length <= this.#position;
  }

  #take(): void {
    this.#value = ((this.#value << 8) | (this.#bytes[this.#position] ?? 0)) >>> 0;
    this.#position += 1;
  }
}

function cut(low: number, high: number, p: number): number {
  return low + Math.floor(((high - low) * p) / certainty);
}

/** Probabilities of bits in several contexts, each learning from the bits it has seen. */
export class BitModels {
  readonly #p: Uint16Array;
  readonly #seen: Uint8Array;

  /** All contexts start with the probability `p`, as if it came from `seen` bits. */
  constructor(count: number, p = certainty / 2, seen = 1) {
    this.#p = new Uint16Array(count).fill(p);
    this.#seen = new Uint8Array(count).fill(seen);
  }

  code(coder: BitCoder, context: number, bit: number): number {
    const p = this.#p[context];
    const coded = coder.code(bit, p);
    const seen = this.#seen[context];
    const target = coded === 1 ? certainty : 0;
    const moved = p + Math.trunc((2 * (target - p)) / (2 * seen + 3));
    this.#p[context] = Math.min(certainty - leastChance, Math.max(leastChance, moved));
    if (seen < memory) this.#seen[context] = seen + 1;
    return coded;
  }
}
