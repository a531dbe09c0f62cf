/** The files of the experiment: a sheet with one chart for each size that varies, the numbers, and a page. */

import { type ChartPanel, chartPanels } from "../../figures/charts/chartPanels.js";
import type { Page } from "../../figures/pages/htmlPage.js";
import { learnerStyle } from "../shared/curveLooks.js";
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
import { type SweepCurve, slopesOf } from "./claims.js";
import { levelOf, predictedWork, sizeAlong } from "./growth.js";
import type { ComplexitySettings, Letter } from "./settings.js";

export interface ComplexityResult extends RunFacts {
  readonly settings: ComplexitySettings;
  readonly curves: readonly SweepCurve[];
}

const names: Readonly<Record<Letter, string>> = {
  n: "samples per patch, n",
  k: "non-zeros per atom, k",
  N: "examples per mini-batch, N",
  m: "atoms, m",
};

export function complexityFiles(result: ComplexityResult): OutcomeFile[] {
  const letters = [...new Set(result.curves.map(({ letter }) => letter))];
  const panels = letters.map((letter) =>
    panel(
      letter,
      result.curves.filter((curve) => curve.letter === letter),
    ),
  );
  const title = "Seconds per mini-batch against each size; dashed: the predicted growth";
  const sheets =
    panels.length === 0
      ? []
      : [svgFigure("complexity.svg", chartPanels({ title, columns: 2, panels }), caption)];
  return withPage([...sheets, csv(result.curves)], page(result, sheets));
}

const caption =
  "Section IV-D: the time of one mini-batch of OSDL and of ODL, and the growth that is predicted.";

/** Measured seconds with markers, and the predicted growth, through the last of them, dashed. */
function panel(letter: Letter, curves: readonly SweepCurve[]): ChartPanel {
  return {
    title: `against ${letter}`,
    x: { label: names[letter], log: true },
    y: { label: "seconds per mini-batch", log: true },
    series: curves.flatMap(({ learner, points }) => {
      const x = points.map(({ sizes }) => sizeAlong(sizes, letter));
      const predicted = points.map(({ sizes }) => predictedWork(learner, sizes));
      const level = levelOf(
        points.map(({ seconds }) => seconds),
        predicted,
      );
      const label = learner.toUpperCase();
      const style = learnerStyle(learner);
      return [
        {
          ...{ label: `${label}, measured`, style },
          points: points.map(({ seconds }, i) => ({ x: x[i], y: seconds })),
        },
        {
          ...{ label: `${label}, predicted growth`, style, dashed: true, markers: false },
          points: predicted.map((work, i) => ({ x: x[i], y: level * work })),
        },
      ];
    }),
  };
}

/** The slope of each curve, measured and predicted, and its times. */
export function slopeTable(curves: readonly SweepCurve[]): OutcomeTable {
  return {
    header: ["seconds per mini-batch", "from", "to", "seconds", "slope", "predicted slope"],
    rows: curves.map((curve) => {
      const { letter, learner, points } = curve;
      const ends = [points[0], points.at(-1)!];
      const { measured, predicted } = slopesOf(curve);
      return [
        `${learner.toUpperCase()} against ${letter}`,
        ...ends.map(({ sizes }) => String(sizeAlong(sizes, letter))),
        ends.map(({ seconds }) => seconds.toPrecision(2)).join(" to "),
        measured.toFixed(2),
        predicted.toFixed(2),
      ];
    }),
  };
}

function csv(curves: readonly SweepCurve[]): OutcomeFile {
  const rows = curves.flatMap(({ letter, learner, points }) =>
    points.map(({ sizes, seconds }) => [
      ...[learner, letter, sizes.side ** 2, sizes.atoms, sizes.atomSparsity, sizes.sparsity, sizes.batch],
      ...[seconds.toPrecision(4), predictedWork(learner, sizes).toPrecision(4)],
    ]),
  );
  return csvFile(
    "complexity.csv",
    ["learner", "against", "n", "m", "k", "p", "N", "seconds", "predicted operations"],
    rows,
  );
}

function page(result: ComplexityResult, sheets: readonly OutcomeFile[]): Omit<Page, "footer"> {
  const { settings, curves, claims, departures, sources, device, seconds } = result;
  return {
    title: "Section IV-D: what a mini-batch costs",
    lead: `The time of one mini-batch of OSDL and of ODL on patches of ${sources}, beside the growth that section IV-D of the paper predicts. Where small sizes leave the device idle, times grow more slowly than predicted.`,
    sections: [
      ...sheets.map((sheet) => svgSection(sheet)),
      { kind: "table", ...slopeTable(curves), caption: "Slopes are those of lines fitted to logarithms." },
      claimSection(claims),
      ...departureSections(departures),
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          ["base dictionary", settings.base],
          [
            "sizes that do not vary",
            "16x16 patches, m = 1,024, k = 26, p = 8, N = 512; against n, p = n/32 and m as in the base",
          ],
          ["updates timed together", settings.updates],
          ["rounds, of which the median counts", settings.rounds],
          ["seed", settings.seed],
          ["computed on", device],
          ["time", `${seconds.toFixed(0)} s`],
        ],
      },
    ],
  };
}
