/** Measures the remarks, one part of the run each; every training is a part of its own. */

import type { DenseMatrix } from "../../core/matrix.js";
import { formatShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { createBase } from "../../dictionaries/base.js";
import type { Kernels } from "../../kernels/contract.js";
import { withKernels } from "../../kernels/handleScope.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { kron, type Matrix64 } from "../../linalg/matrix64.js";
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
  type Measured,
  type Pair,
  type ProductTimes,
  remarkClaims,
  type TermGains,
} from "./claims.js";
import { remarksFiles, remarkTable } from "./files.js";
import type { LearningSize, RemarksSettings } from "./settings.js";
import { thresholdingErrors } from "./thresholding.js";

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
  const approximation = await jsonPart(tools, "terms", () => approximate(settings, pictures, tools));
  clock.add("approximating", approximation.seconds);
  const momentum = await clock.time("learning: momentum", () =>
    comparePairs("momentum", settings, images, tools),
  );
  const few = await clock.time("learning: few examples", () => comparePairs("few", settings, images, tools));
  const measured: Measured = { product: product.value, approximation: approximation.value, momentum, few };
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

/** Φᵀ applied to patches, by the factors of Φ and by the whole matrix. */
async function timeProducts(
  { base: name, product, seed }: RemarksSettings,
  pictures: readonly Signal[],
  { kernels, onStage }: ExperimentTools,
): Promise<ProductTimes> {
  const { patch, patches: count, rounds } = product;
  onStage?.(`applying ${name} to ${count} patches of ${formatShape(patch)}`);
  const patches = await samplePatches(pictures, { patch, count, seed, kernels });
  const { factors } = createBase(name, patch);
  const time = (matrices: readonly Matrix64[]) => medianProduct(matrices, patches, rounds, kernels);
  return { factors: await time(factors), matrix: await time([factors.reduce(kron)]) };
}

/** The median over rounds, after a first one that does not count. */
function medianProduct(
  factors: readonly Matrix64[],
  patches: DenseMatrix,
  rounds: number,
  kernels: Kernels,
): Promise<number> {
  return withKernels(kernels, async (on) => {
    const phi = on.base(factors);
    const Y = on.matrix(patches.rows, patches.cols);
    const Z = on.matrix(phi.cols, patches.cols);
    await on.writeMatrix(Y, patches);
    const times: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const start = performance.now();
      for (let i = 0; i < productsPerRound; i++) await on.analyze(phi, Y, Z);
      await on.readMatrix(on.head(Z, 1)); // waits for the device
      if (round > 0) times.push((performance.now() - start) / 1000 / productsPerRound);
    }
    times.sort((a, b) => a - b);
    return times[times.length >> 1];
  });
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

/** Two trainings per size: OSDL with and without momentum, or OSDL and ODL. Those that were aborted are left out. */
async function comparePairs(
  what: "momentum" | "few",
  settings: RemarksSettings,
  { images, test }: { readonly images: readonly Signal[]; readonly test: readonly Signal[] | undefined },
  tools: ExperimentTools,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const size of settings[what].sizes) {
    const errors: number[][] = [];
    for (const [name, options] of Object.entries(pairOptions(what, settings, size))) {
      if (tools.signal?.aborted) return pairs;
      tools.onStage?.(`${describeSize(size)}: ${name}`);
      const part = `${formatShape(size.patch)}-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
      const { record } = await trainPart(tools, part, images, { ...options, test });
      errors.push(record.points.flatMap(({ testRmse }) => testRmse ?? []));
    }
    if (tools.signal?.aborted) return pairs;
    const [ours, other] = errors;
    pairs.push({ size, start: ours[0], ours: ours.at(-1)!, other: other.at(-1)! });
  }
  return pairs;
}

function pairOptions(
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
  const { atomSparsity: _, ...dense } = options;
  return {
    "OSDL from few examples": { ...options, examples, epochs },
    "ODL from few examples": { ...dense, learner: "odl", init: "base", examples, epochs },
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
