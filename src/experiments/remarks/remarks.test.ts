import { describe, expect, test } from "vitest";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { baseCols, createBase } from "../../dictionaries/base.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { kron, Matrix64 } from "../../linalg/matrix64.js";
import { mTermErrors } from "../../tasks/approximate/mTerm.js";
import { wavelet } from "../../wavelets/filters.js";
import { memoryParts } from "../shared/memoryParts.case.js";
import { tinyRemarks } from "../tinyExperiments.case.js";
import { type FewCurves, type Measured, type Pair, remarkClaims } from "./claims.js";
import { prepareRemarks, runRemarks } from "./run.js";
import { remarks } from "./settings.js";
import { projectionErrors, thresholdingErrors } from "./thresholding.js";
import { forwardSeparable } from "./transforms.js";

const kernels = createReferenceKernels();
const tiny = { ...remarks, ...tinyRemarks };

/** Random patches, one per column. */
function randomPatches(rows: number, cols: number): DenseMatrix {
  const rng = Rng.from(7);
  return new DenseMatrix(
    rows,
    cols,
    Float32Array.from({ length: rows * cols }, () => rng.normal()),
  );
}

test("a run measures every remark, and resumes from its parts", async () => {
  const parts = memoryParts();
  const outcome = await runRemarks(tiny, {}, { kernels, parts });
  expect(outcome.claims.map(({ id }) => id)).toEqual([
    "separable-faster",
    "contourlets-slower",
    "separable-transform-faster",
    "few-atoms-used",
    "6x6-k3-momentum",
    "6x6-k3-few-examples",
    "6x6-k3-few-examples-other-start",
    "pursuit-over-thresholding",
  ]);
  expect(outcome.rows.length).toBe(3 + 1 + 3 + 3);
  const [{ osdl, odl, odlFromExamples }] = (outcome.values as unknown as Measured).few;
  for (const curve of [osdl, odl, odlFromExamples]) expect(curve.length).toBe(1 + tiny.few.epochs);
  expect(odl[0]).toBe(osdl[0]); // the same start
  expect(odlFromExamples[0]).not.toBe(osdl[0]);
  expect(outcome.files.map(({ name }) => name)).toEqual([
    "remarks-thresholding.svg",
    "remarks.csv",
    "index.html",
  ]);
  expect(kernels.memory.used).toBe(0);
  const again = await runRemarks(tiny, {}, { kernels, parts });
  expect(again.values).toEqual(outcome.values); // the same seconds
  const learning = (seconds: typeof outcome.stageSeconds) =>
    Object.entries(seconds).filter(([stage]) => stage.startsWith("learning"));
  expect(learning(again.stageSeconds)).toEqual(learning(outcome.stageSeconds));
  expect(learning(outcome.stageSeconds).length).toBe(5);
});

test("an aborted run has no claim about trainings that were not made", async () => {
  const { claims } = await runRemarks(tiny, {}, { kernels, signal: AbortSignal.abort() });
  expect(claims.map(({ id }) => id)).toEqual([
    "separable-faster",
    "contourlets-slower",
    "separable-transform-faster",
    "pursuit-over-thresholding",
  ]);
});

test("options that are not its own are refused", () => {
  expect(() => prepareRemarks(remarks, { epochs: 3 })).toThrow("epochs is not an option of remarks");
  expect(() => prepareRemarks(remarks, { batch: 0 })).toThrow(/batch/);
});

test("the separable transform is the product with the separable base", () => {
  const patch = randomPatches(64, 1).column(0);
  const coefficients = forwardSeparable(patch, 8, wavelet("db2"));
  const atoms = createBase("separable:db2", [8, 8]).factors.reduce(kron);
  coefficients.forEach((value, j) => {
    const product = atoms.column(j).reduce((sum, entry, i) => sum + entry * patch[i], 0);
    expect(value).toBeCloseTo(product, 10);
  });
});

describe("thresholding", () => {
  test("over an orthonormal base is the M largest coefficients, which no pursuit can better", async () => {
    const base = createBase("separable:haar", [4, 4]);
    const patches = randomPatches(16, 9);
    const errors = await thresholdingErrors(base, patches, 8, kernels);
    const best = await mTermErrors({ base }, patches, 8, kernels);
    errors.forEach((error, M) => {
      expect(error).toBeCloseTo(best[M], 6);
    });
  });

  test("has the least-squares error over its atoms: the residual is orthogonal to them, whatever their order", () => {
    const base = createBase("odct:1.5", [4, 3]);
    const atoms = base.factors.reduce(kron);
    const y = randomPatches(12, 1).column(0);
    const order = [5, 0, 7, 3, 11];
    const errors = projectionErrors(atoms, y, order, 5);
    expect(projectionErrors(atoms, y, [...order].reverse(), 5)[5]).toBeCloseTo(errors[5], 10);
    for (let M = 1; M <= 5; M++) expect(errors[M]).toBeLessThanOrEqual(errors[M - 1]);
    const chosen = new Matrix64(12, 5, Float64Array.from(order.flatMap((j) => [...atoms.column(j)])));
    expect(errors[5]).toBeCloseTo(leastSquaresError(chosen, y), 8);
  });

  test("an atom that is a copy adds nothing, and does no harm", () => {
    const one = Float64Array.of(0.6, 0.8, 0);
    const atoms = new Matrix64(3, 3, Float64Array.of(...one, ...one, 0, 0, 1));
    const errors = projectionErrors(atoms, [3, 4, 2], [0, 1, 2], 3);
    [29, 4, 4, 0].forEach((error, M) => {
      expect(errors[M]).toBeCloseTo(error, 10);
    });
  });

  test("leaves less with every atom, and nothing with all of them, which span the patches", async () => {
    const base = createBase("cropped:db2", [6, 6]);
    const all = baseCols(base);
    expect(all).toBeGreaterThan(36);
    const patches = randomPatches(36, 5);
    const errors = await thresholdingErrors(base, patches, all, kernels);
    const energy = patches.data.reduce((sum, value) => sum + value * value, 0);
    expect(errors[0]).toBeCloseTo(energy / patches.data.length, 5);
    const rounding = 1e-12 * errors[0];
    for (let M = 1; M <= all; M++) expect(errors[M]).toBeLessThanOrEqual(errors[M - 1] + rounding); // a larger span
    expect(errors[1]).toBeLessThan(errors[0] - rounding); // Φ has full rank, so some correlation is not zero
    expect(errors[all]).toBeLessThan(rounding);
  });
});

/** By coordinate descent on ‖y − Ac‖², to convergence. */
function leastSquaresError(A: Matrix64, y: ArrayLike<number>): number {
  const c = new Float64Array(A.cols);
  const residual = Float64Array.from(y);
  for (let turn = 0; turn < 20_000; turn++) {
    for (let j = 0; j < A.cols; j++) {
      const column = A.column(j);
      const step = column.reduce((sum, a, t) => sum + a * residual[t], 0); // exact along a unit atom
      c[j] += step;
      for (let t = 0; t < residual.length; t++) residual[t] -= step * column[t];
    }
  }
  return residual.reduce((sum, r) => sum + r * r, 0);
}

test("claims hold or not, one by one", () => {
  const size = tiny.few.sizes[0];
  const pair = (ours: number, other: number): Pair => ({ size, ours, other, usedAtoms: 0.1 });
  const curves = (osdl: number[], odl: number[], odlFromExamples: number[]): FewCurves => ({
    ...{ size, osdl, odl, odlFromExamples },
  });
  const judgeAll = (changes: Partial<Measured>) =>
    remarkClaims(tiny, {
      product: { factors: 0.001, matrix: 0.004, contourlets: 0.01 },
      transforms: { cascade: 2e-5, separable: 1e-5 },
      approximation: { pursuit: [20, 25, 30], thresholding: [19, 24, 29] },
      momentum: [pair(5, 6)],
      few: [curves([9, 6, 5], [9, 6, 6], [7, 6, 6])],
      ...changes,
    });
  const measuredAlone = ["contourlets-slower", "separable-transform-faster", "few-atoms-used"];
  const judge = (changes: Partial<Measured>) =>
    judgeAll(changes).filter(({ id }) => !measuredAlone.includes(id));
  const holds = (changes: Partial<Measured>) => judge(changes).map((claim) => claim.holds);
  expect(holds({})).toEqual([true, true, true, true, true]);
  expect(holds({ product: { factors: 0.004, matrix: 0.001, contourlets: 0.01 } })).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
  expect(holds({ momentum: [pair(6, 5)] })).toEqual([true, false, true, true, true]);
  const overtrained = { few: [curves([9, 6, 5], [9, 4.9, 8], [7, 5.1, 6])] }; // below it after one epoch
  expect(holds(overtrained)).toEqual([true, true, false, true, true]);
  expect(judge(overtrained)[2].measured).toBe("5.000 after epoch 2 and 4.900 after epoch 1");
  const fromTheStart = { few: [curves([9, 6, 5], [9, 6, 6], [4.9, 6, 6])] };
  expect(holds(fromTheStart)).toEqual([true, true, true, false, true]);
  expect(judge(fromTheStart)[3].measured).toBe("5.000 after epoch 2 and 4.900 before learning");
  const equalAtEnd = { pursuit: [20, 25, 29], thresholding: [19, 24, 29] };
  expect(holds({ approximation: equalAtEnd })).toEqual([true, true, true, true, false]);
  const find = (name: string, changes: Partial<Measured>) => judgeAll(changes).find(({ id }) => id === name);
  const contourlets = (seconds: number) => ({
    product: { factors: 0.001, matrix: 0.004, contourlets: seconds },
  });
  expect(find("contourlets-slower", contourlets(0.002))).toMatchObject({
    measured: "2.00 ms and 1.00 ms: 2.0 times",
    holds: true,
  });
  expect(find("contourlets-slower", contourlets(0.0019))).toMatchObject({ holds: false });
  const transforms = { cascade: 1e-5, separable: 2e-5 };
  expect(find("separable-transform-faster", { transforms })).toMatchObject({
    measured: "20.0 µs and 10.0 µs per patch",
    holds: false,
  });
  const using = (...shares: number[]) => ({
    momentum: shares.map((usedAtoms) => ({ ...pair(5, 6), usedAtoms })),
  });
  expect(find("few-atoms-used", using(0.25, 0.1))).toMatchObject({ measured: "25 %, 10 %", holds: true });
  expect(find("few-atoms-used", using(0.1, 0.26))).toMatchObject({ holds: false });
});
