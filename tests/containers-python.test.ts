/** Dictionaries in `.mat` and half precision, written and read with scipy.io and numpy. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { createReferenceKernels } from "../src/kernels/reference/index.js";
import { train } from "../src/learn/run/train.js";
import { modelFromContainer, modelToContainer } from "../src/model/containers.js";
import { requirePython, runPython } from "./python/python.js";

interface Answer {
  readonly D: number[][];
  readonly explicit: number[][];
  readonly type: string;
  readonly meta: Record<string, unknown>;
  readonly uses: number[];
  readonly half: number[][];
  readonly halfType: string;
}

const python = requirePython(["numpy", "scipy.io"]);
const folder = mkdtempSync(join(tmpdir(), "trainlets-containers-"));
const path = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!python.path)(`dictionaries with scipy.io and numpy${python.note}`, () => {
  test.each([false, true])(
    "are the same there, and a .mat of scipy is a dictionary here (compressed: %s)",
    async (compressed) => {
      const kernels = createReferenceKernels();
      const options = { patch: [3, 4], examples: 40, batch: 20, epochs: 1, holdout: 10, kernels } as const;
      const pictures = syntheticPictures(1, 1, 16);
      const sparse = await train(pictures, { ...options, base: "odct:1", atomSparsity: 3 }).model();
      const explicit = await train(pictures, { ...options, learner: "odl", atoms: 15 }).model();
      const write = async (
        name: string,
        model: typeof sparse,
        ...[ending, type]: [".mat" | ".npy", "f32" | "f16"]
      ) => writeFileSync(path(name), await modelToContainer(model, ending, type, () => model.atoms(kernels)));
      await write("sparse.mat", sparse, ".mat", "f32");
      await write("explicit.mat", explicit, ".mat", "f32");
      await write("half.npy", explicit, ".npy", "f16");
      const files = Object.fromEntries(
        Object.entries({
          sparse: "sparse.mat",
          explicit: "explicit.mat",
          half: "half.npy",
          out: "out.mat",
        }).map(([key, name]) => [key, path(name)]),
      );
      const answer = runPython(python.path ?? "", "containers.py", { ...files, compressed }) as Answer;
      const [D, E] = [await sparse.atoms(kernels), await explicit.atoms(kernels)];
      answer.D.forEach((row, i) => {
        for (const [j, value] of row.entries()) expect(value).toBeCloseTo(D.at(i, j), 5);
      });
      answer.explicit.forEach((row, i) => {
        for (const [j, value] of row.entries()) expect(value).toBe(E.at(i, j));
      });
      answer.half.forEach((row, i) => {
        for (const [j, value] of row.entries()) expect(Math.abs(value - E.at(i, j))).toBeLessThan(2 ** -11);
      });
      expect([answer.type, answer.halfType]).toEqual(["float32", "float16"]);
      expect(answer.uses).toEqual([...(sparse.uses ?? [])]);
      expect(answer.meta).toMatchObject({ format: "trainlets-model", learner: "osdl" });
      const back = modelFromContainer(readFileSync(path("out.mat")), ".mat", "out.mat", {
        member: "D",
        shape: [3, 4],
      });
      const atoms = await back.atoms(kernels);
      expect([atoms.rows, atoms.cols]).toEqual([12, D.cols]);
      atoms.data.forEach((value, i) => {
        expect(value).toBeCloseTo(D.data[i], 5);
      });
    },
  );
});
