/** The files of the experiment: for every comparison a chart by time and one by epochs; the numbers; a page. */

import { grouped } from "../../core/formatText.js";
import { formatShape, sizeOf } from "../../core/shape.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import type { PageSection } from "../../figures/pages/htmlPage.js";
import type { OutcomeFile } from "../shared/experiment.js";
import {
  claimSection,
  csvFile,
  departureSections,
  pageFile,
  type RunFacts,
  textFile,
} from "../shared/outcomeFiles.js";
import { type Comparison, describeComparison } from "./claims.js";
import type { ConvergenceSettings } from "./settings.js";

export interface ConvergenceResult extends RunFacts {
  readonly settings: ConvergenceSettings;
  readonly comparisons: readonly Comparison[];
}

export function convergenceFiles(result: ConvergenceResult): OutcomeFile[] {
  const charts = result.comparisons.flatMap((comparison) => [
    textFile(`${fileName(comparison)}-time.svg`, chart(comparison, "seconds")),
    textFile(`${fileName(comparison)}-epochs.svg`, chart(comparison, "epoch")),
  ]);
  return [...charts, csv(result), page(result)];
}

function fileName({ size, atomSparsity }: Comparison): string {
  return `figure-5-${formatShape(size.patch)}-k${atomSparsity}`;
}

/** Time is on a logarithmic axis, since methods differ by orders of magnitude; it has no place for time 0. */
function chart(comparison: Comparison, by: "seconds" | "epoch"): string {
  const timed = by === "seconds";
  return lineChart({
    title: `Test error, ${describeComparison(comparison)}, p = ${comparison.size.sparsity}`,
    x: { label: timed ? "seconds of learning (one marker per epoch)" : "epochs", log: timed },
    y: { label: "RMSE" },
    series: comparison.curves.map(({ method, points }) => ({
      label: method.label,
      dashed: method.extra ?? false,
      points: points
        .filter(({ seconds }) => !timed || seconds > 0)
        .map((point) => ({ x: point[by], y: point.testRmse })),
    })),
  });
}

function csv({ comparisons }: ConvergenceResult): OutcomeFile {
  const rows = comparisons.flatMap(({ size, atomSparsity, curves }) =>
    curves.flatMap(({ method, points }) =>
      points.map(({ epoch, seconds, testRmse }) => [
        formatShape(size.patch),
        atomSparsity,
        method.id,
        epoch,
        seconds.toFixed(3),
        testRmse,
      ]),
    ),
  );
  return csvFile("figure-5.csv", ["patch", "atom sparsity", "method", "epoch", "seconds", "test RMSE"], rows);
}

function page(result: ConvergenceResult): OutcomeFile {
  const { settings, comparisons, claims, departures, sources, device, seconds } = result;
  return pageFile({
    title: "Learners compared",
    lead: `Dictionaries learned from patches of ${sources}, judged by the error on other patches. k is the number of non-zeros per atom, p the number of atoms per code.`,
    sections: [
      claimSection(claims),
      ...comparisons.flatMap(comparisonSections),
      ...departureSections(departures),
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          ["base dictionary", settings.base],
          ["atoms", "as many as the base dictionary has"],
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

function comparisonSections(comparison: Comparison): PageSection[] {
  const { size, atomSparsity, curves } = comparison;
  const share = ((100 * atomSparsity) / sizeOf(size.patch)).toFixed(0);
  return [
    {
      heading: `Patches of ${formatShape(size.patch)}, k = ${atomSparsity} (${share} % of the samples)`,
      kind: "table",
      header: ["method", "before learning", "after one epoch", "at the end", "epochs", "seconds"],
      rows: curves.map(({ method, points }) => [
        method.label,
        points[0].testRmse.toFixed(3),
        points[1].testRmse.toFixed(3),
        points.at(-1)!.testRmse.toFixed(3),
        points.length - 1,
        points.at(-1)!.seconds.toFixed(1),
      ]),
      caption: `RMSE on ${grouped(curves[0].tested)} test patches; seconds of learning, without the tests.`,
    },
    { kind: "svg", svg: chart(comparison, "seconds") },
    { kind: "svg", svg: chart(comparison, "epoch") },
  ];
}
