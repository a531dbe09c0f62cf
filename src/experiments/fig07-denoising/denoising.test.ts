import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { denoisingClaims, type Measurement } from "./claims.js";
import { prepareDenoising, runDenoising } from "./run.js";
import { type DenoisingSettings, fig7 } from "./settings.js";

const kernels = createReferenceKernels();

/** The whole experiment on 4×4 and 5×5 patches of one small picture. */
const tiny: DenoisingSettings = {
  ...fig7,
  sizes: [4, 5],
  methods: fig7.methods.map((method) => ({ ...method, epochs: 1 })),
  reference: { ...fig7.reference, size: 4, epochs: 1 },
  examples: 120,
  batch: 40,
  stride: 2,
  pictures: { count: 1, size: 24 },
};

describe("a run of fig7", async () => {
  const stages: string[] = [];
  const outcome = await runDenoising(tiny, {}, { kernels, onStage: (stage) => stages.push(stage) });
  const text = (name: string) =>
    new TextDecoder().decode(outcome.files.find((file) => file.name === name)!.bytes);

  test("writes the chart, the numbers of every picture and a page", () => {
    expect(outcome.files.map(({ name }) => name)).toEqual(["figure-7.svg", "figure-7.csv", "index.html"]);
    const lines = text("figure-7.csv").trimEnd().split("\n");
    expect(lines.length).toBe(1 + 1 + 2 * 4);
    expect(lines[1]).toMatch(/^ksvd,dense,4,/);
    expect(stages).toContain("picture 1 of 1: 5x5, OSDL, cropped wavelets");
  });

  test("removes noise with every method and patch size", () => {
    const before = 20 * Math.log10(255 / tiny.sigma);
    for (const { psnr } of outcome.values.measurements as Measurement[])
      expect(psnr).toBeGreaterThan(before + 1);
    expect(outcome.header).toEqual(["PSNR (dB)", "4x4", "5x5", "seconds per picture"]);
    expect(outcome.rows.map(([label]) => label)).toEqual([
      ...tiny.methods.map(({ label }) => label),
      tiny.reference.label,
    ]);
  });

  test("puts the measured values beside the claims of the paper", () => {
    expect(outcome.claims.length).toBe(5);
    for (const { measured } of outcome.claims) expect(measured).toMatch(/\d\.\d\d dB/);
  });
});

test("the claims of fig7 are about means over the pictures", () => {
  const curves = [
    [30, 29.5],
    [30, 29.9],
    [30.1, 30.2],
    [30.1, 30.3],
  ];
  const measurements = fig7.methods.flatMap((method, m) =>
    [-1, 1].flatMap((off) =>
      [8, 16].map((size, s) => ({ method, size, picture: "x", psnr: curves[m][s] + off, seconds: 1 })),
    ),
  );
  const dense = { method: fig7.reference, size: 8, picture: "x", psnr: 30, seconds: 1 };
  const claims = denoisingClaims(fig7, [dense, ...measurements]);
  expect(claims.map(({ holds }) => holds)).toEqual([true, true, true, true, false]);
  expect(claims[1].measured).toContain("at most 0.40 dB, at 16x16");
});

test("options are checked before data is read", () => {
  const prepare = (options: object) => () => prepareDenoising(fig7, options);
  expect(prepare({ examples: 0 })).toThrow(
    new InputError("fig7: examples must be an integer of at least 1, got 0"),
  );
  expect(prepare({ epochs: 1.5 })).toThrow("fig7: epochs must be an integer of at least 1, got 1.5");
  expect(prepare({ seed: 0 })).not.toThrow();
});
