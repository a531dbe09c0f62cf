/** The files of the experiment: one chart, the numbers, and a page. */

import { grouped } from "../../core/formatText.js";
import { formatShape } from "../../core/shape.js";
import { lineChart } from "../../figures/charts/lineChart.js";
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
import { describeSize, lowest, type Measured, milliseconds } from "./claims.js";
import type { LearningSize, RemarksSettings } from "./settings.js";

export interface RemarksResult extends RunFacts {
  readonly settings: RemarksSettings;
  readonly measured: Measured;
}

/** One row per comparison: what the remark prefers, and the alternative. */
export function remarkTable(
  { product, approximation, momentum, few }: RemarksSettings,
  measured: Measured,
): OutcomeTable {
  const size = formatShape(product.patch);
  const errors = (size: LearningSize, what: string, ...pair: readonly [number, number]) => [
    `test RMSE, ${describeSize(size)}: ${what}`,
    ...pair.map((error) => error.toFixed(3)),
  ];
  const fewExamples = `${grouped(few.examples)} examples`;
  const lowestOf = `${fewExamples}, lowest in ${few.epochs} epochs`;
  return {
    header: ["what is compared", "first", "second"],
    rows: [
      [
        `the base applied to ${product.patches} patches of ${size}: by its factors, as one matrix`,
        ...[measured.product.factors, measured.product.matrix].map(milliseconds),
      ],
      [
        `cropped contourlets and cropped wavelets applied to ${product.patches} patches of ${size}`,
        ...[measured.product.contourlets, measured.product.factors].map(milliseconds),
      ],
      [
        `wavelet transforms of ${product.patches} patches of ${size}: separable, cascade`,
        ...[measured.transforms.separable, measured.transforms.cascade].map((seconds) =>
          milliseconds(product.patches * seconds),
        ),
      ],
      ...measured.momentum.map(({ size, ours, other }) =>
        errors(
          size,
          `OSDL after ${grouped(momentum.examples)} examples with γ = ${momentum.momentum}, without momentum`,
          ...([ours, other] as const),
        ),
      ),
      ...measured.few.flatMap(({ size, osdl, odl, odlFromExamples }) => [
        errors(size, `${lowestOf}: OSDL, ODL`, lowest(osdl), lowest(odl)),
        errors(size, `${lowestOf}: OSDL, ODL from examples`, lowest(osdl), lowest(odlFromExamples)),
        errors(size, `${fewExamples}, after ${few.epochs} epochs: OSDL, ODL`, osdl.at(-1)!, odl.at(-1)!),
      ]),
      ...approximation.terms.map((M, i) => [
        `PSNR of ${formatShape(approximation.patch)} patches, M = ${M}: OMP, thresholding`,
        ...[measured.approximation.pursuit, measured.approximation.thresholding].map((psnr) =>
          psnr[i].toFixed(2),
        ),
      ]),
    ],
  };
}

export function remarksFiles(result: RemarksResult): OutcomeFile[] {
  const { settings, measured, claims, departures, sources, device, seconds } = result;
  const { header, rows } = remarkTable(settings, measured);
  const chart = termChart(settings, measured);
  return withPage([chart, csvFile("remarks.csv", header, rows)], {
    title: "Remarks of the paper that have no figure",
    lead: `Measured with patches of ${sources}: what a separable base saves, what momentum gains, sparse and dense atoms from few examples, and two ways of choosing atoms.`,
    sections: [
      {
        kind: "table",
        header,
        rows,
        caption: `Test errors are those on ${grouped(settings.testPatches)} patches that were not learned from. Learners start from the base dictionary where nothing else is said.`,
      },
      svgSection(chart),
      claimSection(claims),
      ...departureSections(departures),
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          ["base dictionary", settings.base],
          ["mini-batch", settings.batch],
          ["seed", settings.seed],
          ["computed on", device],
          ["time", `${seconds.toFixed(0)} s`],
        ],
      },
    ],
  });
}

function termChart({ approximation, base }: RemarksSettings, measured: Measured): OutcomeFile {
  const { terms, patch } = approximation;
  const { pursuit, thresholding } = measured.approximation;
  const series = (label: string, psnr: readonly number[]) => ({
    label,
    points: terms.map((M, i) => ({ x: M, y: psnr[i] })),
  });
  const svg = lineChart({
    title: `M-term approximation of ${formatShape(patch)} patches over ${base}`,
    x: { label: "terms" },
    y: { label: "PSNR (dB)" },
    series: [series("OMP", pursuit), series("thresholding, then least squares", thresholding)],
  });
  return svgFigure(
    "remarks-thresholding.svg",
    svg,
    `Section V-D: atoms of ${base} chosen by OMP, and by thresholding.`,
  );
}
