/**
 * Binary arithmetic coding. A bit that is 1 with probability p takes −log₂ p or
 * −log₂(1 − p) bits, up to the precision of 32-bit intervals.
 *
 * Writer and reader share the interface `BitCoder`: the writer codes the bit it is
 * given; the reader ignores that bit and returns the one that was written. So the same
 * syntax code writes and reads. All arithmetic is on integers below 2^53, so that every
 * machine gets the same result.
 *
 * The interval [low, high] is split at low + ⌊(high − low) p⌋; leading bytes on which
 * both ends agree are output. Beyond its last byte a file reads as zeros.
 */

/** Probabilities are integers, in units of 1/65536. */
export const certainty = 65536;
/** Adaptive probabilities stay this far from 0 and 1, so that a bit costs at least 1/710 bit. */
const minProbability = 64;
/** The number of bits over which an adaptive probability averages. */
const memory = 60;

export interface BitCoder {
  /** Code a bit that is 1 with probability p/65536, 1 ≤ p ≤ 65535; returns the bit. */
  code(bit: number, p: number): number;
}

export class BitWriter implements BitCoder {
  #low = 0;
  #high = 0xffffffff;
  readonly #bytes: number[] = [];

  code(bit: number, p: number): number {
    const middle = split(this.#low, this.#high, p);
    if (bit === 1) this.#high = middle;
    else this.#low = middle + 1;
    while (((this.#low ^ this.#high) & 0xff000000) === 0) {
      this.#bytes.push(this.#high >>> 24);
      this.#low = (this.#low << 8) >>> 0;
      this.#high = ((this.#high << 8) | 0xff) >>> 0;
    }
    return bit;
  }

  /** All bytes, ended by the fewest bytes that identify the last interval. */
  finish(): Uint8Array {
    for (let count = 0; count <= 4; count++) {
      const unit = 2 ** (32 - 8 * count);
      const value = Math.ceil(this.#low / unit) * unit;
      if (value > this.#high) continue;
      const tail = Array.from({ length: count }, (_, i) => (value >>> (24 - 8 * i)) & 255);
      return Uint8Array.from(this.#bytes.concat(tail));
    }
    throw new Error("BitWriter: the interval is empty");
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
    const middle = split(this.#low, this.#high, p);
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

  /** Whether reading has ended exactly with the bytes, as it does for the output of a writer. */
  get atEnd(): boolean {
    const done = this.#position - 4; // bytes that are decided; the writer adds at most 4
    return done <= this.#bytes.length && this.#bytes.length <= this.#position;
  }

  #take(): void {
    this.#value = ((this.#value << 8) | (this.#bytes[this.#position] ?? 0)) >>> 0;
    this.#position += 1;
  }
}

function split(low: number, high: number, p: number): number {
  return low + Math.floor(((high - low) * p) / certainty);
}

/** Adaptive probabilities of bits in several contexts. */
export class BitModels {
  readonly #p: Uint16Array;
  readonly #seen: Uint8Array;

  /** All contexts start with the probability `p`, as if learned from `seen` bits. */
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
    this.#p[context] = Math.min(certainty - minProbability, Math.max(minProbability, moved));
    if (seen < memory) this.#seen[context] = seen + 1;
    return coded;
  }
}
