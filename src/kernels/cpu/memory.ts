/** The contents of handles of the CPU kernels: made, written, read and freed; and views of them. */

import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { DeviceMatrix, DeviceSet, DeviceSparse, MemoryOperations } from "../contract.js";
import type { Arena } from "./arena.js";
import { makeBase } from "./base.js";
import { structs } from "./binary.js";
import { CpuMatrix, CpuSet, CpuSignals, CpuSparse, dense, own, set, sparse } from "./handles.js";

/** Bytes of a `Sparse` before its entries, which keep the alignment of the piece. */
const headerBytes = 64;

/** The entries of sparse columns, as they lie in memory. */
export interface SparseEntries {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
  readonly counts: Uint32Array;
  readonly width: number;
}

/** Views of handles, and memory for a single call. A view is valid until memory is next taken. */
export class CpuMemory {
  readonly arena: Arena;
  #staging = { at: 0, bytes: 0 };

  constructor(arena: Arena) {
    this.arena = arena;
  }

  values(matrix: DeviceMatrix): Float32Array {
    const { at, rows, cols } = dense(matrix);
    return this.arena.f32(at, rows * cols);
  }

  entries(columns: DeviceSparse): SparseEntries {
    const { places, cols, width } = sparse(columns);
    return {
      indices: this.arena.u32(places.indices, width * cols),
      values: this.arena.f32(places.values, width * cols),
      counts: this.arena.u32(places.counts, cols),
      width,
    };
  }

  members(atoms: DeviceSet): Uint32Array {
    const { at, size } = set(atoms);
    return this.arena.u32(at, size);
  }

  /** Memory for small lists of one call; the next call may overwrite it. */
  stage(bytes: number): number {
    if (bytes > this.#staging.bytes) {
      if (this.#staging.at !== 0) this.arena.give(this.#staging.at);
      this.#staging = { at: this.arena.take(bytes), bytes };
    }
    return this.#staging.at;
  }

  /** The sum of partial results in f64, in their order. */
  sum(at: number, count: number): number {
    return this.arena.f64(at, count).reduce((sum, value) => sum + value, 0);
  }
}

export function memoryOperations(memory: CpuMemory): MemoryOperations {
  const { arena } = memory;
  return {
    matrix: (rows, cols) => new CpuMatrix(rows, cols, arena.take(rows * cols * 4)),
    sparse(rows, cols, width) {
      const at = arena.take(headerBytes + width * cols * 8 + cols * 4);
      const indices = at + headerBytes;
      const values = indices + width * cols * 4;
      const counts = values + width * cols * 4;
      arena.write(at, structs.Sparse, { indices, values, counts, width });
      return new CpuSparse(rows, cols, width, { at, indices, values, counts });
    },
    set: (capacity) => new CpuSet(capacity, arena.take(capacity * 4)),
    base: (factors) => makeBase(arena, factors),
    signals(list, scale = 1) {
      const total = list.reduce((sum, { data }) => sum + data.length, 0);
      const store = new CpuSignals(list, arena.take(total * 4));
      list.forEach(({ data }, s) => {
        const target = arena.f32(store.at + store.firsts[s] * 4, data.length);
        if (scale === 1) target.set(data);
        else for (let i = 0; i < data.length; i++) target[i] = data[i] * scale;
      });
      return store;
    },
    head(matrix, cols) {
      const { rows, at } = dense(matrix);
      return new CpuMatrix(rows, cols, at);
    },
    headSparse(columns, cols) {
      const { rows, width, places } = sparse(columns);
      return new CpuSparse(rows, cols, width, places);
    },

    async copyColumns(source, first, target) {
      const { rows, cols } = target;
      memory.values(target).set(memory.values(source).subarray(first * rows, (first + cols) * rows));
    },
    async writeMatrix(target, source) {
      memory.values(target).set(source.data);
    },
    async writeSparse(target, source) {
      const { indices, values, counts, width } = memory.entries(target);
      for (let j = 0; j < source.cols; j++) {
        const from = j * source.width;
        const used = source.counts[j];
        const to = j * width;
        indices.fill(0, to, to + width).set(source.indices.subarray(from, from + used), to);
        values.fill(0, to, to + width).set(source.values.subarray(from, from + used), to);
        counts[j] = used;
      }
    },
    async writeSet(target, members) {
      const atoms = set(target);
      arena.u32(atoms.at, members.length).set(members);
      atoms.size = members.length;
    },
    async readMatrix(source) {
      return new DenseMatrix(source.rows, source.cols, new Float32Array(memory.values(source)));
    },
    async readSparse(source) {
      const { indices, values, counts, width } = memory.entries(source);
      return new SparseColumns(
        source.rows,
        source.cols,
        width,
        new Uint32Array(indices),
        new Float32Array(values),
        new Uint32Array(counts),
      );
    },
    readSet: async (source) => new Uint32Array(memory.members(source)),

    free: (...handles) => handles.forEach((handle) => arena.give(own(handle).at)),
  };
}
