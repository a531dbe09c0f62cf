/**
 * Explicit dictionaries on the device: the sums that ODL keeps, and the updates of ODL
 * and K-SVD.
 *
 * `descend` updates exactly one atom after the other, but in blocks of two sizes. For a large block J, V = DC_J is one dense
 * product, with the new atoms before J. In it, the atoms of a small block move in turn within one workgroup, and the
 * columns of V after the small block are corrected by their changes.
 */

import { type AtomRange, type ExplicitOperations, momentFloor } from "../contract.js";
import type { CodeLists } from "./codes.js";
import { dense, type GpuMatrix, type GpuSparse, type Run, runsOf, sparse } from "./handles.js";
import type { GpuMemory } from "./memory.js";
import type { GpuProducts } from "./products.js";

/** Atoms that move within one workgroup before the others of their product follow: at most `most` of descend.wgsl. */
const descentBlock = 16;
/** Atoms whose columns of DC are one dense product. */
const productBlock = 1024;
/** Workgroups that share the examples of an atom. */
const refitGroups = 1024;

class ExplicitUpdates {
  readonly #memory: GpuMemory;
  readonly #products: GpuProducts;
  readonly #codes: CodeLists;
  /** Dense matrices that live between calls, by name. */
  readonly #held = new Map<string, GpuMatrix>();

  constructor(memory: GpuMemory, products: GpuProducts, codes: CodeLists) {
    this.#memory = memory;
    this.#products = products;
    this.#codes = codes;
  }

  /** B ← βB + YXᵀ, C ← βC + XXᵀ. */
  addMoments(beta: number, Y: GpuMatrix, X: GpuSparse, B: GpuMatrix, C: GpuMatrix): void {
    const { queue } = this.#memory;
    const { starts, entries } = this.#codes.lists(X);
    const nothing = { first: 0, count: 0, parts: [{ buffer: Y.store.panels[0], offset: 0 }] }; // no examples: βB
    for (const atoms of runsOf(B)) {
      let factor = beta;
      for (const { first, count, parts } of Y.cols > 0 ? runsOf(Y) : [nothing]) {
        const { buffer, offset } = atoms.parts[0];
        const params = {
          beta: factor,
          quads: Y.quads,
          begin: first,
          count,
          offset: parts[0].offset,
          firstAtom: atoms.first,
          atoms: atoms.count,
          column: offset,
        };
        const groups = [Math.ceil(Y.quads / 128), atoms.count] as const;
        queue.dispatch("moments", params, [parts[0].buffer, starts, entries, buffer], groups);
        factor = 1;
      }
    }
    for (const { first, count, parts } of runsOf(C)) {
      const columns = { firstAtom: first, atoms: count, column: parts[0].offset };
      const params = { beta, stride: C.stride, ...X.layout, ...columns };
      const buffers = [X.store.buffer, starts, entries, parts[0].buffer];
      queue.dispatch("codeMoments", params, buffers, [count]);
    }
  }

  /** dⱼ ← u/‖u‖ with u = dⱼ + ω(bⱼ − Dcⱼ)/Cⱼⱼ, one atom after the other. */
  descend(
    B: GpuMatrix,
    C: GpuMatrix,
    D: GpuMatrix,
    step: number,
    { first: begin, count: total }: AtomRange,
  ): void {
    const T = this.#room("turned", D.cols, D.rows);
    const end = begin + total;
    this.#transpose(D, T);
    for (let first = begin; first < end; first += productBlock) {
      const atoms = Math.min(productBlock, end - first);
      const V = this.#room("DC", D.rows, Math.min(productBlock, D.cols)).slice(0, atoms);
      this.#products.product(T, C.slice(first, atoms), V);
      this.#descendBlock(B, C, D, V, first, step);
      if (first + atoms < end) this.#transpose(D.slice(first, atoms), T, first);
    }
  }

  /** The atoms from `begin` on, one after the other; V has D times their columns of C. */
  #descendBlock(B: GpuMatrix, C: GpuMatrix, D: GpuMatrix, V: GpuMatrix, begin: number, step: number): void {
    const { queue } = this.#memory;
    const changes = queue.scratch("changes", descentBlock * D.stride * 4);
    const threads =
      D.quads <= 512 ? 256 : Math.min(512, queue.device.limits.maxComputeInvocationsPerWorkgroup);
    const [ownB, ownC, ownD] = [B, C, D].map((matrix) => matrix.slice(begin, V.cols));
    for (const run of runsOf(ownB, ownC, V, ownD)) {
      for (let at = 0; at < run.count; at += descentBlock) {
        const atoms = Math.min(descentBlock, run.count - at);
        const behind = run.first + at + atoms;
        const block = { quads: D.quads, strideC: C.stride, first: begin + behind - atoms, atoms };
        const [columnB, columnC, columnV, columnD] = run.parts.map(({ offset }) => offset + at);
        const params = { ...block, columnB, columnC, columnV, columnD, floor: momentFloor, step };
        const buffers = [...run.parts.map(({ buffer }) => buffer), changes];
        queue.dispatch("descend", params, buffers, [1], { threads });
        const others = V.cols - behind;
        for (const { count, parts } of runsOf(V.slice(behind, others), ownC.slice(behind, others))) {
          const [{ buffer: v, offset: atV }, { buffer: c, offset: atC }] = parts;
          const behindIt = { ...block, columns: count, columnV: atV, columnC: atC };
          const groups = [Math.ceil(D.quads / 64), Math.ceil(count / 4)] as const;
          queue.dispatch("followAtoms", behindIt, [changes, c, v], groups);
        }
      }
    }
  }

  /** K-SVD's atoms with their coefficients, one after the other. */
  refit(R: GpuMatrix, X: GpuSparse, D: GpuMatrix): void {
    const { queue } = this.#memory;
    const { starts, entries } = this.#codes.lists(X);
    const u = queue.scratch("direction", 2 * D.stride * 4);
    for (const { first, count, parts } of runsOf(D)) {
      const { buffer, offset } = parts[0];
      for (let j = 0; j < count; j++) {
        const column = offset + j;
        let keeps = 0;
        for (const run of runsOf(R)) {
          const part = run.parts[0];
          const params = { quads: D.quads, atom: first + j, ...examplesOf(run), column, keeps };
          const groups = [Math.ceil(D.quads / 16)] as const;
          queue.dispatch("refitDirection", params, [part.buffer, starts, entries, buffer, u], groups);
          keeps = 1;
        }
        if (R.cols === 0) return;
        queue.dispatch("refitAtom", { quads: D.quads, column }, [u, buffer], [1]);
        for (const run of runsOf(R)) {
          const part = run.parts[0];
          const params = { quads: D.quads, atom: first + j, ...examplesOf(run), column, ...X.layout };
          const buffers = [u, starts, entries, buffer, part.buffer, X.store.buffer];
          queue.dispatch("refitCodes", params, buffers, [Math.min(refitGroups, run.count)]);
        }
      }
    }
    X.store.version++;
  }

  /** C ← C + YYᵀ. */
  addOuter(Y: GpuMatrix, C: GpuMatrix): void {
    if (Y.cols === 0) return;
    const T = this.#room("turned", Y.cols, Y.rows);
    this.#transpose(Y, T);
    this.#products.product(T, T, C, undefined, true);
  }

  /** T ← Mᵀ, in rows of T from `row` on. */
  #transpose(M: GpuMatrix, T: GpuMatrix, row = 0): void {
    const { queue } = this.#memory;
    for (const columns of runsOf(M)) {
      for (const { first, count, parts } of runsOf(T)) {
        const from = columns.parts[0];
        const source = {
          columns: columns.count,
          column: from.offset,
          stride: M.stride,
          first: row + columns.first,
        };
        const target = { begin: first, count, place: parts[0].offset, strideT: T.stride };
        const groups = [Math.ceil(count / 16), Math.ceil(columns.count / 16)] as const;
        queue.dispatch("transpose", { ...source, ...target }, [from.buffer, parts[0].buffer], groups);
      }
    }
  }

  /** A named matrix that stays for the next call of the same size; its padding is zero. */
  #room(name: string, rows: number, cols: number): GpuMatrix {
    const held = this.#held.get(name);
    if (held && held.rows === rows && held.cols === cols) return held;
    if (held) this.#memory.free(held);
    const room = this.#memory.matrix(rows, cols);
    this.#held.set(name, room);
    return room;
  }
}

/** The examples of a run of R, as parameters. */
function examplesOf({ first, count, parts }: Run) {
  return { begin: first, count, offset: parts[0].offset };
}

export function explicitOperations(
  memory: GpuMemory,
  products: GpuProducts,
  codes: CodeLists,
): ExplicitOperations {
  const updates = new ExplicitUpdates(memory, products, codes);
  return {
    correlate: async (D, Y, P) => products.product(dense(D), dense(Y), dense(P)),
    combine: async (D, X, Y) => products.combine(dense(D), sparse(X), dense(Y)),
    remainder: async (D, X, Y, R) => products.remainder(dense(D), sparse(X), dense(Y), dense(R)),
    addMoments: async (beta, Y, X, B, C) => updates.addMoments(beta, dense(Y), sparse(X), dense(B), dense(C)),
    async descendAtoms(B, C, D, step = 1, atoms = { first: 0, count: D.cols }) {
      updates.descend(dense(B), dense(C), dense(D), step, atoms);
      await memory.queue.pace();
    },
    async refitAtoms(R, X, D) {
      updates.refit(dense(R), sparse(X), dense(D));
      await memory.queue.pace();
    },
    addOuter: async (Y, C) => updates.addOuter(dense(Y), dense(C)),
  };
}
