import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { memoryParts } from "../shared/memoryParts.case.js";
import { denoisingClaims } from "./claims.js";
import { type Measurement, meanCurve, meanGains } from "./measurements.js";
import { prepareDenoising, runDenoising } from "./run.js";
import { type DenoisingSettings, fig7 } from "./settings.js";

const kernels = createReferenceKernels();

/** The whole experiment on 4×4 and 5×5 patches of two small pictures. */
const tiny: DenoisingSettings = {
  ...fig7,
  noises: [30, 50],
  sizes: [4, 5, 6],
  largestWithOtherNoise: 5,
  methods: fig7.methods.map((method) => ({ ...method, epochs: 1 })),
  reference: { ...fig7.reference, size: 4, epochs: 1 },
  study: { epochs: 1 },
  examples: 120,
  batch: 40,
  stride: 2,
  pictures: { count: 2, size: 24 },
};

describe("a run of fig7", async () => {
  const stages: string[] = [];
  const parts = memoryParts();
  const outcome = await runDenoising(tiny, {}, { kernels, parts, onStage: (stage) => stages.push(stage) });
  const text = (name: string) =>
    new TextDecoder().decode(outcome.files.find((file) => file.name === name)!.bytes);

  test("writes a chart for each noise, that of the study, the numbers of every picture and a page", () => {
    expect(outcome.files.map(({ name }) => name)).toEqual([
      "figure-7-sigma-30.svg",
      "figure-7-sigma-50.svg",
      "figure-7-training-data.svg",
      "figure-7.csv",
      "index.html",
    ]);
    const lines = text("figure-7.csv").trimEnd().split("\n");
    expect(lines.length).toBe(1 + 2 * (1 + 3 * 4) + 2 * (1 + 2 * 4) + 2 * 3);
    expect(lines[1]).toMatch(/^30,ksvd,4,01-/);
    expect(stages).toContain("picture 1 of 2, σ = 30: 5x5, OSDL, cropped wavelets");
  });

  test("removes noise with every method, noise and patch size", () => {
    for (const { psnr, sigma } of outcome.values.measurements as Measurement[])
      expect(psnr).toBeGreaterThan(20 * Math.log10(255 / sigma) + 1);
    expect(outcome.header).toEqual(["PSNR (dB)", "4x4", "5x5", "6x6", "seconds per picture"]);
    expect(outcome.rows.map(([label]) => label)).toEqual([
      ...tiny.methods.map(({ label }) => `σ = 30: ${label}`),
      "σ = 30: OSDL, cropped, from other pictures",
      `σ = 30: ${tiny.reference.label}`,
      ...tiny.methods.map(({ label }) => `σ = 50: ${label}`),
      `σ = 50: ${tiny.reference.label}`,
    ]);
  });

  test("keeps every picture, noise, size and method as a part, and resumes", async () => {
    const names = [...parts.stored.keys()];
    expect(names).toContain("02-1-s50-5-osdl-odct.json");
    expect(names).not.toContain("02-1-s50-6-osdl-odct.json");
    expect(names).toContain("half-1-5.npz");
    const begun: string[] = [];
    const onStage = (stage: string) => begun.push(stage);
    const again = await runDenoising(tiny, {}, { kernels, parts, onStage });
    expect(again.values).toEqual(outcome.values);
    expect(begun.filter((stage) => stage.startsWith("picture"))).toEqual([]);
  });

  test("puts the measured values beside the claims of the paper", () => {
    expect(outcome.claims.length).toBe(9);
    for (const { measured } of outcome.claims) expect(measured).toMatch(/\d\.\d\d/);
  });
});

test("one picture alone has no others to learn from", async () => {
  const settings = { ...tiny, noises: [30], sizes: [4], pictures: { count: 1, size: 20 } };
  const { files, claims } = await runDenoising(settings, {}, { kernels });
  expect(files.map(({ name }) => name)).not.toContain("figure-7-training-data.svg");
  const ids = claims.map(({ id }) => id);
  for (const id of ["limited-by-data", "size-per-picture"]) expect(ids).not.toContain(id);
});

describe("means over the pictures", () => {
  const one = (method: string, size: number, picture: string, psnr: number): Measurement => ({
    ...{ sigma: 30, method, size, picture, psnr, seconds: 1 },
  });
  const measurements = [
    ...[one("a", 8, "x", 30), one("a", 8, "y", 32), one("a", 16, "x", 31), one("a", 16, "y", 35)],
    ...[one("b", 8, "x", 29), one("b", 8, "y", 30), { ...one("a", 8, "x", 99), sigma: 50 }],
  ];

  test("have the spread beside them", () => {
    expect(meanCurve(measurements, "a", 30)).toEqual([
      { size: 8, psnr: 31, spread: Math.SQRT2, seconds: 1, pictures: 2 },
      { size: 16, psnr: 33, spread: 2 * Math.SQRT2, seconds: 1, pictures: 2 },
    ]);
  });

  test("of gains compare the same pictures; one size alone is compared with all", () => {
    expect(meanGains(measurements, "a", "b", 30).map(({ size, gain }) => [size, gain])).toEqual([
      [8, 1.5],
      [16, 3.5],
    ]);
  });
});

test("the claims of fig7 are about means over the pictures, with the noise of the paper", () => {
  const curves = [
    [30, 29.5],
    [30, 29.9],
    [30.1, 30.2],
    [30.1, 30.3],
  ];
  const measurements = fig7.methods.flatMap(({ id: method }, m) =>
    [-1, 1].flatMap((off) =>
      [8, 16].map((size, s) => ({
        ...{ sigma: 30, method, size, picture: `${off}`, psnr: curves[m][s] + off, seconds: 1 },
      })),
    ),
  );
  const others = measurements
    .filter(({ method }) => method === "osdl-cropped")
    .map((one) => ({
      ...one,
      method: "osdl-cropped-others",
      psnr: one.psnr + (one.size === 16 ? 0.2 : 0.1),
    }));
  const dense = { sigma: 30, method: "ksvd", size: 8, picture: "1", psnr: 30, seconds: 1 };
  const claims = denoisingClaims(fig7, [dense, ...measurements, ...others]);
  expect(Object.fromEntries(claims.map(({ id, holds }) => [id, holds]))).toEqual({
    "odct-falls-behind": false, // both are as good with the smallest patches
    "odct-does-not-scale": true,
    "cropped-raises-sparse-ksvd": true,
    "cropped-raises-osdl": true,
    "osdl-cropped-best": true,
    "larger-patches-over-ksvd": true,
    "osdl-falls-at-last": false,
    "limited-by-data": true,
    "size-per-picture": false,
  });
  const measured = (name: string) => claims.find(({ id }) => id === name)?.measured;
  expect(measured("odct-does-not-scale")).toBe(
    "30.00 dB at 8x8, then 29.50 dB at 16x16; over cropped wavelets 30.00 dB at 8x8, then 29.90 dB at 16x16",
  );
  expect(measured("cropped-raises-sparse-ksvd")).toBe("0.40 dB (standard error 0.00) at most, at 16x16");
  expect(measured("cropped-raises-osdl")).toBe(
    "30.30 dB at 16x16 and 30.20 dB at 16x16; 0.10 dB (standard error 0.00) above at 16x16",
  );
  expect(measured("limited-by-data")).toBe(
    "0.10 dB (standard error 0.00) at 8x8, 0.20 dB (standard error 0.00) at 16x16",
  );
  expect(measured("size-per-picture")).toBe(
    "0.00 dB, with a standard error of 0.00 dB; 0 of 2 pictures are best with another size than 16x16",
  );
});

test("the ODCT falls behind if it is ahead with the smallest patches and loses ground with every size", () => {
  const judged = (...gains: number[]) => {
    const one = (method: string, size: number, psnr: number): Measurement => ({
      ...{ sigma: 30, method, size, picture: "a", psnr, seconds: 1 },
    });
    const measurements = gains.flatMap((gain, i) =>
      fig7.methods.map(({ id }) => one(id, 8 * (i + 1), id === "sparse-ksvd-cropped" ? 30 + gain : 30)),
    );
    const claims = denoisingClaims(fig7, [one("ksvd", 8, 29), ...measurements]);
    return claims.find(({ id }) => id === "odct-falls-behind")?.holds;
  };
  expect(judged(-0.1, 0.1, 0.2)).toBe(true);
  expect(judged(0.1, 0.2, 0.3)).toBe(false);
  expect(judged(-0.1, 0.2, 0.2)).toBe(false);
});

test("to choose the size by picture has to gain 0.1 dB, and more than twice its standard error", () => {
  /** Pictures that 8×8 suits better than 16×16 by this much, and one that 16×16 suits much better. */
  const judged = (...gains: number[]) => {
    const one = (picture: string, size: number, psnr: number): Measurement[] =>
      [...fig7.methods.map(({ id }) => id)].map((method) => ({
        ...{ sigma: 30, method, size, picture, psnr, seconds: 1 },
      }));
    const dense = { sigma: 30, method: "ksvd", size: 8, picture: "0", psnr: 29, seconds: 1 };
    const pictures = gains.flatMap((gain, i) => [...one(`${i}`, 8, 30 + gain), ...one(`${i}`, 16, 30)]);
    const last = [...one("last", 8, 20), ...one("last", 16, 30)];
    return denoisingClaims(fig7, [dense, ...pictures, ...last]).at(-1);
  };
  expect(judged(0.2, 0.2, 0.2)).toMatchObject({
    id: "size-per-picture",
    measured:
      "0.15 dB, with a standard error of 0.05 dB; 3 of 4 pictures are best with another size than 16x16",
    holds: true,
  });
  expect(judged(0.12, 0.12, 0.12)).toMatchObject({ holds: false }); // 0.09 ± 0.03 dB
  expect(judged(0.6, 0, 0)).toMatchObject({ holds: false }); // 0.15 ± 0.15 dB
});

test("options are checked before data is read", () => {
  const prepare = (options: object) => () => prepareDenoising(fig7, options);
  expect(prepare({ examples: 0 })).toThrow(
    new InputError("fig7: examples must be an integer of at least 1, got 0"),
  );
  expect(prepare({ epochs: 1.5 })).toThrow("fig7: epochs must be an integer of at least 1, got 1.5");
  expect(prepare({ seed: 0 })).not.toThrow();
});

test("the full size learns from all patches, and has the iterations of the paper", () => {
  expect(fig7.methods.map(({ epochs }) => epochs)).toEqual([10, 10, 5, 5]);
  expect(fig7.examples).toBeGreaterThan(4000 * 4000);
  expect([fig7.sizes[0], fig7.sizes.at(-1), fig7.noises[0], fig7.atomSparsity]).toEqual([6, 32, 30, "10%"]);
});
