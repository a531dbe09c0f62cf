/**
 * The settings of a run as a page has them: plain values that travel to the worker, and what they are by default. Made for
 * a page that shows atoms while they change: fewer atoms, smaller batches and more tests than the command line has by
 * default, all of which its command names.
 */

import type { LearnerName, TrainOptions } from "trainlets";
import { defaultAtomSparsity, defaultSparsity, learners } from "trainlets/parts";

export interface LearnSettings {
  readonly patch: readonly number[];
  readonly learner: LearnerName;
  /** A name; empty for that of the command line. */
  readonly base: string;
  readonly atoms: number;
  /** Non-zeros per atom. */
  readonly atomSparsity: number;
  /** Atoms per patch. */
  readonly sparsity: number;
  readonly examples: number;
  readonly epochs: number;
  readonly batch: number;
  readonly seed: number;
}

/** Patches held out, and patches between two tests: often, so that the curve of the test error moves. */
export const testing = { holdout: 1000, perTest: 5000 } as const;

/** The most axes of a patch. */
const mostAxes = 4;

/** A patch that is learned from in seconds: of a picture, of a signal, of a volume. */
export function defaultPatch(shape: readonly number[]): readonly number[] {
  if (shape.length === 1) return [64];
  if (shape.length === 3) return shape[2] === 3 ? [8, 8, 3] : [8, 8, 8];
  return shape.length === 2 ? [16, 16] : shape.map(() => 4);
}

/** The sizes in a text such as `16x16`; one number is this size along every axis of the data. */
export function patchFrom(text: string, shape: readonly number[]): readonly number[] | undefined {
  const sizes = text.trim() === "" ? [] : text.trim().split(/\s*[x×,]\s*/i);
  if (sizes.length === 0 || sizes.length > mostAxes || !sizes.every((size) => /^\d+$/.test(size)))
    return undefined;
  const numbers = sizes.map(Number);
  if (numbers.some((size) => size < 1)) return undefined;
  if (numbers.length > 1 || shape.length === 1) return numbers;
  const isColour = shape.length === 3 && shape[2] === 3;
  return isColour ? [numbers[0], numbers[0], 3] : shape.map(() => numbers[0]);
}

const sizeOf = (shape: readonly number[]): number => shape.reduce((n, size) => n * size, 1);

/** About as many atoms as samples, between 64 and 400. */
export function defaultAtoms(patch: readonly number[]): number {
  const n = sizeOf(patch);
  return Math.max(64, Math.min(400, Math.max(n, Math.min(2 * n, 256))));
}

export function defaultsFor(patch: readonly number[], learner: LearnerName): LearnSettings {
  const n = sizeOf(patch);
  const { takes, defaults } = learners[learner];
  const isOnline = takes === "mini-batches";
  return {
    patch,
    learner,
    base: "",
    atoms: learner === "pca" ? Math.min(n, defaultAtoms(patch)) : defaultAtoms(patch),
    atomSparsity: defaultAtomSparsity(n, Infinity),
    sparsity: defaultSparsity(n),
    examples: Math.min(isOnline ? 30_000 : 4000, defaults?.examples ?? Infinity),
    epochs: defaults?.epochs ?? 10,
    batch: 64,
    seed: 1,
  };
}

/** Whether the learner has this setting. */
export function uses(learner: LearnerName, setting: "atoms" | "atomSparsity" | "batch"): boolean {
  const { ownOptions } = learners[learner];
  if (setting === "atomSparsity") return ownOptions.includes("atomSparsity");
  return learner !== "sedil" || setting !== "atoms";
}

/** The options of the library; those of `start`, a dictionary to start from, are taken from it. */
export function optionsOf(settings: LearnSettings, hasStart: boolean): TrainOptions {
  const { patch, learner, base, atoms, atomSparsity, sparsity, examples, epochs, batch, seed } = settings;
  return {
    patch,
    learner,
    ...(hasStart || base === "" ? {} : { base }),
    ...(hasStart || !uses(learner, "atoms") ? {} : { atoms }),
    ...(!hasStart && uses(learner, "atomSparsity") ? { atomSparsity } : {}),
    coding: { sparsity },
    examples,
    epochs,
    batch,
    seed,
    holdout: testing.holdout,
    testEvery: testEvery(settings),
  };
}

/** Patches between two tests: after each pass, for a learner of the whole set. */
export function testEvery({ learner, examples }: LearnSettings): number {
  return learners[learner].takes === "whole set" ? examples : testing.perTest;
}
