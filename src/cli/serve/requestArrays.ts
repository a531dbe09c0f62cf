/** The arrays of a request, as what they must be. */

import { type InputError, inputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import type { Shape } from "../../core/shape.js";
import { modelFromBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import type { Frame } from "./frames.js";

export function modelOf(request: Frame): Model {
  const { name = "the model" } = request.head as { name?: string };
  return modelFromBytes(bytesOf(request, "model"), name);
}

export function bytesOf({ arrays }: Frame, name: string): Uint8Array {
  const data = arrays.get(name)?.data;
  if (data instanceof Uint8Array) return data;
  throw missing(name, "bytes");
}

export function samplesOf({ arrays }: Frame, name: string): { shape: Shape; data: Float32Array } {
  const { shape, data } = arrays.get(name) ?? {};
  if (shape?.length === 2 && data instanceof Float32Array) return { shape, data };
  throw missing(name, "a matrix of float32");
}

function missing(name: string, what: string): InputError {
  return inputError("serve", name, `must be ${what}`, undefined);
}

/** The rows of an array, as columns. */
export function columnsOf(request: Frame, name: string): DenseMatrix {
  const { shape, data } = samplesOf(request, name);
  return new DenseMatrix(shape[1], shape[0], data);
}
