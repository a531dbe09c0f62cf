/** Figure 4, and the untrained curves of figure 11: the same patches approximated by several analytic dictionaries. */

import type { DenseMatrix } from "../../core/matrix.js";
import { formatShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { mTermChart } from "../../figures/charts/mTermChart.js";
import type { PageSection } from "../../figures/pages/htmlPage.js";
import { encodePng } from "../../figures/png.js";
import { samplePatches } from "../../tasks/approximate/mTerm.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import { chooseSettings, recordSettings } from "../shared/chooseSettings.js";
import { withLooks } from "../shared/curveLooks.js";
import type {
  Claim,
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
  OutcomeFile,
  OutcomeTable,
} from "../shared/experiment.js";
import {
  analyticContenders,
  compareMTerms,
  mTermCsvFile,
  mTermTable,
  orderClaims,
  psnrByLabel,
} from "../shared/mTermComparison.js";
import { claimSection, departureSections, svgFigure, svgSection, withPage } from "../shared/outcomeFiles.js";
import { choosePictures, departuresOf } from "../shared/pictures.js";
import { StageClock } from "../shared/stageClock.js";
import type { AnalyticSettings, ChartSettings } from "./settings.js";

/** Patches per row of the gallery. */
const patchColumns = 8;

/** What was measured for one chart, and how it is shown. */
interface ChartResult {
  readonly chart: ChartSettings;
  readonly curves: readonly MTermCurve[];
  readonly claims: readonly Claim[];
  /** Patches that were approximated. */
  readonly tested: number;
  readonly files: readonly OutcomeFile[];
  readonly sections: readonly PageSection[];
}

/** The experiment with these options, checked. */
export function prepareAnalytic(settings: AnalyticSettings, options: ExperimentOptions): ExperimentRun {
  const chosen = chooseSettings(settings, options, ["seed", "examples"]);
  return (data, tools) => runAnalytic(chosen, data, tools);
}

async function runAnalytic(
  settings: AnalyticSettings,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const clock = new StageClock();
  const { pictures, sources } = choosePictures(data, settings.pictures, settings.seed);
  const results: ChartResult[] = [];
  for (const chart of settings.charts)
    results.push(
      await clock.time(`approximating ${formatShape(chart.patch)}`, () =>
        runChart(settings, chart, pictures, tools),
      ),
    );
  const departures = departuresOf(settings, data);
  const claims = results.flatMap((result) => result.claims);
  const files = withPage(
    results.flatMap((result) => result.files),
    {
      title: settings.title,
      lead: `${results[0].tested} random patches of ${sources} (seed ${settings.seed}), each approximated with M coefficients.`,
      sections: [
        ...results.flatMap((result) => result.sections),
        claimSection(claims),
        ...departureSections(departures),
      ],
    },
  );
  return {
    ...joinTables(results),
    claims,
    values: Object.fromEntries(
      results.map(({ chart, curves }) => [
        formatShape(chart.patch),
        { terms: chart.terms, psnr: psnrByLabel(curves) },
      ]),
    ),
    settings: recordSettings(settings),
    departures,
    stageSeconds: clock.seconds(),
    files,
  };
}

/** The tables of all charts below each other, each with its header as a row. */
function joinTables(results: readonly ChartResult[]): OutcomeTable {
  const columns = Math.max(...results.map(({ chart }) => chart.terms.length));
  const padded = (cells: readonly string[]) => Array.from({ length: columns + 1 }, (_, i) => cells[i] ?? "");
  const rows = results.flatMap(({ chart, curves }) => {
    const table = mTermTable(formatShape(chart.patch), chart.terms, curves);
    return [table.header, ...table.rows].map(padded);
  });
  return { header: padded(["PSNR (dB) with M terms"]), rows };
}

async function runChart(
  settings: AnalyticSettings,
  chart: ChartSettings,
  pictures: readonly Signal[],
  tools: ExperimentTools,
): Promise<ChartResult> {
  const { patch, terms, figure } = chart;
  const { examples: count, seed } = settings;
  const patches = await samplePatches(pictures, { patch, count, seed, kernels: tools.kernels });
  const size = formatShape(patch);
  const contenders = analyticContenders(chart.dictionaries, patch);
  const curves = await compareMTerms(contenders, patches, terms.at(-1)!, `patches of ${size}`, tools);
  const drawn = svgFigure(
    `${figure}.svg`,
    mTermChart(`M-term approximation of ${size} patches`, withLooks(curves)),
    `${titleOf(chart)}: M-term approximation of ${patches.cols} patches of ${size}.`,
  );
  const gallery = patchGallery(settings, chart, patches);
  return {
    chart,
    curves,
    claims: orderClaims(chart.orders, curves, terms, `${size}: `),
    tested: patches.cols,
    files: [...gallery.files, drawn, mTermCsvFile(`${figure}.csv`, curves)],
    sections: [
      ...gallery.sections,
      svgSection(drawn, { heading: `Patches of ${size}` }),
      { kind: "table", ...mTermTable("PSNR (dB)", terms, curves) },
    ],
  };
}

/** `Figure 11a`. */
function titleOf({ figure }: ChartSettings): string {
  return figure.replace(/^figure-([^-]+).*$/, "Figure $1");
}

/** Some of the patches, as on the left of figure 4, their means removed: grey is the mean of each. */
function patchGallery(
  { shown }: AnalyticSettings,
  chart: ChartSettings,
  patches: DenseMatrix,
): { readonly files: OutcomeFile[]; readonly sections: PageSection[] } {
  const { patch, figure } = chart;
  const count = Math.min(shown, patches.cols);
  if (count === 0) return { files: [], sections: [] };
  const name = `${figure.replace(/m-term$/, "patches")}.png`;
  const picture = atomGallery(patches, patch, { count, columns: Math.min(patchColumns, count), magnify: 2 });
  const alt = `${count} patches of ${formatShape(patch)} samples`;
  const caption = `${titleOf(chart)}, left: some of the patches.`;
  return {
    files: [{ name, bytes: encodePng(picture), caption }],
    sections: [
      {
        heading: "Some of the patches",
        kind: "image",
        src: name,
        alt,
        caption:
          "The mean of each patch is removed and shown as grey; each has its own contrast, from black to white.",
      },
    ],
  };
}
