import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { SparseColumns } from "../../core/matrix.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createBase } from "../../dictionaries/base.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { Model } from "../../model/model.js";
import { decodeSignals, encodeSignals } from "./encodeSignals.js";

const meta = {
  learner: "none",
  options: {},
  seed: 0,
  examplesSeen: 0,
  removeMean: true,
  coding: { sparsity: 2 },
};
const kernels = createReferenceKernels();

describe("codes of signals", () => {
  const base = createBase("odct:1", [4, 4]);
  const model = new Model(base, SparseColumns.identity(16, 1), meta);
  const pictures = syntheticPictures(3, 2, 64);

  test("with all atoms allowed decode to the signals", async () => {
    const coding = { sparsity: 16 };
    const { codes, signals } = await encodeSignals(model, pictures, { stride: [3, 4], coding, kernels });
    const again = await decodeSignals(model, codes, signals, kernels);
    again.forEach((signal, s) => {
      expect(signal.shape).toEqual([64, 64]);
      signal.data.forEach((value, i) => {
        expect(Math.abs(value - pictures[s].data[i])).toBeLessThan(0.01);
      });
    });
  });

  test("are rejected with another dictionary, or if there are too many", async () => {
    const { codes, signals } = await encodeSignals(model, pictures, { stride: [4, 4], kernels });
    const A = SparseColumns.identity(16, 1);
    A.setColumn(0, [1], [1]);
    const other = new Model(base, A, meta);
    await expect(decodeSignals(other, codes, signals, kernels)).rejects.toThrow(
      /belong to dictionary [0-9a-f]{8}, got/,
    );
    const fewer = { ...signals, shapes: signals.shapes.slice(1) };
    await expect(decodeSignals(model, codes, fewer, kernels)).rejects.toThrow(
      new InputError("decode: the signals have 256 windows, got 512 codes"),
    );
  });
});
