/**
 * What `trainlets demo` does: learn a dictionary from pictures made on the spot,
 * and leave a page that shows it beside wavelets and cropped wavelets.
 */

import { join } from "node:path";
import { stdout } from "node:process";
import { formatShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { writeFileAtomic } from "../../data/node/files.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createBase } from "../../dictionaries/base.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { orderAtoms } from "../../figures/atoms/atomOrder.js";
import { lineChart } from "../../figures/charts/lineChart.js";
import { greyPicture } from "../../figures/greyPicture.js";
import { htmlPage } from "../../figures/pages/htmlPage.js";
import { encodePng } from "../../figures/png.js";
import type { Kernels } from "../../kernels/contract.js";
import { train } from "../../learn/run/train.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import type { Model } from "../../model/model.js";
import { saveModel } from "../../model/node/files.js";
import { version } from "../../model/version.js";
import { psnr, representationError } from "../../tasks/approximate/representation.js";
import { type DeviceFlags, onDevice } from "./device.js";
import { clock, grouped, ProgressLine } from "./progress.js";
import { makeFolder } from "./resultFolder.js";

/** What the demo learns: 16×16 patches, where fixed small-patch methods begin to struggle. */
const settings = {
  patch: [16, 16],
  base: "cropped:sym8",
  coding: { sparsity: 6 },
  atomSparsity: 26,
  examples: 200_000,
  testEvery: 20_000,
  seed: 1,
} as const satisfies TrainOptions;

const pictures = { size: 256, train: 8, test: 4 } as const;

export interface DemoFlags extends DeviceFlags {
  readonly output: string;
}

export async function runDemo({ output, ...device }: DemoFlags): Promise<void> {
  const start = performance.now();
  await makeFolder(output, "demo");
  const to = (name: string) => join(output, name);
  const all = syntheticPictures(settings.seed, pictures.train + pictures.test, pictures.size);
  const [seen, unseen] = [all.slice(0, pictures.train), all.slice(pictures.train)];
  await onDevice(device, "demo", async (kernels) => {
    stdout.write(
      `learning ${formatShape(settings.patch)} atoms from ${seen.length} made-up pictures, on ${kernels.name}\n`,
    );
    const { model, curve } = await learn(seen, unseen, kernels);
    const results = await compare(model, unseen, kernels);
    const atoms = await model.atoms(kernels);
    const gallery = atomGallery(atoms, model.shape, { order: orderAtoms(atoms, "entropy") });
    const chart = learningCurve(curve);
    const seconds = (performance.now() - start) / 1000;
    await saveModel(to("dictionary.npz"), model);
    await writeFileAtomic(to("atoms.png"), encodePng(gallery));
    await writeFileAtomic(to("picture.png"), encodePng(greyPicture(seen[0])));
    await writeText(to("learning-curve.svg"), chart);
    await writeText(to("index.html"), page(model, results, chart, kernels, seconds));
    for (const { name, rmse } of results) {
      stdout.write(
        `  ${name.padEnd(22)} RMSE ${rmse.toFixed(2).padStart(6)}   PSNR ${psnr(rmse).toFixed(2)} dB\n`,
      );
    }
    stdout.write(`done in ${clock(seconds)}; open ${to("index.html")}\n`);
  });
}

async function writeText(path: string, text: string): Promise<void> {
  await writeFileAtomic(path, new TextEncoder().encode(text));
}

/** Train, with the progress on a line; the curve of test errors. */
async function learn(seen: readonly Signal[], unseen: readonly Signal[], kernels: Kernels) {
  const run = train(seen, { ...settings, testSignals: unseen, holdout: 2000, kernels });
  const progress = new ProgressLine();
  const curve: TrainReport[] = [];
  for await (const report of run) {
    if (report.testRmse !== undefined) curve.push(report);
    const share = Math.round((100 * report.examples) / settings.examples);
    const test = curve.at(-1)?.testRmse?.toFixed(2);
    progress.show(
      [`${share}%`, `RMSE on unseen pictures ${test}`, `${grouped(report.examples)} examples`],
      report.testRmse !== undefined,
    );
  }
  progress.clear();
  return { model: await run.model(), curve };
}

interface Result {
  readonly name: string;
  readonly rmse: number;
}

/** The same patches of unseen pictures, with the same number of atoms, over three dictionaries. */
async function compare(model: Model, unseen: readonly Signal[], kernels: Kernels): Promise<Result[]> {
  const rows = [
    { name: "wavelets (separable)", parts: { base: createBase("separable:sym8", settings.patch) } },
    { name: "cropped wavelets", parts: { base: model.base } },
    { name: "learned dictionary", parts: { base: model.base, A: model.A } },
  ];
  const options = { coding: settings.coding, examples: 5000, seed: 2, removeMean: true, kernels };
  const results: Result[] = [];
  for (const { name, parts } of rows)
    results.push({ name, rmse: await representationError(parts, unseen, options) });
  return results;
}

function learningCurve(curve: readonly TrainReport[]): string {
  const points = curve.map(({ examples, testRmse }) => ({ x: examples, y: testRmse! }));
  return lineChart({
    title: "Error on unseen pictures while learning",
    x: { label: "examples seen" },
    y: { label: "RMSE (grey levels)" },
    series: [{ label: `OSDL, ${settings.coding.sparsity} atoms a patch`, points, markers: true }],
  });
}

function page(
  model: Model,
  results: readonly Result[],
  chart: string,
  kernels: Kernels,
  seconds: number,
): string {
  const { sparsity } = settings.coding;
  const gain = psnr(results[2].rmse) - psnr(results[1].rmse);
  const size = formatShape(model.shape);
  return htmlPage({
    title: "A dictionary learned in front of you",
    lead: `${model.A.cols} atoms of ${size} samples, learned from ${grouped(settings.examples)} patches of pictures made up for this page. With ${sparsity} atoms a patch it represents pictures it has never seen ${gain.toFixed(1)} dB better than the cropped wavelets it is made of.`,
    sections: [
      {
        heading: `Unseen patches, ${sparsity} atoms each`,
        kind: "table",
        header: ["dictionary", "RMSE", "PSNR (dB)"],
        rows: results.map(({ name, rmse }) => [name, rmse.toFixed(2), psnr(rmse).toFixed(2)]),
        best: results.reduce((best, { rmse }, i) => (rmse < results[best].rmse ? i : best), 0),
      },
      {
        heading: "The atoms, by entropy",
        kind: "image",
        src: "atoms.png",
        alt: `A grid of ${model.A.cols} learned atoms`,
        caption: "From compact atoms to textures. Grey is zero.",
      },
      { heading: "How it learned", kind: "svg", svg: chart },
      {
        heading: "What it learned from",
        kind: "image",
        src: "picture.png",
        alt: "A picture of overlapping shaded and striped discs",
        caption:
          "One of the dead-leaves pictures: discs of random size, shade and texture that hide one another.",
      },
      {
        heading: "Settings",
        kind: "settings",
        entries: [
          ["patch", size],
          ["base", model.base.name],
          ["atoms", model.A.cols],
          ["non-zeros an atom", settings.atomSparsity],
          ["atoms a code", sparsity],
          ["examples", settings.examples],
          ["seed", settings.seed],
          ["computed on", `${kernels.name}: ${kernels.description}`],
          ["time", clock(seconds)],
        ],
      },
    ],
    footer: `trainlets ${version}`,
  });
}
