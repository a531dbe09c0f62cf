/** How dense and sparse columns are made, read and written on the kernels of a rank (spreadColumns.ts). */

import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../contract.js";
import { gatherArray } from "./communicator.js";
import type { ColumnPort, ExchangeBuffer } from "./spreadColumns.js";

export function densePort(rows: number, kernels: Kernels, buffer: ExchangeBuffer): ColumnPort<DeviceMatrix> {
  const { divided } = kernels;
  const common = {
    words: rows,
    buffer,
    make: (cols: number) => kernels.matrix(rows, cols),
    head: (handle: DeviceMatrix, cols: number) => kernels.head(handle, cols),
  };
  if (!divided) {
    return {
      ...common,
      read: async (handle, target) => target.set(asWords((await kernels.readMatrix(handle)).data)),
      async write(handle, source, places) {
        const matrix = new DenseMatrix(rows, handle.cols);
        copyColumns(source, places, rows, asWords(matrix.data));
        await kernels.writeMatrix(handle, matrix);
      },
    };
  }
  return {
    ...common,
    read: async (handle, target) => target.set(asWords(divided.values(handle))),
    write: async (handle, source, places) =>
      copyColumns(source, places, rows, asWords(divided.values(handle))),
    exchange: (handle, starts, ranks) =>
      gatherArray(
        divided.values(handle),
        starts.map((start) => start * rows),
        ranks,
      ),
  };
}

/** A column is its indices, its values and its count. */
export function sparsePort(
  rows: number,
  width: number,
  kernels: Kernels,
  buffer: ExchangeBuffer,
): ColumnPort<DeviceSparse> {
  const words = 2 * width + 1;
  const { divided } = kernels;
  const common = {
    words,
    buffer,
    make: (cols: number) => kernels.sparse(rows, cols, width),
    head: (handle: DeviceSparse, cols: number) => kernels.headSparse(handle, cols),
    async read(handle: DeviceSparse, target: Uint32Array) {
      const { cols, indices, values, counts } = await kernels.readSparse(handle);
      for (let i = 0, at = 0; i < cols; i++, at += words) {
        target.set(indices.subarray(i * width, (i + 1) * width), at);
        target.set(asWords(values.subarray(i * width, (i + 1) * width)), at + width);
        target[at + 2 * width] = counts[i];
      }
    },
    async write(handle: DeviceSparse, source: Uint32Array, places: Float64Array) {
      const columns = new SparseColumns(rows, handle.cols, width);
      for (let i = 0; i < places.length; i++) {
        const at = places[i];
        columns.indices.set(source.subarray(at, at + width), i * width);
        columns.values.set(asFloats(source.subarray(at + width, at + 2 * width)), i * width);
        columns.counts[i] = source[at + 2 * width];
      }
      await kernels.writeSparse(handle, columns);
    },
  };
  if (!divided) return common;
  return {
    ...common,
    async exchange(handle, starts, ranks) {
      const entries = () => divided.entries(handle, "change");
      const slots = starts.map((start) => start * width);
      await gatherArray(entries().indices, slots, ranks);
      await gatherArray(entries().values, slots, ranks);
      await gatherArray(entries().counts, starts, ranks);
    },
  };
}

/** Columns of `rows` words from their places. */
function copyColumns(source: Uint32Array, places: Float64Array, rows: number, target: Uint32Array): void {
  if (rows === 1) for (let i = 0; i < places.length; i++) target[i] = source[places[i]];
  else
    for (let i = 0; i < places.length; i++)
      target.set(source.subarray(places[i], places[i] + rows), i * rows);
}

function asWords({ buffer, byteOffset, length }: Float32Array): Uint32Array {
  return new Uint32Array(buffer as ArrayBuffer, byteOffset, length);
}

function asFloats({ buffer, byteOffset, length }: Uint32Array): Float32Array {
  return new Float32Array(buffer as ArrayBuffer, byteOffset, length);
}
