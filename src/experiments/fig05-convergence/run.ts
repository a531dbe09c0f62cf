/**
 * Learners compared: every method on every size and share of non-zeros, with the
 * error on held-out patches of the same pictures and the time of learning, after each epoch.
 */

import { inputError } from "../../core/errors.js";
import { requireInteger } from "../../core/require.js";
import { sameShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { type TrainingRun, train } from "../../learn/run/train.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
} from "../shared/experiment.js";
import type { ConvergenceConfig, Method, SizeConfig } from "./config.js";
import { judge } from "./expected.js";
import { convergenceFiles } from "./files.js";
import { atomSparsityOf, type Curve, type CurvePoint, type Panel, panelName } from "./result.js";

/** The experiment with these options, checked. */
export function prepareConvergence(config: ConvergenceConfig, options: ExperimentOptions): ExperimentRun {
  const { quick, epochs, patch, ...given } = options;
  if (epochs !== undefined) requireInteger(config.name, "epochs", epochs, 1);
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const small = quick ? config.quick : {};
  const sizes = patch && config.sizes.filter((size) => sameShape(size.patch, patch));
  const chosen: ConvergenceConfig = { ...config, ...small, ...said, ...(sizes && { sizes }) };
  const resolved =
    epochs === undefined
      ? chosen
      : { ...chosen, methods: chosen.methods.map((method) => ({ ...method, epochs })) };
  const size = resolved.sizes[0];
  for (const method of resolved.methods)
    resolveTraining(trainOptions(resolved, size, size.shares[0], method));
  return (data, tools) => runConvergence(resolved, data, tools);
}

/** Learn with every method, draw, judge. */
export async function runConvergence(
  config: ConvergenceConfig,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const start = performance.now();
  if (data.images && data.images.length === 0)
    throw inputError(config.name, "images", "must hold a picture", 0);
  const images = data.images ?? syntheticPictures(config.seed, 1, config.picture.size);
  const panels: Panel[] = [];
  for (const size of config.sizes) panels.push(...(await panelsOf(config, size, images, data.test, tools)));
  const { kernels } = tools;
  const sources = data.images ? named(data.images) : "a made-up picture";
  const device = `${kernels.name}: ${kernels.description}`;
  const seconds = (performance.now() - start) / 1000;
  const result = { config, panels, sources, device, seconds };
  const claims = judge(panels);
  return {
    header: ["test RMSE", "before", "one epoch", "in the end", "seconds"],
    rows: panels.flatMap((panel) => panel.curves.map((curve) => rowOf(panel, curve))),
    claims,
    values: { curves: panels.flatMap(valuesOf) },
    files: convergenceFiles(result, claims),
  };
}

function named(images: readonly Signal[]): string {
  return images.length === 1 ? images[0].name : `${images.length} pictures`;
}

/** The curves of one size, one panel a share; a dense method has the same curve in all. */
async function panelsOf(
  config: ConvergenceConfig,
  size: SizeConfig,
  images: readonly Signal[],
  test: readonly Signal[] | undefined,
  tools: ExperimentTools,
): Promise<Panel[]> {
  const { kernels, signal } = tools;
  const dense = new Map<Method, Curve>();
  const panels: Panel[] = [];
  for (const share of size.shares) {
    const panel = { size, atomSparsity: atomSparsityOf(size, share), curves: [] as Curve[] };
    for (const method of config.methods) {
      if (signal?.aborted) break;
      tools.onStage?.(`${panelName(panel)}: ${method.label}`);
      const options = { ...trainOptions(config, size, share, method), testSignals: test, kernels, signal };
      const curve = dense.get(method) ?? { method, ...(await follow(train(images, options), tools)) };
      if (method.dense) dense.set(method, curve);
      if (curve.points.length > 1) panel.curves.push(curve); // no epoch was finished: nothing to show
    }
    if (panel.curves.length > 0) panels.push(panel);
  }
  return panels;
}

function trainOptions(
  { base, examples, testPatches, batch, seed }: ConvergenceConfig,
  size: SizeConfig,
  share: number,
  { learner, epochs, dense }: Method,
): TrainOptions {
  const { patch, sparsity } = size;
  const atomSparsity = dense ? undefined : atomSparsityOf(size, share);
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

/** Run it, with the time that learning took: that of a test is known from the one before the first step. */
async function follow(
  run: TrainingRun,
  { follow: show }: ExperimentTools,
): Promise<Pick<Curve, "points" | "tested">> {
  const plan = await run.plan(); // what is set up is not learning
  const points: CurvePoint[] = [];
  let learned = 0;
  let test = 0;
  const note = ({ step, examples, testRmse }: TrainReport, seconds: number) => {
    if (step === 0) test = seconds;
    else learned += Math.max(0, seconds - (testRmse === undefined ? 0 : test));
    if (testRmse !== undefined) points.push({ epoch: examples / plan.examples, seconds: learned, testRmse });
  };
  const timed = {
    plan: () => run.plan(),
    async *[Symbol.asyncIterator]() {
      let from = performance.now();
      for await (const report of run) {
        note(report, (performance.now() - from) / 1000);
        yield report;
        from = performance.now();
      }
    },
  };
  if (show) await show(timed);
  else for await (const _ of timed);
  return { points, tested: plan.holdout };
}

function rowOf(panel: Panel, { method, points }: Curve): string[] {
  const at = (point: CurvePoint | undefined) => point?.testRmse.toFixed(3) ?? "–";
  const end = points.at(-1);
  const name = `${panelName(panel)}: ${method.label}`;
  return [name, at(points[0]), at(points[1]), at(end), end?.seconds.toFixed(1) ?? "–"];
}

function valuesOf({ size, atomSparsity, curves }: Panel) {
  return curves.map(({ method, points }) => ({
    patch: size.patch,
    atomSparsity,
    learner: method.learner,
    points,
  }));
}
