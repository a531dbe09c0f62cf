import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { type Comparison, convergenceClaims } from "./claims.js";
import { prepareConvergence, runConvergence } from "./run.js";
import { type ConvergenceSettings, fig5, type Method, shareToSparsity } from "./settings.js";

const kernels = createReferenceKernels();

/** The whole experiment on 6×6 patches: seconds. */
const tiny: ConvergenceSettings = {
  ...fig5,
  name: "tiny",
  base: "cropped:db2",
  sizes: [{ patch: [6, 6], sparsity: 2, atomShares: [0.05, 0.1] }],
  methods: fig5.methods.map((method) => ({ ...method, epochs: method.batch ? 3 : 2 })),
  examples: 200,
  testPatches: 50,
  batch: 40,
  pictures: { count: 1, size: 40 },
};

describe("a run of fig5", async () => {
  const stages: string[] = [];
  const outcome = await runConvergence(tiny, {}, { kernels, onStage: (stage) => stages.push(stage) });

  test("writes a chart by time and one by epochs for each atom sparsity, the numbers and a page", () => {
    expect(outcome.files.map(({ name }) => name)).toEqual([
      "figure-5-6x6-k2-time.svg",
      "figure-5-6x6-k2-epochs.svg",
      "figure-5-6x6-k4-time.svg",
      "figure-5-6x6-k4-epochs.svg",
      "figure-5.csv",
      "index.html",
    ]);
    const csv = new TextDecoder().decode(outcome.files[4].bytes).trimEnd().split("\n");
    expect(csv.length).toBe(1 + 2 * (4 + 3 + 3 + 3)); // one point before learning, then one per epoch
  });

  test("has a row for each method and atom sparsity, and errors that fall", () => {
    expect(outcome.rows.length).toBe(2 * tiny.methods.length);
    for (const [name, before, , after] of outcome.rows)
      expect(Number(after), name).toBeLessThan(Number(before));
    expect(stages).toContain("6x6, k = 2: Sparse K-SVD");
  });

  test("makes two claims per atom sparsity, and one that compares them", () => {
    expect(outcome.claims.length).toBe(2 * 2 + 1);
  });
});

test("options are checked before data is read, and epochs sets those of all methods", async () => {
  const prepare = (options: object) => prepareConvergence(fig5, options);
  expect(() => prepare({ examples: 0 })).toThrow(
    new InputError("fig5: examples must be an integer of at least 1, got 0"),
  );
  expect(() => prepare({ epochs: 0 })).toThrow(/epochs must be an integer of at least 1, got 0/);
  const run = prepareConvergence(tiny, { epochs: 1, examples: 40 });
  const { files } = await run({}, { kernels });
  expect(new TextDecoder().decode(files[4].bytes).trimEnd().split("\n").length).toBe(1 + 2 * 4 * 2);
});

test("the option patch selects one of several patch sizes", async () => {
  const sizes = [...tiny.sizes, { ...tiny.sizes[0], patch: [7, 7] }];
  const small = { examples: 40, epochs: 1, patch: [7, 7] };
  const run = prepareConvergence({ ...tiny, sizes }, small);
  const { rows } = await run({}, { kernels });
  expect(rows.map(([name]) => name.split(",")[0])).toEqual(Array(8).fill("7x7"));
});

test("a run aborted before its first epoch has no curves and no claims", async () => {
  const { files, rows, claims } = await runConvergence(tiny, {}, { kernels, signal: AbortSignal.abort() });
  expect(files.map(({ name }) => name)).toEqual(["figure-5.csv", "index.html"]);
  expect([rows, claims]).toEqual([[], []]);
});

test("k is that of the paper: 5 % of 12×12 is 7", () => {
  expect(shareToSparsity(fig5.sizes[0], 0.05)).toBe(7);
  expect(fig5.sizes.map(({ sparsity }) => sparsity)).toEqual([4, 10, 20]);
});

describe("the claims of fig5", () => {
  const method = (learner: Method["learner"], batch = false): Method => ({
    ...{ label: learner, learner, epochs: 2, batch },
  });
  const comparison = (patch: number[], osdl: number[], niht: number[], ksvd: number[]): Comparison => ({
    size: { patch, sparsity: 4, atomShares: [0.05] },
    atomSparsity: 7,
    curves: [
      [method("osdl"), osdl],
      [method("niht"), niht],
      [method("sparse-ksvd", true), ksvd],
    ].map(([one, errors]) => ({
      method: one as Method,
      tested: 100,
      points: (errors as number[]).map((testRmse, epoch) => ({ epoch, seconds: 2 * epoch, testRmse })),
    })),
  });
  const beside = (odl: number[], meets: number | undefined) => {
    const { size, curves, ...rest } = comparison([12, 12], [9, 7, 6.5], [9, 7, 6.6], [9, 8, 7]);
    const points = odl.map((testRmse, epoch) => ({ epoch, seconds: epoch, testRmse }));
    const sized = meets === undefined ? size : { ...size, meetsOdlFrom: meets };
    return { ...rest, size: sized, curves: [...curves, { method: method("odl"), points, tested: 100 }] };
  };
  const holds = (...comparisons: Comparison[]) => convergenceClaims(comparisons).map((claim) => claim.holds);

  test("hold or not, one by one", () => {
    expect(holds(comparison([12, 12], [9, 7, 6.5], [9, 7, 6.6], [9, 8, 7]))).toEqual([true, true]);
    expect(holds(comparison([12, 12], [9, 7, 6.5], [9, 7, 6.9], [9, 6, 5]))).toEqual([false, false]);
    expect(holds(comparison([20, 20], [9, 7, 6.5], [9, 7, 6.9], [9, 8, 8]))).toEqual([true, true]);
    expect(holds(comparison([20, 20], [9, 7, 6.5], [9, 7, 6.4], [9, 8, 8]))).toEqual([true, false]);
    expect(holds(beside([9, 6.45, 6.44], 0.05))).toEqual([true, true, true]);
    expect(holds(beside([9, 6.45, 6.43], 0.05))).toEqual([true, true, false]);
    expect(holds(beside([9, 6.45, 6.43], 0.1))).toEqual([true, true]); // in the paper, OSDL does not reach ODL here
  });
});
