/**
 * The settings of a run as a page has them: plain values that travel to the worker, and what they are by default. Made for
 * a page that shows atoms while they change: fewer atoms, smaller batches and more tests than the command line has by
 * default, all of which its command names.
 */

import type { LearnerName, TrainOptions } from "trainlets";
import { defaultAtomSparsity, defaultSparsity } from "trainlets/parts";

/** What a page knows of a learner. */
export interface LearnerFacts {
  readonly name: LearnerName;
  readonly summary: string;
  readonly isOnline: boolean;
  /** Whether its atoms are sparse over the base. */
  readonly hasAtomSparsity: boolean;
  readonly canStartFromModel: boolean;
  /** Its own defaults, where it has them. */
  readonly epochs: number | undefined;
  readonly examples: number | undefined;
}

export interface LearnSettings {
  readonly patch: readonly number[];
  readonly learner: LearnerFacts;
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
function defaultAtoms(patch: readonly number[]): number {
  const n = sizeOf(patch);
  return Math.max(64, Math.min(400, Math.max(n, Math.min(2 * n, 256))));
}

export function defaultsFor(patch: readonly number[], learner: LearnerFacts): LearnSettings {
  const n = sizeOf(patch);
  const { name, isOnline, examples, epochs } = learner;
  return {
    patch,
    learner,
    base: "",
    atoms: name === "pca" ? Math.min(n, defaultAtoms(patch)) : defaultAtoms(patch),
    atomSparsity: defaultAtomSparsity(n, Infinity),
    sparsity: defaultSparsity(n),
    examples: Math.min(isOnline ? 30_000 : 4000, examples ?? Infinity),
    epochs: epochs ?? 10,
    batch: 64,
    seed: 1,
  };
}

/** Whether the number of atoms can be chosen: that of `sedil` is the number of base atoms. */
export function choosesAtoms({ name }: LearnerFacts): boolean {
  return name !== "sedil";
}

/** The options of the library; those of `start`, a dictionary to start from, are taken from it. */
export function optionsOf(settings: LearnSettings, hasStart: boolean): TrainOptions {
  const { patch, learner, base, atoms, atomSparsity, sparsity, examples, epochs, batch, seed } = settings;
  return {
    patch,
    learner: learner.name,
    ...(hasStart || base === "" ? {} : { base }),
    ...(hasStart || !choosesAtoms(learner) ? {} : { atoms }),
    ...(!hasStart && learner.hasAtomSparsity ? { atomSparsity } : {}),
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
  return learner.isOnline ? testing.perTest : examples;
}
