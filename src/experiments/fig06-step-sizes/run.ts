/**
 * Step sizes: Algorithm 1 learns, and at each of its mini-batches the global step (13)
 * is computed for the same dictionary and the same examples.
 */

import type { Signal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { SparseDictionary } from "../../dictionaries/sparseDictionary.js";
import { type NihtLearner, type NihtState, nihtUpdate } from "../../learn/learners/atomwise/niht.js";
import { createOsdl, freeOsdl, osdlStep } from "../../learn/learners/osdl.js";
import { extractExamples, freeTraining, setUpTraining, type TrainingSetup } from "../../learn/run/setup.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { scaleRule } from "../../pursuit/limits.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
} from "../shared/experiment.js";
import type { StepSizesConfig } from "./config.js";
import { stepSizesFiles } from "./files.js";
import { judge, type StepPoint, stepPoint } from "./result.js";

/** The experiment with these options, checked. */
export function prepareStepSizes(config: StepSizesConfig, options: ExperimentOptions): ExperimentRun {
  const { quick, ...given } = options;
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const resolved: StepSizesConfig = { ...config, ...(quick ? config.quick : {}), ...said };
  resolveTraining(trainOptions(resolved));
  return (data, tools) => runStepSizes(resolved, data, tools);
}

/** Learn, compare, draw. */
export async function runStepSizes(
  config: StepSizesConfig,
  { images }: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const start = performance.now();
  const signals = images ?? syntheticPictures(config.seed, 1, config.picture.size);
  const points = await stepsOf(config, signals, tools);
  const { kernels } = tools;
  const sources = images ? images.map(({ name }) => name).join(", ") : "a made-up picture";
  const device = `${kernels.name}: ${kernels.description}`;
  const result = { config, points, sources, device, seconds: (performance.now() - start) / 1000 };
  const claims = judge(points);
  return {
    header: ["step size at mini-batch", "mean of atoms", "middle atom", "(13)", "(13) squared"],
    rows: shown(points).map(({ iteration, mean, quantiles, global }) => [
      String(iteration),
      ...[mean, quantiles[1], global, global ** 2].map((value) => value.toPrecision(3)),
    ]),
    claims,
    values: { points },
    files: stepSizesFiles(result, claims),
  };
}

/** The first mini-batch, the last, and some between. */
function shown(points: readonly StepPoint[]): StepPoint[] {
  const places = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * (points.length - 1)));
  return [...new Set(places)].flatMap((at) => points[at] ?? []);
}

function trainOptions(config: StepSizesConfig): TrainOptions {
  const { patch, base, atomSparsity, sparsity, examples, epochs, batch, seed } = config;
  const more = { learner: "niht", holdout: 0, atomCare: false } as const;
  return { patch, base, atomSparsity, coding: { sparsity }, examples, epochs, batch, seed, ...more };
}

async function stepsOf(
  config: StepSizesConfig,
  signals: readonly Signal[],
  { kernels, signal, onStage = () => {} }: ExperimentTools,
): Promise<StepPoint[]> {
  const setup = await setUpTraining(signals, undefined, resolveTraining(trainOptions(config)), kernels);
  try {
    const { state } = setup.learner as NihtLearner; // as `trainOptions` asks for
    return await comparedSteps(setup, state, signal, onStage);
  } finally {
    await freeTraining(setup);
  }
}

async function comparedSteps(
  setup: TrainingSetup,
  niht: NihtState,
  signal: AbortSignal | undefined,
  onStage: (stage: string) => void,
): Promise<StepPoint[]> {
  const { plan, kernels, examples } = setup;
  const { base, atomSparsity, batch, stepDecay } = plan;
  const { dictionary: learned, tally } = niht;
  const dictionary = await SparseDictionary.create(base, await kernels.readSparse(learned.A), kernels);
  const coding = scaleRule(plan.coding, plan.scale);
  const osdl = createOsdl(dictionary, { atomSparsity, coding, batch, momentum: 0 }, kernels);
  const points: StepPoint[] = [];
  for (let epoch = 0; epoch < plan.epochs; epoch++) {
    for (let from = 0; from < plan.examples; from += batch) {
      if (signal?.aborted && points.length > 0) break;
      const found = await examples.take(epoch, from, Math.min(from + batch, plan.examples));
      const Y = await extractExamples(setup, plan, found);
      await dictionary.replace(await kernels.readSparse(learned.A));
      const { stepSize } = await osdlStep(osdl, Y, kernels);
      const decay = 1 + tally.step / stepDecay;
      await nihtUpdate(niht, Y, kernels);
      // in the units of the data: codes are divided by the scale, and steps go with 1/x² (10) or 1/x (13)
      const steps = niht.steps.map((step) => step * decay * plan.scale ** 2);
      points.push(stepPoint(tally.step, steps, stepSize * plan.scale));
      if (tally.step % 20 === 0) onStage(`mini-batch ${tally.step} of ${plan.steps}`);
    }
  }
  freeOsdl(osdl, kernels);
  dictionary.free();
  return points;
}
