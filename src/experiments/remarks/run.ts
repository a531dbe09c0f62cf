/** Measures the remarks, one part of the run each; every training is a part of its own. */

import { DenseMatrix } from "../../core/matrix.js";
import { formatShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { createBase } from "../../dictionaries/base.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { withKernels } from "../../kernels/handleScope.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { kron, type Matrix64 } from "../../linalg/matrix64.js";
import type { Model } from "../../model/model.js";
import { mTermErrors, psnrOfErrors, samplePatches } from "../../tasks/approximate/mTerm.js";
import { chooseSettings } from "../shared/chooseSettings.js";
import { concludeRun } from "../shared/concludeRun.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
} from "../shared/experiment.js";
import { jsonPart } from "../shared/parts.js";
import { choosePictures } from "../shared/pictures.js";
import { StageClock } from "../shared/stageClock.js";
import { trainPart } from "../shared/trainPart.js";
import {
  describeSize,
  type ErrorCurve,
  type Measured,
  type ProductTimes,
  remarkClaims,
  sizeId,
  type TermGains,
} from "./claims.js";
import { remarksFiles, remarkTable } from "./files.js";
import type { LearningSize, RemarksSettings } from "./settings.js";
import { thresholdingErrors } from "./thresholding.js";
import { medianSeconds } from "./timing.js";
import { type TransformTimes, timeTransforms } from "./transforms.js";

/** The experiment with these options, checked. */
export function prepareRemarks(settings: RemarksSettings, options: ExperimentOptions): ExperimentRun {
  const chosen = chooseSettings(settings, options, ["batch", "seed"]);
  for (const size of chosen.momentum.sizes) resolveTraining(learningOptions(chosen, size));
  return (data, tools) => runRemarks(chosen, data, tools);
}

export async function runRemarks(
  settings: RemarksSettings,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const clock = new StageClock();
  const { pictures, sources } = choosePictures(data, settings.pictures, settings.seed);
  const images = { images: pictures, test: data.test };
  const product = await jsonPart(tools, "product", () => timeProducts(settings, pictures, tools));
  clock.add("applying the base", product.seconds);
  const transforms = await jsonPart(tools, "transforms", () => compareTransforms(settings, pictures, tools));
  clock.add("wavelet transforms", transforms.seconds);
  const approximation = await jsonPart(tools, "terms", () => approximate(settings, pictures, tools));
  clock.add("approximating", approximation.seconds);
  const momentum = await compareTrainings("momentum", settings, images, tools, clock);
  const usedAtoms: number[] = [];
  for (const { models } of momentum)
    usedAtoms.push(await shareOfUsedAtoms(models[0], settings, pictures, tools));
  const few = await compareTrainings("few", settings, images, tools, clock);
  const measured: Measured = {
    ...{ product: product.value, transforms: transforms.value, approximation: approximation.value },
    momentum: momentum.map(({ size, curves: [ours, other] }, i) => ({
      ...{ size, ours: ours.at(-1)!, other: other.at(-1)!, usedAtoms: usedAtoms[i] },
    })),
    few: few.map(({ size, curves: [osdl, odl, odlFromExamples] }) => ({ size, osdl, odl, odlFromExamples })),
  };
  return concludeRun(
    { settings, data, tools, clock, sources },
    {
      ...remarkTable(settings, measured),
      claims: remarkClaims(settings, measured),
      values: { ...measured },
      files: (facts) => remarksFiles({ settings, measured, ...facts }),
    },
  );
}

/** The base of §V-D that has no factors. */
const unseparable = "cropped-contourlet";

/** Φᵀ applied to patches, by the factors of Φ, and by the whole matrix; and the same of cropped contourlets, which are a matrix. */
async function timeProducts(
  { base: name, product, seed }: RemarksSettings,
  pictures: readonly Signal[],
  { kernels, onStage }: ExperimentTools,
): Promise<ProductTimes> {
  const { patch, patches: count, rounds } = product;
  onStage?.(`applying ${name} to ${count} patches of ${formatShape(patch)}`);
  const patches = await samplePatches(pictures, { patch, count, seed, kernels });
  const { factors } = createBase(name, patch);
  const matrices = [factors, createBase(unseparable, patch).factors].map((all) => all.reduce(kron));
  return {
    factors: await timeProduct(kernels, patches, rounds, (on) => {
      const base = on.base(factors);
      return { rows: matrices[0].cols, multiply: (Y, Z) => on.analyze(base, Y, Z) };
    }),
    matrix: await timeMatrix(kernels, patches, rounds, matrices[0]),
    contourlets: await timeMatrix(kernels, patches, rounds, matrices[1]),
  };
}

/** As a base or as a dense product, whichever is faster. */
async function timeMatrix(
  kernels: Kernels,
  patches: DenseMatrix,
  rounds: number,
  whole: Matrix64,
): Promise<number> {
  const { rows, cols, data } = whole;
  const asBase = await timeProduct(kernels, patches, rounds, (on) => {
    const base = on.base([whole]);
    return { rows: cols, multiply: (Y, Z) => on.analyze(base, Y, Z) };
  });
  const asProduct = await timeProduct(kernels, patches, rounds, async (on) => {
    const D = on.matrix(rows, cols);
    await on.writeMatrix(D, new DenseMatrix(rows, cols, Float32Array.from(data)));
    return { rows: cols, multiply: (Y, Z) => on.correlate(D, Y, Z) };
  });
  return Math.min(asBase, asProduct);
}

/** A product with patches Y into Z, of this many rows. */
interface Product {
  readonly rows: number;
  readonly multiply: (Y: DeviceMatrix, Z: DeviceMatrix) => Promise<void>;
}

/** Seconds of one product; every round waits for the device. */
function timeProduct(
  kernels: Kernels,
  patches: DenseMatrix,
  rounds: number,
  open: (on: Kernels) => Product | Promise<Product>,
): Promise<number> {
  return withKernels(kernels, async (on) => {
    const { rows, multiply } = await open(on);
    const Y = on.matrix(patches.rows, patches.cols);
    const Z = on.matrix(rows, patches.cols);
    await on.writeMatrix(Y, patches);
    const seconds = await medianSeconds(rounds, async () => {
      for (let i = 0; i < productsPerRound; i++) await multiply(Y, Z);
      await on.readMatrix(on.head(Z, 1));
    });
    return seconds / productsPerRound;
  });
}

/** The two wavelet transforms of the same patches. */
async function compareTransforms(
  { base, product, seed }: RemarksSettings,
  pictures: readonly Signal[],
  { kernels, onStage }: ExperimentTools,
): Promise<TransformTimes> {
  const { patch, patches: count, rounds } = product;
  onStage?.(`wavelet transforms of ${count} patches of ${formatShape(patch)}`);
  const patches = await samplePatches(pictures, { patch, count, seed, kernels });
  return timeTransforms(patches, patch[0], base.slice(base.indexOf(":") + 1), rounds);
}

/** Products that are timed together: one alone may be shorter than the clock is fine. */
const productsPerRound = 5;

/** The same patches with the same base: its atoms taken by OMP, and by their correlations. */
async function approximate(
  { base: name, approximation, seed }: RemarksSettings,
  pictures: readonly Signal[],
  { kernels, onStage }: ExperimentTools,
): Promise<TermGains> {
  const { patch, patches: count, terms } = approximation;
  onStage?.(`approximating ${count} patches of ${formatShape(patch)}`);
  const patches = await samplePatches(pictures, { patch, count, seed, kernels });
  const base = createBase(name, patch);
  const most = terms.at(-1)!;
  const [pursuit, thresholding] = [
    await mTermErrors({ base }, patches, most, kernels),
    await thresholdingErrors(base, patches, most, kernels),
  ].map((errors) => {
    const psnr = psnrOfErrors(errors);
    return terms.map((M) => psnr[M]);
  });
  return { pursuit, thresholding };
}

/** The trainings of one size, in the order of `trainings`. */
interface Comparison {
  readonly size: LearningSize;
  readonly curves: readonly ErrorCurve[];
  readonly models: readonly Model[];
}

/** The trainings of every size: OSDL with and without momentum, or OSDL and ODL. Sizes that were aborted are left out. */
async function compareTrainings(
  what: "momentum" | "few",
  settings: RemarksSettings,
  { images, test }: { readonly images: readonly Signal[]; readonly test: readonly Signal[] | undefined },
  tools: ExperimentTools,
  clock: StageClock,
): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const size of settings[what].sizes) {
    const curves: ErrorCurve[] = [];
    const models: Model[] = [];
    for (const [name, options] of Object.entries(trainings(what, settings, size))) {
      if (tools.signal?.aborted) return comparisons;
      tools.onStage?.(`${describeSize(size)}: ${name}`);
      const part = `${sizeId(size)}-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
      const { model, record } = await trainPart(tools, part, images, { ...options, test });
      models.push(model);
      clock.add(`learning: ${name}`, record.seconds);
      curves.push(record.points.flatMap(({ testRmse }) => testRmse ?? []));
    }
    if (tools.signal?.aborted) return comparisons;
    comparisons.push({ size, curves, models });
  }
  return comparisons;
}

/** The share of the atoms that the codes of one mini-batch use. */
async function shareOfUsedAtoms(
  model: Model,
  { batch, seed }: RemarksSettings,
  images: readonly Signal[],
  { kernels }: ExperimentTools,
): Promise<number> {
  const patches = await samplePatches(images, { patch: model.shape, count: batch, seed, kernels });
  const { X } = await model.encode(patches, model.meta.coding, kernels);
  const used = new Set<number>();
  for (let i = 0; i < X.cols; i++)
    for (let slot = 0; slot < X.counts[i]; slot++) used.add(X.indices[i * X.width + slot]);
  return used.size / X.rows;
}

function trainings(
  what: "momentum" | "few",
  settings: RemarksSettings,
  size: LearningSize,
): Record<string, TrainOptions> {
  const { momentum, few } = settings;
  const options = learningOptions(settings, size);
  if (what === "momentum") {
    const once = { ...options, examples: momentum.examples, epochs: 1 };
    return {
      [`OSDL with γ = ${momentum.momentum}`]: { ...once, momentum: momentum.momentum },
      "OSDL without momentum": { ...once, momentum: 0 },
    };
  }
  const { examples, epochs } = few;
  const { atomSparsity: _, ...common } = options;
  const dense = { ...common, learner: "odl", examples, epochs } as const;
  return {
    "OSDL from few examples": { ...options, examples, epochs },
    "ODL from few examples": { ...dense, init: "base" },
    "ODL from few examples, which it starts from": { ...dense, init: "examples" },
  };
}

function learningOptions(
  { base, testPatches, batch, seed }: RemarksSettings,
  { patch, sparsity, atomSparsity }: LearningSize,
): TrainOptions {
  return {
    patch,
    base,
    coding: { sparsity },
    atomSparsity,
    learner: "osdl",
    batch,
    seed,
    holdout: testPatches,
  };
}
