/** The files of the experiment: the chart, the numbers, and a page. */

import { grouped } from "../../core/formatText.js";
import { formatShape } from "../../core/shape.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import type { OutcomeFile } from "../shared/experiment.js";
import {
  claimSection,
  csvFile,
  departureSections,
  pageFile,
  type RunFacts,
  textFile,
} from "../shared/outcomeFiles.js";
import type { StepPoint } from "./claims.js";
import type { StepSizesSettings } from "./settings.js";

export interface StepSizesResult extends RunFacts {
  readonly settings: StepSizesSettings;
  readonly points: readonly StepPoint[];
}

export function stepSizesFiles(result: StepSizesResult): OutcomeFile[] {
  const svg = chart(result.points);
  return [textFile("figure-6-step-sizes.svg", svg), csv(result.points), page(result, svg)];
}

/** Steps span orders of magnitude, so the axis is logarithmic; it has no place for a step of zero. */
function chart(points: readonly StepPoint[]): string {
  const series = (label: string, value: (point: StepPoint) => number, dashed = false) => ({
    label,
    dashed,
    markers: false,
    points: points.map((point) => ({ x: point.iteration, y: value(point) })).filter(({ y }) => y > 0),
  });
  return lineChart({
    title: "Step sizes: one per atom (NIHT) and one for all (OSDL)",
    x: { label: "mini-batches of Algorithm 1" },
    y: { label: "step size", log: true },
    series: [
      series("OSDL, equation (13)", ({ global }) => global),
      series("NIHT, mean of the atoms", ({ mean }) => mean),
      series("square of (13)", ({ global }) => global ** 2),
      series("NIHT, 90th percentile", ({ quantiles }) => quantiles[2], true),
      series("NIHT, median", ({ quantiles }) => quantiles[1], true),
      series("NIHT, 10th percentile", ({ quantiles }) => quantiles[0], true),
    ],
  });
}

function csv(points: readonly StepPoint[]): OutcomeFile {
  const rows = points.map(({ iteration, mean, quantiles, global }) =>
    [iteration, mean, ...quantiles, global, global ** 2].map((value) => Number(value.toPrecision(6))),
  );
  return csvFile(
    "figure-6-step-sizes.csv",
    ["mini-batch", "mean", "10 %", "50 %", "90 %", "global", "global squared"],
    rows,
  );
}

function page(result: StepSizesResult, svg: string): OutcomeFile {
  const { settings, claims, departures, sources, device, seconds } = result;
  return pageFile({
    title: "Step sizes",
    lead: `The step that NIHT finds for each atom while it learns from ${formatShape(settings.patch)} patches of ${sources}, and the one step for all atoms, equation (13) of the paper, that OSDL would take at the same point.`,
    sections: [
      { kind: "svg", svg },
      claimSection(claims),
      ...departureSections(departures),
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          ["patch", formatShape(settings.patch)],
          ["base dictionary", settings.base],
          ["non-zeros per atom", settings.atomSparsity],
          ["atoms per code", settings.sparsity],
          ["examples per epoch", grouped(settings.examples)],
          ["mini-batch", settings.batch],
          ["seed", settings.seed],
          ["computed on", device],
          ["time", `${seconds.toFixed(0)} s`],
        ],
      },
    ],
  });
}
