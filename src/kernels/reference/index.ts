/**
 * The reference kernels: the definition of every operation of the contract, in
 * plain loops with f64 sums. Written to be read, not to be fast; the other kernels are compared with them.
 */

import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { checked } from "../checked.js";
import type { Kernels } from "../contract.js";
import { addMoments, addOuter, combine, correlate, descendAtoms, refitAtoms, remainder } from "./explicit.js";
import { coherence, refreshGram } from "./gram.js";
import {
  base,
  dense,
  ReferenceBase,
  ReferenceSet,
  ReferenceSignals,
  set,
  signals,
  sparse,
} from "./handles.js";
import { batchOmp, ompNear } from "./omp.js";
import { ompFromAtoms } from "./ompFromAtoms.js";
import { addWindows, extract } from "./patches.js";
import {
  applyCodes,
  countUses,
  exchangeAtoms,
  gradient,
  project,
  reconstruct,
  residual,
  rowsOf,
  scaleRows,
  usedAtoms,
} from "./sparseProducts.js";
import { analyze, synthesize } from "./transforms.js";
import {
  acceptAtoms,
  addEntries,
  clearColumns,
  moveAtoms,
  sumOfSquares,
  takeEntries,
  thresholdAtoms,
} from "./update.js";

/** Bytes that a run on these kernels may plan with: they are for small problems. */
const memoryLimit = 2 ** 36;

export interface ReferenceOptions {
  /** The most atoms that a Gram matrix is kept for. */
  readonly mostGramAtoms?: number | undefined;
}

export function createReferenceKernels({ mostGramAtoms = 16_384 }: ReferenceOptions = {}): Kernels {
  const ledger = new Ledger();
  return checked({
    name: "reference",
    description: "plain loops in double precision, one thread",
    get memory() {
      return { used: ledger.bytes, limit: memoryLimit };
    },
    mostGramAtoms,
    workspace: () => 0,

    matrix: (rows, cols) => ledger.enter(new DenseMatrix(rows, cols), 4 * rows * cols),
    sparse: (rows, cols, width) =>
      ledger.enter(new SparseColumns(rows, cols, width), 4 * cols * (2 * width + 1)),
    set: (capacity) => ledger.enter(new ReferenceSet(capacity), 4 * capacity),
    base: (factors) => new ReferenceBase(factors),
    signals: (list, scale = 1) =>
      ledger.enter(
        new ReferenceSignals(list, scale),
        list.reduce((bytes, { data }) => bytes + data.byteLength, 0),
      ),
    head: (matrix, cols) => dense(matrix).slice(0, cols),
    headSparse: (columns, cols) => sparse(columns).slice(0, cols),

    async copyColumns(source, first, target) {
      dense(target).data.set(dense(source).slice(first, first + target.cols).data);
    },
    async copySparse(source, target, first) {
      for (let j = 0; j < source.cols; j++) writeColumn(sparse(target), first + j, sparse(source), j);
    },
    async writeMatrix(target, source) {
      dense(target).data.set(source.data);
    },
    async writeSparse(target, source) {
      for (let j = 0; j < source.cols; j++) writeColumn(sparse(target), j, source, j);
    },
    async writeColumns(target, places, source) {
      places.forEach((place, j) => {
        writeColumn(sparse(target), place, source, j);
      });
    },
    async writeSet(target, members) {
      set(target).members = members.slice();
    },
    readMatrix: async (source) => dense(source).copy(),
    readSparse: async (source) => sparse(source).copy(),
    readRows: async (source) => rowsOf(sparse(source)),
    readSet: async (source) => set(source).members.slice(),
    free: (...handles) => handles.forEach((handle) => ledger.strike(handle)),
    async close() {},

    analyze: async (phi, Y, Z) => analyze(base(phi), dense(Y), dense(Z)),
    synthesize: async (phi, C, Y) => synthesize(base(phi), dense(C), dense(Y)),

    project: async (phi, A, scale, Y, P) => project(base(phi), sparse(A), dense(scale), dense(Y), dense(P)),
    reconstruct: async (phi, A, X, Y) => reconstruct(base(phi), sparse(A), sparse(X), dense(Y)),
    async residual(phi, A, X, Y, R, W) {
      residual(base(phi), sparse(A), sparse(X), dense(Y), dense(R));
      if (W) analyze(base(phi), dense(R), dense(W));
    },
    refreshGram: async (phi, A, S, G, scale) =>
      refreshGram(base(phi), sparse(A), set(S), G && dense(G), dense(scale)),
    coherence: async (G, result, first = 0) => coherence(dense(G), dense(result), first),

    async columnEnergies(Y, energies) {
      for (let i = 0; i < Y.cols; i++) dense(energies).data[i] = sumOfSquares(dense(Y).column(i));
    },
    batchOmp: async (G, P, energies, limits, X, path) =>
      batchOmp(dense(G), dense(P), dense(energies), limits, sparse(X), path && dense(path)),
    ompFromAtoms: async (phi, A, scale, Y, energies, limits, X, path) =>
      ompFromAtoms(
        { base: base(phi), A: sparse(A), scale: dense(scale) },
        dense(Y),
        dense(energies),
        limits,
        sparse(X),
        path && dense(path),
      ),
    ompNear: async (G, P, W, energies, A, near, limits, X) =>
      ompNear(dense(G), dense(P), dense(W), dense(energies), sparse(A), near, limits, sparse(X)),
    scaleRows: async (scale, X) => scaleRows(dense(scale), sparse(X)),

    usedAtoms: async (X, S) => usedAtoms(sparse(X), set(S)),
    countUses: async (X, uses) => countUses(sparse(X), dense(uses)),
    async gradient(W, X, S, grad, energy) {
      gradient(dense(W), sparse(X), set(S), dense(grad));
      if (!energy) return;
      const columns = dense(grad).slice(0, set(S).members.length);
      dense(energy.scalars).data[energy.slot] = sumOfSquares(columns.data);
    },
    async movedEnergy(phi, grad, S, X, scalars, slot) {
      const V = new DenseMatrix(phi.cols, X.cols);
      const moved = new DenseMatrix(phi.rows, X.cols);
      applyCodes(dense(grad), set(S), sparse(X), V);
      synthesize(base(phi), V, moved);
      dense(scalars).data[slot] = sumOfSquares(moved.data);
    },
    exchangeAtoms: async (before, after, S, X, R, refits) =>
      exchangeAtoms(dense(before), dense(after), set(S), sparse(X), dense(R), refits),
    async addSquaredNorm(M, scalars, slot) {
      dense(scalars).data[slot] += sumOfSquares(dense(M).data);
    },
    async normRatio(scalars, num, den, out) {
      const { data } = dense(scalars);
      data[out] = data[num] && data[den] ? Math.sqrt(data[num]) / Math.sqrt(data[den]) : 0;
    },
    async moveAtoms(k, U, S, A, { gamma, scalars, eta, grad }) {
      moveAtoms(k, dense(U), set(S), sparse(A), gamma, dense(scalars).data[eta], dense(grad));
    },
    thresholdAtoms: async (A, columns, mu, W, C) =>
      thresholdAtoms(sparse(A), columns, mu, dense(W), sparse(C)),
    takeEntries: async (W, C, V) => takeEntries(dense(W), sparse(C), sparse(V)),
    addEntries: async (V, energies, C) => addEntries(sparse(V), dense(energies), sparse(C)),
    acceptAtoms: async (C, energies, left, distances, A, first) =>
      acceptAtoms(sparse(C), dense(energies), dense(left), dense(distances), sparse(A), first),
    clearColumns: async (S, M, { rows = false } = {}) => clearColumns(set(S), dense(M), rows),

    correlate: async (D, Y, P) => correlate(dense(D), dense(Y), dense(P)),
    combine: async (D, X, Y) => combine(dense(D), sparse(X), dense(Y)),
    remainder: async (D, X, Y, R) => remainder(dense(D), sparse(X), dense(Y), dense(R)),
    addMoments: async (beta, Y, X, B, C) => addMoments(beta, dense(Y), sparse(X), dense(B), dense(C)),
    descendAtoms: async (B, C, D, step = 1, atoms = { first: 0, count: D.cols }) =>
      descendAtoms(dense(B), dense(C), dense(D), step, atoms),
    refitAtoms: async (R, X, D) => refitAtoms(dense(R), sparse(X), dense(D)),
    addOuter: async (Y, C) => addOuter(dense(Y), dense(C)),

    extract: async (store, windows, patch, Y, means) =>
      extract(signals(store), windows, patch, dense(Y), means && dense(means)),
    addWindows: async (Y, means, start, patch, shape, sum) =>
      addWindows(dense(Y), means && dense(means), start, patch, shape, dense(sum)),
  });
}

/** Bytes of the handles that are not freed. The engine collects the memory itself. */
class Ledger {
  bytes = 0;
  readonly #entries = new WeakMap<object, number>();

  enter<T extends object>(handle: T, bytes: number): T {
    this.#entries.set(handle, bytes);
    this.bytes += bytes;
    return handle;
  }

  strike(handle: object): void {
    this.bytes -= this.#entries.get(handle) ?? 0;
    this.#entries.delete(handle);
  }
}

/** Column `place` of one matrix ← column j of another. */
function writeColumn(target: SparseColumns, place: number, source: SparseColumns, j: number): void {
  const start = j * source.width;
  const end = start + source.counts[j];
  target.setColumn(place, source.indices.subarray(start, end), source.values.subarray(start, end));
}
