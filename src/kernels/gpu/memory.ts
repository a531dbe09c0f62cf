/** The contents of handles of the GPU kernels: made, written, read and freed. */

import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { Signal } from "../../core/signal.js";
import type { Matrix64 } from "../../linalg/matrix64.js";
import type { MemoryOperations } from "../contract.js";
import {
  type AxisStep,
  dense,
  GpuBase,
  GpuMatrix,
  GpuSet,
  GpuSignals,
  GpuSparse,
  runsOf,
  set,
  sparse,
  strideOf,
} from "./handles.js";
import type { GpuQueue } from "./queue.js";

export class GpuMemory {
  readonly queue: GpuQueue;
  /** The most bytes of one buffer. */
  readonly panelBytes: number;

  constructor(queue: GpuQueue, panelBytes: number) {
    this.queue = queue;
    this.panelBytes = panelBytes;
  }

  // — making ————————————————————————————————————————————————————————————————

  matrix(rows: number, cols: number): GpuMatrix {
    const columnBytes = strideOf(rows) * 4;
    const fit = Math.floor(this.panelBytes / columnBytes);
    if (fit < 4) this.#refuse("a column of a matrix", columnBytes);
    const panelCols = fit >= cols ? Math.max(1, cols) : fit - (fit % 4); // whole vec4, if its rows are columns of another
    const panels: GPUBuffer[] = [];
    for (let first = 0; first === 0 || first < cols; first += panelCols) {
      panels.push(this.queue.buffer(Math.min(panelCols, cols - first) * columnBytes));
    }
    return new GpuMatrix(rows, cols, { panels, panelCols });
  }

  sparse(rows: number, cols: number, width: number): GpuSparse {
    const bytes = cols * (2 * width + 1) * 4;
    if (bytes > this.panelBytes) this.#refuse("sparse columns", bytes);
    return new GpuSparse(rows, cols, width, {
      buffer: this.queue.buffer(bytes),
      valuesAt: width * cols,
      countsAt: 2 * width * cols,
      version: 0,
    });
  }

  set(capacity: number): GpuSet {
    return new GpuSet(capacity, this.queue.buffer((1 + 2 * capacity) * 4));
  }

  base(factors: readonly Matrix64[]): GpuBase {
    const words: number[] = [];
    const steps = (
      sizesOf: (factor: Matrix64) => [number, number],
      at: (f: Matrix64, r: number, j: number) => number,
    ) =>
      factors.map((factor): AxisStep => {
        const [sizeIn, sizeOut] = sizesOf(factor);
        const factorAt = words.length;
        for (let j = 0; j < sizeIn; j++) for (let r = 0; r < sizeOut; r++) words.push(at(factor, r, j));
        return { factorAt, sizeIn, sizeOut };
      });
    if (factors.length === 1)
      return new GpuBase(factors, this.queue.buffer(0), [], [], this.#explicit(factors[0]));
    const analysis = steps(
      ({ rows, cols }) => [rows, cols],
      (factor, r, j) => factor.at(j, r),
    );
    const synthesis = steps(
      ({ rows, cols }) => [cols, rows],
      (factor, r, j) => factor.at(r, j),
    );
    const buffer = this.queue.buffer(words.length * 4);
    this.queue.write(buffer, 0, Float32Array.from(words));
    return new GpuBase(factors, buffer, analysis, synthesis, undefined);
  }

  #explicit(factor: Matrix64): { phi: GpuMatrix; transposed: GpuMatrix } {
    const phi = this.matrix(factor.rows, factor.cols);
    const transposed = this.matrix(factor.cols, factor.rows);
    this.writeMatrix(
      phi,
      DenseMatrix.build(factor.rows, factor.cols, (i, j) => factor.at(i, j)),
    );
    this.writeMatrix(
      transposed,
      DenseMatrix.build(factor.cols, factor.rows, (i, j) => factor.at(j, i)),
    );
    return { phi, transposed };
  }

  /** Whole signals one after the other, in as few panels as possible. */
  signals(signals: readonly Signal[], scale: number): GpuSignals {
    const panelOf = new Uint32Array(signals.length);
    const firstOf = new Uint32Array(signals.length);
    const most = Math.floor(this.panelBytes / 4);
    const sizes: number[] = [0];
    signals.forEach(({ data, name }, s) => {
      if (data.length > most) this.#refuse(`signal ${name ?? s}`, data.length * 4);
      if (sizes[sizes.length - 1] + data.length > most) sizes.push(0);
      panelOf[s] = sizes.length - 1;
      firstOf[s] = sizes[sizes.length - 1];
      sizes[sizes.length - 1] += data.length;
    });
    const panels = sizes.map((size) => this.queue.buffer(size * 4));
    signals.forEach(({ data }, s) => {
      const scaled = scale === 1 ? data : data.map((value) => value * scale);
      this.queue.write(panels[panelOf[s]], firstOf[s] * 4, scaled as Float32Array<ArrayBuffer>);
    });
    return new GpuSignals(
      signals.map(({ shape }) => shape),
      panels,
      panelOf,
      firstOf,
    );
  }

  // — writing and reading ———————————————————————————————————————————————————

  writeMatrix(target: GpuMatrix, source: DenseMatrix): void {
    const { rows, stride } = target;
    for (const { first, count, parts } of runsOf(target)) {
      const columns = source.data.subarray(first * rows, (first + count) * rows);
      this.queue.write(parts[0].buffer, parts[0].offset * stride * 4, padded(columns, rows, stride, count));
    }
  }

  async readMatrix(source: GpuMatrix): Promise<DenseMatrix> {
    const { rows, cols, stride } = source;
    const result = new DenseMatrix(rows, cols);
    for (const { first, count, parts } of runsOf(source)) {
      const target = result.data.subarray(first * rows, (first + count) * rows);
      await this.queue.read(parts[0].buffer, count * stride * 4, (bytes) => {
        const data = new Float32Array(bytes);
        if (rows === stride) target.set(data);
        else for (let j = 0; j < count; j++) copyRows(data, j * stride, target, j * rows, rows);
      });
    }
    return result;
  }

  /** `to` ← `from`, of equal sizes; nothing to do if they share their memory. */
  copy(from: GpuMatrix, to: GpuMatrix): void {
    const bytes = (columns: number) => columns * from.stride * 4;
    for (const { count, parts } of runsOf(from, to)) {
      const [a, b] = parts;
      if (a.buffer !== b.buffer)
        this.queue.copy(a.buffer, bytes(a.offset), b.buffer, bytes(b.offset), bytes(count));
    }
  }

  writeSparse(target: GpuSparse, source: SparseColumns): void {
    const { width, store } = target;
    const { cols } = source;
    const indices = new Uint32Array(width * cols);
    const values = new Float32Array(width * cols);
    for (let j = 0; j < cols; j++) {
      const from = j * source.width;
      const used = source.counts[j];
      indices.set(source.indices.subarray(from, from + used), j * width);
      values.set(source.values.subarray(from, from + used), j * width);
    }
    this.queue.write(store.buffer, 0, indices);
    this.queue.write(store.buffer, store.valuesAt * 4, values);
    this.queue.write(
      store.buffer,
      store.countsAt * 4,
      source.counts.slice(0, cols) as Uint32Array<ArrayBuffer>,
    );
    store.version++;
  }

  /** Columns at `places` ← the columns of `source`. */
  writeColumns({ store, layout }: GpuSparse, places: Uint32Array, source: SparseColumns): void {
    const { cols, width: given } = source;
    const words = new Uint32Array(cols * (2 + 2 * given)); // places, counts, indices, values
    words.set(places);
    words.set(source.counts, cols);
    words.set(source.indices, 2 * cols);
    new Float32Array(words.buffer).set(source.values, (2 + given) * cols);
    const room = this.queue.scratch("columns", words.byteLength);
    this.queue.write(room, 0, words);
    const groups = [Math.ceil(layout.width / 64), cols] as const;
    this.queue.dispatch("placeColumns", { columns: cols, given, ...layout }, [room, store.buffer], groups);
    store.version++;
  }

  async readSparse(source: GpuSparse): Promise<SparseColumns> {
    const { rows, cols, width, store } = source;
    return this.queue.read(
      store.buffer,
      (store.countsAt + cols) * 4,
      (data) =>
        new SparseColumns(
          rows,
          cols,
          width,
          new Uint32Array(data, 0, width * cols).slice(),
          new Float32Array(data, store.valuesAt * 4, width * cols).slice(),
          new Uint32Array(data, store.countsAt * 4, cols).slice(),
        ),
    );
  }

  /** Columns of `target` from column `first` on ← source. */
  copySparse({ cols, width, store: from }: GpuSparse, target: GpuSparse, first: number): void {
    const to = target.store;
    const words = width * cols;
    const copy = (at: number, toAt: number, count: number) =>
      this.queue.copy(from.buffer, at * 4, to.buffer, toAt * 4, count * 4);
    copy(0, first * width, words);
    copy(from.valuesAt, to.valuesAt + first * width, words);
    copy(from.countsAt, to.countsAt + first, cols);
    to.version++;
  }

  writeSet({ buffer, capacity }: GpuSet, members: Uint32Array): void {
    const words = new Uint32Array(1 + 2 * capacity).fill(0xffffffff, 1 + capacity);
    words[0] = members.length;
    words.set(members, 1);
    members.forEach((atom, place) => {
      words[1 + capacity + atom] = place;
    });
    this.queue.write(buffer, 0, words);
  }

  async readSet({ buffer, capacity }: GpuSet): Promise<Uint32Array> {
    return this.queue.read(buffer, (1 + capacity) * 4, (data) => {
      const words = new Uint32Array(data);
      return words.slice(1, 1 + words[0]);
    });
  }

  // — freeing ———————————————————————————————————————————————————————————————

  free(handle: object): void {
    if (handle instanceof GpuSparse) {
      this.#release(handle.store.buffer);
      if (handle.store.dense) this.free(handle.store.dense.D);
    } else if (handle instanceof GpuBase) {
      this.#release(handle.factors);
      if (handle.explicit) {
        this.free(handle.explicit.phi);
        this.free(handle.explicit.transposed);
      }
    } else if (handle instanceof GpuSignals) {
      this.#release(...handle.panels, ...[...handle.tables.values()].map(({ buffer }) => buffer));
    } else if (handle instanceof GpuSet) this.#release(handle.buffer);
    else this.#release(...dense(handle).store.panels);
  }

  #release(...buffers: readonly GPUBuffer[]): void {
    for (const buffer of buffers) this.queue.free(buffer);
  }

  #refuse(what: string, bytes: number): never {
    const room = (this.panelBytes / 2 ** 20).toFixed(0);
    throw new InputError(
      `gpu: ${what} must fit into a buffer of ${room} MiB here, got ${(bytes / 2 ** 20).toFixed(0)} MiB`,
    );
  }
}

/** All but `readRows`, which is in codes.ts. */
export function memoryOperations(memory: GpuMemory): Omit<MemoryOperations, "readRows"> {
  return {
    matrix: (rows, cols) => memory.matrix(rows, cols),
    sparse: (rows, cols, width) => memory.sparse(rows, cols, width),
    set: (capacity) => memory.set(capacity),
    base: (factors) => memory.base(factors),
    signals: (list, scale = 1) => memory.signals(list, scale),
    head: (matrix, cols) => dense(matrix).slice(0, cols),
    headSparse(columns, cols) {
      const { rows, width, store } = sparse(columns);
      return new GpuSparse(rows, cols, width, store);
    },
    copyColumns: async (source, first, target) =>
      memory.copy(dense(source).slice(first, target.cols), dense(target)),
    copySparse: async (source, target, first) => memory.copySparse(sparse(source), sparse(target), first),
    writeMatrix: async (target, source) => memory.writeMatrix(dense(target), source),
    writeSparse: async (target, source) => memory.writeSparse(sparse(target), source),
    writeColumns: async (target, places, source) => memory.writeColumns(sparse(target), places, source),
    writeSet: async (target, members) => memory.writeSet(set(target), members),
    readMatrix: (source) => memory.readMatrix(dense(source)),
    readSparse: (source) => memory.readSparse(sparse(source)),
    readSet: (source) => memory.readSet(set(source)),
    free: (...handles) => handles.forEach((handle) => memory.free(handle)),
  };
}

/** A column of a few rows is copied sooner one by one. */
function copyRows(from: Float32Array, start: number, to: Float32Array, at: number, rows: number): void {
  for (let i = 0; i < rows; i++) to[at + i] = from[start + i];
}

/** Columns padded with zeros up to the stride. */
function padded(
  columns: Float32Array,
  rows: number,
  stride: number,
  count: number,
): Float32Array<ArrayBuffer> {
  if (rows === stride) return columns as Float32Array<ArrayBuffer>;
  const result = new Float32Array(stride * count);
  for (let j = 0; j < count; j++) result.set(columns.subarray(j * rows, (j + 1) * rows), j * stride);
  return result;
}
