/** The files of the experiment: the chart, the numbers of every picture, and a page. */

import { lineChart } from "../../figures/charts/lineChart.js";
import { htmlPage } from "../../figures/pages/htmlPage.js";
import { version } from "../../model/version.js";
import type { Claim, OutcomeFile } from "../shared/experiment.js";
import { claimSection, textFile } from "../shared/pageParts.js";
import { curveOf, type DenoisingResult } from "./result.js";

export function denoisingFiles(
  result: DenoisingResult,
  table: { readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] },
  claims: readonly Claim[],
): OutcomeFile[] {
  const { config, sources, device } = result;
  const svg = chart(result);
  const page = htmlPage({
    title: "Denoising against the size of patches",
    lead: `Mean PSNR over ${sources}, with noise of standard deviation ${config.sigma}; dictionaries are learned from the noisy pictures.`,
    sections: [
      { kind: "svg", svg },
      { kind: "table", ...table },
      claimSection(claims),
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          ["patches learned from, an epoch", config.examples.toLocaleString("en-US")],
          ["non-zeros of an atom", `${config.atomSparsity} of the samples`],
          ["samples between averaged patches", config.stride],
          ["mini-batch", config.batch],
          ["seed", config.seed],
          ["computed on", device],
        ],
      },
    ],
    footer: `trainlets ${version}`,
  });
  return [textFile("figure-7.svg", svg), textFile("figure-7.csv", csv(result)), textFile("index.html", page)];
}

function chart(result: DenoisingResult): string {
  const { sizes, methods, reference, sigma } = result.config;
  const level = curveOf(result, reference)[0].psnr;
  return lineChart({
    title: `Denoising, σ = ${sigma}`,
    x: { label: "size of a patch along one side" },
    y: { label: "mean PSNR (dB)" },
    series: [
      ...methods.map((method) => ({
        label: method.label,
        points: curveOf(result, method).map(({ size, psnr }) => ({ x: size, y: psnr })),
      })),
      {
        label: reference.label,
        dashed: true,
        markers: false,
        points: [sizes[0], sizes.at(-1)!].map((size) => ({ x: size, y: level })),
      },
    ],
  });
}

function csv({ measurements }: DenoisingResult): string {
  const lines = measurements.map(({ method, size, picture, psnr, seconds }) =>
    [method.learner, method.base, size, quoted(picture), psnr.toFixed(4), seconds.toFixed(2)].join(","),
  );
  return `learner,base,patch,picture,PSNR,seconds\n${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
