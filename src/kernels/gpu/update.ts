/** The update of A on the device: the gradient, norms, momentum and P_k. */

import type { ColumnRange, DeviceSparse, MomentumStep, UpdateOperations } from "../contract.js";
import type { CodeLists } from "./codes.js";
import { chunkBytes } from "./denseProducts.js";
import {
  base,
  dense,
  GpuMatrix,
  type GpuSet,
  type GpuSparse,
  runsOf,
  set,
  sparse,
  strideOf,
} from "./handles.js";
import type { GpuMemory } from "./memory.js";
import type { GpuProducts } from "./products.js";
import type { GpuQueue } from "./queue.js";

/** vec4 of a block of a norm, as in blockEnergies.wgsl. */
const normBlock = 4096;
/** Workgroups of moveAtoms, if a column does not fit into workgroup memory: each has room for one in a buffer. */
const movers = 1024;
/** Bytes of workgroup memory that moveAtoms takes besides a column. */
const moverBytes = 4096;

/** The most workgroups of exchangeAtoms, about, and the examples for which there is one more per atom. */
const exchangers = 8192;
const exchangeShare = 64;
/** Workgroups that keep a device busy, and the fewest examples of a share of a list. */
const busyGroups = 2048;
const shareExamples = 512;

/** How many workgroups share the list of an atom in the gradient: more than one if few atoms have many examples. */
function sharesOf(W: GpuMatrix, places: number): number {
  const others = Math.ceil(W.quads / 16) * Math.max(1, places);
  return Math.max(1, Math.min(Math.floor(busyGroups / others), Math.ceil(W.cols / shareExamples), 256));
}

/** Room that `moveAtoms` takes for columns of L. */
export function moveBytes(L: number): number {
  return 4 * movers * L;
}

export function updateOperations(
  memory: GpuMemory,
  products: GpuProducts,
  codes: CodeLists,
  groupBytes: number,
): UpdateOperations {
  const { queue } = memory;
  return {
    usedAtoms: async (X, S) => codes.used(sparse(X), set(S)),
    async countUses(X, uses) {
      const buffers = [codes.uses(sparse(X)), dense(uses).buffer];
      queue.dispatch("countUses", { atoms: X.rows }, buffers, [Math.ceil(X.rows / 64)]);
    },

    async gradient(W, X, S, grad, energy) {
      const { starts, entries } = codes.lists(sparse(X));
      const w = dense(W);
      const nothing = { first: 0, count: 0, parts: [{ buffer: w.store.panels[0], offset: 0 }] }; // no examples: zeros
      const examples = w.cols > 0 ? [...runsOf(w)] : [nothing];
      for (const places of runsOf(dense(grad))) {
        const columns = { quads: w.quads, firstPlace: places.first, places: places.count };
        const target = places.parts[0].buffer;
        const shares = sharesOf(w, places.count);
        const sums = queue.scratch("gradient", shares > 1 ? shares * places.count * w.quads * 16 : 16);
        let keeps = 0;
        for (const { first, count, parts } of examples) {
          const run = { ...columns, begin: first, count };
          const sources = [parts[0].buffer, starts, entries, set(S).buffer];
          if (shares === 1) {
            const groups = [Math.ceil(w.quads / 128), places.count] as const;
            queue.dispatch("gradient", { ...run, keeps }, [...sources, target], groups);
          } else {
            const groups = [Math.ceil(w.quads / 16), places.count, shares] as const;
            queue.dispatch("gradientParts", { ...run, parts: shares }, [...sources, sums], groups);
            const whole = [Math.ceil(w.quads / 64), places.count] as const;
            const params = { ...columns, parts: shares, keeps };
            queue.dispatch("sumParts", params, [sums, set(S).buffer, target], whole);
          }
          keeps = 1;
        }
      }
      if (energy) sumSquares(queue, dense(grad), dense(energy.scalars), energy.slot, { S: set(S) });
    },
    async movedEnergy(phi, grad, S, X, scalars, slot) {
      const { rows, cols: L } = base(phi);
      const columnBytes = Math.max(strideOf(L), strideOf(rows)) * 4;
      const most = Math.max(1, Math.floor(Math.min(chunkBytes, memory.panelBytes) / columnBytes));
      const moves = synthesizesFirst(rows, L, grad.cols, X)
        ? scratchMatrix(queue, "moves of atoms", rows, grad.cols)
        : undefined;
      if (moves) {
        clearPadding(queue, moves);
        products.synthesize(base(phi), dense(grad), moves);
      }
      const room = scratchMatrix(queue, "moved", rows, Math.min(most, X.cols));
      if (!moves) clearPadding(queue, room);
      for (let first = 0; first === 0 || first < X.cols; first += most) {
        const cols = Math.min(most, X.cols - first);
        const codes = { S: set(S), firstExample: first };
        const moved = room.slice(0, cols);
        if (moves) products.combine(moves, sparse(X), moved, codes);
        else {
          const V = scratchMatrix(queue, "moved coefficients", L, cols);
          products.combine(dense(grad), sparse(X), V, codes);
          products.synthesize(base(phi), V, moved);
        }
        sumSquares(queue, moved, dense(scalars), slot, { add: first > 0 });
      }
    },
    addSquaredNorm: async (M, scalars, slot) =>
      sumSquares(queue, dense(M), dense(scalars), slot, { add: true }),
    normRatio: async (scalars, num, den, out) =>
      queue.dispatch("ratio", { num, den, out }, [dense(scalars).buffer], [1]),

    async moveAtoms(k, U, S, A, step) {
      const atoms = sparse(A);
      addStep(queue, step, set(S), dense(U));
      const { cols, layout, store } = atoms;
      keepLargest(memory, groupBytes, k, dense(U), set(S).buffer, { cols, layout, buffer: store.buffer });
      store.version++;
    },
    async thresholdAtoms(A, columns, mu, W, C) {
      const { cols, layout, store, width } = sparse(C);
      const target = { cols, layout, buffer: store.buffer };
      takeColumns(queue, sparse(A), columns, target);
      keepLargest(memory, groupBytes, width, dense(W), allOf(queue, cols), target, mu);
      store.version++;
    },
    async takeEntries(W, C, V) {
      const [w, from, to] = [dense(W), sparse(C), sparse(V)];
      const { valuesAt: takenValuesAt, countsAt: takenCountsAt } = to.layout;
      for (const { first, count, parts } of runsOf(w)) {
        const columns = { columns: count, first, offset: parts[0].offset, stride: w.stride };
        const params = { ...columns, ...from.layout, takenValuesAt, takenCountsAt };
        const buffers = [parts[0].buffer, from.store.buffer, to.store.buffer];
        queue.dispatch("takeEntries", params, buffers, [Math.ceil(from.width / 64), count]);
      }
      to.store.version++;
    },
    async addEntries(V, energies, C) {
      const [from, to] = [sparse(V), sparse(C)];
      const { buffer, stride } = dense(energies);
      const given = { givenValuesAt: from.layout.valuesAt, stride };
      const buffers = [from.store.buffer, buffer, to.store.buffer];
      queue.dispatch("addEntries", { columns: to.cols, ...to.layout, ...given }, buffers, [to.cols]);
      to.store.version++;
    },
    async acceptAtoms(C, energies, left, distances, A, first) {
      const [from, to] = [sparse(C), sparse(A)];
      const { width, valuesAt, countsAt } = from.layout;
      const source = { columns: from.cols, given: width, givenValuesAt: valuesAt, givenCountsAt: countsAt };
      const { buffer, stride } = dense(energies);
      const numbers = [buffer, dense(left).buffer, dense(distances).buffer];
      const buffers = [from.store.buffer, ...numbers, to.store.buffer];
      queue.dispatch("acceptAtoms", { ...source, ...to.layout, first, stride }, buffers, [
        Math.ceil(to.width / 64),
        from.cols,
      ]);
      to.store.version++;
    },
    async clearColumns(S, M, { rows = false } = {}) {
      const m = dense(M);
      const { buffer: atoms, placeAt } = set(S);
      for (const { first, count, parts } of runsOf(m)) {
        const params = { stride: m.stride, rows: m.rows, first, count, column: parts[0].offset, placeAt };
        const groups = [Math.ceil(m.rows / 64), count] as const;
        queue.dispatch("clearColumns", params, [atoms, parts[0].buffer], groups, { rows: rows ? 1 : 0 });
      }
    },

    async exchangeAtoms(before, after, S, X, R, refits) {
      const r = dense(R);
      const x = sparse(X);
      const { starts, entries } = codes.lists(x);
      for (const atoms of runsOf(dense(before), dense(after))) {
        const [from, to] = atoms.parts;
        const groups = [
          Math.ceil(Math.min(r.cols / exchangeShare, exchangers / atoms.count)),
          atoms.count,
        ] as const;
        for (const { first, count, parts } of runsOf(r)) {
          const params = {
            quads: r.quads,
            ...x.layout,
            begin: first,
            count,
            firstPlace: atoms.first,
            places: atoms.count,
            beforeAt: from.offset,
            afterAt: to.offset,
            refits: refits ? 1 : 0,
          };
          const atomSet = set(S).buffer;
          const lists = [atomSet, starts, entries, x.store.buffer];
          queue.dispatch(
            "exchangeAtoms",
            params,
            [from.buffer, to.buffer, ...lists, parts[0].buffer],
            groups,
          );
        }
      }
      if (refits) codes.refitted(x);
    },
  };
}

/** Sparse columns in a buffer, which need not be those of a handle. */
interface BufferColumns {
  readonly cols: number;
  readonly layout: GpuSparse["layout"];
  readonly buffer: GPUBuffer;
}

/** Columns of T ← columns of A, with their values, or marked as larger than all others. The width of T is at least that of A. */
export function takeColumns(
  queue: GpuQueue,
  A: GpuSparse,
  { first, step = 1 }: ColumnRange,
  T: BufferColumns,
  { marks = false } = {},
): void {
  const { width, valuesAt, countsAt } = A.layout;
  const given = { given: width, givenValuesAt: valuesAt, givenCountsAt: countsAt };
  const params = { examples: T.cols, first, step, ...given, ...T.layout };
  const slots = [Math.ceil(T.layout.width / 64), T.cols] as const;
  queue.dispatch("takeColumns", params, [A.store.buffer, T.buffer], slots, { marks: marks ? 1 : 0 });
}

/** The words of a set of all columns. */
export function allOf(queue: GpuQueue, columns: number): GPUBuffer {
  const all = queue.scratch("all columns", (columns + 1) * 4);
  const words = Uint32Array.from({ length: columns + 1 }, (_, i) => (i === 0 ? columns : i - 1));
  queue.write(all, 0, words);
  return all;
}

/** A_S ← P_k[A_S + μU_S], where S is the words of a set. */
export function keepLargest(
  { queue, panelBytes }: GpuMemory,
  groupBytes: number,
  k: number,
  U: GpuMatrix,
  S: GPUBuffer,
  A: BufferColumns,
  mu = -1,
): void {
  const inside = U.rows * 4 + moverBytes <= groupBytes;
  const fit = Math.max(1, Math.floor(panelBytes / (U.rows * 4)));
  const groups = inside ? A.cols : Math.min(movers, A.cols, fit);
  const work = inside ? queue.scratch("none", 16) : queue.scratch("moved atoms", groups * U.rows * 4);
  const constants = { inside: inside ? 1 : 0, room: inside ? U.rows : 1 };
  for (const { first, count, parts } of runsOf(U)) {
    const params = { rows: U.rows, stride: U.stride, k, ...A.layout, begin: first, count, mu };
    queue.dispatch("moveAtoms", params, [parts[0].buffer, S, A.buffer, work], [groups], constants);
  }
}

/** Columns that are gathered in the time that Φ takes to make one. */
const synthesisCost = 12;

/**
 * Whether (Φ∇)X takes less time than Φ(∇X): columns of Φ∇ are shorter than those of ∇, but there may be more of them to
 * make than examples.
 */
function synthesizesFirst(n: number, L: number, atoms: number, X: DeviceSparse): boolean {
  const saved = (X.width * X.cols * (L - n)) / L;
  return strideOf(n) * atoms * 4 <= chunkBytes && saved > synthesisCost * (atoms - X.cols);
}

/** A matrix in memory that lives between calls; its contents, and its padding, are whatever was there. */
function scratchMatrix(queue: GpuQueue, name: string, rows: number, cols: number): GpuMatrix {
  const buffer = queue.scratch(name, strideOf(rows) * cols * 4);
  return new GpuMatrix(rows, cols, { panels: [buffer], panelCols: Math.max(1, cols) });
}

/** Zeros where columns are padded: a transform writes rows alone, and a matrix of other sizes may have been there. */
function clearPadding(queue: GpuQueue, { buffer, rows, cols, stride }: GpuMatrix): void {
  if (rows < stride) queue.clear(buffer, cols * stride * 4);
}

/** scalars[slot] ← [scalars[slot]] + ‖M‖², over the first |S| columns if S is given. */
function sumSquares(
  queue: GpuQueue,
  M: GpuMatrix,
  scalars: GpuMatrix,
  slot: number,
  { add = false, S }: { readonly add?: boolean; readonly S?: GpuSet },
): void {
  const runs = [...runsOf(M)];
  const blocksOf = (count: number) => Math.ceil((count * M.quads) / normBlock);
  const blocks = runs.reduce((sum, { count }) => sum + blocksOf(count), 0);
  const atoms = S?.buffer ?? queue.scratch("none", 16);
  const partial = queue.scratch("norm", blocks * 4);
  let firstBlock = 0;
  for (const { first, count, parts } of runs) {
    const columns = { quads: count * M.quads, columnQuads: M.quads, firstColumn: first };
    const params = { ...columns, firstBlock, limited: S ? 1 : 0 };
    queue.dispatch("blockEnergies", params, [parts[0].buffer, atoms, partial], [blocksOf(count)]);
    firstBlock += blocksOf(count);
  }
  queue.dispatch("total", { blocks, slot, adds: add ? 1 : 0 }, [partial, scalars.buffer], [1]);
}

/** U_S ← γ U_S + ηg. */
function addStep(
  queue: GpuQueue,
  { gamma, scalars, eta, grad }: MomentumStep,
  S: GpuSet,
  U: GpuMatrix,
): void {
  for (const places of runsOf(dense(grad))) {
    for (const { first, count, parts } of runsOf(U)) {
      const columns = { firstPlace: places.first, places: places.count, begin: first, count };
      const params = { gamma, eta, quads: U.quads, ...columns };
      const buffers = [dense(scalars).buffer, S.buffer, places.parts[0].buffer, parts[0].buffer];
      queue.dispatch("momentum", params, buffers, [Math.ceil(U.quads / 64), places.count]);
    }
  }
}
