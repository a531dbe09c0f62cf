/**
 * Figure 8: learn from faces by three methods, then approximate faces that were not learned from, by each
 * dictionary and by wavelets.
 */

import { train } from "../../learn/run/train.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { samplePatches } from "../../tasks/approximate/mTerm.js";
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
import { StageClock } from "../shared/stageClock.js";
import { facesClaims } from "./claims.js";
import { facesFiles, type LearnedModel } from "./files.js";
import type { FacesSettings } from "./settings.js";

interface Method {
  readonly label: string;
  readonly training: TrainOptions;
}

/** The experiment with these options, checked. */
export function prepareFaces(settings: FacesSettings, options: ExperimentOptions): ExperimentRun {
  const chosen = chooseSettings(settings, options, trainingOptions);
  for (const { training } of listMethods(chosen)) resolveTraining(training);
  return (data, tools) => runFaces(chosen, data, tools);
}

export async function runFaces(
  settings: FacesSettings,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const start = performance.now();
  const { kernels, signal, onStage } = tools;
  const { patch, testPatches: count, seed, terms } = settings;
  const { images, test, sources } = splitPictures(data, settings.pictures, seed);
  const patches = await samplePatches(test, { patch, count, seed, kernels });
  const clock = new StageClock();
  const models: LearnedModel[] = [];
  for (const { label, training } of listMethods(settings)) {
    onStage?.(`learning: ${label}`);
    const model = await clock.time(`learning: ${label}`, () =>
      runTraining(train(images, { ...training, kernels, signal }), tools),
    );
    models.push({ label, model, atoms: await model.atoms(kernels) });
  }
  const contenders = [
    ...analyticContenders(settings.dictionaries, patch),
    ...models.map(({ label, model }) => ({ label, make: () => model })),
  ];
  const curves = await compareMTerms(contenders, patches, terms.at(-1)!, "test pictures", tools);
  const claims = facesClaims(settings, curves);
  const departures = departuresOf(settings, data);
  const device = describeDevice(kernels);
  const seconds = (performance.now() - start) / 1000;
  const tested = patches.cols;
  return {
    ...mTermTable("PSNR (dB) with M coefficients", terms, curves),
    claims,
    values: { terms, psnr: psnrByLabel(curves) },
    settings: recordSettings(settings),
    departures,
    stageSeconds: clock.seconds(),
    files: facesFiles({ settings, models, curves, claims, departures, tested, sources, device, seconds }),
  };
}

/** In the order of the table: the paper's own method last. */
function listMethods(settings: FacesSettings): Method[] {
  const { patch, base, atoms, atomSparsity, sparsity, examples, epochs, batch, seed } = settings;
  const common = { patch, seed, holdout: 0 } as const;
  return [
    {
      label: "PCA", // one decomposition of all examples
      training: {
        ...common,
        learner: "pca",
        base: "identity",
        atoms: settings.components,
        examples,
        batch: examples,
        coding: { sparsity: 1 },
      },
    },
    {
      label: "SeDiL",
      training: { ...common, ...settings.sedil, learner: "sedil", batch, coding: { sparsity } },
    },
    {
      label: trainletsLabel,
      training: { ...common, base, atoms, atomSparsity, coding: { sparsity }, examples, epochs, batch },
    },
  ];
}
