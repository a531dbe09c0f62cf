/** The files of the experiment: dictionaries, figures, numbers, and a page that shows them. */

import { grouped } from "../../core/formatText.js";
import type { DenseMatrix } from "../../core/matrix.js";
import { formatShape, sizeOf } from "../../core/shape.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { orderAtoms } from "../../figures/atoms/atomOrder.js";
import { mTermChart } from "../../figures/charts/mTermChart.js";
import type { Page, PageSection } from "../../figures/pages/htmlPage.js";
import { encodePng, type Picture } from "../../figures/png.js";
import type { Kernels } from "../../kernels/contract.js";
import { sedilWeights } from "../../learn/learners/sedil/sedil.js";
import { modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import { withLooks } from "../shared/curveLooks.js";
import type { OutcomeFile } from "../shared/experiment.js";
import { mTermCsvFile, mTermTable, trainletsLabel } from "../shared/mTermComparison.js";
import {
  claimSection,
  departureSections,
  type RunFacts,
  svgFigure,
  svgSection,
  withPage,
} from "../shared/outcomeFiles.js";
import type { FaceKind } from "./claims.js";
import { costsOf, hasSettled, type LearnedModel, type Method } from "./learn.js";
import { type FacesSettings, labels } from "./settings.js";

export interface FacesResult extends RunFacts {
  readonly settings: FacesSettings;
  readonly models: readonly LearnedModel[];
  readonly curves: readonly MTermCurve[];
  readonly kind: FaceKind;
  /** Pictures that were approximated. */
  readonly tested: number;
}

/** What the paper shows of faces of each kind. */
const panels: Readonly<Record<FaceKind, string>> = {
  aligned: "Figure 8b, aligned faces",
  "in the wild": "Figure 8c, faces in the wild",
  unknown: "Figure 8",
};

/** All files, the page last. As in the paper, the atoms of OSDL come before the curves. */
export async function facesFiles(result: FacesResult, kernels: Kernels): Promise<OutcomeFile[]> {
  const { settings, models, curves } = result;
  const shown = models.toReversed(); // OSDL is learned last
  const chart = svgFigure(
    "figure-8-m-term.svg",
    mTermChart("Faces with few coefficients", withLooks(curves), { samples: sizeOf(settings.patch) }),
    `${panels[result.kind]}: ${result.tested} pictures that were not learned from, approximated with few coefficients.`,
  );
  const galleries: OutcomeFile[] = [];
  for (const { method, model } of shown) {
    const picture = gallery(settings, method, model, await model.atoms(kernels));
    galleries.push({ name: galleryName(method), bytes: encodePng(picture), ...galleryCaption(method) });
  }
  const files = [
    ...models.map(({ method, model }) => ({
      name: method.label === trainletsLabel ? "dictionary.npz" : `${method.part}.npz`,
      bytes: modelToBytes(model),
    })),
    ...galleries,
    chart,
    mTermCsvFile("figure-8-m-term.csv", curves),
  ];
  return withPage(files, page(result, chart, shown));
}

/** The paper shows the atoms of OSDL alone. */
function galleryCaption({ label }: Method): { readonly caption?: string } {
  return label === trainletsLabel ? { caption: "Figure 8a: some of the atoms that OSDL learned." } : {};
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

function page(result: FacesResult, chart: OutcomeFile, shown: readonly LearnedModel[]): Omit<Page, "footer"> {
  const { settings, curves, claims, departures, sources, tested } = result;
  return {
    title: "Figure 8: faces with few coefficients",
    lead: `Every picture of ${formatShape(settings.patch)} is one signal. Learned from ${sources}.`,
    sections: [
      {
        heading: `${tested} pictures that were not learned from`,
        kind: "table",
        ...mTermTable("PSNR (dB) with M coefficients", settings.terms, curves),
        caption:
          "PSNR with peak 255, from one mean squared error over all pictures. The mean of each picture is known and is not counted as a coefficient.",
      },
      svgSection(chart),
      claimSection(claims),
      ...shown.map(gallerySection),
      ...departureSections(departures),
      { heading: "Settings", kind: "settings", entries: settingEntries(result) },
    ],
  };
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
