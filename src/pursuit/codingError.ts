/**
 * How well a dictionary represents examples: the root-mean-square error a sample
 * of their codes, ‖Y − DX‖_F / √(nN), over windows cut from signals.
 */

import { Breath } from "../core/eventLoop.js";
import { sizeOf } from "../core/shape.js";
import type { DeviceSignals, Kernels, WindowList } from "../kernels/contract.js";
import type { BatchEncoder } from "./encoder.js";

/** Examples to code, where the kernels compute. */
export interface ExampleSet {
  readonly store: DeviceSignals;
  readonly windows: WindowList;
}

/** NaN where there are no examples. Codes as many at a time as the encoder holds. */
export async function codingError(
  encoder: BatchEncoder,
  { store, windows }: ExampleSet,
  removeMean: boolean,
  kernels: Kernels,
): Promise<number> {
  const { shape } = encoder;
  const rows = sizeOf(shape);
  const count = windows.signal.length;
  const [Y, means, total] = [
    kernels.matrix(rows, encoder.capacity),
    kernels.matrix(1, encoder.capacity),
    kernels.matrix(1, 1),
  ];
  const breath = new Breath();
  for (let from = 0; from < count; from += encoder.capacity) {
    const to = Math.min(from + encoder.capacity, count);
    const y = kernels.head(Y, to - from);
    const part = { signal: windows.signal.subarray(from, to), start: windows.start.subarray(from, to) };
    await kernels.extract(store, part, shape, y, removeMean ? kernels.head(means, to - from) : null);
    await encoder.residual(y, await encoder.encode(y), y);
    await kernels.addSquaredNorm(y, total, 0);
    await breath.take();
  }
  const energy = (await kernels.readMatrix(total)).data[0];
  kernels.free(Y, means, total);
  return Math.sqrt(energy / (count * rows));
}
