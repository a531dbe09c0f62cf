/** The three dictionaries learned for figure 8, each a part of the run: PCA, SeDiL until its cost settles, OSDL. */

import type { Signal } from "../../core/signal.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import type { Model } from "../../model/model.js";
import type { ExperimentTools } from "../shared/experiment.js";
import { trainletsLabel } from "../shared/mTermComparison.js";
import type { StageClock } from "../shared/stageClock.js";
import { type LearningPoint, type LearningRecord, trainPart } from "../shared/trainPart.js";
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
    const { part, training, tolerance } = method;
    const isDone = (points: readonly LearningPoint[]) =>
      tolerance !== undefined && hasSettled(costsOf(points), tolerance);
    const { model, record } = await trainPart(tools, part, images, training, { isDone });
    clock.add(`learning: ${method.label}`, record.seconds);
    models.push({ method, model, record });
  }
  return models;
}

/** The cost after each update, of a method that has one. */
export function costsOf(points: readonly LearningPoint[]): number[] {
  return points.flatMap(({ cost }) => cost ?? []);
}

/** Updates over which the change of a cost is averaged: that of one alone may be small by chance. */
const settledOver = 10;

/** Whether the last updates changed the cost by less than this fraction each, on average. */
export function hasSettled(costs: readonly number[], tolerance: number): boolean {
  if (costs.length <= settledOver) return false;
  const before = costs[costs.length - 1 - settledOver];
  const after = costs[costs.length - 1];
  return Math.abs(before - after) < settledOver * tolerance * Math.abs(before);
}
