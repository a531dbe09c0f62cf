/** The files of the experiment: a chart for each noise and one of the study, the numbers of every picture, a page. */

import { grouped } from "../../core/formatText.js";
import type { ChartSeries } from "../../figures/charts/chart.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import type { PageSection } from "../../figures/pages/htmlPage.js";
import type { OutcomeFile, OutcomeTable } from "../shared/experiment.js";
import {
  claimSection,
  csvFile,
  departureSections,
  pageFile,
  type RunFacts,
  textFile,
} from "../shared/outcomeFiles.js";
import { type CurvePoint, type Measurement, meanCurve, meanGains } from "./measurements.js";
import { allPatches, type DenoisingSettings } from "./settings.js";
import { othersMethod } from "./study.js";

export interface DenoisingResult extends RunFacts {
  readonly settings: DenoisingSettings;
  readonly measurements: readonly Measurement[];
}

export function denoisingFiles(result: DenoisingResult): OutcomeFile[] {
  const { settings, measurements } = result;
  const charts = settings.noises.map((sigma) => noiseChart(settings, measurements, sigma));
  const study = studyChart(settings, measurements);
  return [
    ...charts.map((svg, i) => textFile(chartName(settings.noises[i]), svg)),
    ...(study ? [textFile("figure-7-training-data.svg", study)] : []),
    csv(measurements),
    page(result, charts, study),
  ];
}

function chartName(sigma: number): string {
  return `figure-7-sigma-${sigma}.svg`;
}

function noiseChart(
  { sizes, methods, reference }: DenoisingSettings,
  measurements: readonly Measurement[],
  sigma: number,
): string {
  const [dense] = meanCurve(measurements, reference.id, sigma);
  const ends = [sizes[0], sizes.at(-1)!].map((size) => ({ x: size, y: dense.psnr }));
  return lineChart({
    title: `Denoising, σ = ${sigma}`,
    x: { label: "patch size along one side" },
    y: { label: "mean PSNR (dB)" },
    series: [
      ...methods.map(({ id, label }) => curveSeries(label, meanCurve(measurements, id, sigma))),
      { label: reference.label, dashed: true, markers: false, points: ends },
    ],
  });
}

function curveSeries(label: string, curve: readonly CurvePoint[]): ChartSeries {
  return { label, points: curve.map(({ size, psnr }) => ({ x: size, y: psnr })) };
}

/** The dictionaries of the picture itself and of others; undefined where there were no others. */
function studyChart(
  { noises: [sigma] }: DenoisingSettings,
  measurements: readonly Measurement[],
): string | undefined {
  const others = meanCurve(measurements, othersMethod.id, sigma);
  if (others.length === 0) return undefined;
  return lineChart({
    title: `OSDL over cropped wavelets: what the dictionary is learned from, σ = ${sigma}`,
    x: { label: "patch size along one side" },
    y: { label: "mean PSNR (dB)" },
    series: [
      curveSeries("the noisy picture itself", meanCurve(measurements, "osdl-cropped", sigma)),
      curveSeries("many other noisy pictures", others),
    ],
  });
}

/** Mean PSNR by method and size for every noise, with the seconds per picture at the ends. */
export function psnrTable(settings: DenoisingSettings, measurements: readonly Measurement[]): OutcomeTable {
  return {
    header: ["PSNR (dB)", ...settings.sizes.map((size) => `${size}x${size}`), "seconds per picture"],
    rows: settings.noises.flatMap((sigma) =>
      rowsOf(settings, measurements, sigma, ({ psnr }) => psnr.toFixed(2)),
    ),
  };
}

/** One row per method, those of the study and the reference last; `cell` is shown of each point. */
function rowsOf(
  { sizes, methods, reference }: DenoisingSettings,
  measurements: readonly Measurement[],
  sigma: number,
  cell: (point: CurvePoint) => string,
): string[][] {
  return [...methods, othersMethod, reference].flatMap(({ id, label }) => {
    const curve = meanCurve(measurements, id, sigma);
    if (curve.length === 0) return [];
    const at = (size: number) => curve.find((point) => point.size === size);
    const ends = [...new Set([curve[0], curve.at(-1)!])];
    const cells = sizes.map((size) => {
      const point = at(size);
      return point ? cell(point) : "";
    });
    const seconds = ends.map((point) => point.seconds.toFixed(1)).join(" to ");
    return [[`σ = ${sigma}: ${label}`, ...cells, seconds]];
  });
}

function csv(measurements: readonly Measurement[]): OutcomeFile {
  const rows = measurements.map(({ sigma, method, size, picture, psnr, seconds }) => [
    ...[sigma, method, size, picture],
    ...[psnr.toFixed(4), seconds.toFixed(2)],
  ]);
  return csvFile("figure-7.csv", ["sigma", "method", "patch", "picture", "PSNR", "seconds"], rows);
}

function page(result: DenoisingResult, charts: readonly string[], study: string | undefined): OutcomeFile {
  const { settings, measurements, claims, departures, sources, device, seconds } = result;
  return pageFile({
    title: "Denoising with patches of different sizes",
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
  });
}

function noiseSections(
  settings: DenoisingSettings,
  measurements: readonly Measurement[],
  sigma: number,
  svg: string,
): PageSection[] {
  const { sizes, methods, reference } = settings;
  const gains = methods.map(({ id, label }) => [
    label,
    ...meanGains(measurements, id, reference.id, sigma).map(
      ({ gain, spread }) => `${gain.toFixed(2)} ± ${spread.toFixed(2)}`,
    ),
  ]);
  const header = sizes.map((size) => `${size}x${size}`);
  return [
    { heading: `Noise of σ = ${sigma}`, kind: "svg", svg },
    {
      kind: "table",
      header: ["mean PSNR (dB)", ...header, "seconds per picture"],
      rows: rowsOf(settings, measurements, sigma, ({ psnr }) => psnr.toFixed(2)),
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
  svg: string,
): PageSection[] {
  const gains = meanGains(measurements, othersMethod.id, "osdl-cropped", sigma);
  return [
    { heading: "Are large patches limited by training data?", kind: "svg", svg },
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
