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
  };
  if (!divided) {
    return {
      ...common,
      read: async (handle, target) => packEntries(await kernels.readSparse(handle), width, target),
      async write(handle, source, places) {
        const columns = new SparseColumns(rows, handle.cols, width);
        unpackEntries(source, places, width, columns);
        await kernels.writeSparse(handle, columns);
      },
    };
  }
  return {
    ...common,
    read: async (handle, target) => packEntries(divided.entries(handle, "read"), width, target),
    write: async (handle, source, places) =>
      unpackEntries(source, places, width, divided.entries(handle, "change")),
    async exchange(handle, starts, ranks) {
      const { indices, values, counts } = divided.entries(handle, "change");
      const slots = starts.map((start) => start * width);
      await gatherArray(indices, slots, ranks);
      await gatherArray(values, slots, ranks);
      await gatherArray(counts, starts, ranks);
    },
  };
}

type Entries = Pick<SparseColumns, "indices" | "values" | "counts">;

/** Element by element: columns are short, and a copy of each would take longer to start. */
function packEntries({ indices, values, counts }: Entries, width: number, target: Uint32Array): void {
  const bits = asWords(values);
  let at = 0;
  for (let i = 0, slot = 0; i < counts.length; i++, slot += width) {
    for (let s = slot; s < slot + width; s++) target[at++] = indices[s];
    for (let s = slot; s < slot + width; s++) target[at++] = bits[s];
    target[at++] = counts[i];
  }
}

function unpackEntries(source: Uint32Array, places: Float64Array, width: number, into: Entries): void {
  const { indices, counts } = into;
  const bits = asWords(into.values);
  for (let i = 0, slot = 0; i < places.length; i++, slot += width) {
    let at = places[i];
    for (let s = slot; s < slot + width; s++) indices[s] = source[at++];
    for (let s = slot; s < slot + width; s++) bits[s] = source[at++];
    counts[i] = source[at];
  }
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
