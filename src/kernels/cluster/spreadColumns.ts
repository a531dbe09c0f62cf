/**
 * Columns that are spread over the ranks: column i belongs to rank i mod R. A rank holds its own columns side by side,
 * or all columns, or both; which columns are right in which copy is known alike on every rank, so that all of them
 * exchange columns at the same operation, and only when one needs columns that it does not have.
 *
 * Dealt out like cards, the first c columns of a matrix are the first columns of each share, so a head needs no exchange.
 */

import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../contract.js";
import type { Communicator } from "./communicator.js";

/** How columns of one kind are made, moved and packed on the kernels of a rank. */
export interface ColumnPort<Handle> {
  make(cols: number): Handle;
  head(handle: Handle, cols: number): Handle;
  /** The columns one after the other. */
  read(handle: Handle): Promise<Uint32Array>;
  write(handle: Handle, packed: Uint32Array): Promise<void>;
  /** Words of a column. */
  readonly words: number;
}

/** Which copies of a column are right. */
const inWhole = 1;
const inShare = 2;

export class SpreadColumns<Handle extends object> {
  readonly cols: number;
  readonly port: ColumnPort<Handle>;
  /** Bits of each column; a new matrix is zero everywhere. */
  readonly #where: Uint8Array;
  #whole: Handle | undefined;
  #share: Handle | undefined;

  constructor(cols: number, port: ColumnPort<Handle>) {
    this.cols = cols;
    this.port = port;
    this.#where = new Uint8Array(cols).fill(inWhole | inShare);
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
    return this.#where.subarray(0, cols).every((bits) => (bits & inShare) !== 0);
  }

  /** The first columns were written: the other copy is out of date. */
  wrote(copy: "whole" | "share", cols: number): void {
    this.#where.fill(copy === "whole" ? inWhole : inShare, 0, cols);
  }

  /** All of the first `cols` columns, brought from the other ranks where they are missing. */
  async gather(cols: number, ranks: Communicator): Promise<Handle> {
    const target = this.whole(cols);
    const where = this.#where.subarray(0, cols);
    if (where.every((bits) => (bits & inWhole) !== 0)) return target;
    const mine = await this.port.read(await this.scatter(cols, ranks));
    const { words } = this.port;
    const starts = startsOf(cols, ranks.size);
    const gathered = new Uint32Array(cols * words);
    gathered.set(mine, starts[ranks.rank] * words);
    await ranks.allGather(
      new Uint8Array(gathered.buffer),
      starts.map((start) => start * words * 4),
    );
    await this.port.write(target, interleave(gathered, starts, words, ranks.size));
    where.forEach((bits, i) => (where[i] = bits | inWhole));
    return target;
  }

  /** This rank's share of the first `cols` columns, taken from its copy of all where it is missing. */
  async scatter(cols: number, ranks: Communicator): Promise<Handle> {
    const target = this.share(cols, ranks);
    const where = this.#where.subarray(0, cols);
    const missing = where.map((bits) => (bits & inShare ? 0 : 1));
    if (!missing.includes(1)) return target;
    const { words } = this.port;
    const all = await this.port.read(this.whole(cols));
    const share = await this.port.read(target);
    for (let i = ranks.rank, at = 0; i < cols; i += ranks.size, at++)
      if (missing[i]) share.set(all.subarray(i * words, (i + 1) * words), at * words);
    await this.port.write(target, share);
    where.forEach((bits, i) => (where[i] = bits | inShare));
    return target;
  }

  /** What this rank has made for it. */
  get handles(): readonly Handle[] {
    return [this.#whole, this.#share].filter((handle) => handle !== undefined);
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

/** Columns in their order from shares one after the other. */
function interleave(
  shares: Uint32Array,
  starts: readonly number[],
  words: number,
  size: number,
): Uint32Array {
  const cols = starts[size];
  const columns = new Uint32Array(shares.length);
  for (let i = 0; i < cols; i++) {
    const at = (starts[i % size] + Math.floor(i / size)) * words;
    columns.set(shares.subarray(at, at + words), i * words);
  }
  return columns;
}

export function densePort(rows: number, kernels: Kernels): ColumnPort<DeviceMatrix> {
  return {
    words: rows,
    make: (cols) => kernels.matrix(rows, cols),
    head: (handle, cols) => kernels.head(handle, cols),
    read: async (handle) => asWords((await kernels.readMatrix(handle)).data),
    write: (handle, packed) =>
      kernels.writeMatrix(handle, new DenseMatrix(rows, handle.cols, asFloats(packed))),
  };
}

/** A column is its indices, its values and its count. */
export function sparsePort(rows: number, width: number, kernels: Kernels): ColumnPort<DeviceSparse> {
  const words = 2 * width + 1;
  return {
    words,
    make: (cols) => kernels.sparse(rows, cols, width),
    head: (handle, cols) => kernels.headSparse(handle, cols),
    async read(handle) {
      const { cols, indices, values, counts } = await kernels.readSparse(handle);
      const packed = new Uint32Array(cols * words);
      for (let i = 0; i < cols; i++) {
        packed.set(indices.subarray(i * width, (i + 1) * width), i * words);
        packed.set(asWords(values.subarray(i * width, (i + 1) * width)), i * words + width);
        packed[i * words + 2 * width] = counts[i];
      }
      return packed;
    },
    async write(handle, packed) {
      const { cols } = handle;
      const columns = new SparseColumns(rows, cols, width);
      for (let i = 0; i < cols; i++) {
        const at = i * words;
        columns.indices.set(packed.subarray(at, at + width), i * width);
        columns.values.set(asFloats(packed.subarray(at + width, at + 2 * width)), i * width);
        columns.counts[i] = packed[at + 2 * width];
      }
      await kernels.writeSparse(handle, columns);
    },
  };
}

function asWords({ buffer, byteOffset, length }: Float32Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length);
}

function asFloats({ buffer, byteOffset, length }: Uint32Array): Float32Array {
  return new Float32Array(buffer, byteOffset, length);
}
