/** The three dictionaries learned for figure 8, each a part of the run: PCA, SeDiL until its cost settles, OSDL. */

import type { Signal } from "../../core/signal.js";
import { train } from "../../learn/run/train.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import type { Model } from "../../model/model.js";
import { type ExperimentTools, runTraining, stopTraining } from "../shared/experiment.js";
import { trainletsLabel } from "../shared/mTermComparison.js";
import { type ModelPart, modelPart } from "../shared/parts.js";
import type { StageClock } from "../shared/stageClock.js";
import { type FacesSettings, labels } from "./settings.js";

/** A method of the table that learns. */
export interface Method {
  readonly label: string;
  /** The name of its part and of its files. */
  readonly part: string;
  readonly training: TrainOptions;
  /** The relative change of the cost per update below which learning ends. */
  readonly tolerance?: number;
}

/** How a model was learned. */
export interface LearningRecord {
  readonly updates: number;
  /** The cost after each update, of a method with a tolerance. */
  readonly costs: readonly number[];
  /** Whether the cost settled before the last update allowed. */
  readonly settled: boolean;
}

export interface LearnedModel {
  readonly method: Method;
  readonly model: Model;
  readonly record: LearningRecord;
}

/** In the order of the table: the paper's own method last. */
export function listMethods(settings: FacesSettings): Method[] {
  const { patch, base, atoms, atomSparsity, sparsity, examples, epochs, batch, seed, sedil } = settings;
  const common = { patch, seed, holdout: 0 } as const;
  return [
    {
      label: labels.pca,
      part: "pca",
      training: {
        ...common,
        learner: "pca",
        base: "identity",
        atoms: settings.components,
        examples,
        batch: examples, // one decomposition of all examples
        coding: { sparsity: 1 },
      },
    },
    {
      label: labels.sedil,
      part: "sedil",
      tolerance: sedil.tolerance,
      training: {
        ...common,
        learner: "sedil",
        base: sedil.base,
        examples: sedil.examples,
        epochs: sedil.turns,
        batch,
        coding: { sparsity },
        reportEvery: 1, // the cost of every turn
      },
    },
    {
      label: trainletsLabel,
      part: "osdl",
      training: { ...common, base, atoms, atomSparsity, coding: { sparsity }, examples, epochs, batch },
    },
  ];
}

export async function learnAll(
  settings: FacesSettings,
  images: readonly Signal[],
  tools: ExperimentTools,
  clock: StageClock,
): Promise<LearnedModel[]> {
  const models: LearnedModel[] = [];
  for (const method of listMethods(settings)) {
    tools.onStage?.(`learning: ${method.label}`);
    const part = await modelPart(tools, method.part, () => learn(method, images, tools));
    clock.add(`learning: ${method.label}`, part.seconds);
    models.push({ method, ...part.value });
  }
  return models;
}

async function learn(
  { training, tolerance }: Method,
  images: readonly Signal[],
  tools: ExperimentTools,
): Promise<ModelPart<LearningRecord>> {
  const { kernels, signal } = tools;
  const costs: number[] = [];
  let updates = 0;
  const run = train(images, { ...training, kernels, signal });
  const model = await runTraining(run, tools, ({ step, cost }) => {
    updates = step;
    if (tolerance === undefined || cost === undefined) return undefined;
    costs.push(cost);
    return hasSettled(costs, tolerance) ? stopTraining : undefined;
  });
  const settled = tolerance !== undefined && hasSettled(costs, tolerance);
  return { model, record: { updates, costs, settled } };
}

/** Whether the last update changed the cost by less than this fraction. */
export function hasSettled(costs: readonly number[], tolerance: number): boolean {
  if (costs.length < 2) return false;
  const [before, after] = costs.slice(-2);
  return Math.abs(before - after) < tolerance * Math.abs(before);
}
