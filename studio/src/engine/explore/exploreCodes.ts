/** Codes of a picture: its windows on a grid, coded with the dictionary's own rule, and kept with the dictionary. */

import { DenseMatrix, type Model, type Shape } from "trainlets";
import type { Kernels, SparseColumns } from "trainlets/parts";
import { nextTurn, onKernels } from "../onKernels";

export interface Signal {
  readonly id: number;
  readonly shape: Shape;
  readonly data: Float32Array;
}

/** A picture in codes. */
export interface CodedPicture {
  readonly signal: Signal;
  /** First samples of the windows, flat. */
  readonly starts: Uint32Array;
  /** The codes of `together` windows each. */
  readonly codes: readonly SparseColumns[];
}

/** Windows that overlap more are not worth their time. */
const enoughWindows = 12_000;
/** Windows coded between two reports of progress. */
const together = 1024;

const coded = new WeakMap<Model, CodedPicture>();

/** The picture that was coded last with a model, if it is this one. */
export function codedPicture(model: Model, signal: number): CodedPicture | undefined {
  const picture = coded.get(model);
  return picture?.signal.id === signal ? picture : undefined;
}

/** Code all windows of a picture, and keep the codes with the model. */
export async function codePicture(
  model: Model,
  signal: Signal,
  report: (done: number) => void,
  abort: AbortSignal,
): Promise<void> {
  const starts = startsOf(signal.shape, model.shape, strideFor(signal.shape, model.shape));
  const codes = await onKernels((kernels) => codeWindows(model, signal, starts, { kernels, report, abort }));
  coded.set(model, { signal, starts, codes });
}

interface Coding {
  readonly kernels: Kernels;
  readonly report: (done: number) => void;
  readonly abort: AbortSignal;
}

async function codeWindows(
  model: Model,
  signal: Signal,
  starts: Uint32Array,
  { kernels, report, abort }: Coding,
): Promise<SparseColumns[]> {
  const coder = await model.open(kernels);
  const codes: SparseColumns[] = [];
  try {
    for (let from = 0; from < starts.length; from += together) {
      await nextTurn(abort);
      report(from / starts.length);
      const part = starts.subarray(from, from + together);
      codes.push((await coder.encode(windowsAt(signal, model.shape, part))).X);
    }
  } finally {
    await coder.close();
  }
  return codes;
}

/** A quarter of a window, half of one or all of it along each axis: the smallest with few enough windows. */
function strideFor(picture: Shape, window: Shape): Shape {
  const strides = [4, 2, 1].map((part) => window.map((size) => Math.max(1, Math.floor(size / part))));
  const count = (stride: Shape) =>
    placesPerAxis(picture, window, stride).reduce((product, { length }) => product * length, 1);
  return strides.find((stride) => count(stride) <= enoughWindows) ?? window;
}

/** Where windows start along each axis; the last one is moved back to fit. */
function placesPerAxis(picture: Shape, window: Shape, stride: Shape): number[][] {
  return picture.map((size, axis) => {
    const end = size - window[axis];
    const starts: number[] = [];
    for (let start = 0; start < end; start += stride[axis]) starts.push(start);
    return [...starts, end];
  });
}

/** Samples between neighbours along each axis. */
export function stridesOf(shape: Shape): number[] {
  return shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));
}

function startsOf(picture: Shape, window: Shape, stride: Shape): Uint32Array {
  const steps = stridesOf(picture);
  const starts = placesPerAxis(picture, window, stride).reduce<number[]>(
    (all, places, axis) => all.flatMap((start) => places.map((place) => start + place * steps[axis])),
    [0],
  );
  return Uint32Array.from(starts);
}

/** The offset of each sample of a window from its first. */
export function offsetsIn(picture: Shape, window: Shape): Uint32Array {
  const [outer, inner] = [stridesOf(picture), stridesOf(window)];
  const size = window.reduce((product, length) => product * length, 1);
  return Uint32Array.from({ length: size }, (_, i) =>
    window.reduce((sum, length, axis) => sum + (Math.floor(i / inner[axis]) % length) * outer[axis], 0),
  );
}

function windowsAt({ shape, data }: Signal, window: Shape, starts: Uint32Array): DenseMatrix {
  const offsets = offsetsIn(shape, window);
  return DenseMatrix.build(offsets.length, starts.length, (i, j) => data[starts[j] + offsets[i]]);
}

/** A window whose code has the atom. */
export interface Use {
  readonly window: number;
  readonly coefficient: number;
}

/** The windows whose codes have the atom. */
export function usesOf({ codes }: CodedPicture, atom: number): Use[] {
  const found: Use[] = [];
  codes.forEach((X, part) => {
    for (let j = 0; j < X.cols; j++)
      for (let s = j * X.width; s < j * X.width + X.counts[j]; s++)
        if (X.indices[s] === atom && X.values[s] !== 0)
          found.push({ window: part * together + j, coefficient: X.values[s] });
  });
  return found;
}
