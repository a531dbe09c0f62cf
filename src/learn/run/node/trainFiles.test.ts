import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../../../core/errors.js";
import { makeNpy, writeNpy } from "../../../data/formats/npy.js";
import { readSignals } from "../../../data/node/readSignals.js";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import { baseCols } from "../../../dictionaries/base.js";
import { pictureFrom } from "../../../figures/pictureFrom.js";
import { encodePng } from "../../../figures/png.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import { modelToBytes } from "../../../model/files.js";
import { saveModel } from "../../../model/node/files.js";
import { train as trainSignals } from "../train.js";
import { train } from "./trainFiles.js";

const folder = mkdtempSync(join(tmpdir(), "trainlets-train-"));
const photos = join(folder, "photos");
const kernels = createReferenceKernels();
const small = { atoms: 20, examples: 60, epochs: 1, batch: 30, holdout: 5, kernels } as const;

beforeAll(() => {
  mkdirSync(photos);
  syntheticPictures(3, 2, 24).forEach((picture, i) => {
    writeFileSync(join(photos, `${i}.png`), encodePng(pictureFrom(picture)));
  });
  const trace = Float32Array.from({ length: 200 }, (_, i) => Math.sin(i / 7));
  writeFileSync(join(folder, "trace.npy"), writeNpy(makeNpy([200], trace)));
  writeFileSync(join(folder, "song.mp3"), "not an image");
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("train of trainlets/node", () => {
  test("learns from a folder what it learns from the signals in it", async () => {
    const signals = await readSignals(photos, { patch: 4 });
    const expected = await trainSignals(signals, { ...small, patch: [4, 4] }).model();
    for (const data of [photos, [join(photos, "0.png"), join(photos, "1.png")], join(photos, "*.png")]) {
      const model = await train(data, { ...small, patch: 4 }).model();
      expect(modelToBytes(model)).toEqual(modelToBytes(expected));
    }
  });

  test("reports, and has its plan and snapshots as a run of signals has", async () => {
    const run = train(photos, { ...small, patch: 4 });
    expect((await run.plan()).base.shape).toEqual([4, 4]);
    let reports = 0;
    for await (const report of run) {
      if (!report.ended) expect((await run.snapshot()).shape).toEqual([4, 4]);
      reports++;
    }
    expect(reports).toBeGreaterThan(1);
    expect((await run.model()).A.cols).toBe(20);
    expect(run.unreadable).toEqual({ files: [], examples: 0 });
  });

  test("takes the base of a model: the learned factors of sedil, or the atoms of a model without a base", async () => {
    const { atoms: _, ...few } = small;
    const learned = { ...few, patch: 4, epochs: 2 };
    const sedil = await train(photos, { ...learned, learner: "sedil" }).model();
    const odl = await train(photos, { ...learned, atoms: 18, learner: "odl" }).model();
    for (const [name, model] of Object.entries({ sedil, odl })) {
      const path = join(folder, `${name}.npz`);
      await saveModel(path, model);
      const { base, A } = await train(photos, { ...small, patch: 4, atoms: 15, base: path }).model();
      expect(base.name).toBe(`${name}.npz`);
      expect(base.factors.map(({ data }) => [...data])).toEqual(
        model.base.factors.map(({ data }) => [...data]),
      );
      expect([A.rows, A.cols]).toEqual([baseCols(model.base), 15]);
    }
    const path = join(folder, "sedil.npz");
    await expect(train(photos, { ...small, patch: 5, base: path }).model()).rejects.toThrow(
      /the patch of base .*sedil\.npz must have shape 5x5, got 4x4/,
    );
  });

  test("takes one number as a window of 1-D signals, and tests on other files", async () => {
    const trace = join(folder, "trace.npy");
    const run = train(trace, { ...small, patch: 8, test: trace });
    expect((await run.plan()).base.shape).toEqual([8]);
    await run.close();
  });

  test("tests signals in memory on files", async () => {
    const data = Float32Array.from({ length: 99 }, (_, i) => i % 7);
    const run = train(data, { ...small, patch: 8, test: join(folder, "trace.npy") });
    expect((await run.plan()).holdout).toBe(5);
    await run.close();
  });

  test("takes signals in memory, too", async () => {
    const model = await train(
      Float32Array.from({ length: 99 }, (_, i) => i % 7),
      { ...small, patch: 4 },
    ).model();
    expect(model.shape).toEqual([4]);
  });

  test("refuses data smaller than the patch before it makes a base for the patch", async () => {
    const giant = { ...small, patch: 1_000_000 };
    for (const base of [undefined, "odct:2"])
      await expect(train(join(folder, "trace.npy"), { ...giant, base }).model()).rejects.toThrow(
        new InputError(`${join(folder, "trace.npy")}: 200 is smaller than the patch 1000000`),
      );
  });

  test("refuses unknown options at once, and data when it starts", async () => {
    expect(() => train(photos, { patch: 4, sparsity: 4 } as never)).toThrow(
      new InputError("train: unknown option sparsity; did you mean coding: { sparsity: 4 }?"),
    );
    await expect(train(join(folder, "none"), { ...small, patch: 4 }).model()).rejects.toThrow(
      new InputError(`no such file or folder: ${join(folder, "none")}`),
    );
    await expect(train(join(folder, "song.mp3"), { ...small, patch: 4 }).model()).rejects.toThrow(
      /song\.mp3: cannot be read as an image .*; readable files are images .*\.npy.*numpy\.save/,
    );
  });
});
