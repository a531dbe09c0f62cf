/** Figures 4 and 11: the same patches by several analytic dictionaries. */

import { formatShape } from "../../core/shape.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { mTermChart, mTermCsv } from "../../figures/charts/mTermChart.js";
import { htmlPage, type PageSection } from "../../figures/pages/htmlPage.js";
import { encodePng } from "../../figures/png.js";
import { version } from "../../model/version.js";
import { approximatorOf, samplePatches } from "../../tasks/approximate/mTerm.js";
import { type MTermCurve, mTermCurves } from "../../tasks/approximate/mTermCurves.js";
import type { Claim, ExperimentData, ExperimentTools, Outcome, OutcomeFile } from "../shared/experiment.js";
import { claimSection, picturesOr, textFile } from "../shared/pageParts.js";
import type { MTermConfig, MTermPanel } from "./config.js";
import { judge } from "./expected.js";

/** What one chart shows. */
interface PanelResult {
  readonly panel: MTermPanel;
  readonly curves: readonly MTermCurve[];
  readonly claims: readonly Claim[];
  readonly patches: number;
  readonly files: readonly OutcomeFile[];
  readonly sections: readonly PageSection[];
}

export async function runMTerm(
  config: MTermConfig,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const results: PanelResult[] = [];
  for (const panel of config.panels) results.push(await runPanel(config, panel, data, tools));
  const claims = results.flatMap((result) => result.claims);
  const { sources } = picturesOr(data, config.pictures, config.seed);
  const page = htmlPage({
    title: config.title,
    lead: `${results[0].patches} random patches of ${sources}, seed ${config.seed}.`,
    sections: [...results.flatMap((result) => result.sections), claimSection(claims)],
    footer: `trainlets ${version}`,
  });
  const columns = Math.max(...config.panels.map(({ terms }) => terms.length));
  const rows = results.flatMap(({ panel, curves }) => [
    [
      formatShape(panel.patch),
      ...padded(
        panel.terms.map((M) => `M = ${M}`),
        columns,
      ),
    ],
    ...curves.map(({ label, psnr }) => [
      label,
      ...padded(
        panel.terms.map((M) => psnr[M].toFixed(2)),
        columns,
      ),
    ]),
  ]);
  return {
    header: ["PSNR (dB) with M terms", ...padded([], columns)],
    rows,
    claims,
    values: Object.fromEntries(
      results.map(({ panel, curves }) => [
        formatShape(panel.patch),
        { terms: panel.terms, psnr: Object.fromEntries(curves.map(({ label, psnr }) => [label, psnr])) },
      ]),
    ),
    files: [...results.flatMap((result) => result.files), textFile("index.html", page)],
  };
}

function padded(cells: readonly string[], length: number): string[] {
  return Array.from({ length }, (_, i) => cells[i] ?? "");
}

async function runPanel(
  config: MTermConfig,
  panel: MTermPanel,
  data: ExperimentData,
  { kernels, onStage, onProgress }: ExperimentTools,
): Promise<PanelResult> {
  const { patch, comparisons, terms, figure } = panel;
  const { pictures } = picturesOr(data, config.pictures, config.seed);
  const patches = await samplePatches(pictures, { patch, count: config.patches, seed: config.seed, kernels });
  const size = formatShape(patch);
  const contenders = comparisons.map(({ label, approximator }) => ({
    label,
    make: () => approximatorOf(approximator, patch),
  }));
  const curves = await mTermCurves(contenders, patches, {
    most: terms.at(-1)!,
    kernels,
    onProgress(label, done) {
      if (done === 0) onStage?.(`approximating ${patches.cols} patches of ${size}: ${label}`);
      else onProgress?.(`${label}: ${done} of ${patches.cols} patches of ${size}`);
    },
  });
  const claims = judge(panel, curves);
  const chart = mTermChart(`M-term approximation of ${size} patches`, curves);
  const gallery = galleryOf(config, panel, patches);
  return {
    panel,
    curves,
    claims,
    patches: patches.cols,
    files: [...gallery.files, textFile(`${figure}.svg`, chart), textFile(`${figure}.csv`, mTermCsv(curves))],
    sections: [
      ...gallery.sections,
      { heading: `Patches of ${size}`, kind: "svg", svg: chart },
      {
        kind: "table",
        header: ["PSNR (dB)", ...terms.map((M) => `M = ${M}`)],
        rows: curves.map(({ label, psnr }) => [label, ...terms.map((M) => psnr[M].toFixed(2))]),
      },
    ],
  };
}

/** Some of the patches, their means removed: grey is the mean of each. */
function galleryOf(
  { shown }: MTermConfig,
  { patch, figure }: MTermPanel,
  patches: Parameters<typeof atomGallery>[0],
): { files: OutcomeFile[]; sections: PageSection[] } {
  const count = Math.min(shown, patches.cols);
  if (count === 0) return { files: [], sections: [] };
  const name = `${figure.replace(/m-term$/, "patches")}.png`;
  const picture = atomGallery(patches, patch, { count, columns: Math.min(12, count), magnify: 1 });
  const alt = `${count} patches of ${formatShape(patch)} samples`;
  return {
    files: [{ name, bytes: encodePng(picture) }],
    sections: [{ heading: "Some of the patches", kind: "image", src: name, alt }],
  };
}
