/**
 * Where in a picture an atom is used. The heat of an atom at a sample is the largest |x| |d| of the windows over it, with
 * the coefficient x of the window and the sample d of the atom there, as a part of the largest there is.
 */

import type { Model, Shape } from "trainlets";
import { type CodedPicture, codedPicture, offsetsIn, stridesOf, type Use, usesOf } from "./exploreCodes";
import { isColour } from "./exploreRequests";

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
/** The most windows with frames. */
const shownPlaces = 6;

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
  const picture = codedPicture(model, signal);
  return picture && placesOf(picture, model.shape, request, d);
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

/** The samples of a plane, from 0 to 1 between their least and largest; of one row all of them, else one per pixel. */
function backdrop({ rows, columns, channels, slice, step, width, height }: Plane, data: Float32Array) {
  const low = new Float32Array(width * height).fill(Infinity);
  const high = new Float32Array(width * height).fill(-Infinity);
  const inner = rows === 1 ? 1 : step;
  let [least, largest] = [Infinity, -Infinity];
  for (let y = 0; y < rows; y += step)
    for (let x = 0; x < columns; x += inner) {
      const value = data[(slice * rows * columns + y * columns + x) * channels];
      const pixel = (y / step) * width + Math.floor(x / step);
      low[pixel] = Math.min(low[pixel], value);
      high[pixel] = Math.max(high[pixel], value);
      least = Math.min(least, value);
      largest = Math.max(largest, value);
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
