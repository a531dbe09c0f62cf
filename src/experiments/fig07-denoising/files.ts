/** The files of the experiment: the chart, the numbers of every picture, and a page. */

import { grouped } from "../../core/formatText.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import type { OutcomeFile, OutcomeTable } from "../shared/experiment.js";
import {
  claimSection,
  csvFile,
  departureSections,
  pageFile,
  type RunFacts,
  textFile,
} from "../shared/outcomeFiles.js";
import { type Measurement, meanCurve } from "./claims.js";
import type { DenoisingSettings } from "./settings.js";

export interface DenoisingResult extends RunFacts {
  readonly settings: DenoisingSettings;
  readonly measurements: readonly Measurement[];
  readonly table: OutcomeTable;
}

export function denoisingFiles(result: DenoisingResult): OutcomeFile[] {
  const svg = chart(result);
  return [textFile("figure-7.svg", svg), csv(result), page(result, svg)];
}

function chart({ settings, measurements }: DenoisingResult): string {
  const { sizes, methods, reference, sigma } = settings;
  const [{ psnr: referencePsnr }] = meanCurve(measurements, reference);
  return lineChart({
    title: `Denoising, σ = ${sigma}`,
    x: { label: "patch size along one side" },
    y: { label: "mean PSNR (dB)" },
    series: [
      ...methods.map((method) => ({
        label: method.label,
        points: meanCurve(measurements, method).map(({ size, psnr }) => ({ x: size, y: psnr })),
      })),
      {
        label: reference.label,
        dashed: true,
        markers: false,
        points: [sizes[0], sizes.at(-1)!].map((size) => ({ x: size, y: referencePsnr })),
      },
    ],
  });
}

function csv({ measurements }: DenoisingResult): OutcomeFile {
  const rows = measurements.map(({ method, size, picture, psnr, seconds }) => [
    method.learner,
    method.base,
    size,
    picture,
    psnr.toFixed(4),
    seconds.toFixed(2),
  ]);
  return csvFile("figure-7.csv", ["learner", "base", "patch", "picture", "PSNR", "seconds"], rows);
}

function page(result: DenoisingResult, svg: string): OutcomeFile {
  const { settings, table, claims, departures, sources, device, seconds } = result;
  return pageFile({
    title: "Denoising with patches of different sizes",
    lead: `Noise of standard deviation ${settings.sigma} is added to ${sources} and removed again. Each dictionary is learned from the noisy picture itself.`,
    sections: [
      { kind: "svg", svg },
      { kind: "table", ...table },
      claimSection(claims),
      ...departureSections(departures),
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          ["patches learned from, per epoch", grouped(settings.examples)],
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
