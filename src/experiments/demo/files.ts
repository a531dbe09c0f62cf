/** The files of the demo: the atoms, a picture it learned from, the learning curve, a page with all of them. */

import { clock, grouped } from "../../core/formatText.js";
import { formatShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { orderAtoms } from "../../figures/atoms/atomOrder.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import { htmlPage, type PageSection } from "../../figures/pages/htmlPage.js";
import { pictureFrom } from "../../figures/pictureFrom.js";
import { encodePng } from "../../figures/png.js";
import type { Kernels } from "../../kernels/contract.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import { version } from "../../model/version.js";
import { psnr } from "../../tasks/approximate/representation.js";
import type { OutcomeFile } from "../shared/experiment.js";
import { textFile } from "../shared/outcomeFiles.js";
import { type DemoOutcome, type DemoResult, demoSettings } from "./run.js";

const { sparsity } = demoSettings.coding;

/** `seconds`: the time that the demo took. */
export async function demoFiles(
  outcome: DemoOutcome,
  picture: Signal,
  kernels: Kernels,
  seconds: number,
): Promise<OutcomeFile[]> {
  const { model, curve } = outcome;
  const atoms = await model.atoms(kernels);
  const gallery = atomGallery(atoms, model.shape, { order: orderAtoms(atoms, "entropy") });
  const chart = learningCurve(curve);
  return [
    { name: "atoms.png", bytes: encodePng(gallery) },
    { name: "picture.png", bytes: encodePng(pictureFrom(picture)) },
    textFile("learning-curve.svg", chart),
    textFile("index.html", page(outcome, chart, kernels, seconds)),
  ];
}

function learningCurve(curve: readonly TrainReport[]): string {
  const points = curve.map(({ examples, testRmse }) => ({ x: examples, y: testRmse ?? Number.NaN }));
  return lineChart({
    title: "Error on unseen pictures during training",
    x: { label: "examples seen" },
    y: { label: "RMSE (grey levels)" },
    series: [{ label: `OSDL, ${sparsity} atoms per patch`, points, markers: true }],
  });
}

function page({ model, results }: DemoOutcome, chart: string, kernels: Kernels, seconds: number): string {
  const gain = psnr(results[2].rmse) - psnr(results[1].rmse);
  const size = formatShape(model.shape);
  return htmlPage({
    title: "A dictionary learned in front of you",
    lead: `${model.A.cols} atoms of ${size} samples, learned from ${grouped(demoSettings.examples)} patches of pictures made for this page. With ${sparsity} atoms per patch, it represents pictures it has never seen ${gain.toFixed(1)} dB better than the cropped wavelets it is made of.`,
    sections: [
      comparison(results),
      {
        heading: "The atoms, by entropy",
        kind: "image",
        src: "atoms.png",
        alt: `A grid of ${model.A.cols} learned atoms`,
        caption: "From compact atoms to textures. Grey is zero.",
      },
      { heading: "How it learned", kind: "svg", svg: chart, href: "learning-curve.svg" },
      {
        heading: "What it learned from",
        kind: "image",
        src: "picture.png",
        alt: "A picture of overlapping shaded and striped discs",
        caption:
          "One of the dead-leaves pictures: discs of random size, shade and texture that hide one another.",
      },
      settings(model, kernels, seconds),
    ],
    footer: `trainlets ${version}`,
  });
}

function comparison(results: readonly DemoResult[]): PageSection {
  return {
    heading: `Unseen patches, ${sparsity} atoms each`,
    kind: "table",
    header: ["dictionary", "RMSE", "PSNR (dB)"],
    rows: results.map(({ name, rmse }) => [name, rmse.toFixed(2), psnr(rmse).toFixed(2)]),
    best: results.reduce((best, { rmse }, i) => (rmse < results[best].rmse ? i : best), 0),
  };
}

function settings(model: DemoOutcome["model"], kernels: Kernels, seconds: number): PageSection {
  return {
    heading: "Settings",
    kind: "settings",
    entries: [
      ["patch", formatShape(model.shape)],
      ["base", model.base.name],
      ["atoms", model.A.cols],
      ["non-zeros per atom", demoSettings.atomSparsity],
      ["atoms per patch", sparsity],
      ["examples", demoSettings.examples],
      ["seed", demoSettings.seed],
      ["computed on", `${kernels.name}: ${kernels.description}`],
      ["time", clock(seconds)],
    ],
  };
}
