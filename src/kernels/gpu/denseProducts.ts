/**
 * Dense products AᵀB, and the Gram matrix of the atoms.
 *
 * AᵀA is symmetric: half of it is computed, and mirrored. A product of long columns with
 * few tiles is cut along k into slices that are added up in their order, so that its bits
 * depend on the sizes alone.
 */

import { type GpuMatrix, type GpuSet, type RunPart, runsOf } from "./handles.js";
import type { GpuMemory } from "./memory.js";

/** The most bytes of intermediate results. */
export const chunkBytes = 2 ** 26;
/** Rows and columns of a tile of a dense product. */
const tile = 128;
/** With fewer tiles than this, a large device has workgroups to spare. */
const fewTiles = 256;
/** The share of atoms from which a Gram matrix is refreshed as a whole: a column costs two of half a product. */
const wholeShare = 0.5;
/** Workgroups along the columns of a Gram matrix that are copied; few, since often there is nothing to copy. */
const spreadGroups = 64;

/** Parameters that only some uses need. */
const unused = {
  firstA: 0,
  firstB: 0,
  panelB: 0,
  panelCols: 0,
  columnA: 0,
  columnB: 0,
  columnC: 0,
  placeAt: 0,
  least: 0,
  sliceQuads: 0,
};

/** One dispatch of a product: what it reads and writes, and its tiles. */
interface Piece {
  readonly params: typeof unused & {
    readonly rows: number;
    readonly cols: number;
    readonly quads: number;
    readonly strideC: number;
  };
  readonly a: GPUBuffer;
  readonly b: GPUBuffer;
  readonly c: RunPart;
  readonly tiles: readonly [x: number, y: number];
  readonly flags: Readonly<Record<string, number>>;
  readonly scale: GpuMatrix | undefined;
  readonly S?: GpuSet | undefined;
}

export class DenseProducts {
  readonly #memory: GpuMemory;
  /** vec4 of k in a slice. */
  readonly #sliceQuads: number;

  constructor(memory: GpuMemory, sliceRows: number) {
    this.#memory = memory;
    this.#sliceQuads = Math.max(1, Math.ceil(sliceRows / 8)) * 2; // two at a time
  }

  /** C ← Aᵀ B, or diag(scale) Aᵀ B; with `adds`, added to C. */
  product(A: GpuMatrix, B: GpuMatrix, C: GpuMatrix, scale?: GpuMatrix, adds = false): void {
    if (!scale && isSame(A, B) && inOnePanel(A, C)) {
      const piece = this.#half(A, C, undefined);
      if (piece) this.#sum(piece, adds);
      return;
    }
    const whole = inOnePanel(A, B, C); // panels of one product must be summed alike
    for (const rows of runsOf(A)) {
      for (const { count, parts } of runsOf(B, C)) {
        const [b, c] = parts;
        const params = {
          ...unused,
          rows: rows.count,
          cols: count,
          quads: A.quads,
          strideC: C.quads,
          firstA: rows.first,
          columnA: rows.parts[0].offset,
          columnB: b.offset,
          columnC: c.offset,
        };
        const tiles = [Math.ceil(rows.count / tile), Math.ceil(count / tile)] as const;
        const piece = { params, a: rows.parts[0].buffer, b: b.buffer, c, tiles, flags: {}, scale };
        if (whole) this.#sum(piece, adds);
        else this.#dispatch(piece, { adds: adds ? 1 : 0 });
      }
    }
  }

  /**
   * The rows and columns S of the unit Gram matrix G of D. If S has most of the atoms, half of the whole
   * product costs less than the columns S; only the device knows, so both ways are dispatched.
   */
  refreshGram(D: GpuMatrix, S: GpuSet, G: GpuMatrix, scale: GpuMatrix): void {
    const m = D.cols;
    const least = inOnePanel(D, G) ? Math.ceil(m * wholeShare) : m + 1;
    const piece = least <= m ? this.#half(D, G, scale) : undefined;
    if (piece) {
      const params = { ...piece.params, placeAt: S.placeAt, least };
      this.#dispatch({ ...piece, params, S }, { bounded: 1 });
    }
    if (least > 1) this.#refreshColumns(D, S, G, scale, least);
  }

  /** C ← AᵀA, scaled on both sides; undefined if there is nothing to do. */
  #half(A: GpuMatrix, C: GpuMatrix, scale: GpuMatrix | undefined): Piece | undefined {
    const [run] = runsOf(A, C);
    if (!run) return undefined;
    const [{ buffer, offset }, c] = run.parts;
    const sizes = { rows: A.cols, cols: A.cols, quads: A.quads, strideC: C.quads };
    const params = { ...unused, ...sizes, columnA: offset, columnB: offset, columnC: c.offset };
    const across = Math.ceil(A.cols / tile);
    const tiles = [across, Math.floor(across / 2) + 1] as const;
    return { params, a: buffer, b: buffer, c, tiles, flags: { symmetric: 1 }, scale };
  }

  /** The product at once, or in slices. */
  #sum(piece: Piece, adds: boolean): void {
    const { queue, panelBytes } = this.#memory;
    const { params, c, tiles } = piece;
    const size = params.cols * params.strideC;
    const fit = Math.floor(Math.min(chunkBytes, panelBytes) / (size * 16));
    const slices = Math.ceil(params.quads / this.#sliceQuads);
    if (slices === 1 || slices > fit || tiles[0] * tiles[1] >= fewTiles) {
      this.#dispatch(piece, { adds: adds ? 1 : 0 });
      return;
    }
    const parts = queue.scratch("slices", slices * size * 16);
    const sliced = { ...params, sliceQuads: this.#sliceQuads };
    this.#dispatch({ ...piece, params: sliced, c: { buffer: parts, offset: 0 } }, { sliced: 1 }, slices);
    const sums = { quads: size, slices, first: params.columnC * params.strideC };
    const groups = [Math.ceil(size / 64)] as const;
    queue.dispatch("sumSlices", sums, [parts, c.buffer], groups, { adds: adds ? 1 : 0 });
  }

  #dispatch(piece: Piece, more: Readonly<Record<string, number>>, slices = 1): void {
    const { params, a, b, c, tiles, flags, scale, S } = piece;
    const { queue } = this.#memory;
    const none = queue.scratch("none", 16);
    const buffers = [a, b, S?.buffer ?? none, scale?.buffer ?? none, c.buffer];
    const constants = { ...flags, scales: scale ? 1 : 0, ...more };
    queue.dispatch("product", params, buffers, [...tiles, slices], constants);
  }

  /** The rows and columns S by columns, a chunk of S at a time, if S has fewer members than `least`. */
  #refreshColumns(D: GpuMatrix, S: GpuSet, G: GpuMatrix, scale: GpuMatrix, least: number): void {
    const { queue, panelBytes } = this.#memory;
    const most = Math.min(D.cols, least - 1);
    const fit = Math.floor(Math.min(chunkBytes, panelBytes) / (G.stride * 4));
    const chunk = Math.min(most, fit >= tile ? fit - (fit % tile) : Math.max(1, fit));
    const columns = { buffer: queue.scratch("Gram columns", chunk * G.stride * 4), offset: 0 };
    for (let first = 0; first < most; first += chunk) {
      const places = Math.min(chunk, most - first);
      for (const rows of runsOf(D)) {
        for (const others of runsOf(D)) {
          const params = {
            ...unused,
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
          const [a, b] = [rows.parts[0].buffer, others.parts[0].buffer];
          const tiles = [Math.ceil(rows.count / tile), Math.ceil(places / tile)] as const;
          this.#dispatch({ params, a, b, c: columns, tiles, flags: { gathers: 1 }, scale, S }, {});
        }
      }
      this.#spread(columns.buffer, { firstPlace: first, places, least }, S, G);
    }
  }

  /** G[:, S] and G[S, :] from columns just computed. */
  #spread(
    columns: GPUBuffer,
    part: { readonly firstPlace: number; readonly places: number; readonly least: number },
    S: GpuSet,
    G: GpuMatrix,
  ): void {
    const { queue } = this.#memory;
    for (const { first, count, parts } of runsOf(G)) {
      const buffers = [columns, S.buffer, parts[0].buffer];
      const down = { ...part, quads: G.quads, begin: first, count };
      const rows = Math.min(spreadGroups, part.places);
      queue.dispatch("gramColumns", down, buffers, [Math.ceil(G.quads / 64), rows]);
      const across = { ...part, stride: G.stride, atoms: G.cols, begin: first, count };
      const blocks = Math.min(spreadGroups, Math.ceil(part.places / 16));
      queue.dispatch("gramRows", across, buffers, [Math.ceil(count / 16), blocks]);
    }
  }
}

function isSame(A: GpuMatrix, B: GpuMatrix): boolean {
  return A.store === B.store && A.first === B.first && A.cols === B.cols;
}

/** Whether each matrix lies in one buffer, as far as it is used. */
function inOnePanel(...matrices: readonly GpuMatrix[]): boolean {
  return matrices.every((matrix) => [...runsOf(matrix)].length <= 1);
}
