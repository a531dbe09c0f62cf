/**
 * Colour pictures as three planes that hardly depend on each other: brightness, and
 * two differences of colours,
 *
 *     (R + G + B)/√3,   (R − B)/√2,   (R − 2G + B)/√6
 *
 * The transform is orthonormal, so that white noise stays white, with the same
 * standard deviation in each plane; its transpose is its inverse.
 */

import { InputError } from "../../core/errors.js";
import { formatShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";

const [a, b, c] = [1 / Math.sqrt(3), 1 / Math.sqrt(2), 1 / Math.sqrt(6)] as const;

/** One row a plane. */
const transform = [
  [a, a, a],
  [b, 0, -b],
  [c, -2 * c, c],
] as const;

const planeNames = ["luma", "red–blue", "green–magenta"] as const;

/** Whether a signal is a colour picture: three channels along its last of three axes. */
export function isColour({ shape }: Signal): boolean {
  return shape.length === 3 && shape[2] === 3;
}

/** The three planes of a picture of shape [height, width, 3]. */
export function planesOf(picture: Signal): Signal[] {
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

/** The picture that three planes make. */
export function pictureOf(planes: readonly Signal[], name: string): Signal {
  const data = new Float32Array(3 * planes[0].data.length);
  const [u, v, w] = planes.map((plane) => plane.data) as [Float32Array, Float32Array, Float32Array];
  for (let i = 0; i < u.length; i++)
    for (let channel = 0; channel < 3; channel++)
      data[3 * i + channel] =
        transform[0][channel] * u[i] + transform[1][channel] * v[i] + transform[2][channel] * w[i];
  return { name, shape: [...planes[0].shape, 3], data };
}
