/**
 * Figures 9, 10 and 11: learn a universal dictionary and its rivals, approximate patches of other pictures with their
 * atoms and with those of analytic dictionaries, and find the patterns that recur. Every dictionary that is learned, and
 * every curve, is a part of the run.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import type { Signal } from "../../core/signal.js";
import type { Kernels } from "../../kernels/contract.js";
import { learners } from "../../learn/learners/registry.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import type { Model } from "../../model/model.js";
import { samplePatches } from "../../tasks/approximate/mTerm.js";
import type { Contender, MTermCurve } from "../../tasks/approximate/mTermCurves.js";
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
import { jsonPart } from "../shared/parts.js";
import { splitPictures } from "../shared/pictures.js";
import { StageClock } from "../shared/stageClock.js";
import { trainPart } from "../shared/trainPart.js";
import { seeAtoms } from "./atomClaims.js";
import { type LearnedDictionary, universalClaims } from "./claims.js";
import { universalFiles } from "./files.js";
import type { LearnedSettings, UniversalSettings } from "./settings.js";

/** The experiment with these options, checked. */
export function prepareUniversal(settings: UniversalSettings, options: ExperimentOptions): ExperimentRun {
  const { batch } = options;
  const chosen = chooseSettings(settings, options, trainingOptions);
  const resolved = batch === undefined ? chosen : withBatch(chosen, batch);
  for (const method of resolved.learned) resolveTraining(learnerOptions(resolved, method, "cpu"));
  return (data, tools) => runUniversal(resolved, data, tools);
}

/** The settings with the same mini-batches for every dictionary, on any device. */
function withBatch(settings: UniversalSettings, batch: number): UniversalSettings {
  const batches = { gpu: batch, other: batch };
  const learned = settings.learned.map((method) => ({ ...method, own: { ...method.own, batches } }));
  return { ...settings, batches, learned };
}

export async function runUniversal(
  settings: UniversalSettings,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const clock = new StageClock();
  const { kernels, onStage = () => {} } = tools;
  const { patch, testPatches: count, seed, terms } = settings;
  const { images, test, sources } = splitPictures(data, settings.pictures, seed);
  const patches = await samplePatches(test, { patch, count, seed, kernels });
  // Before learning: should the patches not fit in memory, it fails at once.
  const analytic = analyticContenders(settings.dictionaries, patch);
  const analyticCurves = await curvesOf(settings, analytic, patches, tools, clock);
  const learned = await learnAll(settings, images, test, tools, clock);
  const contenders = rivalsFirst(learned).map(({ method, model }) => ({
    label: method.label,
    make: () => model,
  }));
  const curves = [...analyticCurves, ...(await curvesOf(settings, contenders, patches, tools, clock))];
  const { model } = learned[0];
  onStage("looking for recurring patterns");
  const atoms = await model.atoms(kernels);
  const seen = await seeAtoms(model, atoms, kernels);
  const { families } = seen;
  const values = {
    terms,
    psnr: psnrByLabel(curves),
    learning: Object.fromEntries(learned.map(({ method, record }) => [method.label, record])),
    atoms: seen,
  };
  onStage("drawing");
  const shown = { settings, model, atoms, families, learned, curves, tested: patches.cols };
  return concludeRun(
    { settings, data, tools, clock, sources },
    {
      ...mTermTable("PSNR (dB) with M terms", terms, curves),
      claims: universalClaims(settings, values),
      values,
      files: (facts) => universalFiles({ ...shown, ...facts }),
    },
  );
}

/** The order of the table: ODL, variants, the paper's own method last. */
function rivalsFirst(learned: readonly LearnedDictionary[]): LearnedDictionary[] {
  return [...learned.slice(1), learned[0]];
}

/** The curve of each contender; that of an aborted training is not kept. */
async function curvesOf(
  { terms }: UniversalSettings,
  contenders: readonly Contender[],
  patches: DenseMatrix,
  tools: ExperimentTools,
  clock: StageClock,
): Promise<MTermCurve[]> {
  const curves: MTermCurve[] = [];
  for (const contender of contenders) {
    const { label } = contender;
    const name = `curve-${label.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
    const part = await jsonPart(tools, name, async () => {
      const [{ psnr }] = await compareMTerms([contender], patches, terms.at(-1)!, "test patches", tools);
      return psnr.map((value) => (Number.isFinite(value) ? value : null)); // JSON has no Infinity
    });
    clock.add(`approximating: ${label}`, part.seconds);
    curves.push({ label, psnr: part.value.map((value) => value ?? Infinity) });
  }
  return curves;
}

/** Learn every dictionary, one that continues another after it. Once a run is aborted, those that have not begun are left out. */
async function learnAll(
  settings: UniversalSettings,
  images: readonly Signal[],
  test: readonly Signal[],
  tools: ExperimentTools,
  clock: StageClock,
): Promise<LearnedDictionary[]> {
  const learned: LearnedDictionary[] = [];
  for (const method of settings.learned) {
    if (learned.length > 0 && tools.signal?.aborted) break;
    tools.onStage?.(`learning: ${method.label}`);
    const start = learned.find(({ method: { id } }) => id === method.after)?.model;
    const options = { ...learnerOptions(settings, method, tools.kernels.name, start), test };
    const { model, record } = await trainPart(tools, method.id, images, options);
    if (learned.length > 0 && tools.signal?.aborted) break;
    clock.add(`learning: ${method.label}`, record.seconds);
    learned.push({ method, model, record });
  }
  return learned;
}

/** Tests while learning. */
const testCount = 20;

function learnerOptions(
  settings: UniversalSettings,
  { learner, own }: LearnedSettings,
  device: Kernels["name"],
  start?: Model,
): TrainOptions {
  const { patch, base, atoms, atomSparsity, careEvery, epochs, seed, testPatches } = settings;
  const { sparsity, batches } = { ...settings, ...own };
  const examples = Math.min(settings.examples, own?.examples ?? Infinity);
  return {
    ...{ patch, learner, examples, epochs, seed, coding: { sparsity, pursuit: own?.pursuit } },
    ...(start ? { start } : { base, atoms }),
    momentum: own?.momentum,
    ...(own?.average ? { average: true } : {}),
    ...(learners[learner].ownOptions.includes("atomSparsity") ? { atomSparsity } : {}),
    batch: device === "gpu" ? batches.gpu : batches.other,
    atomCare: { every: careEvery },
    holdout: testPatches,
    testEvery: Math.ceil((examples * epochs) / testCount) || 1,
  };
}
