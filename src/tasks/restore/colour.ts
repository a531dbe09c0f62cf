/**
 * How colour pictures are restored: as three planes, each like a grey picture, or by
 * patches with all channels.
 *
 * The planes are the channels themselves, or three that hardly depend on each other:
 * brightness, and two differences of colours,
 *
 *     (R + G + B)/√3,   (R − B)/√2,   (R − 2G + B)/√6
 *
 * The transform is orthonormal (the DCT over the channels), so that white noise stays
 * white, with the same standard deviation in each plane; its transpose is its inverse.
 */

import {
  requireArgument,
  requireArguments,
  signalList,
  signal as signalType,
  text,
} from "../../core/arguments/argumentTypes.js";
import { InputError, inputError } from "../../core/errors.js";
import { requireInteger, requireOneOf } from "../../core/require.js";
import { formatShape, isColourShape, type Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";

/**
 * How colour is treated: planes of luma and chroma, patches with all channels (the last axis
 * counts them), red, green and blue each on its own, or as an axis like any other.
 */
export const colourModes = ["luma-chroma", "joint", "each", "none"] as const;
export type ColourMode = (typeof colourModes)[number];

/** The modes that split a picture into planes. */
export type PlaneMode = Extract<ColourMode, "luma-chroma" | "each">;

const a = 1 / Math.sqrt(3);
const b = 1 / Math.sqrt(2);
const c = 1 / Math.sqrt(6);

type Transform = readonly (readonly [number, number, number])[];

/** One row per plane. */
const transforms: Readonly<Record<PlaneMode, Transform>> = {
  "luma-chroma": [
    [a, a, a],
    [b, 0, -b],
    [c, -2 * c, c],
  ],
  each: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
};

export const planeNames: Readonly<Record<PlaneMode, readonly [string, string, string]>> = {
  "luma-chroma": ["luma", "red–blue", "green–magenta"],
  each: ["red", "green", "blue"],
};

export function isPlaneMode(mode: ColourMode): mode is PlaneMode {
  return mode === "luma-chroma" || mode === "each";
}

/** Whether a signal is a colour picture: three channels along its last of three axes. */
export function isColour(signal: Signal): boolean {
  requireArgument("isColour", "signal", signal, signalType);
  return isColourShape(signal.shape);
}

/** The three planes of a picture of shape [height, width, 3]: luma and two differences of colours. */
export function planesOf(picture: Signal): Signal[] {
  return splitPicture(picture, "luma-chroma");
}

/** The three planes of a picture, by mode. */
export function splitPicture(picture: Signal, mode: PlaneMode): Signal[] {
  requireArgument("planesOf", "picture", picture, signalType);
  if (!isColour(picture))
    throw new InputError(`planesOf: a picture must be height x width x 3, got ${formatShape(picture.shape)}`);
  const { name, data } = picture;
  const shape = picture.shape.slice(0, 2);
  return transforms[mode].map((row, p) => {
    const plane = new Float32Array(data.length / 3);
    for (let i = 0; i < plane.length; i++)
      plane[i] = row[0] * data[3 * i] + row[1] * data[3 * i + 1] + row[2] * data[3 * i + 2];
    return { name: `${name} (${planeNames[mode][p]})`, shape, data: plane };
  });
}

/** The colour mode: by default `luma-chroma` for colour pictures, and `none` for patches that have channels themselves. */
export function resolveColour(
  where: string,
  signals: readonly Signal[],
  colour: ColourMode | undefined,
  patch: Shape | undefined,
): ColourMode {
  if (colour === undefined) return signals.every(isColour) && patch?.length !== 3 ? "luma-chroma" : "none";
  const mode = requireOneOf(where, "colour", colour, colourModes);
  if (!isPlaneMode(mode) || patch?.length !== 3) return mode;
  throw inputError(where, "colour", `must be joint for patches of ${formatShape(patch)}`, mode);
}

/** The pictures that planes make, three at a time. */
export function picturesOf(planes: readonly Signal[], names: readonly string[], mode: PlaneMode): Signal[] {
  return names.map((name, i) => joinPlanes(planes.slice(3 * i, 3 * i + 3), name, mode));
}

/** The picture that the three planes of `planesOf` make. */
export function pictureOf(planes: readonly Signal[], name: string): Signal {
  return joinPlanes(planes, name, "luma-chroma");
}

function joinPlanes(planes: readonly Signal[], name: string, mode: PlaneMode): Signal {
  requireArguments("pictureOf", { planes: [planes, signalList], name: [name, text] });
  requireInteger("pictureOf", "number of planes", planes.length, 3, 3);
  const data = new Float32Array(3 * planes[0].data.length);
  const transform = transforms[mode];
  const [u, v, w] = planes.map((plane) => plane.data) as [Float32Array, Float32Array, Float32Array];
  for (let i = 0; i < u.length; i++)
    for (let channel = 0; channel < 3; channel++)
      data[3 * i + channel] =
        transform[0][channel] * u[i] + transform[1][channel] * v[i] + transform[2][channel] * w[i];
  return { name, shape: [...planes[0].shape, 3], data };
}
