/** The files of the experiment: a chart by time and one by epochs for every panel, numbers, and a page. */

import { sizeOf } from "../../core/shape.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import { htmlPage, type PageSection } from "../../figures/pages/htmlPage.js";
import { version } from "../../model/version.js";
import type { Claim, OutcomeFile } from "../shared/experiment.js";
import { type ConvergenceResult, type Panel, panelName } from "./result.js";

export function convergenceFiles(result: ConvergenceResult, claims: readonly Claim[]): OutcomeFile[] {
  const charts = result.panels.flatMap((panel) => [
    text(`${fileName(panel)}-time.svg`, chart(panel, "seconds")),
    text(`${fileName(panel)}-epochs.svg`, chart(panel, "epoch")),
  ]);
  const page = text("index.html", pageOf(result, claims));
  return [...charts, text("figure-5.csv", table(result)), page];
}

function text(name: string, content: string): OutcomeFile {
  return { name, bytes: new TextEncoder().encode(content) };
}

function fileName({ size, atomSparsity }: Panel): string {
  return `figure-5-${size.patch.join("x")}-k${atomSparsity}`;
}

/** Time is logarithmic, since methods differ by orders of magnitude: what was before learning has no place there. */
function chart(panel: Panel, by: "seconds" | "epoch"): string {
  const timed = by === "seconds";
  return lineChart({
    title: `Test error, ${panelName(panel)}, p = ${panel.size.sparsity}`,
    x: { label: timed ? "seconds of learning; a marker an epoch" : "epochs", log: timed },
    y: { label: "RMSE" },
    series: panel.curves.map(({ method, points }) => ({
      label: method.label,
      points: points
        .filter(({ seconds }) => !timed || seconds > 0)
        .map((point) => ({ x: point[by], y: point.testRmse })),
    })),
  });
}

function table({ panels }: ConvergenceResult): string {
  const lines = panels.flatMap(({ size, atomSparsity, curves }) =>
    curves.flatMap(({ method, points }) =>
      points.map(({ epoch, seconds, testRmse }) =>
        [size.patch.join("x"), atomSparsity, method.learner, epoch, seconds.toFixed(3), testRmse].join(","),
      ),
    ),
  );
  return `patch,atom sparsity,learner,epoch,seconds,test RMSE\n${lines.join("\n")}\n`;
}

function pageOf(result: ConvergenceResult, claims: readonly Claim[]): string {
  const { config, panels, sources, device, seconds } = result;
  return htmlPage({
    title: "Learners compared",
    lead: `Dictionaries for the patches of ${sources}, by the error on patches that were not learned from.`,
    sections: [
      {
        heading: "What was expected",
        kind: "table",
        header: ["claim", "outcome"],
        rows: claims.map(({ text, holds }) => [text, holds ? "holds" : "does not hold"]),
      },
      ...panels.flatMap(sectionsOf),
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          ["base", config.base],
          ["atoms", "as many as the base has"],
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

function sectionsOf(panel: Panel): PageSection[] {
  const share = ((100 * panel.atomSparsity) / sizeOf(panel.size.patch)).toFixed(0);
  return [
    {
      heading: `${panelName(panel)} (${share} % of the samples)`,
      kind: "table",
      header: ["method", "before", "after one epoch", "in the end", "epochs", "seconds"],
      rows: panel.curves.map(({ method, points }) => [
        method.label,
        points[0].testRmse.toFixed(3),
        points[1]?.testRmse.toFixed(3) ?? "–",
        points.at(-1)!.testRmse.toFixed(3),
        points.length - 1,
        points.at(-1)!.seconds.toFixed(1),
      ]),
      caption: `RMSE on ${panel.curves[0].tested.toLocaleString("en-US")} test patches; seconds of learning, tests aside.`,
    },
    { kind: "svg", svg: chart(panel, "seconds") },
    { kind: "svg", svg: chart(panel, "epoch") },
  ];
}
