import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { baseCols, createBase } from "../../dictionaries/base.js";
import { atomFamilies } from "../../figures/atoms/atomFamilies.js";
import { atomSpreads } from "../../figures/atoms/atomSpread.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelFromBytes } from "../../model/files.js";
import { Model } from "../../model/model.js";
import { experiments, findExperiment } from "../catalogue.js";
import type { Outcome } from "../shared/experiment.js";
import { memoryParts } from "../shared/memoryParts.case.js";
import { trainletsLabel } from "../shared/mTermComparison.js";
import { atomClaims, isBaseAtom, type SeenAtoms, seeAtoms, shareOfKinds } from "./atomClaims.js";
import { type UniversalValues, universalClaims, universalTexts } from "./claims.js";
import { prepareUniversal, runUniversal } from "./run.js";
import { type UniversalSettings, universal32, universal64 } from "./settings.js";

const kernels = createReferenceKernels();

const batches = { gpu: 100, other: 100 };

/** The whole experiment on 8×8 patches: a second. */
const tiny: UniversalSettings = {
  ...universal32,
  name: "tiny",
  patch: [8, 8],
  atoms: 256,
  atomSparsity: 6,
  sparsity: 4,
  examples: 400,
  epochs: 1,
  batches,
  testPatches: 60,
  terms: [1, 2, 4],
  learned: universal32.learned.map(({ own, ...method }) => ({ ...method, own: { ...own, batches } })),
  margins: [
    { id: "trained-over-base", better: trainletsLabel, than: "cropped wavelets", decibels: { 2: 50 } },
  ],
  pictures: { train: 2, test: 1, size: 40 },
};

/** A model whose atoms are those of its base dictionary. */
function baseModel(name: string, shape = [2, 2]): Model {
  const base = createBase(name, shape);
  const meta = { learner: "osdl", options: {}, seed: 1, examplesSeen: 0, removeMean: true, coding: {} };
  return new Model(base, SparseColumns.identity(baseCols(base), 1), meta);
}

const text = ({ files }: Outcome, name: string): string =>
  new TextDecoder().decode(files.find((file) => file.name === name)!.bytes);

describe("a run of a universal experiment", async () => {
  const stages: string[] = [];
  const outcome = await runUniversal(tiny, {}, { kernels, onStage: (stage) => stages.push(stage) });

  test("writes the dictionary, the figures, the numbers and a page", () => {
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

  test("has a page that shows only files that exist", () => {
    const page = text(outcome, "index.html");
    for (const [, src] of page.matchAll(/<img src="([^"]+)"/g))
      expect(outcome.files.map(({ name }) => name)).toContain(src);
    expect(page).toContain("does not hold");
  });

  test("has a table of PSNR that grows with M and agrees with the numbers in the file", () => {
    expect(outcome.rows.map(([label]) => label)).toEqual([
      "wavelets",
      "contourlets",
      "separable wavelets",
      "cropped contourlets",
      "cropped wavelets",
      "ODL",
      "OSDL, p = 36 by OLS",
      "Sparse ODL",
      trainletsLabel,
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

  test("makes a claim about a margin, which does not hold if nothing reaches it", () => {
    const margin = outcome.claims.find(({ id }) => id === "trained-over-base")!;
    expect(margin).toMatchObject({ source: "ours", holds: false });
    expect(margin.text).toBe("trainlets (OSDL) is above cropped wavelets by at least 50 dB at M = 2");
    expect(margin.measured).toMatch(/^-?\d+\.\d\d dB \(M = 2\)$/);
  });

  test("has the same result in a second run, apart from times", async () => {
    const again = await runUniversal(tiny, {}, { kernels });
    expect(again.rows).toEqual(outcome.rows);
    expect(again.files[0].bytes).toEqual(outcome.files[0].bytes);
  });

  test("keeps every dictionary and every curve as a part, and resumes", async () => {
    const parts = memoryParts();
    await runUniversal(tiny, {}, { kernels, parts });
    for (const name of ["osdl.npz", "odl.npz", "curve-wavelets.json", "curve-trainlets-osdl-.json"])
      expect(parts.stored.has(name)).toBe(true);
    const showTraining = () => Promise.reject(new Error("learned again"));
    const again = await runUniversal(tiny, {}, { kernels, parts, showTraining });
    expect(again.rows).toEqual(outcome.rows);
    const seconds = Object.keys(again.stageSeconds);
    expect(seconds).toContain("learning: trainlets (OSDL)");
    expect(seconds).toContain("learning: ODL");
  });

  test("reports its stages", () => {
    expect(stages).toContain("approximating 60 test patches: cropped wavelets");
    expect(stages.at(-1)).toBe("drawing");
  });
});

describe("the pictures", () => {
  const pictures = syntheticPictures(3, 12, 20);

  test("are split without test images: one in ten, at least one, is set aside and not learned from", async () => {
    const plans: number[] = [];
    const alone = { ...tiny, learned: tiny.learned.slice(0, 1) };
    const run = (images: typeof pictures, test?: typeof pictures) =>
      runUniversal(
        alone,
        { images, test },
        {
          kernels,
          async showTraining(plan, reports) {
            plans.push(plan.available);
            for await (const _ of reports);
          },
        },
      );
    const windows = 13 * 13;
    await run(pictures); // one in ten
    await run(pictures.slice(0, 3)); // at least one
    const { files } = await run(pictures.slice(0, 3), pictures.slice(3, 5));
    expect(plans).toEqual([11 * windows, 2 * windows, 3 * windows]);
    expect(new TextDecoder().decode(files.at(-1)!.bytes)).toContain("3 pictures, tested on 2 others");
  });

  test("must be at least two without test images", async () => {
    await expect(runUniversal(tiny, { images: pictures.slice(0, 1) }, { kernels })).rejects.toThrow(
      new InputError("images must be at least two if there are no images to test on, got 1"),
    );
  });
});

describe("the options", () => {
  test("are checked before data is read", () => {
    const prepare = (options: object) => prepareUniversal(universal32, options);
    expect(() => prepare({ examples: 0 })).toThrow(
      new InputError("universal32: examples must be an integer of at least 1, got 0"),
    );
    expect(() => prepare({ batch: "many" })).toThrow(/batch must be an integer of at least 1, got "many"/);
    expect(() => prepare({ quick: true, seed: -1 })).toThrow(/seed must be an integer of at least 0, got -1/);
  });

  test("an aborted run shows the dictionary so far, and no rival", async () => {
    const { files, rows } = await runUniversal(tiny, {}, { kernels, signal: AbortSignal.abort() });
    expect(rows.map(([label]) => label)).not.toContain("ODL"); // it had not begun
    expect(modelFromBytes(files[0].bytes, "x").meta.examplesSeen).toBe(0);
  });
});

describe("the claims of a universal experiment", () => {
  const curves = (trainletsPsnr: number[]) => ({
    wavelets: [0, 20, 21],
    "cropped wavelets": [0, 22, 24],
    [trainletsLabel]: trainletsPsnr,
  });
  const [margin] = tiny.margins;
  const settings = { ...tiny, terms: [1, 2], margins: [{ ...margin, decibels: { 2: 1 } }] };
  const judge = (psnr: number[], learning: UniversalValues["learning"] = {}) => {
    const claims = universalClaims(settings, { psnr: curves(psnr), learning });
    return Object.fromEntries(claims.map((claim) => [claim.id, claim]));
  };

  test("hold or not, one by one", () => {
    const holds = (psnr: number[]) =>
      ["trained-best", "cropped-over-wavelets", "trained-over-base"].map((id) => judge(psnr)[id].holds);
    expect(holds([0, 22.5, 25])).toEqual([true, true, true]);
    expect(holds([0, 22.5, 24.9])).toEqual([true, true, false]);
    expect(holds([0, 21.9, 25])).toEqual([false, true, true]);
  });

  test("ask for learning over twice as fast as by ODL", () => {
    const claim = (seconds: number) =>
      judge([0, 23, 25], {
        [trainletsLabel]: { learningSeconds: 10, updates: 1222 },
        ODL: { learningSeconds: seconds, updates: 4884 },
      })["twice-as-fast"];
    expect(claim(21)).toMatchObject({
      measured: "10 s in 1,222 mini-batches against 21 s in 4,884: 2.10 times",
      holds: true,
    });
    expect(claim(19)).toMatchObject({ holds: false });
    expect(judge([0, 23, 25])["twice-as-fast"]).toBeUndefined();
  });

  test("a margin names what it asks for at each M", () => {
    const { id } = margin;
    const two = { ...settings, margins: [{ ...margin, decibels: { 1: 1.7, 2: 1.85 } }] };
    expect(universalTexts(two)[id]).toBe(
      "trainlets (OSDL) is above cropped wavelets by at least 1.7 dB at M = 1 and 1.85 dB at M = 2",
    );
  });

  test("say before a run what they say after it", () => {
    const labels = settings.orders.flatMap(({ better, than }) => [better, than]);
    const psnr = Object.fromEntries(labels.map((label) => [label, [0, 20, 21]]));
    const [, ...made] = universalClaims(settings, { psnr, learning: {}, atoms: seen([]) }); // the first is trained-best
    const texts = universalTexts(settings);
    expect(Object.fromEntries(made.map(({ id, text }) => [id, text]))).toEqual(texts);
  });

  test("judge a continued dictionary by its own claims, and not beside the paper's", () => {
    const order = { id: "continued-over-cropped-wavelets", source: "ours", paper: "" };
    const label = "OSDL, then p = 4";
    const continued = { id: "osdl-then-4", label, learner: "osdl", extra: true } as const;
    const claims = universalClaims(
      {
        ...settings,
        orders: [{ ...order, better: label, than: "cropped wavelets" }],
        learned: [...settings.learned, continued],
      },
      { psnr: { ...curves([0, 22.5, 25]), [label]: [0, 22.1, 30] }, learning: {} },
    );
    expect(claims.find(({ id }) => id === "trained-best")).toMatchObject({ holds: true });
    expect(claims.find(({ id }) => id === order.id)).toMatchObject({
      ...order,
      text: "OSDL, then p = 4 is above cropped wavelets at M = 1, 2",
      measured: "0.10, 6.00 dB (M = 1, 2)",
      holds: true,
    });
  });
});

const spread = (samples: number, frequencies: number) => ({ samples, frequencies });
const oneOfEach = [spread(0.1, 0.05), spread(0.1, 0.3), spread(0.4, 0.05), spread(0.4, 0.3)];

/** One atom of each kind; of the base atoms all are local with few frequencies. */
function seen(families: SeenAtoms["families"], spreads = oneOfEach): SeenAtoms {
  return { kinds: shareOfKinds(spreads), baseKinds: shareOfKinds(oneOfEach.slice(0, 1)), families };
}

describe("the claims about atoms", () => {
  const member = (atom: number, shift: number[]) => ({ atom, sign: 1 as const, shift, correlation: 0.9 });
  const family = [member(3, [0, 0]), member(7, [3, -4])];

  test("ask for all four kinds, and print those of the base atoms beside them", () => {
    const [kinds] = atomClaims(seen([]));
    expect(kinds.measured).toBe(
      "local with few frequencies 25 %, local with many 25 %, spread out with few frequencies 25 %, spread out with many 25 % (of the base atoms 100 %, 0 %, 0 %, 0 %)",
    );
    expect(kinds.holds).toBe(true);
    expect(atomClaims(seen([], oneOfEach.slice(1)))[0].holds).toBe(false);
  });

  test("ask for one pattern at two places", () => {
    const recurring = (...families: SeenAtoms["families"]) => atomClaims(seen(families))[1];
    expect(recurring(family, [...family, member(9, [1, 0])])).toMatchObject({
      measured: "2 families of 2 to 3 atoms, up to 5 samples apart",
      holds: true,
    });
    expect(recurring(family).measured).toBe("1 family of 2 atoms, up to 5 samples apart");
    expect(recurring([member(3, [0, 0]), member(7, [0, 0])]).holds).toBe(false);
    expect(recurring()).toMatchObject({ measured: "no family", holds: false });
  });

  test("an atom with nearly all of its energy in one entry is a base atom", () => {
    const A = SparseColumns.fromEntries(9, 2, [
      [[3, -2]],
      [
        [3, 2],
        [5, 0.6], // 8 %
      ],
      [
        [3, 2],
        [5, 0.7], // 11 %
      ],
    ]);
    expect([0, 1, 2].map((j) => isBaseAtom(A, j))).toEqual([true, true, false]);
  });

  test("patterns of cropped wavelets recur before anything is learned, and do not count", async () => {
    const model = baseModel("cropped:sym8", [16, 16]);
    const atoms = await model.atoms(kernels);
    expect(atomFamilies(atoms, model.shape).length).toBeGreaterThan(0);
    const found = await seeAtoms(model, atoms, kernels);
    expect(found.kinds).toEqual(found.baseKinds);
    expect(found.families).toEqual([]);
  });

  test("families are of atoms that are no base atoms, by their places in the dictionary", async () => {
    const whole = baseModel("cropped:sym8", [16, 16]);
    const { base, meta } = whole;
    const [first] = atomFamilies(await whole.atoms(kernels), whole.shape);
    // the atoms of one family, each with a weak other one, after as many base atoms
    const places = first.map(({ atom }) => atom);
    const A = SparseColumns.fromEntries(baseCols(base), 2, [
      ...places.map((atom): [number, number][] => [[atom, 1]]),
      ...places.map((atom): [number, number][] => [
        [atom, 1],
        [(atom + 1) % baseCols(base), 0.4],
      ]),
    ]);
    const mixed = new Model(base, A, meta);
    const { families } = await seeAtoms(mixed, await mixed.atoms(kernels), kernels);
    expect(families.length).toBeGreaterThan(0);
    for (const { atom } of families.flat()) expect(atom).toBeGreaterThanOrEqual(places.length);
  });

  test("spreads are of nine tenths of the energy, as the claims say", () => {
    const atom = new DenseMatrix(64, 1, new Float32Array(64).fill(1, 0, 10)); // nine of its ten samples
    expect(atomSpreads(atom, [64])[0].samples).toBe(9 / 64);
  });
});

test("the catalogue finds every experiment by its name, and its summary is one line", () => {
  const names = [
    "fig1",
    "fig2",
    "fig3",
    "fig4",
    "complexity",
    "remarks",
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
    expect(findExperiment(name).name).toBe(name);
    expect(summary).not.toContain("\n");
  }
  expect(() => findExperiment("universal16")).toThrow(
    new InputError(
      'findExperiment: unknown experiment "universal16"; known: fig1, fig2, fig3, fig4, complexity, remarks, fig5, fig6, fig7, fig8, fig11, universal32, universal64',
    ),
  );
});

test("experiment 8 learns by OSDL and ODL from the same examples, and continues both with as many atoms per code as it tests", () => {
  const { learned, terms } = universal64;
  for (const { own, after } of learned.slice(0, 2)) {
    expect(after).toBeUndefined();
    expect(own).toBeUndefined();
  }
  expect(learned.map(({ after }) => after)).toEqual([undefined, undefined, "osdl", "odl"]);
  for (const { own, extra } of learned.slice(2))
    expect([own?.sparsity, own?.examples, extra]).toEqual([terms.at(-1), universal64.examples / 10, true]);
});

test("mini-batches that are asked for are those of every dictionary", async () => {
  const parts = memoryParts();
  const own = { batches: { gpu: 7, other: 7 } };
  const learned = tiny.learned.map((method) => ({ ...method, own }));
  await prepareUniversal({ ...tiny, learned }, { batch: 50 })({}, { kernels, parts });
  for (const { id } of learned) {
    const bytes = parts.stored.get(`${id}.npz`) as Uint8Array;
    expect(modelFromBytes(bytes, id).meta.options).toMatchObject({ batch: 50 });
  }
});

test("a dictionary that continues another starts with its atoms", async () => {
  const [osdl] = tiny.learned;
  const after = (examples: number) =>
    ({ id: "more", label: "more", learner: "osdl", after: "osdl", own: { sparsity: 8, examples } }) as const;
  const parts = memoryParts();
  await runUniversal({ ...tiny, learned: [osdl, after(100)] }, {}, { kernels, parts });
  const [first, more] = ["osdl.npz", "more.npz"].map((name) =>
    modelFromBytes(parts.stored.get(name) as Uint8Array, name),
  );
  expect(more.meta).toMatchObject({ coding: { sparsity: 8 }, examplesSeen: 100 });
  const moved = first.A.values.filter((value, i) => value !== more.A.values[i]).length;
  expect(moved).toBeGreaterThan(0);
  expect(moved).toBeLessThan(first.A.values.length); // one mini-batch does not use all atoms
  const kept = memoryParts(); // a run that ended between the two
  for (const [name, bytes] of parts.stored) if (!/^(more|curve)/.test(name)) kept.stored.set(name, bytes);
  await runUniversal({ ...tiny, learned: [osdl, after(100)] }, {}, { kernels, parts: kept });
  expect(modelFromBytes(kept.stored.get("more.npz") as Uint8Array, "more.npz").A).toEqual(more.A);
});

test.each([universal32, universal64])("$name has the redundancy of the paper", (settings) => {
  const baseAtoms = new Map([
    [32, 56],
    [64, 100],
  ]);
  const L = settings.patch.map((size) => baseAtoms.get(size) ?? Number.NaN).reduce((a, b) => a * b);
  expect(settings.atoms / L).toBe(settings.name === "universal32" ? 2 : 1);
  expect(settings.terms).toEqual([...settings.terms].sort((a, b) => a - b));
  expect(settings.quick?.patch).toBeUndefined(); // the quick version has patches of the same size
});
