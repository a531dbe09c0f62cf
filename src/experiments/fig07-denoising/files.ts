/** The files of the experiment: the chart, the numbers of every picture, and a page. */

import { lineChart } from "../../figures/charts/lineChart.js";
import { csvText } from "../../figures/csv.js";
import type { Claim, OutcomeFile, OutcomeTable } from "../shared/experiment.js";
import { claimSection, grouped, pageFile, textFile } from "../shared/outcomeFiles.js";
import { type Measurement, meanCurve } from "./claims.js";
import type { DenoisingSettings } from "./settings.js";

export interface DenoisingResult {
  readonly settings: DenoisingSettings;
  readonly measurements: readonly Measurement[];
  readonly table: OutcomeTable;
  readonly claims: readonly Claim[];
  readonly sources: string;
  readonly device: string;
}

export function denoisingFiles(result: DenoisingResult): OutcomeFile[] {
  const svg = chart(result);
  return [textFile("figure-7.svg", svg), textFile("figure-7.csv", csv(result)), page(result, svg)];
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

function csv({ measurements }: DenoisingResult): string {
  const rows = measurements.map(({ method, size, picture, psnr, seconds }) => [
    method.learner,
    method.base,
    size,
    picture,
    psnr.toFixed(4),
    seconds.toFixed(2),
  ]);
  return csvText(["learner", "base", "patch", "picture", "PSNR", "seconds"], rows);
}

function page({ settings, table, claims, sources, device }: DenoisingResult, svg: string): OutcomeFile {
  return pageFile({
    title: "Denoising with patches of different sizes",
    lead: `Mean PSNR over ${sources}, with noise of standard deviation ${settings.sigma}. Each dictionary is learned from the noisy picture itself.`,
    sections: [
      { kind: "svg", svg },
      { kind: "table", ...table },
      claimSection(claims),
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          ["patches learned from, per epoch", grouped(settings.examples)],
          ["non-zeros per atom", `${100 * settings.atomShare} % of the samples`],
          ["samples between averaged patches", settings.stride],
          ["mini-batch", settings.batch],
          ["seed", settings.seed],
          ["computed on", device],
        ],
      },
    ],
  });
}
