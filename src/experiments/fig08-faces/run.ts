/** Faces: learn by three methods, approximate faces not learned from by each and by wavelets, and draw. */

import { requireInteger } from "../../core/require.js";
import type { Signal } from "../../core/signal.js";
import { train } from "../../learn/run/train.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import type { Model } from "../../model/model.js";
import { approximatorOf, samplePatches } from "../../tasks/approximate/mTerm.js";
import { type Contender, mTermCurves } from "../../tasks/approximate/mTermCurves.js";
import { learned } from "../fig11-universal/result.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
} from "../shared/experiment.js";
import { learnAndTest } from "../shared/pageParts.js";
import type { FacesConfig } from "./config.js";
import { judge } from "./expected.js";
import { facesFiles, type LearnedModel } from "./files.js";

/** A learner, and what it is told. */
interface Method {
  readonly label: string;
  readonly options: TrainOptions;
}

/** The experiment with these options, checked. */
export function prepareFaces(config: FacesConfig, options: ExperimentOptions): ExperimentRun {
  const { quick, ...given } = options;
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const [name, value] of Object.entries(said))
    requireInteger(config.name, name, value, name === "seed" ? 0 : 1);
  const resolved: FacesConfig = { ...config, ...(quick ? config.quick : {}), ...said };
  for (const { options: training } of methodsOf(resolved)) resolveTraining(training);
  return (data, tools) => runFaces(resolved, data, tools);
}

export async function runFaces(
  config: FacesConfig,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const start = performance.now();
  const { kernels, onStage, onProgress } = tools;
  const { images, test, sources } = learnAndTest(config.pictures, config.seed, data);
  const { patch, testPatches: count, seed, terms } = config;
  const patches = await samplePatches(test, { patch, count, seed, kernels });
  const models: LearnedModel[] = [];
  for (const { label, options } of methodsOf(config)) {
    onStage?.(`learning: ${label}`);
    const model = await learn(images, options, tools);
    models.push({ label, model, atoms: await model.atoms(kernels) });
  }
  const contenders: Contender[] = [
    ...config.comparisons.map(({ label, approximator }) => ({
      label,
      make: () => approximatorOf(approximator, patch),
    })),
    ...models.map(({ label, model }) => ({ label, make: () => model })),
  ];
  const curves = await mTermCurves(contenders, patches, {
    most: terms.at(-1)!,
    kernels,
    onProgress(label, done) {
      if (done === 0) onStage?.(`approximating ${patches.cols} faces not learned from: ${label}`);
      else onProgress?.(`${label}: ${done} of ${patches.cols}`);
    },
  });
  const claims = judge(config, curves);
  const device = `${kernels.name}: ${kernels.description}`;
  const seconds = (performance.now() - start) / 1000;
  return {
    header: ["PSNR (dB), coefficients kept", ...terms.map((M) => `${M}`)],
    rows: curves.map(({ label, psnr }) => [label, ...terms.map((M) => psnr[M].toFixed(2))]),
    claims,
    values: { terms, psnr: Object.fromEntries(curves.map(({ label, psnr }) => [label, psnr])) },
    files: facesFiles({
      config,
      models,
      curves,
      claims,
      tested: patches.cols,
      sources,
      device,
      seconds,
    }),
  };
}

/** In the order of the table: the dictionary of the paper last. */
function methodsOf(config: FacesConfig): Method[] {
  const { patch, base, atoms, atomSparsity, sparsity, examples, epochs, batch, seed, components, sedil } =
    config;
  const shared = { patch, seed, holdout: 0 } as const;
  return [
    {
      label: "PCA", // the whole set at once: one decomposition
      options: {
        ...shared,
        learner: "pca",
        base: "identity",
        atoms: components,
        examples,
        batch: examples,
        coding: { sparsity: 1 },
      },
    },
    { label: "SeDiL", options: { ...shared, ...sedil, learner: "sedil", batch, coding: { sparsity } } },
    {
      label: learned,
      options: { ...shared, base, atoms, atomSparsity, coding: { sparsity }, examples, epochs, batch },
    },
  ];
}

async function learn(
  images: readonly Signal[],
  options: TrainOptions,
  { kernels, signal, follow }: ExperimentTools,
): Promise<Model> {
  const run = train(images, { ...options, kernels, signal });
  if (follow) await follow(run);
  return run.model();
}
