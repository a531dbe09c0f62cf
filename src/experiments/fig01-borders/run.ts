/** Figure 1: a smooth function and its four extensions; how many wavelets it takes with each. */

import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/rng.js";
import { createBase } from "../../dictionaries/base.js";
import { SparseDictionary } from "../../dictionaries/sparseDictionary.js";
import { chartGrid } from "../../figures/charts/chartGrid.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import { htmlPage } from "../../figures/pages/htmlPage.js";
import type { Kernels } from "../../kernels/contract.js";
import { norm } from "../../linalg/matrix64.js";
import { version } from "../../model/version.js";
import { Encoder } from "../../pursuit/encoder.js";
import { type BorderMode, borderModes, extendedSample } from "../../wavelets/borders.js";
import { croppingOf, extendedLength, extensionOf } from "../../wavelets/cropped.js";
import { wavelet } from "../../wavelets/filters.js";
import { forwardPeriodic, inversePeriodic, maxLevels } from "../../wavelets/transform.js";
import type { Outcome } from "../shared/experiment.js";
import { claimSection, textFile } from "../shared/pageParts.js";
import { randomCubic } from "../shared/randomCubic.js";
import type { BorderConfig } from "./config.js";

/** An extended function: sample 0 of the function is at `first`. */
export interface Extension {
  readonly label: string;
  readonly values: Float64Array;
  readonly first: number;
}

const labels = { periodic: "periodic", symmetric: "symmetric", zero: "zero-padding" } as const;
const optimal = "cropped wavelets";

export async function runBorders(config: BorderConfig, kernels: Kernels): Promise<Outcome> {
  const { samples, shown } = config;
  const f = randomCubic(samples, Rng.from(config.seed));
  const usual = borderModes.map((mode): Extension => {
    const values = Float64Array.from({ length: samples + 2 * shown }, (_, i) =>
      extendedSample(f, i - shown, mode),
    );
    return { label: labels[mode], values, first: shown };
  });
  const { extension, atoms } = await impliedExtension(f, config, kernels);
  const extensions = [...usual, extension];
  const steps = extensions.map((one) => borderStep(one, samples));
  const inside = largestStep(f);
  const terms = [...borderModes.map((mode) => termsOf(f, mode, config)), atoms];
  const claims = [
    {
      text: `the function takes fewer wavelets with the extension by ${optimal} than with any other`,
      holds: terms.slice(0, -1).every((count) => count > atoms),
    },
    {
      text: "periodic and zero-padded extensions jump at a border, that one does not (steps above those inside)",
      holds: [steps[0], steps[2]].every((step) => step > 2 * inside) && steps.at(-1)! <= 2 * inside,
    },
  ];
  const figure = chartGrid(
    extensions.map((one, i) => panel(f, one, `${"abcd"[i]}) ${one.label}`, config)),
    2,
  );
  const header = [
    "extension",
    `wavelets for an error of ${100 * config.tolerance}%`,
    "largest step at a border",
  ];
  const rows = extensions.map(({ label }, i) => [label, String(terms[i]), steps[i].toFixed(3)]);
  const page = htmlPage({
    title: "Border treatments",
    lead: `A smooth function of ${samples} samples, and what is taken to be around it.`,
    sections: [
      {
        kind: "svg",
        svg: figure,
        caption: `d) is W_s g of a code with ${atoms} atoms over the cropped wavelets.`,
      },
      { kind: "table", header, rows, caption: `The largest step inside is ${inside.toFixed(3)}.` },
      claimSection(claims),
    ],
    footer: `trainlets ${version}`,
  });
  return {
    header,
    rows,
    claims,
    values: Object.fromEntries(
      extensions.map(({ label }, i) => [label, { terms: terms[i], step: steps[i] }]),
    ),
    files: [textFile("figure-1-borders.svg", figure), textFile("index.html", page)],
  };
}

/** f̄ = W_s g, g from a pursuit over the cropped wavelets. */
async function impliedExtension(
  f: Float64Array,
  { wavelet: name, tolerance }: BorderConfig,
  kernels: Kernels,
): Promise<{ extension: Extension; atoms: number }> {
  const n = f.length;
  const dictionary = await SparseDictionary.ofBase(createBase(`cropped:${name}`, [n]), kernels);
  const energy = f.reduce((sum, value) => sum + value * value, 0);
  const encoder = new Encoder(
    dictionary,
    { sparsity: n, residualEnergy: tolerance ** 2 * energy },
    1,
    kernels,
  );
  const y = kernels.matrix(n, 1);
  await kernels.writeMatrix(y, new DenseMatrix(n, 1, Float32Array.from(f)));
  const X = await kernels.readSparse(await encoder.encode(y));
  encoder.free();
  dictionary.free();
  kernels.free(y);
  const atoms = X.counts[0];
  const cropping = croppingOf(n, wavelet(name));
  const code = { indices: X.indices.subarray(0, atoms), values: X.values.subarray(0, atoms) };
  return {
    extension: { label: optimal, values: extensionOf(cropping, code), first: cropping.firstRow },
    atoms,
  };
}

/** The largest difference of neighbours across a border. */
function borderStep({ values, first }: Extension, n: number): number {
  const step = (i: number) => Math.abs(values[first + i] - values[first + i - 1]);
  return Math.max(step(0), step(n));
}

function largestStep(f: Float64Array): number {
  return f.reduce((most, value, i) => (i === 0 ? most : Math.max(most, Math.abs(value - f[i - 1]))), 0);
}

/** How many of the largest coefficients of the extended function give the function itself to the tolerance. */
function termsOf(f: Float64Array, mode: BorderMode, { wavelet: name, tolerance }: BorderConfig): number {
  const filters = wavelet(name);
  const length = mode === "periodic" ? f.length : extendedLength(f.length);
  const first = Math.floor((length - f.length) / 2);
  const extended = Float64Array.from({ length }, (_, i) => extendedSample(f, i - first, mode));
  const z = forwardPeriodic(extended, filters, maxLevels(length));
  const order = [...z.keys()].sort((a, b) => Math.abs(z[b]) - Math.abs(z[a]) || a - b);
  const kept = new Float64Array(length);
  for (const [count, j] of order.entries()) {
    kept[j] = z[j];
    const back = inversePeriodic(kept, filters, maxLevels(length)).subarray(first, first + f.length);
    if (norm(back.map((value, i) => value - f[i])) <= tolerance * norm(f)) return count + 1;
  }
  return length;
}

function panel(
  f: Float64Array,
  { values, first }: Extension,
  title: string,
  { samples, shown }: BorderConfig,
): string {
  const at = (i: number) => ({ x: i, y: values[first + i] });
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => at(from + i));
  const gap = { x: samples / 2, y: Number.NaN };
  return lineChart({
    title,
    x: { label: "sample" },
    y: { label: "value" },
    series: [
      { label: "the function", points: Array.from(f, (y, x) => ({ x, y })), markers: false },
      {
        label: "its extension",
        points: [...range(-shown, 1), gap, ...range(samples - 1, samples + shown)],
        markers: false,
      },
    ],
    width: 440,
    height: 300,
  });
}
