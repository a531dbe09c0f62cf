/** Handles of the CPU kernels: addresses in their memory. */

import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { DeviceBase, DeviceMatrix, DeviceSet, DeviceSignals, DeviceSparse } from "../contract.js";
import { ownHandle } from "../ownHandle.js";

/** A piece of memory from `at` on. */
export class CpuHandle {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

/** A dense matrix: rows × cols f32. */
export class CpuMatrix extends CpuHandle implements DeviceMatrix {
  readonly rows: number;
  readonly cols: number;

  constructor(rows: number, cols: number, at: number) {
    super(at);
    this.rows = rows;
    this.cols = cols;
  }
}

/** Addresses of a `Sparse` of assembly/structs.ts, and of what it points to. */
export interface SparsePlaces {
  readonly at: number;
  readonly indices: number;
  readonly values: number;
  readonly counts: number;
}

/** Sparse columns. */
export class CpuSparse extends CpuHandle implements DeviceSparse {
  readonly rows: number;
  readonly cols: number;
  readonly width: number;
  readonly places: SparsePlaces;

  constructor(rows: number, cols: number, width: number, places: SparsePlaces) {
    super(places.at);
    this.rows = rows;
    this.cols = cols;
    this.width = width;
    this.places = places;
  }
}

/** The plans of Φᵀ and of Φ. */
export interface BasePlans {
  /** Their addresses. */
  readonly analysis: number;
  readonly synthesis: number;
  /** Rows of the largest block that either makes on its way. */
  readonly blockRows: number;
  /** Weights that one example meets on its way through Φ. */
  readonly weights: number;
}

/** Φ: a `Base` of assembly/structs.ts, and what it points to. */
export class CpuBase extends CpuHandle implements DeviceBase {
  readonly rows: number;
  readonly cols: number;
  readonly plans: BasePlans;

  constructor(rows: number, cols: number, at: number, plans: BasePlans) {
    super(at);
    this.rows = rows;
    this.cols = cols;
    this.plans = plans;
  }
}

/** A set of atoms: `size` of them. */
export class CpuSet extends CpuHandle implements DeviceSet {
  readonly capacity: number;
  size = 0;

  constructor(capacity: number, at: number) {
    super(at);
    this.capacity = capacity;
  }
}

/** Signals one after the other: where each begins, and which of their shapes it has. */
export class CpuSignals extends CpuHandle implements DeviceSignals {
  readonly count: number;
  /** The different shapes, and the place of each signal's among them. */
  readonly shapes: readonly Shape[];
  readonly kinds: Uint32Array;
  readonly firsts: Float64Array;

  constructor(signals: readonly Signal[], at: number) {
    super(at);
    this.count = signals.length;
    const known = new Map<string, number>();
    const shapes: Shape[] = [];
    this.kinds = Uint32Array.from(signals, ({ shape }) => {
      const key = shape.join();
      const kind = known.get(key) ?? shapes.push(shape) - 1;
      known.set(key, kind);
      return kind;
    });
    this.shapes = shapes;
    this.firsts = new Float64Array(signals.length + 1);
    signals.forEach(({ shape }, s) => {
      this.firsts[s + 1] = this.firsts[s] + sizeOf(shape);
    });
  }
}

/** Any handle, as one of these kernels. */
export function own(handle: object): CpuHandle {
  return ownHandle("cpu", handle, CpuHandle);
}

export function dense(handle: DeviceMatrix): CpuMatrix {
  return ownHandle("cpu", handle, CpuMatrix);
}

export function sparse(handle: DeviceSparse): CpuSparse {
  return ownHandle("cpu", handle, CpuSparse);
}

export function base(handle: DeviceBase): CpuBase {
  return ownHandle("cpu", handle, CpuBase);
}

export function set(handle: DeviceSet): CpuSet {
  return ownHandle("cpu", handle, CpuSet);
}

export function signals(handle: DeviceSignals): CpuSignals {
  return ownHandle("cpu", handle, CpuSignals);
}
