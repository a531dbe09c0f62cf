/** The files of figure 2: the chart, the error of every sample, and a page. */

import { lineChart } from "../../figures/charts/lineChart.js";
import type { Claim, OutcomeFile, OutcomeTable } from "../shared/experiment.js";
import {
  claimSection,
  csvFile,
  departureSections,
  svgFigure,
  svgSection,
  withPage,
} from "../shared/outcomeFiles.js";
import type { ErrorCurve } from "./errors.js";
import type { JumpSettings } from "./settings.js";

/** What the page shows besides the chart. */
interface JumpFindings extends OutcomeTable {
  readonly claims: readonly Claim[];
}

export function jumpFiles(
  settings: JumpSettings,
  curves: readonly ErrorCurve[],
  { header, rows, claims }: JumpFindings,
): OutcomeFile[] {
  const { examples, samples, jump, terms, region, wavelet: name, seed, departures } = settings;
  const figure = errorChart(settings, curves);
  const csv = csvFile(
    "figure-2-error-by-sample.csv",
    ["sample", ...curves.map(({ label }) => label)],
    Array.from({ length: samples }, (_, i) => [i, ...curves.map(({ errors }) => errors[i])]),
  );
  return withPage([figure, csv], {
    title: "Figure 2: errors at the borders and at a jump",
    lead: `${examples} random functions of ${samples} samples, each a cubic with a jump at sample ${jump}, approximated with ${terms} coefficients of the wavelet ${name}.`,
    sections: [
      svgSection(figure),
      { kind: "table", header, rows, caption: tableCaption },
      claimSection(claims),
      ...departureSections(departures),
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          ["functions", examples],
          ["samples per function", samples],
          ["first sample after the jump", jump],
          ["coefficients kept", terms],
          ["wavelet", name],
          ["samples at a border, and around the jump", region],
          ["seed", seed],
        ],
      },
    ],
  });
}

const tableCaption =
  "Rows with levels: the usual transforms under three treatments of the borders, each with the number of levels that suits it best; the figure has all levels. “Extended first” is the periodic transform of a function that is mirrored at its ends first, as in figure 1. The second column has the number of coefficients that those kept are chosen from.";

function errorChart({ samples, jump, terms }: JumpSettings, curves: readonly ErrorCurve[]): OutcomeFile {
  const chart = lineChart({
    title: `Mean squared error at each sample, with ${terms} coefficients`,
    x: { label: "sample" },
    y: { label: "mean squared error of functions of unit norm", range: [0, 0] },
    series: curves.map(({ label, errors }) => ({
      label,
      points: Array.from(errors, (y, x) => ({ x, y })),
      markers: false,
    })),
  });
  return svgFigure(
    "figure-2-error-by-sample.svg",
    chart,
    `Figure 2: the mean error of each sample, with ${terms} coefficients, of smooth functions of ${samples} samples with a jump at sample ${jump}.`,
  );
}
