/**
 * Colour pictures as three planes that hardly depend on each other: brightness, and
 * two differences of colours,
 *
 *     (R + G + B)/√3,   (R − B)/√2,   (R − 2G + B)/√6
 *
 * The transform is orthonormal, so that white noise stays white, with the same
 * standard deviation in each plane; its transpose is its inverse.
 */

import {
  requireArgument,
  requireArguments,
  signalList,
  signal as signalType,
  text,
} from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import { requireInteger, requireOneOf } from "../../core/require.js";
import { formatShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";

/**
 * How colour is treated: each plane on its own, patches with all channels (the last axis counts
 * them), or as an axis like any other.
 */
export const colourModes = ["luma-chroma", "joint", "none"] as const;
export type ColourMode = (typeof colourModes)[number];

const a = 1 / Math.sqrt(3);
const b = 1 / Math.sqrt(2);
const c = 1 / Math.sqrt(6);

/** One row per plane. */
const transform = [
  [a, a, a],
  [b, 0, -b],
  [c, -2 * c, c],
] as const;

const planeNames = ["luma", "red–blue", "green–magenta"] as const;

/** Whether a signal is a colour picture: three channels along its last of three axes. */
export function isColour(signal: Signal): boolean {
  requireArgument("isColour", "signal", signal, signalType);
  const { shape } = signal;
  return shape.length === 3 && shape[2] === 3;
}

/** The three planes of a picture of shape [height, width, 3]. */
export function planesOf(picture: Signal): Signal[] {
  requireArgument("planesOf", "picture", picture, signalType);
  if (!isColour(picture))
    throw new InputError(`planesOf: a picture must be height x width x 3, got ${formatShape(picture.shape)}`);
  const { name, data } = picture;
  const shape = picture.shape.slice(0, 2);
  return transform.map((row, p) => {
    const plane = new Float32Array(data.length / 3);
    for (let i = 0; i < plane.length; i++)
      plane[i] = row[0] * data[3 * i] + row[1] * data[3 * i + 1] + row[2] * data[3 * i + 2];
    return { name: `${name} (${planeNames[p]})`, shape, data: plane };
  });
}

/** The colour mode, by default `luma-chroma` for colour pictures; patches of three axes are never split into planes. */
export function resolveColour(
  where: string,
  signals: readonly Signal[],
  colour: ColourMode | undefined,
  patchAxes: number | undefined,
): ColourMode {
  const mode = requireOneOf(
    where,
    "colour",
    colour ?? (signals.every(isColour) ? "luma-chroma" : "none"),
    colourModes,
  );
  return mode === "luma-chroma" && patchAxes === 3 ? "none" : mode;
}

/** The pictures that planes make, three at a time. */
export function picturesOf(planes: readonly Signal[], names: readonly string[]): Signal[] {
  return names.map((name, i) => pictureOf(planes.slice(3 * i, 3 * i + 3), name));
}

/** The picture that three planes make. */
export function pictureOf(planes: readonly Signal[], name: string): Signal {
  requireArguments("pictureOf", { planes: [planes, signalList], name: [name, text] });
  requireInteger("pictureOf", "number of planes", planes.length, 3, 3);
  const data = new Float32Array(3 * planes[0].data.length);
  const [u, v, w] = planes.map((plane) => plane.data) as [Float32Array, Float32Array, Float32Array];
  for (let i = 0; i < u.length; i++)
    for (let channel = 0; channel < 3; channel++)
      data[3 * i + channel] =
        transform[0][channel] * u[i] + transform[1][channel] * v[i] + transform[2][channel] * w[i];
  return { name, shape: [...planes[0].shape, 3], data };
}
