/** Measures the remarks, one part of the run each; every training is a part of its own. */

import { DenseMatrix } from "../../core/matrix.js";
import { formatShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { createBase } from "../../dictionaries/base.js";
import { withKernels } from "../../kernels/handleScope.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { kron } from "../../linalg/matrix64.js";
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
  const momentum = await compareTrainings("momentum", settings, images, tools, clock);
  const few = await compareTrainings("few", settings, images, tools, clock);
  const measured: Measured = {
    ...{ product: product.value, approximation: approximation.value },
    momentum: momentum.map(({ size, curves: [ours, other] }) => ({
      ...{ size, ours: ours.at(-1)!, other: other.at(-1)! },
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

/** Φᵀ applied to patches, by the factors of Φ, and by the whole matrix: as a base or as a dense product, whichever is faster. */
async function timeProducts(
  { base: name, product, seed }: RemarksSettings,
  pictures: readonly Signal[],
  { kernels, onStage }: ExperimentTools,
): Promise<ProductTimes> {
  const { patch, patches: count, rounds } = product;
  onStage?.(`applying ${name} to ${count} patches of ${formatShape(patch)}`);
  const patches = await samplePatches(pictures, { patch, count, seed, kernels });
  const { factors } = createBase(name, patch);
  const whole = factors.reduce(kron);
  return withKernels(kernels, async (on) => {
    const Y = on.matrix(patches.rows, patches.cols);
    const Z = on.matrix(whole.cols, patches.cols);
    const D = on.matrix(whole.rows, whole.cols);
    const [separable, explicit] = [on.base(factors), on.base([whole])];
    await on.writeMatrix(Y, patches);
    await on.writeMatrix(D, new DenseMatrix(whole.rows, whole.cols, Float32Array.from(whole.data)));
    const time = async (multiply: () => Promise<void>) =>
      median(await timeRounds(rounds, multiply, () => on.readMatrix(on.head(Z, 1))));
    return {
      factors: await time(() => on.analyze(separable, Y, Z)),
      matrix: Math.min(await time(() => on.analyze(explicit, Y, Z)), await time(() => on.correlate(D, Y, Z))),
    };
  });
}

/** Seconds of a product in each round, after a first round that does not count; `wait` waits for the device. */
async function timeRounds(
  rounds: number,
  multiply: () => Promise<void>,
  wait: () => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < productsPerRound; i++) await multiply();
    await wait();
    if (round > 0) times.push((performance.now() - start) / 1000 / productsPerRound);
  }
  return times;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
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
    for (const [name, options] of Object.entries(trainings(what, settings, size))) {
      if (tools.signal?.aborted) return comparisons;
      tools.onStage?.(`${describeSize(size)}: ${name}`);
      const part = `${sizeId(size)}-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
      const { record } = await trainPart(tools, part, images, { ...options, test });
      clock.add(`learning: ${name}`, record.seconds);
      curves.push(record.points.flatMap(({ testRmse }) => testRmse ?? []));
    }
    if (tools.signal?.aborted) return comparisons;
    comparisons.push({ size, curves });
  }
  return comparisons;
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
