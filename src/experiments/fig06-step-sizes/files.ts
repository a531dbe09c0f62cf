/** The files of the experiment: the chart, the numbers, and a page. */

import { grouped } from "../../core/formatText.js";
import { formatShape } from "../../core/shape.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import type { Page } from "../../figures/pages/htmlPage.js";
import { learnerStyle } from "../shared/curveLooks.js";
import type { OutcomeFile } from "../shared/experiment.js";
import {
  claimSection,
  csvFile,
  departureSections,
  type RunFacts,
  svgFigure,
  svgSection,
  withPage,
} from "../shared/outcomeFiles.js";
import { type ShownSteps, type StepPoint, stepRatios } from "./claims.js";
import type { StepSizesSettings } from "./settings.js";

export interface StepSizesResult extends RunFacts {
  readonly settings: StepSizesSettings;
  readonly points: readonly StepPoint[];
  /** All steps, at some of the mini-batches. */
  readonly shown: readonly ShownSteps[];
}

export function stepSizesFiles(result: StepSizesResult): OutcomeFile[] {
  const { points, shown } = result;
  const figures =
    points.length === 0 ? [] : [svgFigure("figure-6-step-sizes.svg", chart(points, shown), caption)];
  return withPage([...figures, csv(points), allStepsCsv(shown)], page(result, figures));
}

const caption =
  "Figure 6: the steps that NIHT finds for the atoms, their mean, and the one step of OSDL for all atoms.";

/**
 * In the order of the paper's caption: the steps of the atoms, their mean, the global step. Steps span orders of
 * magnitude, so the axis is logarithmic; it has no place for a step of zero.
 */
function chart(points: readonly StepPoint[], shown: readonly ShownSteps[]): string {
  const series = (label: string, style: number, dashed: boolean, value: (point: StepPoint) => number) => ({
    ...{ label, style, dashed, markers: false },
    points: points.map((point) => ({ x: point.iteration, y: value(point) })).filter(({ y }) => y > 0),
  });
  return lineChart({
    title: "Step sizes: one per atom (NIHT) and one for all (OSDL)",
    x: { label: "iterations (mini-batches)" },
    y: { label: "step size, for grey levels", log: true },
    series: [
      { ...cloud(shown), label: "NIHT, every atom" },
      series("NIHT, mean of the atoms", learnerStyle("niht"), false, ({ mean }) => mean),
      series("NIHT, median atom", learnerStyle("niht"), true, ({ quantiles }) => quantiles[2]),
      series("OSDL, equation (13)", learnerStyle("osdl"), false, ({ global }) => global),
      series("square of (13)", learnerStyle("osdl"), true, ({ global }) => global ** 2),
    ],
  });
}

function cloud(shown: readonly ShownSteps[]) {
  const points = shown.flatMap(({ iteration, steps }) =>
    steps.filter((step) => step > 0).map((y) => ({ x: iteration, y })),
  );
  return { points, cloud: true };
}

function csv(points: readonly StepPoint[]): OutcomeFile {
  const rows = points.map(({ iteration, mean, quantiles, global }) =>
    [iteration, mean, ...quantiles, global, global ** 2].map((value) => Number(value.toPrecision(6))),
  );
  return csvFile(
    "figure-6-step-sizes.csv",
    ["mini-batch", "mean", "least", "10 %", "50 %", "90 %", "most", "global", "global squared"],
    rows,
  );
}

function allStepsCsv(shown: readonly ShownSteps[]): OutcomeFile {
  const rows = shown.flatMap(({ iteration, steps }) => steps.map((step) => [iteration, step]));
  return csvFile("figure-6-all-steps.csv", ["mini-batch", "step of an atom"], rows);
}

/** Why the comparison depends on the units, and in which the two would agree. */
function unitsText(points: readonly StepPoint[]): string[] {
  if (points.length === 0) return ["The run was aborted before its first mini-batch."];
  const { global } = stepRatios(points);
  return [
    "Both steps depend on the units of the data, in different ways. Let the data y be multiplied by c. The codes x are multiplied by c, the atoms stay, and the gradient, a product of residuals and codes, is multiplied by c². The step of an atom, (10), is ‖∇‖²/‖Φ∇x‖², which goes with 1/c²; the global step, (13), is ‖∇‖/‖Φ∇X‖, its square root in form, which goes with 1/c. So whether (13) is near the mean of (10) is decided by the units.",
    `Here, for grey levels from 0 to 255, the global step is ${global.toPrecision(2)} times the mean (geometric mean over the mini-batches); for data from 0 to 1 it would be ${(global / 255).toPrecision(2)} times the mean, and both would agree for data multiplied by ${(1 / global).toPrecision(2)}. The atoms of OSDL are not normalised: they grow, the codes shrink with them, and the step adapts, which is what makes the result of OSDL nearly independent of the units.`,
  ];
}

function page(result: StepSizesResult, figures: readonly OutcomeFile[]): Omit<Page, "footer"> {
  const { settings, claims, departures, sources, device, seconds } = result;
  return {
    title: "Figure 6: step sizes",
    lead: `The step that NIHT finds for each atom while it learns from ${formatShape(settings.patch)} patches of ${sources}, and the one step for all atoms, equation (13) of the paper, of OSDL, which learns from the same mini-batches.`,
    sections: [
      ...figures.map((figure) => svgSection(figure)),
      { heading: "Steps and the units of the data", kind: "text", paragraphs: unitsText(result.points) },
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
  };
}
