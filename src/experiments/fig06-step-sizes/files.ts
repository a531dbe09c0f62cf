/** The files of the experiment: the chart, the numbers, and a page. */

import { formatShape } from "../../core/shape.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import { htmlPage } from "../../figures/pages/htmlPage.js";
import { version } from "../../model/version.js";
import type { Claim, OutcomeFile } from "../shared/experiment.js";
import type { StepSizesConfig } from "./config.js";
import type { StepPoint } from "./result.js";

export interface StepSizesResult {
  readonly config: StepSizesConfig;
  readonly points: readonly StepPoint[];
  readonly sources: string;
  readonly device: string;
  readonly seconds: number;
}

export function stepSizesFiles(result: StepSizesResult, claims: readonly Claim[]): OutcomeFile[] {
  const svg = chart(result.points);
  return [
    text("figure-6-step-sizes.svg", svg),
    text("figure-6-step-sizes.csv", table(result.points)),
    text("index.html", page(result, claims, svg)),
  ];
}

function text(name: string, content: string): OutcomeFile {
  return { name, bytes: new TextEncoder().encode(content) };
}

/** Logarithmic: steps span orders of magnitude. A step of zero has no place. */
function chart(points: readonly StepPoint[]): string {
  const series = (label: string, value: (point: StepPoint) => number, dashed = false) => ({
    label,
    dashed,
    markers: false,
    points: points.map((point) => ({ x: point.iteration, y: value(point) })).filter(({ y }) => y > 0),
  });
  return lineChart({
    title: "Step sizes of single atoms, and of all",
    x: { label: "mini-batches of Algorithm 1" },
    y: { label: "step size", log: true },
    series: [
      series("OSDL, equation (13)", ({ global }) => global),
      series("NIHT: mean of the atoms", ({ mean }) => mean),
      series("square of (13)", ({ global }) => global ** 2),
      series("highest tenth from here", ({ quantiles }) => quantiles[2], true),
      series("middle atom", ({ quantiles }) => quantiles[1], true),
      series("lowest tenth to here", ({ quantiles }) => quantiles[0], true),
    ],
  });
}

function table(points: readonly StepPoint[]): string {
  const lines = points.map(({ iteration, mean, quantiles, global }) =>
    [iteration, mean, ...quantiles, global, global ** 2]
      .map((value) => Number(value.toPrecision(6)))
      .join(","),
  );
  return `mini-batch,mean,10 %,50 %,90 %,global,global squared\n${lines.join("\n")}\n`;
}

function page(result: StepSizesResult, claims: readonly Claim[], svg: string): string {
  const { config, sources, device, seconds } = result;
  return htmlPage({
    title: "Step sizes",
    lead: `The steps that NIHT finds for each atom while it learns ${formatShape(config.patch)} patches of ${sources}, and the one step of OSDL for all of them at the same place.`,
    sections: [
      { kind: "svg", svg },
      {
        heading: "What was expected",
        kind: "table",
        header: ["claim", "outcome"],
        rows: claims.map(({ text, holds }) => [text, holds ? "holds" : "does not hold"]),
      },
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          ["patch", formatShape(config.patch)],
          ["base", config.base],
          ["non-zeros an atom", config.atomSparsity],
          ["atoms a code", config.sparsity],
          ["examples an epoch", config.examples.toLocaleString("en-US")],
          ["mini-batch", config.batch],
          ["seed", config.seed],
          ["computed on", device],
          ["time", `${seconds.toFixed(0)} s`],
        ],
      },
    ],
    footer: `trainlets ${version}`,
  });
}
