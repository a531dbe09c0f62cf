import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelFromBytes } from "../../model/files.js";
import { trainletsLabel } from "../shared/mTermComparison.js";
import { facesClaims } from "./claims.js";
import { prepareFaces, runFaces } from "./run.js";
import { type FacesSettings, fig8 } from "./settings.js";

const kernels = createReferenceKernels();

/** The whole experiment on 8×8 pictures: a second or two. */
const tiny: FacesSettings = {
  ...fig8,
  name: "tiny",
  patch: [8, 8],
  atoms: 64,
  atomSparsity: 6,
  sparsity: 4,
  examples: 600,
  epochs: 2,
  batch: 100,
  components: 20,
  sedil: { base: "odct:1.5", examples: 60, epochs: 4 },
  testPatches: 60,
  terms: [1, 2, 4],
  claimed: { terms: 2, decibels: 50 },
  pictures: { train: 2, test: 1, size: 40 },
};

describe("a run of fig8", async () => {
  const stages: string[] = [];
  const outcome = await runFaces(tiny, {}, { kernels, onStage: (stage) => stages.push(stage) });

  test("writes three dictionaries, their atoms, the curves and a page", () => {
    expect(outcome.files.map(({ name }) => name)).toEqual([
      "pca.npz",
      "sedil.npz",
      "dictionary.npz",
      "figure-8-atoms-pca.png",
      "figure-8-atoms-sedil.png",
      "figure-8-atoms-osdl.png",
      "figure-8-m-term.svg",
      "figure-8-m-term.csv",
      "index.html",
    ]);
    const atoms = (file: number) => modelFromBytes(outcome.files[file].bytes, "d.npz").A.cols;
    expect([0, 1, 2].map(atoms)).toEqual([20, 144, 64]);
    const page = new TextDecoder().decode(outcome.files.at(-1)!.bytes);
    for (const [, src] of page.matchAll(/<img src="([^"]+)"/g))
      expect(outcome.files.map(({ name }) => name)).toContain(src);
    expect(stages).toContain("learning: SeDiL");
  });

  test("compares five dictionaries on the same pictures, in the order of the paper", () => {
    expect(outcome.rows.map(([label]) => label)).toEqual([
      "wavelets",
      "cropped wavelets",
      "PCA",
      "SeDiL",
      trainletsLabel,
    ]);
    for (const [, ...cells] of outcome.rows)
      expect(cells.map(Number)).toEqual([...cells.map(Number)].sort((a, b) => a - b));
    expect(outcome.claims.length).toBe(4);
    expect(outcome.claims[0].holds).toBe(false); // no dictionary gains 50 dB
  });

  test("frees all device memory", () => {
    expect(kernels.memory.used).toBe(0);
  });
});

test("the claims of fig8 are about one M, and only the one about wavelets has a margin", () => {
  const curve = (label: string, value: number) => ({ label, psnr: new Array<number>(200).fill(value) });
  const holds = (own: number) =>
    facesClaims(fig8, [curve("wavelets", 20), curve("PCA", 22.9), curve(trainletsLabel, own)]).map(
      (claim) => claim.holds,
    );
  expect(holds(23)).toEqual([true, true]);
  expect(holds(22.95)).toEqual([false, true]);
  expect(holds(22.9)).toEqual([false, false]);
});

test("options are checked before data is read", () => {
  const prepare = (options: object) => () => prepareFaces(fig8, options);
  expect(prepare({ epochs: 0 })).toThrow(
    new InputError("fig8: epochs must be an integer of at least 1, got 0"),
  );
  expect(prepare({ seed: -1 })).toThrow(
    new InputError("fig8: seed must be an integer of at least 0, got -1"),
  );
  expect(prepare({ quick: true })).not.toThrow();
});

test("the full size is that of the paper: not redundant, 250 non-zeros, factors of 64×128", () => {
  expect(fig8).toMatchObject({ patch: [64, 64], atoms: 64 * 64, atomSparsity: 250, epochs: 15 });
  expect(fig8.sedil.base).toBe("odct:2");
});
