/** The files of the experiment: dictionary, figures, numbers, and a page that shows them. */

import { grouped } from "../../core/formatText.js";
import type { DenseMatrix } from "../../core/matrix.js";
import { formatShape } from "../../core/shape.js";
import type { AtomFamily } from "../../figures/atoms/atomFamilies.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { orderAtoms } from "../../figures/atoms/atomOrder.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import { mTermChart } from "../../figures/charts/mTermChart.js";
import type { Page, PageSection } from "../../figures/pages/htmlPage.js";
import { encodePng, type Picture } from "../../figures/png.js";
import { modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import { withLooks } from "../shared/curveLooks.js";
import type { OutcomeFile } from "../shared/experiment.js";
import { mTermCsvFile, mTermTable } from "../shared/mTermComparison.js";
import {
  claimSection,
  departureSections,
  type RunFacts,
  svgFigure,
  svgSection,
  withPage,
} from "../shared/outcomeFiles.js";
import type { LearnedDictionary } from "./claims.js";
import { familyPicture } from "./familyPicture.js";
import type { UniversalSettings } from "./settings.js";

export interface UniversalResult extends RunFacts {
  readonly settings: UniversalSettings;
  /** The universal dictionary and its atoms. */
  readonly model: Model;
  readonly atoms: DenseMatrix;
  /** Recurring patterns among the atoms. */
  readonly families: readonly AtomFamily[];
  /** The universal dictionary, then its rivals. */
  readonly learned: readonly LearnedDictionary[];
  /** Analytic dictionaries, rivals, then the universal dictionary. */
  readonly curves: readonly MTermCurve[];
  /** Patches that were approximated. */
  readonly tested: number;
}

/** All files, the page last. */
export function universalFiles(result: UniversalResult): OutcomeFile[] {
  const { settings, model, atoms, families, curves, tested } = result;
  const { figures, patch } = settings;
  const size = formatShape(patch);
  const chart = svgFigure(
    `${figures.curves}.svg`,
    mTermChart(`M-term approximation of ${size} patches`, withLooks(curves)),
    `${titleOf(figures.curves)}M-term approximation of ${tested} patches of ${size}.`,
  );
  const familyFile = () => ({
    name: `${figures.families}.png`,
    bytes: encodePng(familyPicture(atoms, model.shape, families)),
    caption: `${titleOf(figures.families)}atoms of ${size} with one pattern at different places, one pattern per row.`,
  });
  const atomFile = {
    name: `${figures.atoms}.png`,
    bytes: encodePng(gallery(result)),
    caption: `${titleOf(figures.atoms)}some of the ${grouped(model.A.cols)} atoms of ${size}, ordered by entropy.`,
  };
  const files = [
    { name: "dictionary.npz", bytes: modelToBytes(model) },
    atomFile,
    ...(families.length > 0 ? [familyFile()] : []),
    chart,
    mTermCsvFile(`${figures.curves}.csv`, curves),
  ];
  return withPage(files, page(result, chart));
}

/** `Figure 11a: `; empty for a picture that is not in the paper. */
function titleOf(figure: string): string {
  const number = /^figure-([^-]+)/.exec(figure)?.[1];
  return number === undefined ? "" : `Figure ${number}: `;
}

/** The width of an atom in the gallery, about. */
const atomPixels = 64;

/** Atoms spread evenly over their order by entropy. */
function gallery({ atoms, model, settings }: UniversalResult): Picture {
  const { columns, rows } = settings.gallery;
  const sorted = orderAtoms(atoms, "entropy");
  const shown = Math.min(columns * rows, sorted.length);
  const order = Array.from({ length: shown }, (_, i) => sorted[Math.floor((i * sorted.length) / shown)]);
  const magnify = Math.max(1, Math.round(atomPixels / model.shape.at(-1)!));
  return atomGallery(atoms, model.shape, { order, columns: Math.min(columns, shown), magnify });
}

function page(result: UniversalResult, chart: OutcomeFile): Omit<Page, "footer"> {
  const { settings, model, curves, claims, departures, families, learned, sources } = result;
  const { terms, figures } = settings;
  const size = formatShape(settings.patch);
  const best = curves.findIndex((one) =>
    terms.every((M) => curves.every((other) => one.psnr[M] >= other.psnr[M])),
  );
  return {
    title: `A universal dictionary of ${size} atoms`,
    lead: `${grouped(model.A.cols)} atoms of ${size} samples, learned from ${grouped(model.meta.examplesSeen)} patches of ${sources}.`,
    sections: [
      {
        heading: `${result.tested} patches that were not learned from`,
        kind: "table",
        ...mTermTable("PSNR (dB) with M terms", terms, curves),
        ...(best < 0 ? {} : { best }),
        caption:
          "PSNR with peak 255, from one mean squared error over all patches. The mean of each patch is known and is not counted as a term.",
      },
      svgSection(chart),
      claimSection(claims),
      {
        heading: "Atoms, ordered by entropy",
        kind: "image",
        src: `${figures.atoms}.png`,
        alt: `A grid of learned atoms of ${size} samples`,
        caption: "Some of the atoms, evenly spread over the order. Grey is zero.",
      },
      familySection(families, `${figures.families}.png`),
      ...learningSections(learned),
      ...departureSections(departures),
      { heading: "Settings", kind: "settings", entries: settingEntries(result) },
    ],
  };
}

function familySection(families: readonly AtomFamily[], src: string): PageSection {
  const heading = "One pattern at several places";
  if (families.length === 0)
    return { heading, kind: "text", paragraphs: ["No pattern was found in several atoms."] };
  return {
    heading,
    kind: "image",
    src,
    alt: `${families.length} rows of atoms, each row with one pattern at different places`,
    caption:
      "Each row shows atoms with the same pattern at different places. Atoms with the opposite sign are shown negated; those that are still base atoms are left out.",
  };
}

/** The curves of those that are tested with the codes of the experiment: errors of other codes are no comparison. */
function learningSections(learned: readonly LearnedDictionary[]): PageSection[] {
  const shown = learned.filter(
    ({ method, record }) => record.points.length > 1 && method.own?.sparsity === undefined,
  );
  if (shown.length === 0) return [];
  const svg = lineChart({
    title: "Error on test patches while learning",
    x: { label: "examples" },
    y: { label: "RMSE (grey levels)" },
    series: shown.map(({ method, record }) => ({
      label: shown.length > 1 ? method.label : "",
      points: record.points.map(({ examples, testRmse }) => ({ x: examples, y: testRmse ?? Number.NaN })),
    })),
  });
  return [{ heading: "Learning curve", kind: "svg", svg }];
}

function settingEntries({ settings, model, learned, device, seconds, sources }: UniversalResult) {
  return [
    ["patch", formatShape(settings.patch)],
    ["base dictionary", settings.base],
    ["base atoms", model.A.rows],
    ["atoms", model.A.cols],
    ["non-zeros per atom", settings.atomSparsity],
    ["atoms per code", settings.sparsity],
    ["examples per epoch", grouped(Number(model.meta.options.examples))],
    ["epochs", settings.epochs],
    ["mini-batch", Number(model.meta.options.batch)],
    ["seed", settings.seed],
    ["data", sources],
    ["computed on", device],
    ...learned.map(
      ({ method, record }) =>
        [
          `learning: ${method.label}`,
          `${record.seconds.toFixed(0)} s, ${record.learningSeconds.toFixed(0)} s without reading and tests`,
        ] as const,
    ),
    ["time", `${seconds.toFixed(0)} s`],
  ] as const;
}
