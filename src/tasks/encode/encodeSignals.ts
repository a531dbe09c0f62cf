/**
 * Whole signals to codes and back: a grid of windows covers each signal, each window is
 * coded, and decoding averages windows where they overlap.
 */

import {
  byRule,
  callback,
  having,
  kernels as kernelsType,
  model as modelType,
  record,
  requireArguments,
  required,
  requireOptions,
  signalList,
} from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { hasGaps, type Nodata, resolveNodata, signalsWithGaps } from "../../core/samples/gaps.js";
import { requireShape, type Shape, sameShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { Kernels } from "../../kernels/contract.js";
import { type Codes, join, panels, requireCodes } from "../../model/coder.js";
import { type CodedSignals, fingerprint } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import type { CodingRule } from "../../pursuit/encoder.js";
import { encodeGaps } from "./encodeGaps.js";
import { assemble, cutWindows, gridOrigins, gridSize } from "./tiling.js";

interface EncodeSignalsOptions {
  /** Distance between neighbouring windows along each axis, at most the patch. */
  readonly stride: Shape;
  /** By default the model's own. */
  readonly coding?: CodingRule | undefined;
  /**
   * Values that mark missing samples; NaN is one, too. Windows that have some are coded over the others, and decoding
   * fills the gaps.
   */
  readonly nodata?: Nodata | undefined;
  readonly kernels: Kernels;
  /** Called with the fraction of the windows that are coded, from 0 to 1. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** Codes of all windows of signals, one signal after the other. */
export async function encodeSignals(
  model: Model,
  signals: readonly Signal[],
  options: EncodeSignalsOptions,
): Promise<{ codes: Codes; signals: CodedSignals }> {
  requireArguments("encodeSignals", { model: [model, modelType], signals: [signals, signalList] });
  requireOptions("encodeSignals", options, {
    stride: byRule,
    coding: record,
    nodata: byRule,
    kernels: required(kernelsType),
    onProgress: callback,
  });
  requireShape("encodeSignals", "stride", options.stride);
  const { stride, coding = model.meta.coding, kernels } = options;
  const nodata = resolveNodata("encodeSignals", options.nodata);
  const patch = model.shape;
  const known = signalsWithGaps("encodeSignals", signals, nodata);
  const parts = known.map((signal) => cutWindows(signal, patch, gridOrigins(signal.shape, patch, stride)));
  const Y = concatenate(parts);
  const codes = known.some(hasGaps)
    ? await encodeKnown(
        model,
        Y,
        known.flatMap((signal, s) => repeated(meanOfKnown(signal), parts[s].cols)),
        coding,
        kernels,
      )
    : await encodeInParts(model, Y, coding, options);
  const shapes = signals.map(({ shape }) => shape);
  return { codes, signals: { dictionary: fingerprint(model), patch, stride, shapes } };
}

/** Windows coded between two reports of progress. */
const together = 8192;

/** Codes of windows, some thousands at a time. */
async function encodeInParts(
  model: Model,
  Y: DenseMatrix,
  coding: CodingRule,
  { kernels, onProgress }: EncodeSignalsOptions,
): Promise<Codes> {
  if (Y.cols <= together || !onProgress) return model.encode(Y, coding, kernels);
  const coder = await model.open(kernels);
  const parts: Codes[] = [];
  try {
    for (const [from, to] of panels(Y.cols, together)) {
      onProgress(from / Y.cols);
      parts.push(await coder.encode(Y.slice(from, to), coding));
    }
  } finally {
    await coder.close();
  }
  const means = new Float32Array(Y.cols);
  parts.forEach((part, i) => means.set(part.means, i * together));
  return {
    X: join(
      parts.map(({ X }) => X),
      model.A.cols,
    ),
    means,
  };
}

/** Codes of windows of which some have missing samples (NaN): each in its way. */
async function encodeKnown(
  model: Model,
  Y: DenseMatrix,
  signalMeans: readonly number[],
  coding: CodingRule,
  kernels: Kernels,
): Promise<Codes> {
  const withGap = Array.from({ length: Y.cols }, (_, j) => Y.column(j).some(Number.isNaN));
  const numbers = (gap: boolean) => Array.from(withGap.keys()).filter((j) => withGap[j] === gap);
  const [whole, broken] = [numbers(false), numbers(true)];
  const windows = { Y: columnsAt(Y, broken), signalMeans: broken.map((j) => signalMeans[j]) };
  const parts = [
    { columns: whole, codes: await model.encode(columnsAt(Y, whole), coding, kernels) },
    { columns: broken, codes: await encodeGaps(model, windows, coding, kernels) },
  ];
  const width = Math.max(...parts.map(({ codes }) => codes.X.width));
  const X = new SparseColumns(model.A.cols, Y.cols, width);
  const means = new Float32Array(Y.cols);
  for (const { columns, codes } of parts)
    columns.forEach((column, j) => {
      X.copyColumn(codes.X, j, column);
      means[column] = codes.means[j];
    });
  return { X, means };
}

function columnsAt(Y: DenseMatrix, columns: readonly number[]): DenseMatrix {
  const result = new DenseMatrix(Y.rows, columns.length);
  columns.forEach((column, j) => {
    result.column(j).set(Y.column(column));
  });
  return result;
}

function repeated(value: number, count: number): number[] {
  return new Array<number>(count).fill(value);
}

function meanOfKnown({ name, data }: Signal): number {
  const known = data.filter((value) => !Number.isNaN(value));
  if (known.length > 0) return known.reduce((sum, value) => sum + value, 0) / known.length;
  throw new InputError(`encodeSignals: ${name} must have a known sample, got all of them missing`);
}

/** The signals that were coded, from their codes. */
export async function decodeSignals(
  model: Model,
  codes: Codes,
  coded: CodedSignals,
  kernels: Kernels,
): Promise<Signal[]> {
  requireArguments("decodeSignals", {
    model: [model, modelType],
    coded: [
      coded,
      having("what encodeSignals returns as `signals`", [], ["dictionary", "patch", "stride", "shapes"]),
    ],
    kernels: [kernels, kernelsType],
  });
  requireCodes("decodeSignals", codes);
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
