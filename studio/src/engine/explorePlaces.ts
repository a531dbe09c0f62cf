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
  readonly signal: Signal;
  readonly stride: Shape;
  /** First samples of the windows, flat. */
  readonly starts: Uint32Array;
  /** The codes of `together` windows each. */
  readonly codes: readonly SparseColumns[];
}

/** One plane of the picture, as large as it is shown; a signal of one axis is a plane of one row. */
export interface AtomPlaces {
  readonly width: number;
  readonly height: number;
  /** From 0 to 1, the largest of the samples of a pixel. */
  readonly heat: Float32Array<ArrayBuffer>;
  /** The picture itself, from 0 to 1: its least and largest sample in a column of a trace, one sample in a pixel. */
  readonly low: Float32Array<ArrayBuffer>;
  readonly high: Float32Array<ArrayBuffer>;
  /** Which plane, and of how many: of a volume, by default where the coefficient is largest. */
  readonly slice: number;
  readonly slices: number;
  /** The windows that use it, and all. */
  readonly uses: number;
  readonly windows: number;
  /** The largest |x|. */
  readonly largest: number;
  /** Windows with the largest coefficients that are in this plane: row and column, as parts of its height and width. */
  readonly frames: readonly Frame[];
}

interface Frame {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/** The most pixels along a side. */
const mostPixels = 900;
/** Windows that overlap more are not worth their time. */
const enoughWindows = 12_000;
/** Windows coded between two reports of progress. */
const together = 1024;
const shownPlaces = 6;

const coded = new WeakMap<Model, CodedPicture>();

export interface PlacesRequest {
  readonly atom: number;
  readonly slice: number | undefined;
}

/** Where the atom d is used; undefined if the picture was not coded yet. */
export function placesIn(
  model: Model,
  signal: number,
  request: PlacesRequest,
  d: Float32Array,
): AtomPlaces | undefined {
  const picture = coded.get(model);
  return picture?.signal.id === signal ? placesOf(picture, model.shape, request, d) : undefined;
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
  coded.set(model, { signal, stride, starts, codes });
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

function placesOf(
  picture: CodedPicture,
  window: Shape,
  { atom, slice: asked }: PlacesRequest,
  d: Float32Array,
): AtomPlaces {
  const { shape } = picture.signal;
  const found = usesOf(picture, atom).sort((a, b) => Math.abs(b.coefficient) - Math.abs(a.coefficient));
  const plane = planeOf(shape, asked ?? middleSlice(picture, window, found[0]?.window));
  const best = found.slice(0, shownPlaces).map((use) => originOf(shape, picture.starts[use.window]));
  return {
    width: plane.width,
    height: plane.height,
    heat: heatIn(plane, picture, window, found, d),
    ...backdrop(plane, picture.signal.data),
    slice: plane.slice,
    slices: plane.slices,
    uses: found.length,
    windows: picture.starts.length,
    largest: Math.abs(found[0]?.coefficient ?? 0),
    frames: best.flatMap((origin) => frameIn(plane, shape, window, origin)),
  };
}

/** A plane of a picture: its samples, and its pixels, each of `step` by `step` samples. */
interface Plane {
  readonly rows: number;
  readonly columns: number;
  readonly channels: 1 | 3;
  readonly slice: number;
  readonly slices: number;
  readonly step: number;
  readonly width: number;
  readonly height: number;
}

function planeOf(shape: Shape, slice: number): Plane {
  const channels = isColour(shape) ? 3 : 1;
  const [rows, columns] = shape.length === 1 ? [1, shape[0]] : channels === 3 ? shape : shape.slice(-2);
  const slices = shape.reduce((product, size) => product * size, 1) / (rows * columns * channels);
  const step = Math.max(1, Math.ceil(Math.max(rows, columns) / mostPixels));
  const [width, height] = [Math.ceil(columns / step), Math.ceil(rows / step)];
  return { rows, columns, channels, slice: Math.min(slice, slices - 1), slices, step, width, height };
}

/** The plane through the middle of a window. */
function middleSlice({ signal, starts }: CodedPicture, window: Shape, at = 0): number {
  const { shape } = signal;
  if (shape.length < 3 || isColour(shape)) return 0;
  const steps = stridesOf(shape);
  const middle = window.slice(0, -2).reduce((sum, size, axis) => sum + Math.floor(size / 2) * steps[axis], 0);
  return Math.floor(((starts[at] ?? 0) + middle) / steps[shape.length - 3]);
}

function originOf(shape: Shape, start: number): number[] {
  return stridesOf(shape).map((step, axis) => Math.floor(start / step) % shape[axis]);
}

function heatIn(
  { rows, columns, channels, slice, step, width, height }: Plane,
  { signal, starts }: CodedPicture,
  window: Shape,
  found: readonly Use[],
  d: Float32Array,
): Float32Array<ArrayBuffer> {
  const heat = new Float32Array(width * height);
  const first = slice * rows * columns;
  const offsets = offsetsIn(signal.shape, window);
  for (const { window: at, coefficient } of found)
    for (let i = 0; i < offsets.length; i++) {
      const place = Math.floor((starts[at] + offsets[i]) / channels) - first;
      if (place < 0 || place >= rows * columns) continue;
      const y = Math.floor(place / columns / step);
      const pixel = y * width + Math.floor((place % columns) / step);
      heat[pixel] = Math.max(heat[pixel], Math.abs(coefficient * d[i]));
    }
  const hottest =
    Math.abs(found[0]?.coefficient ?? 0) * d.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  return heat.map((value) => value / (hottest || 1));
}

/** The samples of a plane, from 0 to 1 between their least and largest. */
function backdrop({ rows, columns, channels, slice, step, width, height }: Plane, data: Float32Array) {
  const [low, high] = [new Float32Array(width * height), new Float32Array(width * height)];
  let [least, largest] = [Infinity, -Infinity];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = slice * rows * columns + y * step * columns + x * step;
      const more = rows === 1 ? Math.min(step, columns - x * step) : 1;
      const samples = data.subarray(at * channels, at * channels + more);
      low[y * width + x] = samples.reduce((a, b) => Math.min(a, b));
      high[y * width + x] = samples.reduce((a, b) => Math.max(a, b));
      least = Math.min(least, low[y * width + x]);
      largest = Math.max(largest, high[y * width + x]);
    }
  const scaled = (value: number) => (value - least) / (largest - least || 1);
  return { low: low.map(scaled), high: high.map(scaled) };
}

/** The frame of a window, if it has samples in the plane. */
function frameIn(plane: Plane, shape: Shape, window: Shape, origin: readonly number[]): Frame[] {
  const { rows, columns, channels, slice } = plane;
  let rest = slice;
  if (channels === 1)
    for (let axis = shape.length - 3; axis >= 0; axis--) {
      const at = rest % shape[axis];
      rest = Math.floor(rest / shape[axis]);
      if (at < origin[axis] || at >= origin[axis] + window[axis]) return [];
    }
  const inPlane = (list: Shape) => (channels === 3 ? list : list.slice(-2));
  if (shape.length === 1)
    return [{ top: 0, height: 1, left: origin[0] / columns, width: window[0] / columns }];
  const [[top, left], [height, width]] = [inPlane(origin), inPlane(window)];
  return [{ top: top / rows, left: left / columns, height: height / rows, width: width / columns }];
}

/** A window whose code has the atom. */
interface Use {
  readonly window: number;
  readonly coefficient: number;
}

/** The windows whose codes have the atom. */
function usesOf({ codes }: CodedPicture, atom: number): Use[] {
  const found: Use[] = [];
  codes.forEach((X, part) => {
    for (let j = 0; j < X.cols; j++)
      for (let s = j * X.width; s < j * X.width + X.counts[j]; s++)
        if (X.indices[s] === atom && X.values[s] !== 0)
          found.push({ window: part * together + j, coefficient: X.values[s] });
  });
  return found;
}
