/**
 * Whole signals to codes and back: each signal is covered by a grid of windows,
 * each window is coded, and decoding averages windows where they overlap.
 */

import { InputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { type Shape, sameShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Codes } from "../../model/coder.js";
import { type CodedSignals, fingerprint } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import type { CodingRule } from "../../pursuit/limits.js";
import { assemble, cutWindows, gridOrigins, gridSize } from "./tiling.js";

/** Codes of all windows of signals, one signal after the other. */
export async function encodeSignals(
  model: Model,
  signals: readonly Signal[],
  options: { readonly stride: Shape; readonly coding?: CodingRule | undefined; readonly kernels: Kernels },
): Promise<{ codes: Codes; signals: CodedSignals }> {
  const patch = model.shape;
  const parts = signals.map((signal) =>
    cutWindows(signal, patch, gridOrigins(signal.shape, patch, options.stride)),
  );
  const codes = await model.encode(concatenate(parts), options.coding, options.kernels);
  const shapes = signals.map(({ shape }) => shape);
  return { codes, signals: { dictionary: fingerprint(model), patch, stride: options.stride, shapes } };
}

/** The signals that codes stand for. */
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
      `decode: the codes are over dictionary ${coded.dictionary}, got dictionary ${fingerprint(model)}`,
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
  const result = new DenseMatrix(
    parts[0]?.rows ?? 0,
    parts.reduce((total, part) => total + part.cols, 0),
  );
  let at = 0;
  for (const part of parts) {
    result.slice(at, at + part.cols).data.set(part.data);
    at += part.cols;
  }
  return result;
}
