/**
 * Figures 9, 10 and 11: learn a universal dictionary, approximate patches of other pictures with its
 * atoms and with those of others, and find the patterns that recur in it.
 */

import type { Signal } from "../../core/signal.js";
import { atomFamilies } from "../../figures/atoms/atomFamilies.js";
import type { Kernels } from "../../kernels/contract.js";
import { type LearnerName, learners } from "../../learn/learners/registry.js";
import { train } from "../../learn/run/train.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { samplePatches } from "../../tasks/approximate/mTerm.js";
import type { Contender } from "../../tasks/approximate/mTermCurves.js";
import { chooseSettings, recordSettings, trainingOptions } from "../shared/chooseSettings.js";
import {
  type ExperimentData,
  type ExperimentOptions,
  type ExperimentRun,
  type ExperimentTools,
  type Outcome,
  runTraining,
} from "../shared/experiment.js";
import {
  analyticContenders,
  compareMTerms,
  mTermTable,
  psnrByLabel,
  trainletsLabel,
} from "../shared/mTermComparison.js";
import { describeDevice } from "../shared/outcomeFiles.js";
import { departuresOf, splitPictures } from "../shared/pictures.js";
import { type LearnedDictionary, type LearningPoint, universalClaims } from "./claims.js";
import { universalFiles } from "./files.js";
import type { Rival, UniversalSettings } from "./settings.js";

/** The experiment with these options, checked. */
export function prepareUniversal(settings: UniversalSettings, options: ExperimentOptions): ExperimentRun {
  const { batch } = options;
  const chosen = chooseSettings(settings, options, trainingOptions);
  const resolved = batch === undefined ? chosen : { ...chosen, batches: { gpu: batch, other: batch } };
  resolveTraining(learnerOptions(resolved, "osdl", "cpu"));
  return (data, tools) => runUniversal(resolved, data, tools);
}

export async function runUniversal(
  settings: UniversalSettings,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const start = performance.now();
  const { kernels, onStage = () => {} } = tools;
  const { patch, testPatches: count, seed, terms } = settings;
  const { images, test, sources } = splitPictures(data, settings.pictures, seed);
  const patches = await samplePatches(test, { patch, count, seed, kernels });
  const compare = (contenders: readonly Contender[]) =>
    compareMTerms(contenders, patches, terms.at(-1)!, "test patches", tools);
  // Before learning: should the patches not fit in memory, it fails at once.
  const analyticCurves = await compare(analyticContenders(settings.dictionaries, patch));
  const learned = await learnAll(settings, images, test, tools);
  const learnedCurves = await compare(learned.map(({ label, model }) => ({ label, make: () => model })));
  const curves = [...analyticCurves, ...learnedCurves];
  const claims = universalClaims(settings, curves, learned);
  const departures = departuresOf(settings, data);
  const { model } = learned.at(-1)!;
  onStage("looking for recurring patterns");
  const atoms = await model.atoms(kernels);
  const families = atomFamilies(atoms, model.shape);
  onStage("drawing");
  const tested = patches.cols;
  const device = describeDevice(kernels);
  const seconds = (performance.now() - start) / 1000;
  const dictionary = { model, atoms, families };
  return {
    ...mTermTable("PSNR (dB) with M terms", terms, curves),
    claims,
    values: {
      terms,
      psnr: psnrByLabel(curves),
      seconds: Object.fromEntries(learned.map((one) => [one.label, one.seconds])),
    },
    settings: recordSettings(settings),
    departures,
    stageSeconds: Object.fromEntries(learned.map((one) => [`learning: ${one.label}`, one.seconds])),
    files: universalFiles({
      ...dictionary,
      settings,
      learned,
      curves,
      claims,
      departures,
      tested,
      sources,
      device,
      seconds,
    }),
  };
}

/** Learn the dictionary first, then its rivals; returned last. A rival whose learning was aborted is left out. */
async function learnAll(
  settings: UniversalSettings,
  images: readonly Signal[],
  test: readonly Signal[],
  tools: ExperimentTools,
): Promise<LearnedDictionary[]> {
  const ours = await learn(settings, { label: trainletsLabel, learner: "osdl" }, images, test, tools);
  const rivals: LearnedDictionary[] = [];
  for (const rival of settings.rivals) {
    if (tools.signal?.aborted) break;
    const theirs = await learn(settings, rival, images, test, tools);
    if (!tools.signal?.aborted) rivals.push(theirs);
  }
  return [...rivals, ours];
}

async function learn(
  settings: UniversalSettings,
  { label, learner }: Rival,
  images: readonly Signal[],
  testSignals: readonly Signal[],
  tools: ExperimentTools,
): Promise<LearnedDictionary> {
  const { kernels, signal, onStage } = tools;
  onStage?.(`learning: ${label}`);
  const start = performance.now();
  const options = { ...learnerOptions(settings, learner, kernels.name), test: testSignals, kernels, signal };
  const learning: LearningPoint[] = [];
  const model = await runTraining(train(images, options), tools, ({ examples, testRmse }) => {
    if (testRmse !== undefined) learning.push({ examples, testRmse });
  });
  return { label, model, learning, seconds: (performance.now() - start) / 1000 };
}

/** Tests while learning. */
const testCount = 20;

function learnerOptions(
  settings: UniversalSettings,
  learner: LearnerName,
  device: Kernels["name"],
): TrainOptions {
  const { patch, base, atoms, atomSparsity, sparsity, examples, epochs, batches, seed, testPatches } =
    settings;
  return {
    patch,
    base,
    atoms,
    learner,
    ...(learners[learner].ownOptions.includes("atomSparsity") ? { atomSparsity } : {}),
    coding: { sparsity },
    examples,
    epochs,
    batch: device === "gpu" ? batches.gpu : batches.other,
    seed,
    holdout: testPatches,
    testEvery: Math.ceil((examples * epochs) / testCount) || 1,
  };
}
