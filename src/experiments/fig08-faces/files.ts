/** The files of the experiment: dictionaries, figures, numbers, and a page that shows them. */

import type { DenseMatrix } from "../../core/matrix.js";
import { formatShape } from "../../core/shape.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { orderAtoms } from "../../figures/atoms/atomOrder.js";
import { mTermChart } from "../../figures/charts/mTermChart.js";
import type { PageSection } from "../../figures/pages/htmlPage.js";
import { encodePng, type Picture } from "../../figures/png.js";
import { modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import type { OutcomeFile } from "../shared/experiment.js";
import { mTermCsvFile, mTermTable, trainletsLabel } from "../shared/mTermComparison.js";
import {
  claimSection,
  departureSections,
  pageFile,
  type RunFacts,
  textFile,
} from "../shared/outcomeFiles.js";
import type { FacesSettings } from "./settings.js";

export interface LearnedModel {
  readonly label: string;
  readonly model: Model;
  readonly atoms: DenseMatrix;
}

export interface FacesResult extends RunFacts {
  readonly settings: FacesSettings;
  readonly models: readonly LearnedModel[];
  readonly curves: readonly MTermCurve[];
  /** Pictures that were approximated. */
  readonly tested: number;
}

/** All files, the page last. */
export function facesFiles(result: FacesResult): OutcomeFile[] {
  const { settings, models, curves } = result;
  const chart = mTermChart("Faces with few coefficients", curves);
  return [
    ...models.map(({ label, model }) => ({
      name: label === trainletsLabel ? "dictionary.npz" : `${fileName(label)}.npz`,
      bytes: modelToBytes(model),
    })),
    ...models.map((learned) => ({
      name: galleryName(learned.label),
      bytes: encodePng(gallery(settings, learned)),
    })),
    textFile("figure-8-m-term.svg", chart),
    mTermCsvFile("figure-8-m-term.csv", curves),
    page(result, chart),
  ];
}

function fileName(label: string): string {
  return label === trainletsLabel ? "osdl" : label.toLowerCase();
}

function galleryName(label: string): string {
  return `figure-8-atoms-${fileName(label)}.png`;
}

/** The first components of PCA; for others, atoms spread evenly over their order by entropy. */
function gallery({ gallery: { columns, rows } }: FacesSettings, learned: LearnedModel): Picture {
  const { label, model, atoms } = learned;
  const shown = Math.min(columns * rows, atoms.cols);
  const sorted = label === "PCA" ? Array.from({ length: shown }, (_, j) => j) : orderAtoms(atoms, "entropy");
  const order = Array.from({ length: shown }, (_, i) => sorted[Math.floor((i * sorted.length) / shown)]);
  return atomGallery(atoms, model.shape, { order, columns: Math.min(columns, shown) });
}

function page(result: FacesResult, chart: string): OutcomeFile {
  const { settings, curves, claims, departures, models, sources, tested } = result;
  return pageFile({
    title: "Faces with few coefficients",
    lead: `Every picture of ${formatShape(settings.patch)} is one signal. Learned from ${sources}.`,
    sections: [
      {
        heading: `${tested} pictures that were not learned from`,
        kind: "table",
        ...mTermTable("PSNR (dB) with M coefficients", settings.terms, curves),
        caption:
          "PSNR with peak 255, from one mean squared error over all pictures. The mean of each picture is known and is not counted as a coefficient.",
      },
      { kind: "svg", svg: chart },
      claimSection(claims),
      ...departureSections(departures),
      ...models.map(gallerySection),
      { heading: "Settings", kind: "settings", entries: settingEntries(result) },
    ],
  });
}

function gallerySection({ label, model }: LearnedModel): PageSection {
  return {
    heading: `Atoms of ${label}`,
    kind: "image",
    src: galleryName(label),
    alt: `A grid of atoms of ${formatShape(model.shape)} samples`,
    caption:
      label === "PCA"
        ? "The first components. Grey is zero."
        : "Some of the atoms, ordered by entropy. Grey is zero.",
  };
}

function settingEntries({ settings, models, device, seconds, sources }: FacesResult) {
  const { A } = models.at(-1)!.model;
  const { examples, epochs, base } = settings.sedil;
  return [
    ["base dictionary", settings.base],
    ["base atoms", A.rows],
    ["atoms", A.cols],
    ["non-zeros per atom", settings.atomSparsity],
    ["atoms per code, in training", settings.sparsity],
    ["epochs", settings.epochs],
    ["mini-batch", settings.batch],
    ["principal components", settings.components],
    ["SeDiL", `${examples} pictures, ${epochs} iterations, starting from ${base}`],
    ["seed", settings.seed],
    ["data", sources],
    ["computed on", device],
    ["time", `${seconds.toFixed(0)} s`],
  ] as const;
}
