/**
 * Figure 6: the steps that Algorithm 1 finds for its atoms, and the global steps of OSDL, each from its own run over
 * the same mini-batches. Both runs are parts.
 */

import type { Signal } from "../../core/signal.js";
import type { NihtLearner } from "../../learn/learners/atomwise/niht.js";
import { extractExamples, freeTraining, setUpTraining, type TrainingSetup } from "../../learn/run/setup.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { chooseSettings, trainingOptions } from "../shared/chooseSettings.js";
import { concludeRun } from "../shared/concludeRun.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
  OutcomeTable,
} from "../shared/experiment.js";
import { withPaperSteps } from "../shared/paperSteps.js";
import { jsonPart } from "../shared/parts.js";
import { choosePictures } from "../shared/pictures.js";
import { StageClock } from "../shared/stageClock.js";
import {
  type AtomSteps,
  type ShownSteps,
  type StepPoint,
  stepRatios,
  stepSizeClaims,
  summarizeSteps,
} from "./claims.js";
import { stepSizesFiles } from "./files.js";
import type { StepSizesSettings } from "./settings.js";

/** The experiment with these options, checked. */
export function prepareStepSizes(settings: StepSizesSettings, options: ExperimentOptions): ExperimentRun {
  const chosen = chooseSettings(settings, options, trainingOptions);
  for (const learner of ["niht", "osdl"] as const) resolveTraining(learnerOptions(chosen, learner));
  return (data, tools) => runStepSizes(chosen, data, tools);
}

export async function runStepSizes(
  settings: StepSizesSettings,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const clock = new StageClock();
  const { pictures, sources } = choosePictures(data, settings.pictures, settings.seed);
  const niht = await jsonPart(tools, "niht-steps", () => nihtSteps(settings, pictures, tools));
  clock.add("learning: NIHT", niht.seconds);
  const osdl = await jsonPart(tools, "osdl-steps", () => osdlSteps(settings, pictures, tools));
  clock.add("learning: OSDL", osdl.seconds);
  const points = niht.value.points.flatMap((point, i) => {
    const global = osdl.value[i];
    return global === undefined ? [] : { ...point, global }; // undefined if it was aborted
  });
  const { shown } = niht.value;
  return concludeRun(
    { settings, data, tools, clock, sources },
    {
      ...stepTable(points),
      claims: stepSizeClaims(points),
      values: { points, ratios: stepRatios(points) },
      files: (facts) => stepSizesFiles({ settings, points, shown, ...facts }),
    },
  );
}

export function stepTable(points: readonly StepPoint[]): OutcomeTable {
  return {
    header: ["step size at mini-batch", "mean of atoms", "median atom", "OSDL, (13)", "(13) squared"],
    rows: chooseRows(points).map(({ iteration, mean, quantiles, global }) => [
      String(iteration),
      ...[mean, quantiles[2], global, global ** 2].map((value) => value.toPrecision(3)),
    ]),
  };
}

/** The first mini-batch, the last, and three between. */
function chooseRows(points: readonly StepPoint[]): StepPoint[] {
  const places = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * (points.length - 1)));
  return [...new Set(places)].flatMap((at) => points[at] ?? []);
}

function learnerOptions(settings: StepSizesSettings, learner: "niht" | "osdl"): TrainOptions {
  const { patch, base, atomSparsity, sparsity, examples, epochs, batch, seed } = settings;
  const common = { patch, base, atomSparsity, coding: { sparsity }, examples, epochs, batch, seed };
  return withPaperSteps({ ...common, learner, holdout: 0, atomCare: false });
}

/** Steps as they are stored and written: more digits are of no use. */
const round = (step: number) => Number(step.toPrecision(5));

async function nihtSteps(
  settings: StepSizesSettings,
  signals: readonly Signal[],
  tools: ExperimentTools,
): Promise<{ points: AtomSteps[]; shown: ShownSteps[] }> {
  const points: AtomSteps[] = [];
  const shown: ShownSteps[] = [];
  await forEachUpdate(settings, "niht", signals, tools, async ({ learner, plan }) => {
    const { state } = learner as NihtLearner; // as in `learnerOptions`
    const decay = 1 + (learner.step - 1) / plan.stepDecay;
    const steps = state.steps.map((step) => round(step * decay * plan.scale ** 2)); // (10) goes with 1/y²
    points.push(summarizeSteps(learner.step, steps));
    const every = Math.max(1, Math.ceil(plan.steps / settings.shown));
    if ((learner.step - 1) % every === 0) shown.push({ iteration: learner.step, steps });
  });
  return { points, shown };
}

/** η of (13) at each mini-batch. */
async function osdlSteps(
  settings: StepSizesSettings,
  signals: readonly Signal[],
  tools: ExperimentTools,
): Promise<number[]> {
  const steps: number[] = [];
  await forEachUpdate(settings, "osdl", signals, tools, async ({ learner, plan }) => {
    steps.push((await learner.report()).stepSize * plan.scale); // (13) goes with 1/y
  });
  return steps;
}

/** Learn, and call `after` with the state after each mini-batch; if aborted, at least one. */
async function forEachUpdate(
  settings: StepSizesSettings,
  name: "niht" | "osdl",
  signals: readonly Signal[],
  { kernels, signal, onStage, onProgress }: ExperimentTools,
  after: (setup: TrainingSetup) => Promise<void>,
): Promise<void> {
  onStage?.(`learning: ${name}`);
  const options = resolveTraining(learnerOptions(settings, name));
  const setup = await setUpTraining(signals, undefined, options, kernels);
  try {
    const { plan, examples, learner } = setup;
    for (let epoch = 0; epoch < plan.epochs; epoch++) {
      for (let from = 0; from < plan.examples; from += plan.batch) {
        if (signal?.aborted && learner.step > 0) return;
        const found = await examples.take(epoch, from, Math.min(from + plan.batch, plan.examples));
        await learner.update(await extractExamples(setup, plan, found));
        await after(setup);
        if (learner.step % 20 === 0) onProgress?.(`${name}: mini-batch ${learner.step} of ${plan.steps}`);
      }
    }
  } finally {
    await freeTraining(setup);
  }
}
