/** Handles of the cluster kernels: columns spread over the ranks. Bases, sets and signals are alike on all ranks. */

import type { DeviceMatrix, DeviceSparse } from "../contract.js";
import { ownHandle } from "../deviceHandles.js";
import type { SpreadColumns } from "./spreadColumns.js";

export class ClusterMatrix implements DeviceMatrix {
  readonly rows: number;
  readonly cols: number;
  readonly columns: SpreadColumns<DeviceMatrix>;

  constructor(rows: number, cols: number, columns: SpreadColumns<DeviceMatrix>) {
    this.rows = rows;
    this.cols = cols;
    this.columns = columns;
  }
}

export class ClusterSparse implements DeviceSparse {
  readonly rows: number;
  readonly cols: number;
  readonly width: number;
  readonly columns: SpreadColumns<DeviceSparse>;

  constructor(rows: number, cols: number, width: number, columns: SpreadColumns<DeviceSparse>) {
    this.rows = rows;
    this.cols = cols;
    this.width = width;
    this.columns = columns;
  }
}

export const matrix = (handle: DeviceMatrix) => ownHandle("cluster", handle, ClusterMatrix);
export const sparse = (handle: DeviceSparse) => ownHandle("cluster", handle, ClusterSparse);
