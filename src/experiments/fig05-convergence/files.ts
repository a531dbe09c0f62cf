/** The files of the experiment: all comparisons by time on one sheet; each of them by time and by epochs; the numbers; a page. */

import { grouped } from "../../core/formatText.js";
import { formatShape, sizeOf } from "../../core/shape.js";
import { type ChartPanel, chartPanels, withSameHeights } from "../../figures/charts/chartPanels.js";
import type { Page, PageSection } from "../../figures/pages/htmlPage.js";
import { learnerStyle } from "../shared/curveLooks.js";
import type { OutcomeFile } from "../shared/experiment.js";
import {
  claimSection,
  csvFile,
  departureSections,
  type RunFacts,
  svgFigure,
  svgSection,
  textFile,
  withPage,
} from "../shared/outcomeFiles.js";
import type { Comparison } from "./claims.js";
import type { ConvergenceSettings } from "./settings.js";

export interface ConvergenceResult extends RunFacts {
  readonly settings: ConvergenceSettings;
  readonly comparisons: readonly Comparison[];
}

export function convergenceFiles(result: ConvergenceResult): OutcomeFile[] {
  const sheets = result.comparisons.length > 0 ? [overview(result.comparisons)] : [];
  const pairs = result.comparisons.map(timeAndEpochs);
  return withPage([...sheets, ...pairs, csv(result)], page(result, [...sheets, ...pairs]));
}

/** All comparisons by time: one row per patch size, whose panels have the same vertical axis. */
function overview(comparisons: readonly Comparison[]): OutcomeFile {
  const sizes = [...new Set(comparisons.map(({ size }) => size))];
  const rows = sizes.map((size) => comparisons.filter((one) => one.size === size));
  const svg = chartPanels({
    title: "Test error while learning; one marker per epoch",
    columns: Math.max(...rows.map((row) => row.length)),
    panels: rows.flatMap((row) => withSameHeights(row.map((one) => panel(one, "seconds")))),
  });
  const learners = "Sparse K-SVD, NIHT (Algorithm 1), OSDL, ODL and Sparse ODL";
  return svgFigure(
    "figure-5.svg",
    svg,
    `Figure 5: dictionary learning by ${learners}, by the error on test patches.`,
  );
}

function timeAndEpochs(comparison: Comparison): OutcomeFile {
  const { size, atomSparsity } = comparison;
  const name = `figure-5-${formatShape(size.patch)}-k${atomSparsity}.svg`;
  const title = `Test error, ${describeSparsity(comparison)}, p = ${size.sparsity}`;
  const panels = [
    { ...panel(comparison, "seconds"), title: "by time; one marker per epoch" },
    { ...panel(comparison, "epoch"), title: "by epochs" },
  ];
  return textFile(name, chartPanels({ title, columns: 2, panels }));
}

/** `12x12, k = 7 (5 %)`: the percentage is of the samples of a patch. */
function describeSparsity({ size, atomSparsity }: Comparison): string {
  const share = ((100 * atomSparsity) / sizeOf(size.patch)).toFixed(0);
  return `${formatShape(size.patch)}, k = ${atomSparsity} (${share} %)`;
}

/** Time is on a logarithmic axis, since methods differ by orders of magnitude; it has no place for time 0. */
function panel(comparison: Comparison, by: "seconds" | "epoch"): ChartPanel {
  const timed = by === "seconds";
  return {
    title: describeSparsity(comparison),
    x: { label: timed ? "seconds of learning" : "epochs", log: timed },
    y: { label: "RMSE (grey levels)" },
    series: comparison.curves.map(({ method, points }) => ({
      label: method.label,
      style: learnerStyle(method.learner),
      dashed: method.extra ?? false,
      points: points
        .filter(({ seconds }) => !timed || seconds > 0)
        .map((point) => ({ x: point[by], y: point.testRmse })),
    })),
  };
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

function page(result: ConvergenceResult, charts: readonly OutcomeFile[]): Omit<Page, "footer"> {
  const { settings, comparisons, claims, departures, sources, device, seconds } = result;
  const [sheet, ...pairs] = charts;
  return {
    title: "Figure 5: learners compared",
    lead: `Dictionaries learned from patches of ${sources}, judged by the error on other patches. k is the number of non-zeros per atom, p the number of atoms per code.`,
    sections: [
      ...(sheet ? [svgSection(sheet, { caption: overviewCaption })] : []),
      claimSection(claims),
      ...comparisons.flatMap((comparison, i) => comparisonSections(comparison, pairs[i])),
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
  };
}

const overviewCaption =
  "Before learning, all start from the cropped wavelets, except ODL from examples and Sparse ODL, which starts from both. Dashed curves are not in the paper. The percentage is the share of k in the samples of a patch.";

function comparisonSections(comparison: Comparison, chart: OutcomeFile): PageSection[] {
  const { curves } = comparison;
  return [
    {
      heading: `Patches of ${describeSparsity(comparison)}`,
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
    svgSection(chart),
  ];
}
