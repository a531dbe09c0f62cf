/**
 * Handles of the GPU kernels: buffers, and where in them matrices lie.
 *
 * A column is padded with zeros to whole vec4 (`stride` floats), and no kernel writes
 * anything else there. A matrix that is too large for one binding is split into panels,
 * each a buffer of its own with a whole number of columns.
 */

import type { Shape } from "../../core/shape.js";
import type { Matrix64 } from "../../linalg/matrix64.js";
import {
  type DeviceBase,
  type DeviceMatrix,
  type DeviceSet,
  type DeviceSignals,
  type DeviceSparse,
  ownHandle,
} from "../deviceHandles.js";

/** The memory of a matrix; heads share it. */
interface MatrixStore {
  readonly panels: readonly GPUBuffer[];
  /** Columns of each panel but the last. */
  readonly panelCols: number;
}

export class GpuMatrix implements DeviceMatrix {
  readonly rows: number;
  readonly cols: number;
  /** Floats of a column. */
  readonly stride: number;
  readonly store: MatrixStore;
  /** The column of the store that is its column 0. */
  readonly first: number;

  constructor(rows: number, cols: number, store: MatrixStore, first = 0) {
    this.rows = rows;
    this.cols = cols;
    this.stride = strideOf(rows);
    this.store = store;
    this.first = first;
  }

  /** Columns [from, from + cols), sharing the memory. */
  slice(from: number, cols: number): GpuMatrix {
    return new GpuMatrix(this.rows, cols, this.store, this.first + from);
  }

  /** vec4 of a column. */
  get quads(): number {
    return this.stride / 4;
  }

  /** The only panel of a small matrix. */
  get buffer(): GPUBuffer {
    if (this.store.panels.length !== 1)
      throw new TypeError("gpu kernels: a small matrix is not in one buffer");
    return this.store.panels[0];
  }
}

export function strideOf(rows: number): number {
  return Math.max(4, Math.ceil(rows / 4) * 4);
}

/** Columns [first, first + count) of some matrices, in one buffer each. */
export interface Run {
  readonly first: number;
  readonly count: number;
  /** The buffer behind each matrix, and the column of that buffer where the run starts. */
  readonly parts: readonly RunPart[];
}

export interface RunPart {
  readonly buffer: GPUBuffer;
  readonly offset: number;
}

/** The columns of some matrices of equal width, in runs that lie in one panel of each. */
export function* runsOf(...matrices: readonly GpuMatrix[]): Generator<Run> {
  const { cols } = matrices[0];
  let first = 0;
  while (first < cols) {
    const places = matrices.map(({ store: { panels, panelCols }, first: start }) => {
      const panel = Math.floor((start + first) / panelCols);
      const offset = start + first - panel * panelCols;
      return { buffer: panels[panel], offset, left: panelCols - offset };
    });
    const count = Math.min(cols - first, ...places.map(({ left }) => left));
    yield { first, count, parts: places };
    first += count;
  }
}

/** The memory of sparse columns: indices, values and counts in one buffer of words. */
export interface SparseStore {
  readonly buffer: GPUBuffer;
  readonly valuesAt: number;
  readonly countsAt: number;
  /** Grows with every write, so that results derived from older contents are recognised. */
  version: number;
  /** ΦA as a dense matrix, of a base and a version. */
  dense?: { readonly base: GpuBase; readonly version: number; readonly D: GpuMatrix };
}

export class GpuSparse implements DeviceSparse {
  readonly rows: number;
  readonly cols: number;
  readonly width: number;
  readonly store: SparseStore;

  constructor(rows: number, cols: number, width: number, store: SparseStore) {
    this.rows = rows;
    this.cols = cols;
    this.width = width;
    this.store = store;
  }

  /** Parameters of shaders: the width, and where values and counts start. */
  get layout(): { readonly width: number; readonly valuesAt: number; readonly countsAt: number } {
    return { width: this.width, valuesAt: this.store.valuesAt, countsAt: this.store.countsAt };
  }
}

/** Words: the size, the members, then the place of each atom among them. */
export class GpuSet implements DeviceSet {
  readonly capacity: number;
  readonly buffer: GPUBuffer;

  constructor(capacity: number, buffer: GPUBuffer) {
    this.capacity = capacity;
    this.buffer = buffer;
  }

  get placeAt(): number {
    return 1 + this.capacity;
  }
}

/** One axis of a transform: where its factor starts, and the sizes before and after. */
export interface AxisStep {
  readonly factorAt: number;
  readonly sizeIn: number;
  readonly sizeOut: number;
}

export class GpuBase implements DeviceBase {
  readonly rows: number;
  readonly cols: number;
  readonly factors: GPUBuffer;
  readonly analysis: readonly AxisStep[];
  readonly synthesis: readonly AxisStep[];
  /** An explicit matrix (one axis): Φ and Φᵀ, for dense products. */
  readonly explicit: { readonly phi: GpuMatrix; readonly transposed: GpuMatrix } | undefined;

  constructor(
    sizes: readonly Matrix64[],
    factors: GPUBuffer,
    analysis: readonly AxisStep[],
    synthesis: readonly AxisStep[],
    explicit: { readonly phi: GpuMatrix; readonly transposed: GpuMatrix } | undefined,
  ) {
    this.rows = sizes.reduce((product, factor) => product * factor.rows, 1);
    this.cols = sizes.reduce((product, factor) => product * factor.cols, 1);
    this.factors = factors;
    this.analysis = analysis;
    this.synthesis = synthesis;
    this.explicit = explicit;
  }
}

/** Signals in panels of whole signals. */
export class GpuSignals implements DeviceSignals {
  readonly count: number;
  readonly shapes: readonly Shape[];
  readonly panels: readonly GPUBuffer[];
  /** The panel of each signal, and its first sample there. */
  readonly panelOf: Uint32Array;
  readonly firstOf: Uint32Array;
  /** The table of runs of windows, by patch shape. */
  readonly tables = new Map<string, { readonly buffer: GPUBuffer; readonly startOf: Uint32Array }>();

  constructor(
    shapes: readonly Shape[],
    panels: readonly GPUBuffer[],
    panelOf: Uint32Array,
    firstOf: Uint32Array,
  ) {
    this.count = shapes.length;
    this.shapes = shapes;
    this.panels = panels;
    this.panelOf = panelOf;
    this.firstOf = firstOf;
  }
}

export function dense(handle: object): GpuMatrix {
  return ownHandle("gpu", handle, GpuMatrix);
}

export function sparse(handle: DeviceSparse): GpuSparse {
  return ownHandle("gpu", handle, GpuSparse);
}

export function base(handle: DeviceBase): GpuBase {
  return ownHandle("gpu", handle, GpuBase);
}

export function set(handle: DeviceSet): GpuSet {
  return ownHandle("gpu", handle, GpuSet);
}

export function signals(handle: DeviceSignals): GpuSignals {
  return ownHandle("gpu", handle, GpuSignals);
}
