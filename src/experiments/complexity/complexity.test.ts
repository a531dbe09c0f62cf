import { expect, test } from "vitest";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { memoryParts } from "../shared/memoryParts.case.js";
import { complexityClaims, type SweepCurve, slopesOf } from "./claims.js";
import { levelOf, logSlope, predictedWork } from "./growth.js";
import { runComplexity } from "./run.js";
import { type ComplexitySettings, complexity } from "./settings.js";

const kernels = createReferenceKernels();
const one = { side: 4, atomSparsity: 3, sparsity: 2, batch: 10 };

/** The whole experiment on 4×4 and 5×5 patches: a moment. */
const tiny: ComplexitySettings = {
  ...complexity,
  base: "odct:1.5",
  sweeps: [
    { letter: "n", odl: true, sizes: [one, { ...one, side: 5 }] },
    { letter: "k", odl: false, sizes: [one, { ...one, atomSparsity: 6 }] },
    { letter: "N", odl: true, sizes: [one, { ...one, batch: 20 }] },
    { letter: "m", odl: true, sizes: [36, 72].map((atoms) => ({ ...one, atoms })) },
  ],
  updates: 1,
  rounds: 1,
  pictures: { count: 1, size: 24 },
};

test("a run measures every sweep, draws it beside the prediction, and resumes", async () => {
  const parts = memoryParts();
  const outcome = await runComplexity(tiny, {}, { kernels, parts });
  expect(outcome.rows.map(([name]) => name)).toEqual([
    "OSDL against n",
    "ODL against n",
    "OSDL against k",
    "OSDL against N",
    "ODL against N",
    "OSDL against m",
    "ODL against m",
  ]);
  expect(outcome.files.map(({ name }) => name)).toEqual(["complexity.svg", "complexity.csv", "index.html"]);
  const sheet = new TextDecoder().decode(outcome.files[0].bytes);
  for (const letter of ["n", "k", "N", "m"]) expect(sheet).toContain(`>against ${letter}<`);
  for (const { points } of outcome.values.curves as SweepCurve[])
    for (const { seconds, sizes } of points) expect(seconds * sizes.atoms).toBeGreaterThan(0);
  expect(new Set(outcome.claims.map(({ id }) => id)).size).toBe(7);
  expect(kernels.memory.used).toBe(0);
  const again = await runComplexity(tiny, {}, { kernels, parts });
  expect(again.values).toEqual(outcome.values); // the same seconds
});

test("slopes are those of powers", () => {
  const x = [1, 2, 4, 8];
  expect(
    logSlope(
      x,
      x.map((value) => 5 * value ** 3),
    ),
  ).toBeCloseTo(3, 12);
  expect(levelOf([2, 4, 9], [1, 2, 3])).toBe(3);
});

test("the predicted work is that of section IV-D: O(N n³) for ODL with p and m in proportion to n", () => {
  const sizes = (n: number) => ({
    side: Math.sqrt(n),
    atoms: n,
    atomSparsity: 10,
    sparsity: n / 32,
    batch: 512,
  });
  expect(predictedWork("odl", sizes(1024)) / predictedWork("odl", sizes(256))).toBeCloseTo(4 ** 3, 6);
  expect(predictedWork("odl", sizes(1024))).toBe(512 * 32 * 1024 ** 2 + 1024 ** 3);
  const { side, atoms: m, atomSparsity: k, sparsity: p, batch: N } = sizes(1024);
  const n = side * side;
  const coding = N * p * (n * Math.sqrt(m) + k * m);
  const update = N * (k * m + n * Math.sqrt(m)) + m * m * Math.log(m);
  expect(predictedWork("osdl", sizes(1024))).toBe(coding + update);
});

test("the claims of complexity hold or not, one by one", () => {
  const curve = (learner: "osdl" | "odl", slope: number): SweepCurve => ({
    letter: "n",
    learner,
    points: [8, 16, 32].map((side) => {
      const sizes = { ...one, side, atoms: 4 * side * side, sparsity: side * side, batch: 512 };
      return { sizes, seconds: 1e-6 * (side * side) ** slope };
    }),
  });
  const judge = (osdl: number, odl: number) =>
    complexityClaims([curve("osdl", osdl), curve("odl", odl)]).map(({ holds }) => holds);
  expect(slopesOf(curve("odl", 1)).predicted).toBeCloseTo(3, 9);
  expect(judge(2, 3)).toEqual([true, true, true]);
  expect(judge(3, 2)).toEqual([false, false, false]);
});

test("the time depends on k if it at least doubles over the sweep", () => {
  const judge = (last: number) => {
    const points = [8, 256].map((atomSparsity, i) => ({
      sizes: { ...one, atomSparsity, atoms: 1024 },
      seconds: i === 0 ? 0.001 : last,
    }));
    return complexityClaims([{ letter: "k", learner: "osdl", points }]).at(-1);
  };
  expect(judge(0.002)).toMatchObject({
    id: "k-determines-time",
    measured: "2.00 ms and 1.00 ms: 2.0 times",
    holds: true,
  });
  expect(judge(0.0019)).toMatchObject({ holds: false });
});
