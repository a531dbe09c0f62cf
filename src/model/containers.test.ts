import { describe, expect, test } from "vitest";
import { DenseMatrix } from "../core/matrix.js";
import { Rng } from "../core/random/rng.js";
import { writeSafetensors } from "../data/formats/containers/safetensors.js";
import { writeMat } from "../data/formats/matlab/matFile.js";
import { makeNpy } from "../data/formats/npy.js";
import { syntheticPictures } from "../data/syntheticPictures.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { train } from "../learn/run/train.js";
import {
  type DictionaryEnding,
  modelFromContainer,
  modelToContainer,
  type NumberType,
} from "./containers.js";
import { modelToBytes } from "./files.js";
import { Model } from "./model.js";
import { mostUsedAtoms, pruneModel } from "./pruneModel.js";

const kernels = createReferenceKernels();
const options = { patch: [4, 4], examples: 60, batch: 30, epochs: 1, holdout: 10, kernels } as const;
const pictures = syntheticPictures(1, 2, 16);
const sparse = await train(pictures, { ...options, base: "odct:1", atomSparsity: 3 }).model();
const explicit = await train(pictures, { ...options, learner: "odl", atoms: 20 }).model();

const write = (model: Model, ending: DictionaryEnding, type: NumberType = "f32") =>
  modelToContainer(model, ending, type, () => model.atoms(kernels));

describe.each([
  ["a sparse model", sparse],
  ["an explicit model", explicit],
])("%s", (_, model) => {
  test.each([".npz", ".mat", ".safetensors"] as const)("comes back from a %s to the byte", async (ending) => {
    const back = modelFromContainer(await write(model, ending), ending, "x");
    expect(modelToBytes(back)).toEqual(modelToBytes(model));
  });

  test("keeps its atoms in a .npy", async () => {
    const back = modelFromContainer(await write(model, ".npy"), ".npy", "x.npy");
    const [D, atoms] = [await back.atoms(kernels), await model.atoms(kernels)];
    expect(back.shape).toEqual([4, 4]);
    D.data.forEach((value, i) => {
      expect(value).toBeCloseTo(atoms.data[i], 6);
    });
  });

  test.each([".npz", ".safetensors", ".npy"] as const)(
    "takes less space as f16 in a %s, with atoms of unit norm",
    async (ending) => {
      const small = await write(model, ending, "f16");
      expect(small.length).toBeLessThan((await write(model, ending)).length);
      const D = await modelFromContainer(small, ending, "x").atoms(kernels);
      const exact = await model.atoms(kernels);
      for (let j = 0; j < D.cols; j++) {
        const norm = Math.hypot(...D.column(j));
        expect(Math.abs(norm - 1)).toBeLessThan(1e-3);
        D.column(j).forEach((value, i) => {
          expect(Math.abs(value - exact.column(j)[i])).toBeLessThan(2 ** -10);
        });
      }
    },
  );
});

describe("a matrix of another program", () => {
  const rng = Rng.from(1);
  const D = DenseMatrix.build(9, 12, () => rng.normal());
  const rows = DenseMatrix.build(12, 9, (i, j) => D.at(j, i)); // row-major 9 × 12
  const expected = Model.from(D, [3, 3]);

  test("is a dictionary, by the name of the matrix where there are several", () => {
    const full = { kind: "full", shape: [9, 12], data: D.data } as const;
    const one = writeMat([["D", full]]);
    expect(modelFromContainer(one, ".mat", "x.mat").dictionary).toEqual(expected.dictionary);
    const two = writeMat([
      ["D", full],
      ["E", full],
    ]);
    expect(() => modelFromContainer(two, ".mat", "x.mat")).toThrow(
      "x.mat holds several matrices: name one, as in 'x.mat[D]'; it has D, E",
    );
    expect(modelFromContainer(two, ".mat", "x.mat", { member: "E" }).dictionary).toEqual(expected.dictionary);
    expect(() => modelFromContainer(two, ".mat", "x.mat", { member: "F" })).toThrow(
      'x.mat has no matrix "F"; it has D, E',
    );
  });

  test("is read from a .safetensors", () => {
    const arrays = new Map([["w", makeNpy([9, 12], rows.data)]]);
    const bytes = writeSafetensors({ arrays, metadata: {} });
    expect(modelFromContainer(bytes, ".safetensors", "x").dictionary).toEqual(expected.dictionary);
    expect(modelFromContainer(bytes, ".safetensors", "x", { shape: [9] }).shape).toEqual([9]);
  });

  test("must be there", () => {
    const bytes = writeSafetensors({ arrays: new Map(), metadata: {} });
    expect(() => modelFromContainer(bytes, ".safetensors", "x")).toThrow(
      "not a dictionary: it holds no matrix",
    );
    expect(() => modelFromContainer(writeMat([]), ".mat", "x")).toThrow("it holds no matrix");
  });
});

test("a .mat has no numbers of 16 bits", async () => {
  await expect(write(sparse, ".mat", "f16")).rejects.toThrow("a .mat has no numbers of 16 bits");
});

describe("pruneModel", () => {
  test.each([sparse, explicit])(
    "keeps the atoms most used, in their order, with what is known of them",
    async (model) => {
      const uses = model.uses ?? new Uint32Array();
      const kept = mostUsedAtoms(uses, 7);
      const least = Math.min(...kept.map((j) => uses[j]));
      expect(uses.filter((n, j) => n > least && !kept.includes(j))).toEqual(new Uint32Array());
      const small = pruneModel(model, kept);
      const [before, after] = [await model.atoms(kernels), await small.atoms(kernels)];
      kept.forEach((j, i) => {
        expect(after.column(i)).toEqual(before.column(j));
      });
      expect(small.uses).toEqual(Uint32Array.from(kept, (j) => uses[j]));
      expect(small.meta.options).toMatchObject({ prunedFrom: model.A.cols });
      expect(() => pruneModel(model, [model.A.cols])).toThrow(/atom must be an integer/);
    },
  );
});
