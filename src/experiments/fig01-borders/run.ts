/** Figure 1: a smooth function, its four extensions, and how many wavelets it needs with each. */

import { Rng } from "../../core/random/rng.js";
import { type ChartPanel, chartPanels, withSameHeights } from "../../figures/charts/chartPanels.js";
import type { Kernels } from "../../kernels/contract.js";
import { norm } from "../../linalg/matrix64.js";
import { croppedTerms, transformExtended } from "../../tasks/approximate/borderApproximation.js";
import { type BorderMode, borderModes, extendedSample } from "../../wavelets/borders.js";
import { wavelet } from "../../wavelets/filters.js";
import { chooseSettings, recordSettings } from "../shared/chooseSettings.js";
import type { Claim, ExperimentOptions, ExperimentRun, Outcome } from "../shared/experiment.js";
import { claimSection, departureSections, svgFigure, svgSection, withPage } from "../shared/outcomeFiles.js";
import { randomCubic } from "../shared/randomCubic.js";
import type { BorderSettings } from "./settings.js";

/** An extended function: sample 0 of the function is at `first`. */
interface Extension {
  readonly label: string;
  readonly values: Float64Array;
  readonly first: number;
  /** Wavelets that represent the function to the tolerance, with this extension. */
  readonly terms: number;
}

const labels = { periodic: "periodic", symmetric: "symmetric", zero: "zero-padding" } as const;
const croppedLabel = "cropped wavelets";
const caption =
  "Figure 1: border treatments of a smooth function: a) periodic, b) symmetric, c) zero-padding, d) the extension by cropped wavelets.";

/** The experiment with these options, checked. */
export function prepareBorders(settings: BorderSettings, options: ExperimentOptions): ExperimentRun {
  const chosen = chooseSettings(settings, options, ["seed"]);
  return (_data, { kernels }) => runBorders(chosen, kernels);
}

async function runBorders(settings: BorderSettings, kernels: Kernels): Promise<Outcome> {
  const start = performance.now();
  const { samples } = settings;
  const f = randomCubic(samples, Rng.from(settings.seed));
  const extensions = [
    ...borderModes.map((mode) => usualExtension(f, mode, settings)),
    await croppedExtension(f, settings, kernels),
  ];
  const steps = extensions.map((extension) => borderStep(extension, samples));
  const inside = largestStep(f);
  const claims = bordersClaims(extensions, steps, inside);
  const figure = svgFigure("figure-1-borders.svg", drawExtensions(f, extensions, settings), caption);
  const header = [
    "extension",
    `wavelets for an error of ${100 * settings.tolerance}%`,
    "largest step at a border",
  ];
  const rows = extensions.map(({ label, terms }, i) => [label, String(terms), steps[i].toFixed(3)]);
  const files = withPage([figure], {
    title: "Figure 1: border treatments",
    lead: `A smooth function of ${samples} samples, extended past its borders in four ways.`,
    sections: [
      svgSection(figure, {
        caption: `d) is the extension implied by a sparse code of the function: ${extensions[3].terms} atoms of the cropped wavelets, uncropped. All four have the same axes.`,
      }),
      {
        kind: "table",
        header,
        rows,
        caption: `Inside the function, the largest step between neighbouring samples is ${inside.toFixed(3)}.`,
      },
      claimSection(claims),
      ...departureSections(settings.departures),
    ],
  });
  return {
    header,
    rows,
    claims,
    values: Object.fromEntries(extensions.map(({ label, terms }, i) => [label, { terms, step: steps[i] }])),
    settings: recordSettings(settings),
    departures: settings.departures,
    stageSeconds: { "extending and drawing": (performance.now() - start) / 1000 },
    files,
  };
}

function bordersClaims(extensions: readonly Extension[], steps: readonly number[], inside: number): Claim[] {
  const [periodic, , zero, cropped] = steps;
  const others = extensions.slice(0, -1);
  return [
    {
      id: "fewer-wavelets",
      source: "§III-A, figure 1",
      text: `the function needs fewer wavelets with the extension by ${croppedLabel} than with any other`,
      paper: "discontinuities result in denser representations",
      measured: extensions.map(({ label, terms }) => `${label} ${terms}`).join(", "),
      holds: others.every(({ terms }) => terms > extensions[3].terms),
    },
    {
      id: "no-jump",
      source: "§III-A, figure 1",
      text: `the periodic and the zero-padded extension jump at a border, the one by ${croppedLabel} does not (a jump is over twice the largest step inside)`,
      paper: "the extension creates no discontinuities",
      measured: `${extensions.map(({ label }, i) => `${label} ${steps[i].toFixed(3)}`).join(", ")}; inside ${inside.toFixed(3)}`,
      holds: periodic > 2 * inside && zero > 2 * inside && cropped <= 2 * inside,
    },
  ];
}

function usualExtension(f: Float64Array, mode: BorderMode, settings: BorderSettings): Extension {
  const { samples, shown } = settings;
  const values = Float64Array.from({ length: samples + 2 * shown }, (_, i) =>
    extendedSample(f, i - shown, mode),
  );
  return { label: labels[mode], values, first: shown, terms: countTerms(f, mode, settings) };
}

/** f̄ = W_s 𝒲 g, where the code g comes from a pursuit over the cropped wavelets. */
async function croppedExtension(
  f: Float64Array,
  { wavelet: name, tolerance }: BorderSettings,
  kernels: Kernels,
): Promise<Extension> {
  const energy = f.reduce((sum, value) => sum + value * value, 0);
  const limits = { sparsity: f.length, residualEnergy: tolerance ** 2 * energy };
  const { values, first, terms } = await croppedTerms(f, name, limits, kernels);
  return { label: croppedLabel, values, first, terms };
}

/** The largest difference between neighbours across a border. */
function borderStep({ values, first }: Extension, n: number): number {
  const step = (i: number) => Math.abs(values[first + i] - values[first + i - 1]);
  return Math.max(step(0), step(n));
}

function largestStep(f: Float64Array): number {
  return f.reduce((largest, value, i) => (i === 0 ? 0 : Math.max(largest, Math.abs(value - f[i - 1]))), 0);
}

/** How many of the largest coefficients of the extended function represent the function itself to the tolerance. */
function countTerms(f: Float64Array, mode: BorderMode, { wavelet: name, tolerance }: BorderSettings): number {
  const { first, extended, largest } = transformExtended(f, wavelet(name), mode);
  for (let M = 1; M <= extended.length; M++) {
    const back = largest(M).subarray(first, first + f.length);
    if (norm(back.map((value, i) => value - f[i])) <= tolerance * norm(f)) return M;
  }
  return extended.length;
}

/** The four extensions a) to d), as in the paper. */
function drawExtensions(f: Float64Array, extensions: readonly Extension[], settings: BorderSettings): string {
  const panels = extensions.map((extension, i) =>
    extensionPanel(f, extension, `${"abcd"[i]}) ${extension.label}`, settings),
  );
  return chartPanels({
    title: "A smooth function and four extensions past its borders",
    columns: 2,
    panels: withSameHeights(panels),
    height: 320,
  });
}

function extensionPanel(
  f: Float64Array,
  { values, first }: Extension,
  title: string,
  { samples, shown }: BorderSettings,
): ChartPanel {
  const at = (i: number) => ({ x: i, y: values[first + i] });
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => at(from + i));
  const gap = { x: samples / 2, y: Number.NaN };
  return {
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
  };
}
