/**
 * Where in a picture an atom is used: the picture's windows are coded with the dictionary's own rule, and every atom of
 * every code is remembered. The heat of an atom at a sample is the largest |x| |d| / max|d| of the windows over it, with
 * the coefficient x of the window and the sample d of the atom there.
 */

import { DenseMatrix, type Model, type Shape } from "trainlets";
import { EventLoopPause, type SparseColumns } from "trainlets/parts";
import { kernelsFor } from "./devices";
import { isColour } from "./exploreRequests";

export interface Signal {
  readonly id: number;
  readonly shape: Shape;
  readonly data: Float32Array;
}

/** A picture in codes. */
interface CodedPicture {
  readonly signal: number;
  readonly shape: Shape;
  readonly stride: Shape;
  /** First samples of the windows, flat. */
  readonly starts: Uint32Array;
  /** The codes of `together` windows each. */
  readonly codes: readonly SparseColumns[];
}

export interface AtomPlaces {
  /** One number per sample of the picture, per pixel of a colour picture. */
  readonly heat: Float32Array<ArrayBuffer>;
  /** The windows that use it, and all. */
  readonly uses: number;
  readonly windows: number;
  readonly stride: Shape;
  /** The largest |x|. */
  readonly largest: number;
  /** First samples of the windows with the largest coefficients, and these. */
  readonly best: readonly { readonly origin: readonly number[]; readonly coefficient: number }[];
}

/** Windows that overlap more are not worth their time. */
const enoughWindows = 12_000;
/** Windows coded between two reports of progress. */
const together = 1024;
const shownPlaces = 6;

const coded = new WeakMap<Model, CodedPicture>();

/** Where the atom is used; undefined if the picture was not coded yet. */
export function placesIn(
  model: Model,
  signal: number,
  atom: number,
  d: Float32Array,
): AtomPlaces | undefined {
  const picture = coded.get(model);
  return picture?.signal === signal ? placesOf(picture, model.shape, atom, d) : undefined;
}

/** Code all windows of a picture, and keep the codes with the model. */
export async function codePicture(
  model: Model,
  signal: Signal,
  report: (done: number) => void,
  abort: AbortSignal,
): Promise<void> {
  const stride = strideFor(signal.shape, model.shape);
  const starts = startsOf(signal.shape, model.shape, stride);
  const { kernels } = await kernelsFor();
  const coder = await model.open(kernels);
  const codes: SparseColumns[] = [];
  const pause = new EventLoopPause();
  try {
    for (let from = 0; from < starts.length; from += together) {
      await pause.take();
      abort.throwIfAborted();
      report(from / starts.length);
      const part = starts.subarray(from, from + together);
      codes.push((await coder.encode(windowsAt(signal, model.shape, part))).X);
    }
  } finally {
    await coder.close();
  }
  coded.set(model, { signal: signal.id, shape: signal.shape, stride, starts, codes });
}

/** A quarter of a window, half of one or all of it along each axis: the smallest with few enough windows. */
export function strideFor(picture: Shape, window: Shape): Shape {
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

function stridesOf(shape: Shape): number[] {
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
function offsetsIn(picture: Shape, window: Shape): Uint32Array {
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

function placesOf(picture: CodedPicture, window: Shape, atom: number, d: Float32Array): AtomPlaces {
  const { shape, stride, starts } = picture;
  const channels = isColour(shape) ? 3 : 1;
  const heat = new Float32Array(shape.reduce((product, size) => product * size, 1) / channels);
  const found = usesOf(picture, atom);
  const peak = d.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const offsets = offsetsIn(shape, window);
  for (const { window: at, coefficient } of found) {
    const strength = Math.abs(coefficient) / peak;
    for (let i = 0; i < offsets.length; i++) {
      const place = Math.floor((starts[at] + offsets[i]) / channels);
      heat[place] = Math.max(heat[place], strength * Math.abs(d[i]));
    }
  }
  const best = found.toSorted((a, b) => Math.abs(b.coefficient) - Math.abs(a.coefficient));
  return {
    heat,
    uses: found.length,
    windows: starts.length,
    stride,
    largest: Math.abs(best[0]?.coefficient ?? 0),
    best: best.slice(0, shownPlaces).map(({ window: at, coefficient }) => ({
      origin: stridesOf(shape).map((step, axis) => Math.floor(starts[at] / step) % shape[axis]),
      coefficient,
    })),
  };
}

/** The windows whose codes have the atom. */
function usesOf({ codes }: CodedPicture, atom: number): { window: number; coefficient: number }[] {
  const found: { window: number; coefficient: number }[] = [];
  codes.forEach((X, part) => {
    for (let j = 0; j < X.cols; j++)
      for (let s = j * X.width; s < j * X.width + X.counts[j]; s++)
        if (X.indices[s] === atom && X.values[s] !== 0)
          found.push({ window: part * together + j, coefficient: X.values[s] });
  });
  return found;
}
