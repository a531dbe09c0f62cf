/** Figure 2: smooth functions with a jump by 5 coefficients, periodic against cropped wavelets. */

import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/rng.js";
import { createBase } from "../../dictionaries/base.js";
import { SparseDictionary } from "../../dictionaries/sparseDictionary.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import { htmlPage } from "../../figures/pages/htmlPage.js";
import type { Kernels } from "../../kernels/contract.js";
import { norm } from "../../linalg/matrix64.js";
import { version } from "../../model/version.js";
import { Encoder } from "../../pursuit/encoder.js";
import { wavelet } from "../../wavelets/filters.js";
import { forwardPeriodic, inversePeriodic, maxLevels } from "../../wavelets/transform.js";
import type { Outcome } from "../shared/experiment.js";
import { claimSection, textFile } from "../shared/pageParts.js";
import { randomCubic } from "../shared/randomCubic.js";
import type { JumpConfig } from "./config.js";

export async function runJump(config: JumpConfig, kernels: Kernels): Promise<Outcome> {
  const functions = jumpFunctions(config);
  const periodic = periodicErrors(functions, config);
  const cropped = await croppedErrors(functions, config, kernels);
  const curves = [
    { label: "periodic wavelets", errors: periodic, ...regionErrors(periodic, config) },
    { label: "cropped wavelets", errors: cropped, ...regionErrors(cropped, config) },
  ] as const;
  const [p, c] = curves;
  const claims = [
    {
      text: "at the borders the error of cropped wavelets is at most a quarter of that of periodic ones",
      holds: c.border <= p.border / 4,
    },
    { text: "around the jump it is no worse", holds: c.jump <= p.jump },
  ];
  const chart = lineChart({
    title: `Mean squared error of ${config.terms} coefficients, by sample`,
    x: { label: "sample" },
    y: { label: "mean squared error" },
    series: curves.map(({ label, errors }) => ({
      label,
      points: Array.from(errors, (y, x) => ({ x, y })),
      markers: false,
    })),
  });
  const { region } = config;
  const header = [`mean squared error over`, `${region} samples at each border`, `${region} at the jump`];
  const rows = curves.map(({ label, border, jump }) => [
    label,
    border.toExponential(2),
    jump.toExponential(2),
  ]);
  const page = htmlPage({
    title: "Errors at borders and at a jump",
    lead: `${config.functions} random cubics of ${config.samples} samples with a jump at ${config.jump}, of unit norm, by ${config.terms} coefficients of ${config.wavelet}.`,
    sections: [
      { kind: "svg", svg: chart },
      { kind: "table", header, rows },
      claimSection(claims),
      { heading: "Settings", kind: "settings", entries: Object.entries(config) },
    ],
    footer: `trainlets ${version}`,
  });
  const csv = `sample,${curves.map(({ label }) => label).join(",")}\n${Array.from(periodic, (_, i) => `${i},${periodic[i]},${cropped[i]}`).join("\n")}\n`;
  return {
    header,
    rows,
    claims,
    values: Object.fromEntries(curves.map(({ label, border, jump }) => [label, { border, jump }])),
    files: [
      textFile("figure-2-error-by-sample.svg", chart),
      textFile("figure-2-error-by-sample.csv", csv),
      textFile("index.html", page),
    ],
  };
}

/** A cubic plus a step of normal height, scaled to unit norm; one a column. */
function jumpFunctions({ functions, samples, jump, seed }: JumpConfig): DenseMatrix {
  const rng = Rng.from(seed);
  const Y = new DenseMatrix(samples, functions);
  for (let i = 0; i < functions; i++) {
    const f = randomCubic(samples, rng);
    const step = rng.normal();
    for (let t = jump; t < samples; t++) f[t] += step;
    const length = norm(f);
    Y.column(i).set(f.map((value) => value / length));
  }
  return Y;
}

/** The squared error of each sample, mean over all functions, with the largest coefficients kept. */
function periodicErrors(Y: DenseMatrix, { terms, wavelet: name }: JumpConfig): Float64Array {
  const [filters, levels] = [wavelet(name), maxLevels(Y.rows)];
  const errors = new Float64Array(Y.rows);
  for (let i = 0; i < Y.cols; i++) {
    const z = forwardPeriodic(Y.column(i), filters, levels);
    const order = [...z.keys()].sort((a, b) => Math.abs(z[b]) - Math.abs(z[a]) || a - b);
    for (const j of order.slice(terms)) z[j] = 0;
    const back = inversePeriodic(z, filters, levels);
    back.forEach((value, t) => {
      errors[t] += (value - Y.column(i)[t]) ** 2 / Y.cols;
    });
  }
  return errors;
}

/** The same with OMP over the cropped wavelets. */
async function croppedErrors(
  Y: DenseMatrix,
  { terms, wavelet: name }: JumpConfig,
  kernels: Kernels,
): Promise<Float64Array> {
  const dictionary = await SparseDictionary.ofBase(createBase(`cropped:${name}`, [Y.rows]), kernels);
  const encoder = new Encoder(dictionary, { sparsity: terms, residualEnergy: 0 }, Y.cols, kernels);
  const y = kernels.matrix(Y.rows, Y.cols);
  await kernels.writeMatrix(y, Y);
  await encoder.residual(y, await encoder.encode(y), y);
  const residual = await kernels.readMatrix(y);
  encoder.free();
  dictionary.free();
  kernels.free(y);
  const errors = new Float64Array(Y.rows);
  residual.data.forEach((value, i) => {
    errors[i % Y.rows] += value ** 2 / Y.cols;
  });
  return errors;
}

function regionErrors(errors: Float64Array, { region, jump, samples }: JumpConfig) {
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const border = (mean(errors.subarray(0, region)) + mean(errors.subarray(samples - region))) / 2;
  return { border, jump: mean(errors.subarray(jump - region / 2, jump + region / 2)) };
}
