/**
 * The samples that the learning worker has: sent once, in pieces, so that the page does not stop while a hundred megabytes
 * are copied.
 */

import type { Task } from "../protocol";

export interface Samples {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array<ArrayBuffer>;
}

const kept = new Map<number, Samples>();

export function samplesOf(id: number): Samples {
  const samples = kept.get(id);
  if (!samples) throw new Error(`the worker has no samples ${id}`);
  return samples;
}

export interface Piece {
  readonly id: number;
  readonly name: string;
  readonly shape: readonly number[];
  readonly from: number;
  readonly piece: Float32Array<ArrayBuffer>;
}

/** Take a piece of an array; the first one makes room for all of them, in place of what was kept before. */
const putSamples: Task<Piece, void> = async ({ id, name, shape, from, piece }) => {
  if (from === 0) {
    kept.clear();
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
    kept.set(id, { name, shape, data });
  }
  samplesOf(id).data.set(piece, from);
};

export const sampleTasks = { putSamples };
