/**
 * Figure 7: noisy pictures, denoised by every method with patches of every size; then with dictionaries of other
 * pictures. Every picture with one noise, size and method is a part of the run.
 */

import { Rng } from "../../core/random/rng.js";
import type { Signal } from "../../core/signal.js";
import { createBase } from "../../dictionaries/base.js";
import { learners } from "../../learn/learners/registry.js";
import type { Model } from "../../model/model.js";
import { psnr } from "../../tasks/approximate/representation.js";
import { denoise } from "../../tasks/restore/denoise.js";
import type { DenoiseOptions } from "../../tasks/restore/denoiseOptions.js";
import { addNoise, rmseBetween } from "../../tasks/restore/trialDamage.js";
import { chooseSettings, trainingOptions } from "../shared/chooseSettings.js";
import { concludeRun } from "../shared/concludeRun.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
} from "../shared/experiment.js";
import { jsonPart } from "../shared/parts.js";
import { choosePictures } from "../shared/pictures.js";
import { StageClock } from "../shared/stageClock.js";
import { denoisingClaims } from "./claims.js";
import { denoisingFiles, psnrTable } from "./files.js";
import type { Measurement } from "./measurements.js";
import { croppedBase, type DenoisingMethod, type DenoisingSettings, sizesWith } from "./settings.js";
import { dictionaryOf, halfOf, othersMethod } from "./study.js";

/** A picture to denoise. */
interface Task {
  readonly clean: Signal;
  readonly noisy: Signal;
  readonly sigma: number;
  /** `picture 1 of 3`. */
  readonly name: string;
  /** `01-dice`, for names of parts. */
  readonly stem: string;
}

/** The experiment with these options, checked. */
export function prepareDenoising(settings: DenoisingSettings, options: ExperimentOptions): ExperimentRun {
  const chosen = chooseSettings(settings, options, trainingOptions);
  const withEpochs = <M extends { readonly epochs: number }>(method: M): M => ({
    ...method,
    epochs: options.epochs ?? method.epochs,
  });
  const methods = chosen.methods.map(withEpochs);
  const reference = withEpochs(chosen.reference);
  const study = withEpochs(chosen.study);
  return (data, tools) => runDenoising({ ...chosen, methods, reference, study }, data, tools);
}

export async function runDenoising(
  settings: DenoisingSettings,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const clock = new StageClock();
  const { pictures, sources } = choosePictures(data, settings.pictures, settings.seed);
  const measurements: Measurement[] = [];
  for (const [i, sigma] of settings.noises.entries()) {
    const tasks = noisyTasks(settings, pictures, sigma);
    measurements.push(...(await denoiseAll(settings, tasks, tools)));
    if (i === 0 && tasks.length > 1)
      measurements.push(...(await denoiseWithOthers(settings, tasks, tools, clock)));
  }
  for (const { method, seconds } of measurements) clock.add(`denoising: ${method}`, seconds);
  return concludeRun(
    { settings, data, tools, clock, sources },
    {
      ...psnrTable(settings, measurements),
      claims: denoisingClaims(settings, measurements),
      values: { measurements },
      files: (facts) => denoisingFiles({ settings, measurements, ...facts }),
    },
  );
}

/** The pictures with noise, the same for all methods. */
function noisyTasks({ seed }: DenoisingSettings, pictures: readonly Signal[], sigma: number): Task[] {
  return pictures.map((clean, i) => ({
    clean,
    sigma,
    noisy: addNoise(clean, sigma, Rng.from(seed).split(`noise ${i}`)),
    name: `picture ${i + 1} of ${pictures.length}`,
    stem: `${String(i + 1).padStart(2, "0")}-${fileStem(clean.name)}`,
  }));
}

/** `photos/dice.png` → `dice`. */
function fileStem(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  return last.replace(/\.\w+$/, "").replace(/[^A-Za-z0-9-]+/g, "-") || "picture";
}

/** All pictures with one noise, by the reference and by every method with every size for that noise. */
async function denoiseAll(
  settings: DenoisingSettings,
  tasks: readonly Task[],
  tools: ExperimentTools,
): Promise<Measurement[]> {
  const { methods, reference } = settings;
  const measurements: Measurement[] = [];
  for (const task of tasks) {
    measurements.push(await measure(settings, reference, reference.size, task, tools));
    for (const size of sizesWith(settings, task.sigma))
      for (const method of methods) measurements.push(await measure(settings, method, size, task, tools));
  }
  return measurements;
}

/** Each picture with the dictionary of the half that it is not in. */
async function denoiseWithOthers(
  settings: DenoisingSettings,
  tasks: readonly Task[],
  tools: ExperimentTools,
  clock: StageClock,
): Promise<Measurement[]> {
  const noisy = tasks.map((task) => task.noisy);
  const measurements: Measurement[] = [];
  for (const size of settings.sizes) {
    const models: Model[] = [];
    for (const half of [0, 1] as const) {
      const { model, seconds } = await dictionaryOf(settings, half, size, noisy, tools);
      clock.add(`learning: ${othersMethod.id}`, seconds);
      models.push(model);
    }
    for (const [i, task] of tasks.entries()) {
      const dictionary = models[1 - halfOf(i)];
      measurements.push(await measurePart(settings, othersMethod, size, task, { dictionary }, tools));
    }
  }
  return measurements;
}

/** Examples coded at a time by learners of the whole set, whose results do not depend on it. */
const codedAtOnce = 4096;

/** One picture by one method, which learns from it. */
function measure(
  settings: DenoisingSettings,
  method: DenoisingMethod,
  size: number,
  task: Task,
  tools: ExperimentTools,
): Promise<Measurement> {
  const { atomSparsity, examples, seed } = settings;
  const { learner, epochs, base } = method;
  const sparseAtoms = base === "dense" ? {} : { atomSparsity };
  const batch = learners[learner].takes === "whole set" ? codedAtOnce : settings.batch;
  const training = { learner, base: baseName(method, size), epochs, examples, batch, seed, ...sparseAtoms };
  return measurePart(settings, method, size, task, { patch: [size, size], training }, tools);
}

async function measurePart(
  { stride }: DenoisingSettings,
  { id, label }: Pick<DenoisingMethod, "id" | "label">,
  size: number,
  { clean, noisy, sigma, name, stem }: Task,
  options: DenoiseOptions,
  tools: ExperimentTools,
): Promise<Measurement> {
  const { kernels, signal, onStage, onProgress } = tools;
  const stage = `${name}, σ = ${sigma}: ${size}x${size}, ${label}`;
  const part = await jsonPart(tools, `${stem}-s${sigma}-${size}-${id}`, async () => {
    onStage?.(stage);
    const { signals } = await denoise([noisy], {
      ...{ sigma, stride, kernels, signal, ...options },
      onProgress: ({ stage: work, done }) => onProgress?.(`${stage}: ${work} ${(100 * done).toFixed(0)} %`),
    });
    return psnr(rmseBetween(signals, [clean]));
  });
  return { sigma, method: id, size, picture: stem, psnr: part.value, seconds: part.seconds };
}

/** The ODCT has as many atoms as the cropped wavelets, and a dense dictionary as many as the ODCT. */
function baseName({ base }: DenoisingMethod, size: number): string {
  if (base === "cropped") return croppedBase;
  return `odct:${createBase(croppedBase, [size]).factors[0].cols / size}`;
}
