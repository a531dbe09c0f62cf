/**
 * Figure 5: every method learns with every patch size and atom sparsity. After each epoch,
 * the error on held-out patches of the same pictures and the time spent learning are noted.
 */

import { formatShape, sameShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { type TrainingRun, train } from "../../learn/run/train.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { chooseSettings, recordSettings, trainingOptions } from "../shared/chooseSettings.js";
import {
  type ExperimentData,
  type ExperimentOptions,
  type ExperimentRun,
  type ExperimentTools,
  type Outcome,
  runTraining,
} from "../shared/experiment.js";
import { describeDevice } from "../shared/outcomeFiles.js";
import { choosePictures, departuresOf } from "../shared/pictures.js";
import { StageClock } from "../shared/stageClock.js";
import {
  type Comparison,
  type Curve,
  type CurvePoint,
  convergenceClaims,
  describeComparison,
} from "./claims.js";
import { convergenceFiles } from "./files.js";
import { type ConvergenceSettings, type Method, type SizeSettings, shareToSparsity } from "./settings.js";

/** The experiment with these options, checked. */
export function prepareConvergence(settings: ConvergenceSettings, options: ExperimentOptions): ExperimentRun {
  const { epochs, patch } = options;
  const chosen = chooseSettings(settings, options, [...trainingOptions, "patch"]);
  const sizes = patch ? settings.sizes.filter((size) => sameShape(size.patch, patch)) : chosen.sizes;
  const methods = chosen.methods.map((method) => ({ ...method, epochs: epochs ?? method.epochs }));
  const resolved = { ...chosen, sizes, methods };
  const [size] = sizes;
  for (const method of methods) resolveTraining(methodOptions(resolved, size, size.atomShares[0], method));
  return (data, tools) => runConvergence(resolved, data, tools);
}

export async function runConvergence(
  settings: ConvergenceSettings,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const start = performance.now();
  const { pictures, sources } = choosePictures(data, settings.pictures, settings.seed);
  const clock = new StageClock();
  const departures = departuresOf(settings, data);
  const comparisons: Comparison[] = [];
  for (const size of settings.sizes)
    comparisons.push(
      ...(await clock.time(`learning: ${formatShape(size.patch)}`, () =>
        compareMethods(settings, size, pictures, data.test, tools),
      )),
    );
  const claims = convergenceClaims(comparisons);
  const device = describeDevice(tools.kernels);
  const seconds = (performance.now() - start) / 1000;
  return {
    header: ["test RMSE", "before learning", "after one epoch", "at the end", "seconds"],
    rows: comparisons.flatMap((comparison) => comparison.curves.map((curve) => tableRow(comparison, curve))),
    claims,
    values: { curves: comparisons.flatMap(curveValues) },
    settings: recordSettings(settings),
    departures,
    stageSeconds: clock.seconds(),
    files: convergenceFiles({ settings, comparisons, claims, departures, sources, device, seconds }),
  };
}

/** All comparisons with one patch size, one per atom sparsity; a dense method has the same curve in all. */
async function compareMethods(
  settings: ConvergenceSettings,
  size: SizeSettings,
  pictures: readonly Signal[],
  testSignals: readonly Signal[] | undefined,
  tools: ExperimentTools,
): Promise<Comparison[]> {
  const { kernels, signal } = tools;
  const denseCurves = new Map<Method, Curve>();
  const comparisons: Comparison[] = [];
  for (const share of size.atomShares) {
    const atomSparsity = shareToSparsity(size, share);
    const curves: Curve[] = [];
    for (const method of settings.methods) {
      if (signal?.aborted) break;
      tools.onStage?.(`${describeComparison({ size, atomSparsity })}: ${method.label}`);
      const options = { ...methodOptions(settings, size, share, method), test: testSignals, kernels, signal };
      const curve = denseCurves.get(method) ?? (await learningCurve(method, train(pictures, options), tools));
      if (method.dense) denseCurves.set(method, curve);
      if (curve.points.length > 1) curves.push(curve); // otherwise it was aborted in its first epoch
    }
    if (curves.length > 0) comparisons.push({ size, atomSparsity, curves });
  }
  return comparisons;
}

function methodOptions(
  { base, examples, testPatches, batch, seed }: ConvergenceSettings,
  size: SizeSettings,
  share: number,
  { learner, epochs, dense }: Method,
): TrainOptions {
  const { patch, sparsity } = size;
  const atomSparsity = dense ? undefined : shareToSparsity(size, share);
  return {
    patch,
    base,
    coding: { sparsity },
    atomSparsity,
    learner,
    examples,
    epochs,
    batch,
    seed,
    holdout: testPatches,
  };
}

/** Train. The time of a test is not time of learning: that of the one before the first step is taken off each. */
async function learningCurve(method: Method, run: TrainingRun, tools: ExperimentTools): Promise<Curve> {
  const plan = await run.plan();
  const points: CurvePoint[] = [];
  let learningSeconds = 0;
  let testSeconds = 0;
  await runTraining(run, tools, ({ step, examples, testRmse }, seconds) => {
    if (step === 0) testSeconds = seconds;
    else learningSeconds += Math.max(0, seconds - (testRmse === undefined ? 0 : testSeconds));
    if (testRmse === undefined) return;
    points.push({ epoch: examples / plan.examples, seconds: learningSeconds, testRmse });
  });
  return { method, points, tested: plan.holdout };
}

function tableRow(comparison: Comparison, { method, points }: Curve): string[] {
  const end = points.at(-1)!;
  const errors = [points[0], points[1], end].map(({ testRmse }) => testRmse.toFixed(3));
  return [`${describeComparison(comparison)}: ${method.label}`, ...errors, end.seconds.toFixed(1)];
}

function curveValues({ size, atomSparsity, curves }: Comparison) {
  return curves.map(({ method, points }) => ({
    patch: size.patch,
    atomSparsity,
    learner: method.learner,
    points,
  }));
}
