/** The files of the experiment: dictionary, figures, numbers, and a page that shows them. */

import { formatShape } from "../../core/shape.js";
import type { AtomFamily } from "../../figures/atoms/atomFamilies.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { orderAtoms } from "../../figures/atoms/atomOrder.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import { mTermChart, mTermCsv } from "../../figures/charts/mTermChart.js";
import { htmlPage, type PageSection } from "../../figures/pages/htmlPage.js";
import { encodePng } from "../../figures/png.js";
import { modelToBytes } from "../../model/files.js";
import { version } from "../../model/version.js";
import type { Claim, OutcomeFile } from "../shared/experiment.js";
import { familyPicture } from "./familyPicture.js";
import type { UniversalResult } from "./result.js";

/** All files, the page last. */
export function universalFiles(result: UniversalResult, claims: readonly Claim[]): OutcomeFile[] {
  const { model, families, config } = result;
  const { atoms, families: recurring, curves } = config.figures;
  const chart = mTermChart(`M-term approximation of ${formatShape(config.patch)} patches`, result.curves);
  const found = families.length > 0;
  const picture = found ? [{ name: `${recurring}.png`, bytes: encodePng(familyPicture(result)) }] : [];
  return [
    { name: "dictionary.npz", bytes: modelToBytes(model) },
    { name: `${atoms}.png`, bytes: encodePng(gallery(result)) },
    ...picture,
    text(`${curves}.svg`, chart),
    text(`${curves}.csv`, mTermCsv(result.curves)),
    text("index.html", page(result, claims, chart)),
  ];
}

function text(name: string, content: string): OutcomeFile {
  return { name, bytes: new TextEncoder().encode(content) };
}

/** Atoms spread evenly over their order by entropy. */
function gallery({ atoms, model, config }: UniversalResult) {
  const { columns, rows } = config.gallery;
  const sorted = orderAtoms(atoms, "entropy");
  const shown = Math.min(columns * rows, sorted.length);
  const order = Array.from({ length: shown }, (_, i) => sorted[Math.floor((i * sorted.length) / shown)]);
  return atomGallery(atoms, model.shape, { order, columns: Math.min(columns, shown) });
}

function page(result: UniversalResult, claims: readonly Claim[], chart: string): string {
  const { config, model, curves, families, learned, sources } = result;
  const size = formatShape(config.patch);
  const best = curves.findIndex((one) =>
    config.terms.every((M) => curves.every((other) => one.psnr[M] >= other.psnr[M])),
  );
  return htmlPage({
    title: `A universal dictionary of ${size} atoms`,
    lead: `${model.A.cols} atoms of ${size} samples, learned from ${grouped(model.meta.examplesSeen)} examples of ${sources}.`,
    sections: [
      {
        heading: `${result.tested} patches that were not trained on`,
        kind: "table",
        header: ["PSNR (dB)", ...config.terms.map((M) => `M = ${M}`)],
        rows: curves.map(({ label, psnr }) => [label, ...config.terms.map((M) => psnr[M].toFixed(2))]),
        ...(best < 0 ? {} : { best }),
        caption:
          "PSNR with peak 255 of one mean squared error over all patches; the mean of each is known, and is no term.",
      },
      { kind: "svg", svg: chart },
      {
        heading: "What was expected",
        kind: "table",
        header: ["claim", "outcome"],
        rows: claims.map(({ text, holds }) => [text, holds ? "holds" : "does not hold"]),
      },
      {
        heading: "Its atoms, by entropy",
        kind: "image",
        src: `${config.figures.atoms}.png`,
        alt: `A grid of learned atoms of ${size} samples`,
        caption: "A part of them, spread over the order by entropy. Grey is zero.",
      },
      ...familySections(families, config.figures.families),
      ...learningSections(learned),
      { heading: "Settings", kind: "settings", entries: settings(result) },
    ],
    footer: `trainlets ${version}`,
  });
}

function familySections(families: readonly AtomFamily[], name: string): PageSection[] {
  const heading = "Patterns that recur at other places";
  if (families.length === 0)
    return [{ heading, kind: "text", paragraphs: ["None were found among the atoms."] }];
  return [
    {
      heading,
      kind: "image",
      src: `${name}.png`,
      alt: `${families.length} rows of atoms, in each the same pattern at other places`,
      caption:
        "A row is one pattern, in atoms of their own, as many as were found. An atom whose pattern has the other sign is shown negated.",
    },
  ];
}

function learningSections(learned: UniversalResult["learned"]): PageSection[] {
  const shown = learned.filter(({ learning }) => learning.length > 1);
  if (shown.length === 0) return [];
  const svg = lineChart({
    title: "Error on test patches while learning",
    x: { label: "examples" },
    y: { label: "RMSE" },
    series: shown.map(({ label, learning }) => ({
      label: shown.length > 1 ? label : "",
      points: learning.map(({ examples, testRmse }) => ({ x: examples, y: testRmse })),
    })),
  });
  return [{ heading: "How it learned", kind: "svg", svg }];
}

function settings({ config, model, learned, device, seconds, sources }: UniversalResult) {
  return [
    ["patch", formatShape(config.patch)],
    ["base", config.base],
    ["base atoms", model.A.rows],
    ["atoms", model.A.cols],
    ["non-zeros an atom", config.atomSparsity],
    ["atoms a code", config.sparsity],
    ["examples an epoch", grouped(Number(model.meta.options.examples))],
    ["epochs", config.epochs],
    ["mini-batch", Number(model.meta.options.batch)],
    ["seed", config.seed],
    ["data", sources],
    ["computed on", device],
    ...learned.map(({ label, seconds: taken }) => [`learning: ${label}`, `${taken.toFixed(0)} s`] as const),
    ["time", `${seconds.toFixed(0)} s`],
  ] as const;
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}
