/**
 * Products with Φ and with D = ΦA.
 *
 * Φ is applied axis by axis (an explicit matrix: by one dense product). D is kept as a
 * dense n × m matrix beside A and computed again when A has changed: on a GPU a dense
 * product costs less than gathering the k entries of every atom.
 */

import type { DictionaryOperations } from "../contract.js";
import {
  base,
  dense,
  type GpuBase,
  GpuMatrix,
  type GpuSet,
  type GpuSparse,
  runsOf,
  set,
  sparse,
} from "./handles.js";
import type { GpuMemory } from "./memory.js";

/** The most bytes of intermediate results. */
export const chunkBytes = 2 ** 26;
/** Rows and columns of a tile of a dense product. */
const tile = 128;
/** The share of atoms from which a Gram matrix is refreshed as a whole: a column costs two of half a product. */
const wholeShare = 0.5;
/** Workgroups along the columns of a Gram matrix that are copied; few, since often there is nothing to copy. */
const spreadGroups = 64;
/** Parameters of a dense product that only some uses need. */
const wholeProduct = {
  firstA: 0,
  firstB: 0,
  panelB: 0,
  panelCols: 0,
  columnA: 0,
  columnB: 0,
  columnC: 0,
  placeAt: 0,
  least: 0,
};

export class GpuProducts {
  readonly #memory: GpuMemory;
  readonly #depth: number;
  readonly #shader: "product" | "productWide";

  constructor(memory: GpuMemory, depth: number, wide: boolean) {
    this.#memory = memory;
    this.#depth = depth;
    this.#shader = wide ? "productWide" : "product";
  }

  /** Z ← Φᵀ Y. */
  analyze(base: GpuBase, Y: GpuMatrix, Z: GpuMatrix): void {
    if (base.explicit) this.product(base.explicit.phi, Y, Z);
    else this.#transform(base, base.analysis, Y, Z);
  }

  /** Y ← Φ C. */
  synthesize(base: GpuBase, C: GpuMatrix, Y: GpuMatrix): void {
    if (base.explicit) this.product(base.explicit.transposed, C, Y);
    else this.#transform(base, base.synthesis, C, Y);
  }

  /** One axis after the other, as many columns at a time as the intermediate results have memory for. */
  #transform(base: GpuBase, steps: GpuBase["analysis"], input: GpuMatrix, output: GpuMatrix): void {
    const { queue } = this.#memory;
    const sizes = sizesAlong(steps);
    const largest = Math.max(...sizes.slice(1, -1));
    const most = Math.max(1, Math.floor(Math.min(chunkBytes, this.#memory.panelBytes) / (largest * 4)));
    for (const { count, parts } of runsOf(input, output)) {
      const room = [0, 1].map((i) => queue.scratch(`axis ${i}`, Math.min(count, most) * largest * 4));
      for (let first = 0; first < count; first += most) {
        const columns = Math.min(most, count - first);
        let inner = sizes[0];
        let outer = 1;
        steps.forEach(({ factorAt, sizeIn, sizeOut }, s) => {
          inner /= sizeIn;
          const begins = s === 0;
          const ends = s === steps.length - 1;
          const source = begins ? parts[0].buffer : room[(s + 1) % 2];
          const target = ends ? parts[1].buffer : room[s % 2];
          const params = {
            columns,
            outer,
            sizeIn,
            sizeOut,
            inner,
            strideIn: begins ? input.stride : sizes[s],
            strideOut: ends ? output.stride : sizes[s + 1],
            firstIn: begins ? parts[0].offset + first : 0,
            firstOut: ends ? parts[1].offset + first : 0,
            factorAt,
          };
          const groups = [Math.ceil((columns * outer * inner) / 64), Math.ceil(sizeOut / 16)] as const;
          queue.dispatch("axis", params, [base.factors, source, target], groups);
          outer *= sizeOut;
        });
      }
    }
  }

  /** C ← Aᵀ B, or diag(scale) Aᵀ B; with `adds`, added to C. If B is A, half of it is computed and mirrored. */
  product(A: GpuMatrix, B: GpuMatrix, C: GpuMatrix, scale?: GpuMatrix, adds = false): void {
    const { queue } = this.#memory;
    const none = queue.scratch("none", 16);
    if (!scale && isSame(A, B) && inOnePanel(A, C)) {
      this.#symmetric(A, C, { adds });
      return;
    }
    for (const rows of runsOf(A)) {
      for (const { count, parts } of runsOf(B, C)) {
        const [b, c] = parts;
        const params = {
          ...wholeProduct,
          rows: rows.count,
          cols: count,
          quads: A.quads,
          strideC: C.quads,
          firstA: rows.first,
          columnA: rows.parts[0].offset,
          columnB: b.offset,
          columnC: c.offset,
        };
        const buffers = [rows.parts[0].buffer, b.buffer, none, scale?.buffer ?? none, c.buffer];
        const groups = [Math.ceil(rows.count / tile), Math.ceil(count / tile)] as const;
        queue.dispatch(this.#shader, params, buffers, groups, {
          scales: scale ? 1 : 0,
          adds: adds ? 1 : 0,
          depth: this.#depth,
        });
      }
    }
  }

  /** C ← AᵀA, scaled on both sides; with a set, only its rows and columns, and only if it has `least` members. */
  #symmetric(
    A: GpuMatrix,
    C: GpuMatrix,
    options: {
      readonly adds?: boolean;
      readonly scale?: GpuMatrix;
      readonly S?: GpuSet;
      readonly least?: number;
    },
  ): void {
    const { adds = false, scale, S, least = 0 } = options;
    const { queue } = this.#memory;
    const none = queue.scratch("none", 16);
    const [a] = [...runsOf(A)];
    const [c] = [...runsOf(C)];
    if (!a || !c) return;
    const params = {
      ...wholeProduct,
      rows: A.cols,
      cols: A.cols,
      quads: A.quads,
      strideC: C.quads,
      columnA: a.parts[0].offset,
      columnB: a.parts[0].offset,
      columnC: c.parts[0].offset,
      placeAt: S?.placeAt ?? 0,
      least,
    };
    const { buffer } = a.parts[0];
    const buffers = [buffer, buffer, S?.buffer ?? none, scale?.buffer ?? none, c.parts[0].buffer];
    const tiles = Math.ceil(A.cols / tile);
    queue.dispatch(this.#shader, params, buffers, [tiles, Math.floor(tiles / 2) + 1], {
      symmetric: 1,
      bounded: S ? 1 : 0,
      scales: scale ? 1 : 0,
      adds: adds ? 1 : 0,
      depth: this.#depth,
    });
  }

  /** D = ΦA for the current A. */
  atoms(base: GpuBase, A: GpuSparse): GpuMatrix {
    const { store } = A;
    const held = store.dense;
    if (held && held.base === base && held.version === store.version) return held.D;
    const D = held && held.D.rows === base.rows ? held.D : this.#memory.matrix(base.rows, A.cols);
    if (held && held.D !== D) this.#memory.free(held.D);
    this.#synthesizeAtoms(base, A, D);
    store.dense = { base, version: store.version, D };
    return D;
  }

  #synthesizeAtoms(base: GpuBase, A: GpuSparse, D: GpuMatrix): void {
    const { queue } = this.#memory;
    const strideBytes = Math.ceil(A.rows / 4) * 16;
    const most = Math.max(1, Math.floor(Math.min(chunkBytes, this.#memory.panelBytes) / strideBytes));
    for (const { first, count } of runsOf(D)) {
      const columns = Math.min(count, most);
      const room = queue.scratch("dense columns", columns * strideBytes);
      for (let at = 0; at < count; at += columns) {
        const here = Math.min(columns, count - at);
        queue.clear(room, here * strideBytes);
        const params = { columns: here, ...A.layout, first: first + at, stride: strideBytes / 4 };
        queue.dispatch("densify", params, [A.store.buffer, room], [Math.ceil(A.width / 64), here]);
        const C = new GpuMatrix(A.rows, here, { panels: [room], panelCols: here });
        this.synthesize(base, C, D.slice(first + at, here));
      }
    }
  }

  /** R ← Y − DX. R may be Y. */
  remainder(D: GpuMatrix, X: GpuSparse, Y: GpuMatrix, R: GpuMatrix): void {
    this.#memory.copy(Y, R);
    this.combine(D, X, R, { subtracts: true });
  }

  /** result ← [result] ± M X, the columns of M by atom, or by an atom's place in S. */
  combine(
    M: GpuMatrix,
    X: GpuSparse,
    result: GpuMatrix,
    options: { readonly subtracts?: boolean; readonly S?: GpuSet; readonly firstExample?: number } = {},
  ): void {
    const { queue } = this.#memory;
    const { subtracts = false, S, firstExample = 0 } = options;
    const none = queue.scratch("none", 16);
    for (const { first, count, parts } of runsOf(result)) {
      let keeps = subtracts ? 1 : 0;
      const { buffer } = parts[0]; // heads start with a panel
      for (const columns of runsOf(M)) {
        const params = {
          examples: count,
          quads: M.quads,
          ...X.layout,
          firstX: firstExample + first,
          begin: columns.first,
          count: columns.count,
          keeps,
          placeAt: S?.placeAt ?? 0,
        };
        const buffers = [columns.parts[0].buffer, X.store.buffer, S?.buffer ?? none, buffer];
        const groups = [Math.ceil(M.quads / 64), count] as const;
        queue.dispatch("combine", params, buffers, groups, {
          placed: S ? 1 : 0,
          subtracts: subtracts ? 1 : 0,
        });
        keeps = 1;
      }
    }
  }

  /**
   * Scales and the rows and columns S of the unit Gram matrix. If S has most of the atoms, half of the
   * whole product costs less than the columns S; only the device knows, so both ways are dispatched.
   */
  refreshGram(base: GpuBase, A: GpuSparse, S: GpuSet, G: GpuMatrix, scale: GpuMatrix): void {
    const { queue } = this.#memory;
    const D = this.atoms(base, A);
    const m = A.cols;
    for (const { first, count, parts } of runsOf(D)) {
      const params = { quads: D.quads, begin: first, count };
      queue.dispatch("atomScales", params, [parts[0].buffer, S.buffer, scale.buffer], [m]);
    }
    const least = inOnePanel(D, G) ? Math.ceil(m * wholeShare) : m + 1;
    if (least <= m) this.#symmetric(D, G, { scale, S, least });
    if (least > 1) this.#refreshColumns(D, S, G, scale, least);
  }

  /** The same by columns, a chunk of S at a time, if S has fewer members than `least`. */
  #refreshColumns(D: GpuMatrix, S: GpuSet, G: GpuMatrix, scale: GpuMatrix, least: number): void {
    const { queue } = this.#memory;
    const most = Math.min(D.cols, least - 1);
    const room = Math.min(chunkBytes, this.#memory.panelBytes);
    const fit = Math.floor(room / (G.stride * 4));
    const chunk = Math.min(most, fit >= tile ? fit - (fit % tile) : Math.max(1, fit));
    const columns = queue.scratch("Gram columns", chunk * G.stride * 4);
    for (let first = 0; first < most; first += chunk) {
      const places = Math.min(chunk, most - first);
      for (const rows of runsOf(D)) {
        for (const others of runsOf(D)) {
          const params = {
            ...wholeProduct,
            rows: rows.count,
            cols: places,
            quads: D.quads,
            strideC: G.quads,
            firstA: rows.first,
            firstB: first,
            panelB: others.first,
            panelCols: others.count,
            columnA: rows.parts[0].offset,
            least,
          };
          const buffers = [rows.parts[0].buffer, others.parts[0].buffer, S.buffer, scale.buffer, columns];
          const groups = [Math.ceil(rows.count / tile), Math.ceil(places / tile)] as const;
          queue.dispatch(this.#shader, params, buffers, groups, {
            gathers: 1,
            scales: 1,
            depth: this.#depth,
          });
        }
      }
      this.#spread(columns, first, places, S, G, least);
    }
  }

  /** coherence[j] ← the largest |G[i, j]| with i < j. */
  coherence(G: GpuMatrix, coherence: GpuMatrix): void {
    for (const { first, count, parts } of runsOf(G)) {
      const buffers = [parts[0].buffer, coherence.buffer];
      this.#memory.queue.dispatch("coherence", { columns: count, stride: G.stride, begin: first }, buffers, [
        count,
      ]);
    }
  }

  /** G[:, S] and G[S, :] from columns just computed. */
  #spread(
    columns: GPUBuffer,
    firstPlace: number,
    places: number,
    S: GpuSet,
    G: GpuMatrix,
    least: number,
  ): void {
    const { queue } = this.#memory;
    for (const { first, count, parts } of runsOf(G)) {
      const buffers = [columns, S.buffer, parts[0].buffer];
      const down = { quads: G.quads, places, firstPlace, begin: first, count, least };
      const rows = Math.min(spreadGroups, places);
      queue.dispatch("gramColumns", down, buffers, [Math.ceil(G.quads / 64), rows]);
      const across = { stride: G.stride, atoms: G.cols, places, firstPlace, begin: first, count, least };
      const blocks = Math.min(spreadGroups, Math.ceil(places / 16));
      queue.dispatch("gramRows", across, buffers, [Math.ceil(count / 16), blocks]);
    }
  }
}

export function dictionaryOperations(products: GpuProducts): DictionaryOperations {
  return {
    analyze: async (phi, Y, Z) => products.analyze(base(phi), dense(Y), dense(Z)),
    synthesize: async (phi, C, Y) => products.synthesize(base(phi), dense(C), dense(Y)),
    project: async (phi, A, scale, Y, P) =>
      products.product(products.atoms(base(phi), sparse(A)), dense(Y), dense(P), dense(scale)),
    reconstruct: async (phi, A, X, Y) =>
      products.combine(products.atoms(base(phi), sparse(A)), sparse(X), dense(Y)),
    async residual(phi, A, X, Y, R, W) {
      products.remainder(products.atoms(base(phi), sparse(A)), sparse(X), dense(Y), dense(R));
      if (W) products.analyze(base(phi), dense(R), dense(W));
    },
    refreshGram: async (phi, A, S, G, scale) =>
      products.refreshGram(base(phi), sparse(A), set(S), dense(G), dense(scale)),
    coherence: async (G, coherence) => products.coherence(dense(G), dense(coherence)),
  };
}

function isSame(A: GpuMatrix, B: GpuMatrix): boolean {
  return A.store === B.store && A.first === B.first && A.cols === B.cols;
}

/** Whether each matrix lies in one buffer, as far as it is used. */
function inOnePanel(...matrices: readonly GpuMatrix[]): boolean {
  return matrices.every((matrix) => [...runsOf(matrix)].length <= 1);
}

/** The size of a column before the first axis, between two, and after the last. */
function sizesAlong(steps: GpuBase["analysis"]): number[] {
  let size = steps.reduce((product, { sizeIn }) => product * sizeIn, 1);
  return [size, ...steps.map(({ sizeIn, sizeOut }) => (size = (size / sizeIn) * sizeOut))];
}
