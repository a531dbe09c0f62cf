import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { SparseColumns } from "../../core/matrix.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { baseCols, createBase } from "../../dictionaries/base.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelFromBytes } from "../../model/files.js";
import { Model } from "../../model/model.js";
import { experimentOf, experiments } from "../catalogue.js";
import type { Outcome } from "../shared/experiment.js";
import { type UniversalConfig, universal32, universal64 } from "./config.js";
import { judge } from "./expected.js";
import { learned } from "./result.js";
import { prepareUniversal, runUniversal } from "./run.js";

const kernels = createReferenceKernels();

/** The experiment on 8×8 patches: a second. */
const tiny: UniversalConfig = {
  ...universal32,
  name: "tiny",
  patch: [8, 8],
  atoms: 256,
  atomSparsity: 6,
  sparsity: 4,
  examples: 400,
  epochs: 1,
  batch: { gpu: 100, other: 100 },
  testPatches: 60,
  terms: [1, 2, 4],
  margin: { decibels: 50, over: "cropped wavelets", terms: [2] },
  pictures: { train: 2, test: 1, size: 40 },
};

/** Base atoms as they are. */
function modelOf(name: string): Model {
  const base = createBase(name, [2, 2]);
  const meta = { learner: "osdl", options: {}, seed: 1, examplesSeen: 0, removeMean: true, coding: {} };
  return new Model(base, SparseColumns.identity(baseCols(base), 1), meta);
}

const text = ({ files }: Outcome, name: string): string =>
  new TextDecoder().decode(files.find((file) => file.name === name)!.bytes);

describe("a run", async () => {
  const stages: string[] = [];
  const outcome = await runUniversal(tiny, {}, { kernels, onStage: (stage) => stages.push(stage) });

  test("gives the dictionary, the figures, the numbers and a page", () => {
    const names = outcome.files.map(({ name }) => name).filter((name) => !name.includes("recurring"));
    expect(names).toEqual([
      "dictionary.npz",
      "figure-9-atoms.png",
      "figure-11a-m-term.svg",
      "figure-11a-m-term.csv",
      "index.html",
    ]);
    const model = modelFromBytes(outcome.files[0].bytes, "dictionary.npz");
    expect(model.shape).toEqual([8, 8]);
    expect(model.A.cols).toBe(256);
    expect(model.meta.examplesSeen).toBe(400);
  });

  test("names each file of the page", () => {
    const page = text(outcome, "index.html");
    for (const [, src] of page.matchAll(/<img src="([^"]+)"/g))
      expect(outcome.files.map(({ name }) => name)).toContain(src);
    expect(page).toContain("does not hold");
  });

  test("has a table of PSNR that grows with M, and agrees with the numbers", () => {
    expect(outcome.rows.map(([label]) => label)).toEqual([
      "wavelets",
      "contourlets",
      "separable wavelets",
      "cropped contourlets",
      "cropped wavelets",
      "ODL",
      learned,
    ]);
    const lines = text(outcome, "figure-11a-m-term.csv").trimEnd().split("\n");
    expect(lines.length).toBe(1 + 1 + 4); // the header, then M = 0 … 4
    for (const [c, row] of outcome.rows.entries()) {
      const values = row.slice(1).map(Number);
      for (let i = 1; i < values.length; i++) expect(values[i]).toBeGreaterThan(values[i - 1]);
      tiny.terms.forEach((M, i) => {
        expect(Number(lines[M + 1].split(",")[c + 1])).toBeCloseTo(values[i], 1);
      });
    }
  });

  test("judges: the order of the curves, and a margin that nothing reaches", () => {
    expect(outcome.claims.at(-1)).toMatchObject({ holds: false });
    expect(outcome.claims.at(-1)!.text).toMatch(
      /^trainlets \(OSDL\) is at least 50 dB above cropped wavelets at M = 2 \(measured: -?\d+\.\d\d\)$/,
    );
  });

  test("is the same again, time aside", async () => {
    const again = await runUniversal(tiny, {}, { kernels });
    expect(again.rows).toEqual(outcome.rows);
    expect(again.files[0].bytes).toEqual(outcome.files[0].bytes);
  });

  test("tells what it does", () => {
    expect(stages).toContain("approximating 60 test patches: cropped wavelets");
    expect(stages.at(-1)).toBe("drawing");
  });
});

describe("data", () => {
  const pictures = syntheticPictures(3, 12, 20);

  test("of one kind are divided: what is tested on is not learned from", async () => {
    const plans: number[] = [];
    const alone = { ...tiny, rivals: [] };
    const run = (images: typeof pictures, test?: typeof pictures) =>
      runUniversal(
        alone,
        { images, test },
        {
          kernels,
          async follow(training) {
            plans.push((await training.plan()).available);
            for await (const _ of training);
          },
        },
      );
    const windows = 13 * 13;
    await run(pictures); // one in ten is set aside
    await run(pictures.slice(0, 3)); // at least one
    const { files } = await run(pictures.slice(0, 3), pictures.slice(3, 5));
    expect(plans).toEqual([11 * windows, 2 * windows, 3 * windows]);
    expect(new TextDecoder().decode(files.at(-1)!.bytes)).toContain("3 pictures, tested on 2 others");
  });

  test("must be at least two pictures", async () => {
    await expect(runUniversal(tiny, { images: pictures.slice(0, 1) }, { kernels })).rejects.toThrow(
      new InputError("images must be at least two where none are given to test on, got 1"),
    );
  });
});

describe("options", () => {
  test("are checked before anything is read", () => {
    const prepare = (options: object) => prepareUniversal(universal32, options);
    expect(() => prepare({ examples: 0 })).toThrow(
      new InputError("train: examples must be an integer of at least 1, got 0"),
    );
    expect(() => prepare({ batch: "many" })).toThrow(/batch must be an integer of at least 1, got "many"/);
    expect(() => prepare({ quick: true, seed: -1 })).toThrow(/seed must be an integer of at least 0, got -1/);
  });

  test("an abort ends the training, and what there is is shown", async () => {
    const { files, rows } = await runUniversal(tiny, {}, { kernels, signal: AbortSignal.abort() });
    expect(rows.map(([label]) => label)).not.toContain("ODL"); // its time had not come
    expect(modelFromBytes(files[0].bytes, "x").meta.examplesSeen).toBe(100);
  });
});

describe("what is expected", () => {
  const curves = (learnedPsnr: number[]) => [
    { label: "wavelets", psnr: [0, 20, 21] },
    { label: "cropped wavelets", psnr: [0, 22, 24] },
    { label: learned, psnr: learnedPsnr },
  ];
  const model = modelOf("identity");
  const ours = { label: learned, model, learning: [], seconds: 10 };
  const config = { ...tiny, terms: [1, 2], margin: { decibels: 1, over: "cropped wavelets", terms: [2] } };

  test("holds, or not, claim by claim", () => {
    const holds = (psnr: number[]) => judge(config, curves(psnr), [ours]).map((claim) => claim.holds);
    expect(holds([0, 22.5, 25])).toEqual([true, true, true]);
    expect(holds([0, 22.5, 24.9])).toEqual([true, true, false]);
    expect(holds([0, 21.9, 25])).toEqual([false, true, true]);
  });

  test("is learning over twice as fast as a rival", () => {
    const claim = (seconds: number) =>
      judge(config, curves([0, 23, 25]), [{ ...ours, label: "ODL", seconds }, ours])[2];
    expect(claim(21)).toEqual({
      text: `${learned} is learned over twice as fast as ODL (measured: 10 s and 21 s)`,
      holds: true,
    });
    expect(claim(19)).toMatchObject({ holds: false });
  });
});

test("the catalogue knows each by its name, on one line", () => {
  const names = [
    "fig1",
    "fig2",
    "fig3",
    "fig4",
    "fig5",
    "fig6",
    "fig7",
    "fig8",
    "fig11",
    "universal32",
    "universal64",
  ];
  expect(experiments.map(({ name }) => name)).toEqual(names);
  for (const { name, summary } of experiments) {
    expect(experimentOf(name).name).toBe(name);
    expect(summary).not.toContain("\n");
  }
  expect(() => experimentOf("universal16")).toThrow(
    new InputError(
      'experimentOf: unknown experiment "universal16"; known: fig1, fig2, fig3, fig4, fig5, fig6, fig7, fig8, fig11, universal32, universal64',
    ),
  );
});

test.each([universal32, universal64])("$name is as the paper has it", (config) => {
  const baseAtoms = new Map([
    [32, 56],
    [64, 100],
  ]);
  const L = config.patch.map((size) => baseAtoms.get(size) ?? Number.NaN).reduce((a, b) => a * b);
  expect(config.atoms / L).toBe(config.name === "universal32" ? 2 : 1);
  expect(config.terms).toEqual([...config.terms].sort((a, b) => a - b));
  expect(config.quick.patch).toBeUndefined(); // the small version has patches of the same size
});
