/** Seconds per mini-batch of OSDL and ODL against n, k, N and m. Each learner with each sweep is a part of the run. */

import type { Signal } from "../../core/signal.js";
import { extractExamples, freeTraining, setUpTraining } from "../../learn/run/setup.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { chooseSettings } from "../shared/chooseSettings.js";
import { concludeRun } from "../shared/concludeRun.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
} from "../shared/experiment.js";
import { withPaperSteps } from "../shared/paperSteps.js";
import { jsonPart } from "../shared/parts.js";
import { choosePictures } from "../shared/pictures.js";
import { StageClock } from "../shared/stageClock.js";
import { complexityClaims, type SweepCurve, type SweepPoint } from "./claims.js";
import { complexityFiles, slopeTable } from "./files.js";
import type { BatchSizes, ComplexitySettings, Sweep } from "./settings.js";

/** The experiment with these options, checked. */
export function prepareComplexity(settings: ComplexitySettings, options: ExperimentOptions): ExperimentRun {
  const chosen = chooseSettings(settings, options, ["seed"]);
  return (data, tools) => runComplexity(chosen, data, tools);
}

export async function runComplexity(
  settings: ComplexitySettings,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const clock = new StageClock();
  const { pictures, sources } = choosePictures(data, settings.pictures, settings.seed);
  const curves: SweepCurve[] = [];
  for (const sweep of settings.sweeps) {
    for (const learner of sweep.odl ? (["osdl", "odl"] as const) : (["osdl"] as const)) {
      const name = `${sweep.letter === "N" ? "batch" : sweep.letter}-${learner}`;
      const part = await jsonPart(tools, name, () => measureSweep(settings, sweep, learner, pictures, tools));
      clock.add(`measuring: ${learner}`, part.seconds);
      curves.push({ letter: sweep.letter, learner, points: part.value });
    }
  }
  return concludeRun(
    { settings, data, tools, clock, sources },
    {
      ...slopeTable(curves),
      claims: complexityClaims(curves),
      values: { curves },
      files: (facts) => complexityFiles({ settings, curves, ...facts }),
    },
  );
}

async function measureSweep(
  settings: ComplexitySettings,
  { letter, sizes }: Sweep,
  learner: "osdl" | "odl",
  pictures: readonly Signal[],
  tools: ExperimentTools,
): Promise<SweepPoint[]> {
  tools.onStage?.(`${learner} against ${letter}`);
  const points: SweepPoint[] = [];
  for (const [i, one] of sizes.entries()) {
    tools.signal?.throwIfAborted();
    points.push(await measureUpdates(settings, one, learner, pictures, tools));
    tools.onProgress?.(`${learner} against ${letter}: ${i + 1} of ${sizes.length}`);
  }
  return points;
}

/** The median over rounds of the time of an update, after a first round that does not count. */
async function measureUpdates(
  settings: ComplexitySettings,
  sizes: BatchSizes,
  learner: "osdl" | "odl",
  pictures: readonly Signal[],
  { kernels }: ExperimentTools,
): Promise<SweepPoint> {
  const options = resolveTraining(updateOptions(settings, sizes, learner));
  const setup = await setUpTraining(pictures, undefined, options, kernels);
  try {
    const { plan, examples } = setup;
    const times: number[] = [];
    for (let round = 0; round <= settings.rounds; round++) {
      const start = performance.now();
      for (let i = 0; i < settings.updates; i++) {
        const from = (i * plan.batch) % Math.max(1, plan.examples - plan.batch + 1);
        const found = await examples.take(0, from, from + plan.batch);
        await setup.learner.update(await extractExamples(setup, plan, found));
      }
      await setup.learner.report(); // waits for the device
      if (round > 0) times.push((performance.now() - start) / 1000 / settings.updates);
    }
    times.sort((a, b) => a - b);
    return {
      sizes: { ...sizes, atoms: plan.atoms, batch: plan.batch },
      seconds: times[times.length >> 1],
    };
  } finally {
    await freeTraining(setup);
  }
}

function updateOptions(
  { base, seed, updates }: ComplexitySettings,
  { side, atoms, atomSparsity, sparsity, batch }: BatchSizes,
  learner: "osdl" | "odl",
): TrainOptions {
  return withPaperSteps({
    ...{ patch: [side, side], base, atoms, coding: { sparsity }, batch, seed, learner },
    ...(learner === "osdl" ? { atomSparsity } : {}),
    ...{ examples: updates * batch, holdout: 0, atomCare: false },
  });
}
