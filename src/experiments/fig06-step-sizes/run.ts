/**
 * Figure 6: Algorithm 1 learns, and at each of its mini-batches the global step (13) is
 * computed for the same dictionary and the same examples.
 */

import type { Signal } from "../../core/signal.js";
import { SparseDictionary } from "../../dictionaries/dictionary.js";
import { type NihtLearner, type NihtState, nihtUpdate } from "../../learn/learners/atomwise/niht.js";
import { createOsdl, freeOsdl, osdlStep } from "../../learn/learners/osdl.js";
import { extractExamples, freeTraining, setUpTraining, type TrainingSetup } from "../../learn/run/setup.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { scaleCoding } from "../../pursuit/encoder.js";
import { chooseSettings, recordSettings, trainingOptions } from "../shared/chooseSettings.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
} from "../shared/experiment.js";
import { describeDevice } from "../shared/outcomeFiles.js";
import { choosePictures, departuresOf } from "../shared/pictures.js";
import { type StepPoint, stepPoint, stepSizeClaims } from "./claims.js";
import { stepSizesFiles } from "./files.js";
import type { StepSizesSettings } from "./settings.js";

/** The experiment with these options, checked. */
export function prepareStepSizes(settings: StepSizesSettings, options: ExperimentOptions): ExperimentRun {
  const chosen = chooseSettings(settings, options, trainingOptions);
  resolveTraining(nihtOptions(chosen));
  return (data, tools) => runStepSizes(chosen, data, tools);
}

export async function runStepSizes(
  settings: StepSizesSettings,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const start = performance.now();
  const { pictures, sources } = choosePictures(data, settings.pictures, settings.seed);
  const points = await measureSteps(settings, pictures, tools);
  const claims = stepSizeClaims(points);
  const departures = departuresOf(settings, data);
  const device = describeDevice(tools.kernels);
  const seconds = (performance.now() - start) / 1000;
  return {
    header: ["step size at mini-batch", "mean of atoms", "median atom", "(13)", "(13) squared"],
    rows: chooseRows(points).map(({ iteration, mean, quantiles, global }) => [
      String(iteration),
      ...[mean, quantiles[1], global, global ** 2].map((value) => value.toPrecision(3)),
    ]),
    claims,
    values: { points },
    settings: recordSettings(settings),
    departures,
    stageSeconds: { learning: seconds },
    files: stepSizesFiles({ settings, points, claims, departures, sources, device, seconds }),
  };
}

/** The first mini-batch, the last, and three between. */
function chooseRows(points: readonly StepPoint[]): StepPoint[] {
  const places = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * (points.length - 1)));
  return [...new Set(places)].flatMap((at) => points[at] ?? []);
}

function nihtOptions(settings: StepSizesSettings): TrainOptions {
  const { patch, base, atomSparsity, sparsity, examples, epochs, batch, seed } = settings;
  const niht = { learner: "niht", holdout: 0, atomCare: false } as const;
  return { ...niht, patch, base, atomSparsity, coding: { sparsity }, examples, epochs, batch, seed };
}

async function measureSteps(
  settings: StepSizesSettings,
  signals: readonly Signal[],
  { kernels, signal, onStage = () => {} }: ExperimentTools,
): Promise<StepPoint[]> {
  const setup = await setUpTraining(signals, undefined, resolveTraining(nihtOptions(settings)), kernels);
  try {
    const { state } = setup.learner as NihtLearner; // as in `nihtOptions`
    return await compareSteps(setup, state, signal, onStage);
  } finally {
    await freeTraining(setup);
  }
}

async function compareSteps(
  setup: TrainingSetup,
  niht: NihtState,
  signal: AbortSignal | undefined,
  onStage: (stage: string) => void,
): Promise<StepPoint[]> {
  const { plan, kernels, examples } = setup;
  const { base, atomSparsity, batch, stepDecay } = plan;
  const { dictionary: learned, tally } = niht;
  const dictionary = await SparseDictionary.create(base, await kernels.readSparse(learned.A), kernels);
  const coding = scaleCoding(plan.coding, plan.scale);
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
      // To the units of the data: codes are divided by the scale, and steps change by 1/x² in (10), 1/x in (13).
      const steps = niht.steps.map((step) => step * decay * plan.scale ** 2);
      points.push(stepPoint(tally.step, steps, stepSize * plan.scale));
      if (tally.step % 20 === 0) onStage(`mini-batch ${tally.step} of ${plan.steps}`);
    }
  }
  freeOsdl(osdl, kernels);
  dictionary.free();
  return points;
}
