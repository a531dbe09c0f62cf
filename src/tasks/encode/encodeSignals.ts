/**
 * Whole signals to codes and back: a grid of windows covers each signal, each window is
 * coded, and decoding averages windows where they overlap.
 */

import { InputError } from "../../core/errors.js";
import { requireKnownOptions } from "../../core/knownOptions.js";
import { DenseMatrix } from "../../core/matrix.js";
import { type Shape, sameShape } from "../../core/shape.js";
import { requireSignals, type Signal } from "../../core/signal.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Codes } from "../../model/coder.js";
import { type CodedSignals, fingerprint } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import type { CodingRule } from "../../pursuit/encoder.js";
import { assemble, cutWindows, gridOrigins, gridSize } from "./tiling.js";

interface EncodeSignalsOptions {
  /** Distance between neighbouring windows along each axis, at most the patch. */
  readonly stride: Shape;
  /** By default the model's own. */
  readonly coding?: CodingRule | undefined;
  readonly kernels: Kernels;
}

/** Codes of all windows of signals, one signal after the other. */
export async function encodeSignals(
  model: Model,
  signals: readonly Signal[],
  options: EncodeSignalsOptions,
): Promise<{ codes: Codes; signals: CodedSignals }> {
  requireKnownOptions("encodeSignals", options, ["stride", "coding", "kernels"]);
  const { stride, coding, kernels } = options;
  requireSignals("encodeSignals", signals);
  const patch = model.shape;
  const parts = signals.map((signal) => cutWindows(signal, patch, gridOrigins(signal.shape, patch, stride)));
  const codes = await model.encode(concatenate(parts), coding, kernels);
  const shapes = signals.map(({ shape }) => shape);
  return { codes, signals: { dictionary: fingerprint(model), patch, stride, shapes } };
}

/** The signals that were coded, from their codes. */
export async function decodeSignals(
  model: Model,
  codes: Codes,
  coded: CodedSignals,
  kernels: Kernels,
): Promise<Signal[]> {
  if (!sameShape(model.shape, coded.patch)) {
    throw new InputError(
      `decode: the codes are of ${coded.patch.join("x")} windows, the dictionary of ${model.shape.join("x")}`,
    );
  }
  if (coded.dictionary !== fingerprint(model)) {
    throw new InputError(
      `decode: the codes belong to dictionary ${coded.dictionary}, got dictionary ${fingerprint(model)}`,
    );
  }
  const windows = coded.shapes.reduce((sum, shape) => sum + gridSize(shape, coded.patch, coded.stride), 0);
  if (windows !== codes.X.cols) {
    throw new InputError(`decode: the signals have ${windows} windows, got ${codes.X.cols} codes`);
  }
  const grids = coded.shapes.map((shape) => gridOrigins(shape, coded.patch, coded.stride));
  const Y = await model.decode(codes, kernels);
  let from = 0;
  return coded.shapes.map((shape, s) => {
    const origins = grids[s];
    const part = Y.slice(from, (from += origins.length));
    return assemble(part, shape, coded.patch, origins, `signal ${s}`);
  });
}

function concatenate(parts: readonly DenseMatrix[]): DenseMatrix {
  const cols = parts.reduce((total, part) => total + part.cols, 0);
  const result = new DenseMatrix(parts[0]?.rows ?? 0, cols);
  let at = 0;
  for (const part of parts) {
    result.slice(at, at + part.cols).data.set(part.data);
    at += part.cols;
  }
  return result;
}
