/**
 * Figure 5: every method learns with every patch size and atom sparsity. After each epoch,
 * the error on held-out patches of the same pictures and the time spent learning are noted.
 * Each learner with each size and sparsity is a part of the run.
 */

import { formatShape, sameShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { chooseSettings, trainingOptions } from "../shared/chooseSettings.js";
import { concludeRun } from "../shared/concludeRun.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
} from "../shared/experiment.js";
import { choosePictures } from "../shared/pictures.js";
import { StageClock } from "../shared/stageClock.js";
import { trainPart } from "../shared/trainPart.js";
import { type Comparison, type Curve, describeComparison, idPrefix } from "./claims.js";
import { convergenceFiles } from "./files.js";
import { type ConvergenceSettings, type Method, type SizeSettings, shareToSparsity } from "./settings.js";
import { curveTable, curveValues, judgeCurves } from "./values.js";

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
  const { pictures: images, sources } = choosePictures(data, settings.pictures, settings.seed);
  const clock = new StageClock();
  const comparisons: Comparison[] = [];
  for (const size of settings.sizes)
    comparisons.push(...(await compareMethods(settings, size, { images, test: data.test }, tools, clock)));
  const curves = comparisons.flatMap(curveValues);
  return concludeRun(
    { settings, data, tools, clock, sources },
    {
      ...curveTable(settings, curves),
      claims: judgeCurves(settings, curves),
      values: { curves },
      files: (facts) => convergenceFiles({ settings, comparisons, ...facts }),
    },
  );
}

/** All comparisons with one patch size, one per atom sparsity; a dense method has the same curve in all. */
async function compareMethods(
  settings: ConvergenceSettings,
  size: SizeSettings,
  { images, test }: { readonly images: readonly Signal[]; readonly test: readonly Signal[] | undefined },
  tools: ExperimentTools,
  clock: StageClock,
): Promise<Comparison[]> {
  const dense = new Map<Method, Curve>();
  const comparisons: Comparison[] = [];
  for (const share of size.atomShares) {
    const atomSparsity = shareToSparsity(size, share);
    const curves: Curve[] = [];
    for (const method of settings.methods) {
      if (tools.signal?.aborted) break;
      const stage = `${describeComparison({ size, atomSparsity })}: ${method.label}`;
      const options = { ...methodOptions(settings, size, share, method), test };
      const name = partName(size, atomSparsity, method);
      const curve = dense.get(method) ?? (await learningCurve(stage, name, method, images, options, tools));
      if (method.dense) dense.set(method, curve);
      else clock.add(`learning: ${stage}`, curve.points.at(-1)?.seconds ?? 0);
      if (curve.points.length > 1) curves.push(curve); // otherwise it was aborted in its first epoch
    }
    if (curves.length > 0) comparisons.push({ size, atomSparsity, curves });
  }
  for (const [{ label }, { points }] of dense)
    clock.add(`learning: ${formatShape(size.patch)}: ${label}`, points.at(-1)?.seconds ?? 0);
  return comparisons;
}

/** `12x12-k7-osdl`, `12x12-odl`. */
function partName(size: SizeSettings, atomSparsity: number, { id, dense }: Method): string {
  return dense ? `${formatShape(size.patch)}-${id}` : `${idPrefix({ size, atomSparsity })}-${id}`;
}

function methodOptions(
  { base, examples, testPatches, batch, seed }: ConvergenceSettings,
  size: SizeSettings,
  share: number,
  { learner, epochs, dense, own }: Method,
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
    ...own,
  };
}

async function learningCurve(
  stage: string,
  name: string,
  method: Method,
  images: readonly Signal[],
  options: TrainOptions,
  tools: ExperimentTools,
): Promise<Curve> {
  tools.onStage?.(stage);
  const { record } = await trainPart(tools, name, images, options);
  const points = record.points.flatMap(({ examples, seconds, testRmse }) => {
    const epoch = examples / record.examples;
    return testRmse === undefined || !Number.isInteger(epoch) ? [] : { epoch, seconds, testRmse }; // a short run is tested within its epoch
  });
  return { method, points, tested: record.tested };
}
