/** The files of the experiment: a chart for each noise and one of the study, the numbers of every picture, a page. */

import { grouped } from "../../core/formatText.js";
import type { ChartPoint } from "../../figures/charts/chart.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import type { Page, PageSection } from "../../figures/pages/htmlPage.js";
import { learnerStyle } from "../shared/curveLooks.js";
import type { OutcomeFile, OutcomeTable } from "../shared/experiment.js";
import {
  claimSection,
  csvFile,
  departureSections,
  type RunFacts,
  svgFigure,
  svgSection,
  withPage,
} from "../shared/outcomeFiles.js";
import { type CurvePoint, type Measurement, meanCurve, meanGains } from "./measurements.js";
import { allPatches, type DenoisingSettings, sizesWith } from "./settings.js";
import { othersMethod } from "./study.js";

export interface DenoisingResult extends RunFacts {
  readonly settings: DenoisingSettings;
  readonly measurements: readonly Measurement[];
}

export function denoisingFiles(result: DenoisingResult): OutcomeFile[] {
  const { settings, measurements } = result;
  const charts = settings.noises.map((sigma) => noiseChart(settings, measurements, sigma));
  const study = studyChart(settings, measurements);
  return withPage([...charts, ...(study ? [study] : []), csv(measurements)], page(result, charts, study));
}

/** The colour is that of the learner; dashed with the ODCT. */
function noiseChart(
  settings: DenoisingSettings,
  measurements: readonly Measurement[],
  sigma: number,
): OutcomeFile {
  const { methods, reference } = settings;
  const sizes = sizesWith(settings, sigma);
  const [dense] = meanCurve(measurements, reference.id, sigma);
  const ends = [sizes[0], sizes.at(-1)!].map((size) => ({ x: size, y: dense.psnr }));
  const svg = lineChart({
    title: `Denoising, σ = ${sigma}`,
    x: { label: sideLabel },
    y: { label: "mean PSNR (dB)" },
    series: [
      ...methods.map(({ id, label, learner, base }) => ({
        ...{ label, style: learnerStyle(learner), dashed: base === "ODCT" },
        points: pointsOf(meanCurve(measurements, id, sigma)),
      })),
      { label: reference.label, style: learnerStyle("ksvd"), dashed: true, markers: false, points: ends },
    ],
  });
  return svgFigure(
    `figure-7-sigma-${sigma}.svg`,
    svg,
    `Figure 7${sigma === paperNoise ? "" : ", with a noise that is not in the paper"}: denoising by patches of different sizes, σ = ${sigma}; the mean over the pictures.`,
  );
}

/** σ in the paper. */
const paperNoise = 30;
const sideLabel = "patch size (samples along one side)";

function pointsOf(curve: readonly CurvePoint[]): ChartPoint[] {
  return curve.map(({ size, psnr }) => ({ x: size, y: psnr }));
}

/** The dictionaries of the picture itself and of others; undefined where there were no others. */
function studyChart(
  { noises: [sigma] }: DenoisingSettings,
  measurements: readonly Measurement[],
): OutcomeFile | undefined {
  const others = meanCurve(measurements, othersMethod.id, sigma);
  if (others.length === 0) return undefined;
  const own = meanCurve(measurements, "osdl-cropped", sigma);
  const svg = lineChart({
    title: `OSDL over cropped wavelets: what the dictionary is learned from, σ = ${sigma}`,
    x: { label: sideLabel },
    y: { label: "mean PSNR (dB)" },
    series: [
      { label: "the noisy picture itself", style: learnerStyle("osdl"), points: pointsOf(own) },
      { label: "many other noisy pictures", style: learnerStyle("odl"), points: pointsOf(others) },
    ],
  });
  return svgFigure(
    "figure-7-training-data.svg",
    svg,
    "Not in the paper: a dictionary learned from the noisy picture itself, and one learned from others.",
  );
}

/** Mean PSNR by method and size for every noise, with the seconds per picture at the ends. */
export function psnrTable(settings: DenoisingSettings, measurements: readonly Measurement[]): OutcomeTable {
  return {
    header: ["PSNR (dB)", ...settings.sizes.map((size) => `${size}x${size}`), "seconds per picture"],
    rows: settings.noises.flatMap((sigma) =>
      rowsOf(settings, measurements, sigma).map(([label, ...cells]) => [`σ = ${sigma}: ${label}`, ...cells]),
    ),
  };
}

/** One row per method, those of the study and the reference last. */
function rowsOf(
  { sizes, methods, reference }: DenoisingSettings,
  measurements: readonly Measurement[],
  sigma: number,
): string[][] {
  return [...methods, othersMethod, reference].flatMap(({ id, label }) => {
    const curve = meanCurve(measurements, id, sigma);
    if (curve.length === 0) return [];
    const at = (size: number) => curve.find((point) => point.size === size);
    const ends = [...new Set([curve[0], curve.at(-1)!])];
    const cells = sizes.map((size) => {
      const point = at(size);
      return point ? point.psnr.toFixed(2) : "";
    });
    const seconds = ends.map((point) => point.seconds.toFixed(1)).join(" to ");
    return [[label, ...cells, seconds]];
  });
}

function csv(measurements: readonly Measurement[]): OutcomeFile {
  const rows = measurements.map(({ sigma, method, size, picture, psnr, seconds }) => [
    ...[sigma, method, size, picture],
    ...[psnr.toFixed(4), seconds.toFixed(2)],
  ]);
  return csvFile("figure-7.csv", ["sigma", "method", "patch", "picture", "PSNR", "seconds"], rows);
}

function page(
  result: DenoisingResult,
  charts: readonly OutcomeFile[],
  study: OutcomeFile | undefined,
): Omit<Page, "footer"> {
  const { settings, measurements, claims, departures, sources, device, seconds } = result;
  return {
    title: "Figure 7: denoising with patches of different sizes",
    lead: `White noise is added to ${sources} and removed again. Each dictionary is learned from the noisy picture itself.`,
    sections: [
      claimSection(claims),
      ...settings.noises.flatMap((sigma, i) => noiseSections(settings, measurements, sigma, charts[i])),
      ...(study ? studySections(settings, measurements, study) : []),
      ...departureSections(departures),
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          [
            "patches learned from, per epoch",
            settings.examples === allPatches ? "all of a picture" : grouped(settings.examples),
          ],
          ["non-zeros per atom", `${settings.atomSparsity} of the samples`],
          ["samples between averaged patches", settings.stride],
          ["mini-batch", settings.batch],
          ["seed", settings.seed],
          ["computed on", device],
          ["time", `${seconds.toFixed(0)} s`],
        ],
      },
    ],
  };
}

function noiseSections(
  settings: DenoisingSettings,
  measurements: readonly Measurement[],
  sigma: number,
  chart: OutcomeFile,
): PageSection[] {
  const { methods, reference } = settings;
  const sizes = sizesWith(settings, sigma);
  const gains = methods.map(({ id, label }) => [
    label,
    ...meanGains(measurements, id, reference.id, sigma).map(
      ({ gain, spread }) => `${gain.toFixed(2)} ± ${spread.toFixed(2)}`,
    ),
  ]);
  const header = sizes.map((size) => `${size}x${size}`);
  return [
    svgSection(chart, { heading: `Noise of σ = ${sigma}` }),
    {
      kind: "table",
      header: ["mean PSNR (dB)", ...header, "seconds per picture"],
      rows: rowsOf({ ...settings, sizes }, measurements, sigma),
    },
    {
      kind: "table",
      header: [`dB above ${reference.label}`, ...header],
      rows: gains,
      caption: "Mean over the pictures, and standard deviation.",
    },
  ];
}

function studySections(
  { noises: [sigma] }: DenoisingSettings,
  measurements: readonly Measurement[],
  chart: OutcomeFile,
): PageSection[] {
  const gains = meanGains(measurements, othersMethod.id, "osdl-cropped", sigma);
  return [
    svgSection(chart, { heading: "Are large patches limited by training data?" }),
    {
      kind: "table",
      header: ["dB", ...gains.map(({ size }) => `${size}x${size}`)],
      rows: [
        [
          "other pictures above the picture itself",
          ...gains.map(({ gain, spread }) => `${gain.toFixed(2)} ± ${spread.toFixed(2)}`),
        ],
      ],
      caption:
        "The pictures are dealt in two halves; each half is denoised with a dictionary learned from the noisy patches of the other.",
    },
  ];
}
