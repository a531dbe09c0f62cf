/**
 * Figure 8: learn from faces by three methods, then approximate faces that were not learned from, by each
 * dictionary and by wavelets.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import { resolveTraining } from "../../learn/run/trainOptions.js";
import { samplePatches } from "../../tasks/approximate/mTerm.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import { chooseSettings, trainingOptions } from "../shared/chooseSettings.js";
import { concludeRun } from "../shared/concludeRun.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
} from "../shared/experiment.js";
import { analyticContenders, compareMTerms, mTermTable, psnrByLabel } from "../shared/mTermComparison.js";
import { splitPictures } from "../shared/pictures.js";
import { StageClock } from "../shared/stageClock.js";
import { faceKind, facesClaims } from "./claims.js";
import { facesFiles } from "./files.js";
import { firstComponentsCurve } from "./firstComponents.js";
import { type LearnedModel, learnAll, listMethods } from "./learn.js";
import { type FacesSettings, labels, largestLabel } from "./settings.js";

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
  const clock = new StageClock();
  const { patch, testPatches: count, seed, terms } = settings;
  const { images, test, sources } = splitPictures(data, settings.pictures, seed);
  const patches = await samplePatches(test, { patch, count, seed, kernels: tools.kernels });
  const models = await learnAll(settings, images, tools, clock);
  const curves = await clock.time("approximating", () => approximate(settings, models, patches, tools));
  const tested = patches.cols;
  const kind = faceKind((data.images ?? []).map(({ name }) => name));
  return concludeRun(
    { settings, data, tools, clock, sources },
    {
      ...mTermTable("PSNR (dB) with M coefficients", terms, curves),
      claims: facesClaims(settings, psnrByLabel(curves), kind),
      values: {
        terms,
        psnr: psnrByLabel(curves),
        learning: Object.fromEntries(models.map(({ method, record }) => [method.label, record])),
      },
      files: (facts) => facesFiles({ settings, models, curves, kind, tested, ...facts }, tools.kernels),
    },
  );
}

/** The curves in the order of the table: wavelets, PCA by its first and by its largest components, SeDiL, OSDL. */
async function approximate(
  settings: FacesSettings,
  models: readonly LearnedModel[],
  patches: DenseMatrix,
  tools: ExperimentTools,
): Promise<MTermCurve[]> {
  const maxTerms = settings.terms.at(-1)!;
  const labelOf = ({ label }: { readonly label: string }) =>
    label === labels.pca ? largestLabel(settings) : label;
  const contenders = [
    ...analyticContenders(settings.dictionaries, settings.patch),
    ...models.map(({ method, model }) => ({ label: labelOf(method), make: () => model })),
  ];
  const curves = await compareMTerms(contenders, patches, maxTerms, "test pictures", tools);
  const pca = await models[0].model.atoms(tools.kernels);
  return curves.toSpliced(
    settings.dictionaries.length,
    0,
    firstComponentsCurve(labels.pca, pca, patches, maxTerms),
  );
}
