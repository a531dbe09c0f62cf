/**
 * Columns that are spread over the ranks: column i belongs to rank i mod R. A rank holds its own columns side by side,
 * or all columns, or both; which columns are right in which copy is known alike on every rank, so that all of them
 * exchange columns at the same operation, and only when one needs columns that it does not have.
 *
 * Dealt out like cards, the first c columns of a matrix are the first columns of each share, so a head needs no exchange.
 *
 * Atoms that ranks change in the copies of all columns are divided in ranges instead (`ranges`), which are exchanged in place.
 */

import type { Communicator } from "./communicator.js";

/** How columns of one kind are made, moved and packed on the kernels of a rank. */
export interface ColumnPort<Handle> {
  make(cols: number): Handle;
  head(handle: Handle, cols: number): Handle;
  /** `target` ← the columns one after the other. */
  read(handle: Handle, target: Uint32Array): Promise<void>;
  /** Column i ← the words of `source` from places[i] on. */
  write(handle: Handle, source: Uint32Array, places: Float64Array): Promise<void>;
  /** Exchange columns in place: those of each rank from starts[rank] to starts[rank + 1]. */
  exchange?(handle: Handle, starts: readonly number[], ranks: Communicator): Promise<void>;
  /** Words of a column. */
  readonly words: number;
  /** Room for what is exchanged. */
  readonly buffer: ExchangeBuffer;
}

/** Words that are used again by every exchange. */
export class ExchangeBuffer {
  #words = new Uint32Array(0);

  take(length: number): Uint32Array {
    if (this.#words.length < length) this.#words = new Uint32Array(length);
    return this.#words.subarray(0, length);
  }
}

/** Which copies of a column are right: that of all columns, the share, and that of all columns on the rank whose range it is in. */
const inWhole = 1;
const inShare = 2;
const inRange = 4;

export class SpreadColumns<Handle extends { readonly cols: number }> {
  readonly cols: number;
  readonly port: ColumnPort<Handle>;
  /** Bits of each column; a new matrix is zero everywhere. */
  readonly #where: Uint8Array;
  #whole: Handle | undefined;
  #share: Handle | undefined;

  constructor(cols: number, port: ColumnPort<Handle>) {
    this.cols = cols;
    this.port = port;
    this.#where = new Uint8Array(cols).fill(inWhole | inShare | inRange);
  }

  /** The first `cols` columns on this rank, right or not: for results that replace them all. */
  whole(cols: number): Handle {
    this.#whole ??= this.port.make(this.cols);
    return this.port.head(this.#whole, cols);
  }

  /** This rank's share of the first `cols` columns, right or not. */
  share(cols: number, { rank, size }: Communicator): Handle {
    this.#share ??= this.port.make(shareOf(this.cols, rank, size));
    return this.port.head(this.#share, shareOf(cols, rank, size));
  }

  isShared(cols: number): boolean {
    return this.#has(inShare, cols);
  }

  /** The first columns were written: the other copies are out of date. */
  wrote(copy: "whole" | "share", cols: number): void {
    this.#where.fill(copy === "whole" ? inWhole | inRange : inShare, 0, cols);
  }

  /** Every rank wrote the columns of its range, in its copy of all columns. */
  wroteRanges(): void {
    this.#where.fill(inRange);
  }

  /** All columns, of which those in this rank's range are right. */
  async ranges(ranks: Communicator): Promise<Handle> {
    return this.#has(inRange, this.cols) ? this.whole(this.cols) : this.gather(this.cols, ranks);
  }

  /** All of the first `cols` columns, brought from the other ranks where they are missing. */
  async gather(cols: number, ranks: Communicator): Promise<Handle> {
    const target = this.whole(cols);
    if (this.#has(inWhole, cols)) return target;
    await this.#exchangeRanges(ranks);
    if (this.#has(inWhole, cols)) return target;
    const share = await this.scatter(cols, ranks);
    const { words, buffer } = this.port;
    const starts = startsOf(cols, ranks.size);
    const gathered = buffer.take(cols * words);
    const [from, to] = [starts[ranks.rank] * words, starts[ranks.rank + 1] * words];
    await this.port.read(share, gathered.subarray(from, to));
    await ranks.allGather(
      new Uint8Array(gathered.buffer, gathered.byteOffset, gathered.byteLength),
      starts.map((start) => start * words * 4),
    );
    const places = new Float64Array(cols);
    for (let i = 0; i < cols; i++) places[i] = (starts[i % ranks.size] + Math.floor(i / ranks.size)) * words;
    await this.port.write(target, gathered, places);
    this.#add(inWhole | inRange, cols);
    return target;
  }

  /** This rank's share of the first `cols` columns, taken from its copy of all where it is missing. */
  async scatter(cols: number, ranks: Communicator): Promise<Handle> {
    const target = this.share(cols, ranks);
    if (this.#has(inShare, cols)) return target;
    await this.#exchangeRanges(ranks);
    const where = this.#where.subarray(0, cols);
    const { words, buffer } = this.port;
    const own = shareOf(cols, ranks.rank, ranks.size);
    const all = buffer.take((cols + own) * words);
    await this.port.read(this.whole(cols), all.subarray(0, cols * words));
    await this.port.read(target, all.subarray(cols * words));
    const places = new Float64Array(own);
    for (let at = 0, i = ranks.rank; at < own; at++, i += ranks.size)
      places[at] = (where[i] & inShare ? cols + at : i) * words;
    await this.port.write(target, all, places);
    this.#add(inShare, cols);
    return target;
  }

  /** Bytes that the columns are yet to take on this rank: a copy of all of them, less what was taken. */
  get bytesLater(): number {
    const taken = [this.#whole, this.#share].reduce((sum, handle) => sum + (handle?.cols ?? 0), 0);
    return 4 * this.port.words * Math.max(0, this.cols - taken);
  }

  /** What this rank has made for it. */
  get handles(): readonly Handle[] {
    return [this.#whole, this.#share].filter((handle) => handle !== undefined);
  }

  /** Columns that are right in their ranges alone become right in the copies of all columns. */
  async #exchangeRanges(ranks: Communicator): Promise<void> {
    if (!this.#where.includes(inRange)) return;
    await this.port.exchange?.(this.whole(this.cols), rangesOf(this.cols, ranks.size), ranks);
    this.#where.forEach((bits, i) => (this.#where[i] = bits & inRange ? bits | inWhole : bits));
  }

  #has(copy: number, cols: number): boolean {
    return this.#where.subarray(0, cols).every((bits) => (bits & copy) !== 0);
  }

  #add(copy: number, cols: number): void {
    for (let i = 0; i < cols; i++) this.#where[i] |= copy;
  }
}

/** How many of the first `cols` columns belong to a rank. */
export function shareOf(cols: number, rank: number, size: number): number {
  return Math.max(0, Math.ceil((cols - rank) / size));
}

/** Where the share of each rank starts, and where the last one ends. */
function startsOf(cols: number, size: number): number[] {
  const starts = [0];
  for (let rank = 0; rank < size; rank++) starts.push(starts[rank] + shareOf(cols, rank, size));
  return starts;
}

/** Where the range of each rank starts, and where the last one ends. */
export function rangesOf(count: number, size: number): number[] {
  return Array.from({ length: size + 1 }, (_, rank) => Math.floor((count * rank) / size));
}
