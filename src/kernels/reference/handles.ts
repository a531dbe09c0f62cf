/**
 * Handles of the reference kernels: plain objects on the host. A dense or sparse
 * handle is the host matrix itself.
 */

import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { Signal } from "../../core/signal.js";
import type { Matrix64 } from "../../linalg/matrix64.js";
import {
  type DeviceBase,
  type DeviceMatrix,
  type DeviceSet,
  type DeviceSignals,
  type DeviceSparse,
  ownHandle,
} from "../deviceHandles.js";

export class ReferenceBase implements DeviceBase {
  readonly factors: readonly Matrix64[];
  readonly rows: number;
  readonly cols: number;

  constructor(factors: readonly Matrix64[]) {
    this.factors = factors;
    this.rows = factors.reduce((product, factor) => product * factor.rows, 1);
    this.cols = factors.reduce((product, factor) => product * factor.cols, 1);
  }
}

export class ReferenceSet implements DeviceSet {
  readonly capacity: number;
  members = new Uint32Array(0);

  constructor(capacity: number) {
    this.capacity = capacity;
  }
}

export class ReferenceSignals implements DeviceSignals {
  readonly signals: readonly Signal[];
  readonly count: number;
  readonly scale: number;

  constructor(signals: readonly Signal[], scale: number) {
    this.signals = signals.map((signal) => ({ ...signal, data: signal.data.slice() }));
    this.scale = scale;
    this.count = signals.length;
  }
}

export function dense(handle: DeviceMatrix): DenseMatrix {
  return ownHandle("reference", handle, DenseMatrix);
}

export function sparse(handle: DeviceSparse): SparseColumns {
  return ownHandle("reference", handle, SparseColumns);
}

export function base(handle: DeviceBase): ReferenceBase {
  return ownHandle("reference", handle, ReferenceBase);
}

export function set(handle: DeviceSet): ReferenceSet {
  return ownHandle("reference", handle, ReferenceSet);
}

export function signals(handle: DeviceSignals): ReferenceSignals {
  return ownHandle("reference", handle, ReferenceSignals);
}
