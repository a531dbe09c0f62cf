/** The contents of handles of the CPU kernels: made, written, read and freed; and views of them. */

import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { kron, Matrix64 } from "../../linalg/matrix64.js";
import type { DeviceMatrix, DeviceSet, DeviceSparse, MemoryOperations } from "../contract.js";
import { rowBytes } from "./assembly/constants.js";
import { structs } from "./binary.js";
import {
  type Arena,
  CpuBase,
  CpuMatrix,
  CpuSet,
  CpuSignals,
  CpuSparse,
  dense,
  own,
  set,
  sparse,
} from "./handles.js";

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
      const { at } = this.#staging;
      this.#staging = { at: 0, bytes: 0 }; // if there is no memory, nothing may point to what was given back
      if (at !== 0) this.arena.give(at);
      this.#staging = { at: this.arena.take(bytes), bytes };
    }
    return this.#staging.at;
  }

  /** The sum of partial results in f64, in their order. */
  sum(at: number, count: number): number {
    return this.arena.f64(at, count).reduce((sum, value) => sum + value, 0);
  }
}

/** All but `readRows`, which is in codeLists.ts. */
export function memoryOperations(memory: CpuMemory): Omit<MemoryOperations, "readRows"> {
  const { arena } = memory;
  return {
    matrix: (rows, cols) => new CpuMatrix(rows, cols, arena.take(rows * cols * 4)),
    sparse(rows, cols, width) {
      const at = arena.take(headerBytes + width * cols * 8 + cols * 4);
      const indices = at + headerBytes;
      const values = indices + width * cols * 4;
      const counts = values + width * cols * 4;
      arena.write(at, structs.Sparse, { indices, values, counts, width });
      return new CpuSparse(rows, cols, width, { at, indices, values, counts, version: 0 });
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
    async copySparse(source, target, first) {
      sparse(target).places.version++;
      copyEntries(memory.entries(source), memory.entries(target), first);
    },
    async writeMatrix(target, source) {
      memory.values(target).set(source.data);
    },
    async writeSparse(target, source) {
      const entries = memory.entries(target);
      sparse(target).places.version++;
      for (let j = 0; j < source.cols; j++) writeColumn(entries, j, source, j);
    },
    async writeColumns(target, places, source) {
      const entries = memory.entries(target);
      sparse(target).places.version++;
      places.forEach((place, j) => {
        writeColumn(entries, place, source, j);
      });
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

/** Columns of `to` from column `first` on ← `from`, of the same width. Most slots may be unused, and are not looked at. */
function copyEntries(from: SparseEntries, to: SparseEntries, first: number): void {
  const { width, counts } = from;
  for (let j = 0; j < counts.length; j++) {
    const start = (first + j) * width - j * width;
    const end = j * width + counts[j];
    for (let s = j * width; s < end; s++) {
      to.indices[start + s] = from.indices[s];
      to.values[start + s] = from.values[s];
    }
    const old = (first + j) * width + to.counts[first + j];
    to.indices.fill(0, start + end, old); // nothing if there are fewer
    to.values.fill(0, start + end, old);
    to.counts[first + j] = counts[j];
  }
}

// Φ in memory: the struct `Base`, the plans of Φᵀ and of Φ that assembly/project.ts
// runs, and the columns of Φ. A plan lists what is not zero, axis by axis.

const headerWords = 16;

/** Write Φ = φ₀ ⊗ φ₁ ⊗ … into memory. */
function makeBase(arena: Arena, factors: readonly Matrix64[]): CpuBase {
  const rows = factors.reduce((product, factor) => product * factor.rows, 1);
  const cols = factors.reduce((product, factor) => product * factor.cols, 1);
  const analysis = planTransform(factors, "analysis");
  const synthesis = planTransform(factors, "synthesis");
  const leading = factors.slice(0, -1).reduce(kron, Matrix64.identity(1));
  const last = factors[factors.length - 1];
  const parts = [analysis.words, synthesis.words, f32Words(leading), f32Words(last)];
  const at = arena.take((headerWords + parts.reduce((sum, { length }) => sum + length, 0)) * 4);
  let next = at + headerWords * 4;
  const [analysisAt, synthesisAt, leadingAt, lastAt] = parts.map((part) => {
    arena.u32(next, part.length).set(part);
    next += part.length * 4;
    return next - part.length * 4;
  });
  arena.write(at, structs.Base, {
    rows,
    cols,
    analysis: analysisAt,
    synthesis: synthesisAt,
    leading: leadingAt,
    leadingLength: leading.rows,
    last: lastAt,
    lastLength: last.rows,
    lastCount: last.cols,
  });
  return new CpuBase(rows, cols, at, {
    analysis: analysisAt,
    synthesis: synthesisAt,
    blockRows: Math.max(analysis.rows, synthesis.rows),
    weights: synthesis.weights,
  });
}

interface TransformPlan {
  /** Rows of the largest array on the way. */
  readonly rows: number;
  /** Weights that one example meets. */
  readonly weights: number;
  readonly words: Uint32Array;
}

/** The plan of Φᵀ (`analysis`) or Φ (`synthesis`) for factors φ₀, φ₁, …. */
function planTransform(factors: readonly Matrix64[], direction: "analysis" | "synthesis"): TransformPlan {
  const matrices = direction === "analysis" ? factors : factors.map((factor) => factor.transpose());
  // Typed, and of the right size from the start: an explicit matrix has hundreds of millions of words.
  const words = new Uint32Array(2 + matrices.reduce((sum, matrix) => sum + stageWords(matrix), 0));
  let at = 2;
  let outer = 1;
  let inner = matrices.reduce((product, matrix) => product * matrix.rows, 1);
  let rows = inner;
  let weights = 0;
  for (const matrix of matrices) {
    inner /= matrix.rows;
    at = writeStage(words, at, matrix, outer, inner);
    weights += outer * inner * matrix.data.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
    outer *= matrix.cols;
    rows = Math.max(rows, outer * inner);
  }
  words.set([matrices.length, rows]);
  return { rows, weights, words };
}

/** Inputs that a pair of outputs, j and j + 1, takes: rows where one of the columns is not zero; at least one, for loops that test at their end. */
function pairInputs({ rows, cols, data }: Matrix64, j: number): number {
  let count = 0;
  for (let r = 0; r < rows; r++) {
    if (data[j * rows + r] !== 0 || (j + 1 < cols && data[(j + 1) * rows + r] !== 0)) count++;
  }
  return Math.max(count, 1);
}

/** Words of a stage: four, then for each pair of outputs a count and three per input. */
function stageWords(matrix: Matrix64): number {
  let words = 4;
  for (let j = 0; j < matrix.cols; j += 2) words += 1 + 3 * pairInputs(matrix, j);
  return words;
}

/** The stage of outputs j = Σᵣ matrix[r, j] × input r, in pairs of outputs; where the next one begins. */
function writeStage(
  words: Uint32Array,
  from: number,
  matrix: Matrix64,
  outer: number,
  inner: number,
): number {
  const { rows, cols } = matrix;
  words.set([outer, inner, rows, cols], from);
  let at = from + 4;
  for (let j = 0; j < cols; j += 2) {
    const inputs = pairInputs(matrix, j);
    const end = at + 1 + 3 * inputs;
    words[at++] = inputs;
    for (let r = 0; r < rows; r++) {
      const first = matrix.at(r, j);
      const second = j + 1 < cols ? matrix.at(r, j + 1) : 0;
      if (first === 0 && second === 0) continue;
      words[at++] = r * inner * rowBytes;
      words[at++] = bitsOf(first);
      words[at++] = bitsOf(second);
    }
    at = end; // of two zero columns, row 0 with two weights of zero
  }
  return at;
}

const view = new DataView(new ArrayBuffer(4));

/** The bits of a number as f32. */
function bitsOf(value: number): number {
  view.setFloat32(0, value);
  return view.getUint32(0);
}

/** A matrix as f32 by columns, in words. */
function f32Words(matrix: Matrix64): Uint32Array {
  return new Uint32Array(Float32Array.from(matrix.data).buffer);
}

/** Column `place` of one matrix ← column j of another, with zeros after its entries. */
function writeColumn(
  { indices, values, counts, width }: SparseEntries,
  place: number,
  source: SparseColumns,
  j: number,
): void {
  const [from, to] = [j * source.width, place * width];
  const used = source.counts[j];
  indices.fill(0, to, to + width).set(source.indices.subarray(from, from + used), to);
  values.fill(0, to, to + width).set(source.values.subarray(from, from + used), to);
  counts[place] = used;
}
