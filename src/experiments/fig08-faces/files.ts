/** The files of the experiment: dictionaries, figures, numbers, and a page that shows them. */

import type { DenseMatrix } from "../../core/matrix.js";
import { formatShape } from "../../core/shape.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { orderAtoms } from "../../figures/atoms/atomOrder.js";
import { mTermChart, mTermCsv } from "../../figures/charts/mTermChart.js";
import { htmlPage, type PageSection } from "../../figures/pages/htmlPage.js";
import { encodePng } from "../../figures/png.js";
import { modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import { version } from "../../model/version.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import { learned } from "../fig11-universal/result.js";
import type { Claim, OutcomeFile } from "../shared/experiment.js";
import { claimSection, textFile } from "../shared/pageParts.js";
import type { FacesConfig } from "./config.js";

export interface LearnedModel {
  readonly label: string;
  readonly model: Model;
  readonly atoms: DenseMatrix;
}

interface FacesResult {
  readonly config: FacesConfig;
  readonly models: readonly LearnedModel[];
  readonly curves: readonly MTermCurve[];
  readonly claims: readonly Claim[];
  readonly tested: number;
  readonly sources: string;
  readonly device: string;
  readonly seconds: number;
}

/** All files, the page last. */
export function facesFiles(result: FacesResult): OutcomeFile[] {
  const chart = mTermChart("Faces by few coefficients", result.curves);
  const dictionaries = result.models.map(({ label, model }) => ({
    name: label === learned ? "dictionary.npz" : `${fileName(label)}.npz`,
    bytes: modelToBytes(model),
  }));
  const galleries = result.models.map(({ label, model, atoms }) => ({
    name: galleryName(label),
    bytes: encodePng(gallery(result.config, model, atoms, label)),
  }));
  return [
    ...dictionaries,
    ...galleries,
    textFile("figure-8-m-term.svg", chart),
    textFile("figure-8-m-term.csv", mTermCsv(result.curves)),
    textFile("index.html", page(result, chart)),
  ];
}

const fileName = (label: string): string => (label === learned ? "osdl" : label.toLowerCase());
const galleryName = (label: string): string => `figure-8-atoms-${fileName(label)}.png`;

/** The first components; of others, atoms spread over their order by entropy. */
function gallery(
  { gallery: { columns, rows } }: FacesConfig,
  model: Model,
  atoms: DenseMatrix,
  label: string,
) {
  const shown = Math.min(columns * rows, atoms.cols);
  const sorted = label === "PCA" ? Array.from({ length: shown }, (_, j) => j) : orderAtoms(atoms, "entropy");
  const order = Array.from({ length: shown }, (_, i) => sorted[Math.floor((i * sorted.length) / shown)]);
  return atomGallery(atoms, model.shape, { order, columns: Math.min(columns, shown) });
}

function page(result: FacesResult, chart: string): string {
  const { config, curves, claims, models, sources, tested } = result;
  return htmlPage({
    title: "Faces by few coefficients",
    lead: `Each picture of ${formatShape(config.patch)} is one signal. Learned from ${sources}.`,
    sections: [
      {
        heading: `${tested} pictures that were not learned from`,
        kind: "table",
        header: ["PSNR (dB), coefficients kept", ...config.terms.map(String)],
        rows: curves.map(({ label, psnr }) => [label, ...config.terms.map((M) => psnr[M].toFixed(2))]),
        caption:
          "PSNR with peak 255 of one mean squared error over all pictures; the mean of each is known, and is none of the coefficients.",
      },
      { kind: "svg", svg: chart },
      claimSection(claims),
      ...models.map(
        ({ label, model }): PageSection => ({
          heading: `Atoms of ${label}`,
          kind: "image",
          src: galleryName(label),
          alt: `A grid of atoms of ${formatShape(model.shape)} samples`,
          caption:
            label === "PCA"
              ? "The first components."
              : "A part of them, spread over the order by entropy. Grey is zero.",
        }),
      ),
      { heading: "Settings", kind: "settings", entries: settings(result) },
    ],
    footer: `trainlets ${version}`,
  });
}

function settings({ config, models, device, seconds, sources }: FacesResult) {
  const { model } = models.find(({ label }) => label === learned)!;
  return [
    ["base", config.base],
    ["base atoms", model.A.rows],
    ["atoms", model.A.cols],
    ["non-zeros an atom", config.atomSparsity],
    ["atoms a code, in training", config.sparsity],
    ["epochs", config.epochs],
    ["mini-batch", config.batch],
    ["principal components", config.components],
    ["SeDiL", `${config.sedil.examples} pictures, ${config.sedil.epochs} turns, from ${config.sedil.base}`],
    ["seed", config.seed],
    ["data", sources],
    ["computed on", device],
    ["time", `${seconds.toFixed(0)} s`],
  ] as const;
}
