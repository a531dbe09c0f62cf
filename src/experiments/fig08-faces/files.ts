/** The files of the experiment: dictionaries, figures, numbers, and a page that shows them. */

import { grouped } from "../../core/formatText.js";
import type { DenseMatrix } from "../../core/matrix.js";
import { formatShape, sizeOf } from "../../core/shape.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { orderAtoms } from "../../figures/atoms/atomOrder.js";
import { mTermChart } from "../../figures/charts/mTermChart.js";
import type { PageSection } from "../../figures/pages/htmlPage.js";
import { encodePng, type Picture } from "../../figures/png.js";
import type { Kernels } from "../../kernels/contract.js";
import { sedilWeights } from "../../learn/learners/sedil/sedil.js";
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
import { costsOf, hasSettled, type LearnedModel, type Method } from "./learn.js";
import { type FacesSettings, labels } from "./settings.js";

export interface FacesResult extends RunFacts {
  readonly settings: FacesSettings;
  readonly models: readonly LearnedModel[];
  readonly curves: readonly MTermCurve[];
  /** Pictures that were approximated. */
  readonly tested: number;
}

/** All files, the page last. */
export async function facesFiles(result: FacesResult, kernels: Kernels): Promise<OutcomeFile[]> {
  const { settings, models, curves } = result;
  const chart = mTermChart("Faces with few coefficients", curves, { samples: sizeOf(settings.patch) });
  const galleries: OutcomeFile[] = [];
  for (const { method, model } of models) {
    const picture = gallery(settings, method, model, await model.atoms(kernels));
    galleries.push({ name: galleryName(method), bytes: encodePng(picture) });
  }
  return [
    ...models.map(({ method, model }) => ({
      name: method.label === trainletsLabel ? "dictionary.npz" : `${method.part}.npz`,
      bytes: modelToBytes(model),
    })),
    ...galleries,
    textFile("figure-8-m-term.svg", chart),
    mTermCsvFile("figure-8-m-term.csv", curves),
    page(result, chart),
  ];
}

function galleryName({ part }: Method): string {
  return `figure-8-atoms-${part}.png`;
}

/** The first components of PCA; for others, atoms spread evenly over their order by entropy. */
function gallery(
  { gallery: { columns, rows } }: FacesSettings,
  { label }: Method,
  model: Model,
  atoms: DenseMatrix,
): Picture {
  const shown = Math.min(columns * rows, atoms.cols);
  const first = label === labels.pca;
  const sorted = first ? Array.from({ length: shown }, (_, j) => j) : orderAtoms(atoms, "entropy");
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

function gallerySection({ method, model }: LearnedModel): PageSection {
  const { label } = method;
  return {
    heading: label === labels.pca ? "Principal components" : `Atoms of ${label}`,
    kind: "image",
    src: galleryName(method),
    alt: `A grid of atoms of ${formatShape(model.shape)} samples`,
    caption:
      label === labels.pca
        ? "The first components. Grey is zero."
        : "Some of the atoms, ordered by entropy. Grey is zero.",
  };
}

function settingEntries({ settings, models, device, seconds, sources }: FacesResult) {
  const { A } = models.at(-1)!.model;
  const { examples, base, tolerance } = settings.sedil;
  const { updates, points } = models[1].record;
  const until = hasSettled(costsOf(points), tolerance)
    ? `until a turn changed its cost by less than ${tolerance}`
    : "not settled";
  const { sparsity: lambda, sharpness: rho, coherence: kappa } = sedilWeights;
  return [
    ["base dictionary", settings.base],
    ["base atoms", A.rows],
    ["atoms", A.cols],
    ["non-zeros per atom", settings.atomSparsity],
    ["atoms per code, in training", settings.sparsity],
    ["epochs", settings.epochs],
    ["mini-batch", settings.batch],
    ["principal components", settings.components],
    ["SeDiL", `${grouped(examples)} pictures at most, ${updates} turns (${until}), starting from ${base}`],
    ["weights of SeDiL (ours)", `λ = ${lambda}, ρ = ${rho}, κ = ${kappa}`],
    ["seed", settings.seed],
    ["data", sources],
    ["computed on", device],
    ["time", `${seconds.toFixed(0)} s`],
  ] as const;
}
