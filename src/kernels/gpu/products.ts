/**
 * Products with Φ and with D = ΦA.
 *
 * Φ is applied axis by axis (an explicit matrix: by one dense product). D is kept as a
 * dense n × m matrix beside A and computed again when A has changed: on a GPU a dense
 * product costs less than gathering the k entries of every atom.
 */

import type { DictionaryOperations } from "../contract.js";
import { chunkBytes, DenseProducts } from "./denseProducts.js";
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

export class GpuProducts {
  readonly #memory: GpuMemory;
  readonly #dense: DenseProducts;

  constructor(memory: GpuMemory, sliceRows: number) {
    this.#memory = memory;
    this.#dense = new DenseProducts(memory, sliceRows);
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
          const groups = [Math.ceil((columns * outer * inner) / 256), Math.ceil(sizeOut / 16)] as const;
          queue.dispatch("axis", params, [base.factors, source, target], groups, {
            along: inner === 1 ? 1 : 0,
          });
          outer *= sizeOut;
        });
      }
    }
  }

  /** C ← Aᵀ B, or diag(scale) Aᵀ B; with `adds`, added to C. If B is A, half of it is computed and mirrored. */
  product(A: GpuMatrix, B: GpuMatrix, C: GpuMatrix, scale?: GpuMatrix, adds = false): void {
    this.#dense.product(A, B, C, scale, adds);
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

  /** Scales, and the rows and columns S of the unit Gram matrix, if there is one. */
  refreshGram(base: GpuBase, A: GpuSparse, S: GpuSet, G: GpuMatrix | null, scale: GpuMatrix): void {
    const D = this.atoms(base, A);
    for (const { first, count, parts } of runsOf(D)) {
      const params = { quads: D.quads, begin: first, count };
      const buffers = [parts[0].buffer, S.buffer, scale.buffer];
      this.#memory.queue.dispatch("atomScales", params, buffers, [A.cols]);
    }
    if (G) this.#dense.refreshGram(D, S, G, scale);
  }

  /** coherence[j] ← the largest |⟨dᵢ, dⱼ⟩| with i < j, for the atoms from `atom` on whose columns G has. */
  coherence(G: GpuMatrix, coherence: GpuMatrix, atom: number): void {
    for (const { first, count, parts } of runsOf(G)) {
      const buffers = [parts[0].buffer, coherence.buffer];
      const params = { columns: count, stride: G.stride, begin: atom + first };
      this.#memory.queue.dispatch("coherence", params, buffers, [count]);
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
      products.refreshGram(base(phi), sparse(A), set(S), G && dense(G), dense(scale)),
    coherence: async (G, coherence, first = 0) => products.coherence(dense(G), dense(coherence), first),
  };
}

/** The size of a column before the first axis, between two, and after the last. */
function sizesAlong(steps: GpuBase["analysis"]): number[] {
  let size = steps.reduce((product, { sizeIn }) => product * sizeIn, 1);
  return [size, ...steps.map(({ sizeIn, sizeOut }) => (size = (size / sizeIn) * sizeOut))];
}
