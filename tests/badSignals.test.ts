/**
 * Every function of the library that takes signals refuses those that are not: with fewer samples
 * than their shape says, with a shape that is not one, or with samples that are not finite. A
 * `Signal` is an interface, so a program can make one by itself.
 */

import { describe, expect, it } from "vitest";
import type { Signal } from "../src/core/signal.js";
import {
  createBase,
  DenseMatrix,
  denoise,
  encodeSignals,
  estimateNoise,
  InputError,
  inpaint,
  Model,
  mTermCurves,
  representationError,
  train,
} from "../src/index.js";
import { createReferenceKernels } from "../src/kernels/reference/index.js";
import { mTermErrors, samplePatches, signalsFrom } from "../src/parts.js";

const kernels = createReferenceKernels();
const base = createBase("odct:1", [4, 4]);
const model = Model.from(
  DenseMatrix.build(16, 16, (i, j) => (i === j ? 1 : 0)),
  [4, 4],
);
const good: Signal = {
  name: "good",
  shape: [16, 16],
  data: Float32Array.from({ length: 256 }, (_, i) => Math.sin(i)),
};

const bad: Record<string, unknown> = {
  "too few samples": { ...good, data: good.data.slice(0, 10) },
  "too many samples": { ...good, data: new Float32Array(257) },
  "a shape of zero": { ...good, shape: [0, 16], data: new Float32Array() },
  "a shape with NaN": { ...good, shape: [16, Number.NaN] },
  "a negative shape": { ...good, shape: [-16, -16] },
  NaN: { ...good, data: good.data.with(7, Number.NaN) },
  Infinity: { ...good, data: good.data.with(255, Infinity) },
  "-Infinity": { ...good, data: good.data.with(0, -Infinity) },
};

const learning = { patch: [4, 4], base: "odct:1", examples: 40, epochs: 1, kernels } as const;
const coding = { sparsity: 2 };

/** Calls every function with a signal, alone and after a good one. */
const doors: Record<string, (signal: Signal) => unknown> = {
  train: (signal) => train(signal, learning).model(),
  "train, one of several": (signal) => train([good, signal], learning).model(),
  "train, test": (signal) => train(good, { ...learning, test: [signal] }).model(),
  signalsFrom: (signal) => signalsFrom("x", [signal], [4, 4]),
  encodeSignals: (signal) => encodeSignals(model, [good, signal], { stride: [4, 4], coding, kernels }),
  representationError: (signal) =>
    representationError({ base }, [good, signal], {
      coding,
      examples: 20,
      seed: 1,
      removeMean: true,
      kernels,
    }),
  samplePatches: (signal) => samplePatches([good, signal], { patch: [4, 4], count: 5, seed: 1, kernels }),
  denoise: (signal) => denoise([good, signal], { patch: [4, 4], sigma: 1, kernels }),
  estimateNoise: (signal) => estimateNoise(signal),
  inpaint: (signal) => {
    const missing = new Uint8Array(256).fill(1, 100, 110);
    return inpaint([{ signal, missing }], { patch: [4, 4], kernels });
  },
};

describe.each(Object.entries(doors))("%s refuses a signal", (_, call) => {
  it.each(Object.entries(bad))("with %s", async (_, signal) => {
    const error = await (async () => call(signal as Signal))().then(
      () => "nothing was refused",
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(InputError);
    expect((error as Error).message).not.toContain("\n");
  });
});

describe("patches that are not finite", () => {
  const patches = DenseMatrix.build(16, 3, (i, j) => (i === 5 && j === 1 ? Number.NaN : i));

  it.each([
    ["mTermErrors", () => mTermErrors({ base }, patches, 2, kernels)],
    ["mTermErrors by a transform", () => mTermErrors({ transform: (patch) => patch }, patches, 2, kernels)],
    [
      "mTermCurves",
      () => mTermCurves([{ label: "a", make: () => ({ base }) }], patches, { maxTerms: 2, kernels }),
    ],
    ["Model.encode", () => model.encode(patches, coding, kernels)],
  ])("are refused by %s", async (_, call) => {
    await expect(call()).rejects.toThrow(/must be finite, got NaN at index 21$/);
  });
});
