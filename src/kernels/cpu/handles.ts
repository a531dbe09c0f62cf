/** Handles of the CPU kernels: addresses in their memory. */

import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { DeviceBase, DeviceMatrix, DeviceSet, DeviceSignals, DeviceSparse } from "../contract.js";

/** A dense matrix: rows × cols f32 from `at`. */
export class CpuMatrix implements DeviceMatrix {
  readonly rows: number;
  readonly cols: number;
  readonly at: number;

  constructor(rows: number, cols: number, at: number) {
    this.rows = rows;
    this.cols = cols;
    this.at = at;
  }
}

/** Sparse columns: indices, values and counts, each from its own address. */
export class CpuSparse implements DeviceSparse {
  readonly rows: number;
  readonly cols: number;
  readonly width: number;
  readonly indices: number;
  readonly values: number;
  readonly counts: number;

  constructor(
    rows: number,
    cols: number,
    width: number,
    at: { indices: number; values: number; counts: number },
  ) {
    this.rows = rows;
    this.cols = cols;
    this.width = width;
    this.indices = at.indices;
    this.values = at.values;
    this.counts = at.counts;
  }
}

/** What a base has in memory: two plans, and its columns as outer products of leading and last ones. */
export interface BasePlaces {
  /** Plans of Φᵀ and of Φ; the first address is that of the whole piece. */
  readonly analysis: number;
  readonly synthesis: number;
  /** Rows of the largest block either plan makes on its way. */
  readonly blockRows: number;
  /** Weights that one example meets on its way through Φ. */
  readonly weights: number;
  /** Columns over all axes but the last, and over the last: addresses, lengths, and the number of the latter. */
  readonly leading: { readonly at: number; readonly length: number };
  readonly last: { readonly at: number; readonly length: number; readonly number: number };
}

export class CpuBase implements DeviceBase {
  readonly rows: number;
  readonly cols: number;
  readonly places: BasePlaces;

  constructor(rows: number, cols: number, places: BasePlaces) {
    this.rows = rows;
    this.cols = cols;
    this.places = places;
  }

  get blockRows(): number {
    return this.places.blockRows;
  }
}

/** A set of atoms: `size` members from `at`. */
export class CpuSet implements DeviceSet {
  readonly capacity: number;
  readonly at: number;
  size = 0;

  constructor(capacity: number, at: number) {
    this.capacity = capacity;
    this.at = at;
  }
}

/** Signals one after the other: where each begins, and which of their shapes it has. */
export class CpuSignals implements DeviceSignals {
  readonly count: number;
  readonly at: number;
  /** The different shapes, and the place of each signal's among them. */
  readonly shapes: readonly Shape[];
  readonly kinds: Uint32Array;
  readonly firsts: Float64Array;

  constructor(signals: readonly Signal[], at: number) {
    this.count = signals.length;
    this.at = at;
    const known = new Map<string, number>();
    const shapes: Shape[] = [];
    this.kinds = Uint32Array.from(signals, ({ shape }) => {
      const key = shape.join();
      if (!known.has(key)) known.set(key, shapes.push(shape) - 1);
      return known.get(key)!;
    });
    this.shapes = shapes;
    this.firsts = new Float64Array(signals.length + 1);
    signals.forEach(({ shape }, s) => {
      this.firsts[s + 1] = this.firsts[s] + sizeOf(shape);
    });
  }
}

/** A handle of these kernels; one of other kernels, or one that was freed, is a mistake of the program. */
// biome-ignore lint/suspicious/noExplicitAny: any class will do
export function own<C extends new (...args: any[]) => object>(handle: object, type: C): InstanceType<C> {
  if (handle instanceof type) return handle as InstanceType<C>;
  throw new TypeError(`cpu kernels: not a handle of theirs: ${handle?.constructor?.name}`);
}
