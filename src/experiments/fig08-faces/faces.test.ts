import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelFromBytes } from "../../model/files.js";
import { memoryParts } from "../shared/memoryParts.case.js";
import { trainletsLabel } from "../shared/mTermComparison.js";
import type { LearningRecord } from "../shared/trainPart.js";
import { type FaceKind, faceKind, facesClaims } from "./claims.js";
import { firstComponentsCurve } from "./firstComponents.js";
import { costsOf, hasSettled } from "./learn.js";
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
  sedil: { base: "odct:1.5", examples: 60, turns: 4, tolerance: 1e-4 },
  testPatches: 60,
  terms: [1, 2, 4],
  claimed: { terms: 2, overWavelets: 50, overSedil: 1 },
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
      "figure-8-atoms-osdl.png",
      "figure-8-atoms-sedil.png",
      "figure-8-atoms-pca.png",
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

  test("has the figures of the paper: the atoms of OSDL, then the curves in the order of the table", () => {
    const figures = outcome.files.filter(({ caption }) => caption !== undefined);
    expect(figures.map(({ name }) => name)).toEqual(["figure-8-atoms-osdl.png", "figure-8-m-term.svg"]);
    const chart = new TextDecoder().decode(figures[1].bytes);
    const places = outcome.rows.map(([label]) => chart.indexOf(`>${label}<`));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test("compares dictionaries on the same pictures, PCA by its first and by its largest components", () => {
    expect(outcome.rows.map(([label]) => label)).toEqual([
      "wavelets",
      "cropped wavelets",
      "PCA, first M",
      "PCA, M largest of 20",
      "SeDiL",
      trainletsLabel,
    ]);
    for (const [, ...cells] of outcome.rows)
      expect(cells.map(Number)).toEqual([...cells.map(Number)].sort((a, b) => a - b));
    expect(outcome.claims[0]).toMatchObject({ id: "osdl-over-wavelets", holds: false }); // nothing gains 50 dB
    const [first, largest] = [2, 3].map((row) => outcome.rows[row].slice(1).map(Number));
    first.forEach((value, i) => {
      expect(value).toBeLessThanOrEqual(largest[i]); // the largest components are the best choice of any
    });
  });

  test("reports how SeDiL ended, and its weights as ours", () => {
    const { learning } = outcome.values as { learning: Record<string, LearningRecord> };
    expect(learning.SeDiL).toMatchObject({ updates: 4 });
    const costs = costsOf(learning.SeDiL.points);
    expect(costs.length).toBe(4);
    expect(costs).toEqual([...costs].sort((a, b) => b - a));
    expect(outcome.departures.join()).toContain("weights of ours, λ = 0.1, ρ = 20, κ = 0.001");
  });

  test("resumes from its parts with the same result", async () => {
    const parts = memoryParts();
    await runFaces(tiny, {}, { kernels, parts });
    expect([...parts.stored.keys()]).toEqual(
      ["pca", "sedil", "osdl"].flatMap((name) => [`${name}.npz`, `${name}.json`]),
    );
    let trained = 0;
    const showTraining = async () => void trained++;
    const again = await runFaces(tiny, {}, { kernels, parts, showTraining });
    expect([trained, again.rows]).toEqual([0, outcome.rows]);
  });

  test("frees all device memory", () => {
    expect(kernels.memory.used).toBe(0);
  });
});

describe("the claims of fig8", () => {
  const claims = (kind: FaceKind, osdl: number, pca: number, sedil = 24) => {
    const values = { wavelets: 20, "cropped wavelets": 22, "PCA, first M": pca, SeDiL: sedil };
    const curves = Object.entries({ ...values, [trainletsLabel]: osdl });
    const psnr = Object.fromEntries(
      curves.map(([label, value]) => [label, new Array<number>(200).fill(value)]),
    );
    const judged = facesClaims(fig8, psnr, kind).map(({ id, holds }) => [id, holds]);
    return Object.fromEntries(judged) as Record<string, boolean>;
  };

  test("are judged at the thresholds of the paper", () => {
    expect(claims("in the wild", 28, 19.9)).toMatchObject({
      "osdl-over-wavelets": true,
      "osdl-over-sedil-in-the-wild": true,
      "pca-below-wavelets-in-the-wild": true,
    });
    expect(claims("in the wild", 24.9, 20.1)).toMatchObject({
      "osdl-over-wavelets": false,
      "osdl-over-sedil": true,
      "osdl-over-sedil-in-the-wild": false,
      "pca-below-wavelets-in-the-wild": false,
    });
    expect(claims("aligned", 28, 20.1)["pca-over-wavelets-aligned"]).toBe(true);
    expect(claims("aligned", 28, 20)["sedil-not-over-cropped"]).toBe(false);
    expect(claims("aligned", 28, 20, 22)["sedil-not-over-cropped"]).toBe(true);
    expect(claims("in the wild", 20.1, 20)["gain-in-the-wild"]).toBe(true); // a gain, of any size
    expect(claims("in the wild", 20, 20)["gain-in-the-wild"]).toBe(false);
  });

  test("are those of the kind of faces that the names of the files give; of both kinds where they give none", () => {
    expect(faceKind(["data/utkface-aligned64.npy[0]", "data/utkface-aligned64.npy[1]"])).toBe("aligned");
    expect(faceKind(["lfw-crop64.npy[0]"])).toBe("in the wild");
    expect(faceKind(["lfw-crop64.npy[0]", "me.png"])).toBe("unknown");
    expect(faceKind([])).toBe("unknown");
    expect(claims("aligned", 28, 20)["osdl-over-sedil-in-the-wild"]).toBeUndefined();
    const both = claims("unknown", 28, 20);
    expect(both["pca-over-wavelets-aligned"] ?? both["pca-below-wavelets-in-the-wild"]).toBeDefined();
  });
});

test("a cost has settled when ten updates changed it by less than the tolerance each, on average", () => {
  const falling = (by: number) => Array.from({ length: 12 }, (_, i) => 10 - by * i);
  expect(hasSettled(falling(0.0009), 1e-4)).toBe(true);
  expect(hasSettled(falling(0.0011), 1e-4)).toBe(false);
  expect(hasSettled(falling(0).slice(0, 10), 1e-4)).toBe(false); // too few
  expect(hasSettled([...falling(0.01), 9.89], 1e-4)).toBe(false); // one small change is not enough
});

test("the first M of orthonormal components leave what is outside their span", () => {
  const components = new DenseMatrix(3, 2, Float32Array.of(1, 0, 0, 0, 1, 0));
  const patches = new DenseMatrix(3, 1, Float32Array.of(3, 4, 12));
  const { psnr } = firstComponentsCurve("PCA", components, patches, 3);
  const errors = psnr.map((value) => 255 ** 2 / 10 ** (value / 10));
  [169, 160, 144, 144].forEach((energy, M) => {
    expect(3 * errors[M]).toBeCloseTo(energy, 8);
  });
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
  expect(fig8.sedil).toMatchObject({ base: "odct:2", examples: 1000, tolerance: 1e-4 });
});
