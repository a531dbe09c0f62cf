/**
 * How long a run is by default: its mini-batch and its epochs, from the number of distinct examples N, the
 * atoms m and the atoms p of a code (docs/decisions/0026-small-sets.md).
 *
 * With 200,000 examples or more, it is one epoch in batches of 512: at least 390 updates. With fewer, a run
 * makes as many updates, first in smaller batches, down to those that use an atom twice (N p/m = 2), then in
 * more epochs over the same examples. So no default run codes many more than 200,000 examples.
 *
 *     batch  = N/390, rounded down to a power of two, but in [2m/p, 512] (a power of two, at least 32)
 *     epochs = the fewest that make 390 updates
 *
 * An explicit batch or number of epochs is taken as it is, and the other follows from it. A batch above 512
 * does not bring more epochs. This is for learners of mini-batches alone: those with epochs of their own by
 * default (a learner of the whole set, `pca`) keep them.
 */

import { counted, grouped } from "../../../core/formatText.js";
import { powerBelow } from "../../../core/units.js";
import { baseRows } from "../../../dictionaries/base.js";
import { expectedSparsity } from "../../../pursuit/encoder.js";
import type { LearnerKind, LearnerOptions } from "../../learners/learner.js";
import { osdlDefaults } from "../../learners/osdl.js";

/** What the length of a run follows from. */
export interface RunSize {
  /** `N`: distinct examples, those of an epoch. */
  readonly examples: number;
  /** `m`. */
  readonly atoms: number;
  /** `p`: the most atoms of a code. */
  readonly sparsity: number;
}

export interface RunLength {
  /** Examples per mini-batch. */
  readonly batch: number;
  readonly epochs: number;
}

/** Updates that a run makes at least, by default. */
export const enoughUpdates = 390;

/** Batches by default: the smallest that are ever chosen, and those of large sets. */
const batches = { least: 32, most: osdlDefaults.batch } as const;

/** How often a batch uses an atom on average, at least, unless the batch is the largest. */
const usesPerBatch = 2;

/**
 * A run with fewer updates, or fewer uses of an atom on average, is too short to learn from. With fewer test examples, small
 * differences of the test error are chance.
 */
const tooFew = { updates: 100, uses: 20, tests: 50 } as const;

/** Whether the length of a run follows from its size: the learner has no epochs of its own. */
export function followsSize({ takes, defaults }: LearnerKind): boolean {
  return takes === "mini-batches" && defaults?.epochs === undefined;
}

/** The size of a run with this many examples; a code without a limit on its atoms counts as one with the usual limit. */
export function sizeOfRun({ base, atoms, coding }: LearnerOptions, examples: number): RunSize {
  return { examples, atoms, sparsity: expectedSparsity(coding, baseRows(base), atoms) };
}

/** The mini-batch and the epochs of a run of this size, where they are not given. */
export function defaultLength(size: RunSize, given: Partial<RunLength> = {}): RunLength {
  const batch = given.batch ?? defaultBatch(size);
  const epochs =
    given.epochs ?? Math.ceil(enoughUpdates / updatesPerEpoch(size, Math.min(batch, batches.most)));
  return { batch, epochs };
}

function defaultBatch({ examples, atoms, sparsity }: RunSize): number {
  const least = powerBelow((Math.SQRT2 * usesPerBatch * atoms) / sparsity); // the nearest power
  const once = powerBelow(examples / enoughUpdates);
  return Math.min(batches.most, Math.max(batches.least, least, once));
}

function updatesPerEpoch({ examples }: RunSize, batch: number): number {
  return Math.max(1, Math.ceil(examples / batch));
}

/**
 * Examples between two tests by default: an epoch; several if there are more than a hundred; a fifth of one where it is the
 * only one and the set is small.
 */
export function defaultTestEvery(examples: number, epochs: number): number {
  const isSmall = examples < enoughUpdates * batches.most;
  return epochs === 1 && isSmall ? Math.ceil(examples / 5) : examples * Math.ceil(epochs / 100);
}

/** What was chosen, and why, in words; undefined for one epoch in the largest batches, or if nothing was chosen. */
export function describeLength(size: RunSize, given: Partial<RunLength>): string | undefined {
  const { batch, epochs } = defaultLength(size, given);
  const chosen = [
    ...(given.batch === undefined && batch < batches.most
      ? [batch < size.examples ? `batches of ${grouped(batch)}` : "all in one batch"]
      : []),
    ...(given.epochs === undefined && epochs > 1 ? [counted(epochs, "epoch")] : []),
  ];
  if (chosen.length === 0) return undefined;
  const updates = epochs * updatesPerEpoch(size, batch);
  return `${chosen.join(" and ")} for a small set: ${counted(updates, "update")}, ${describeUses(size, epochs)}`;
}

/** One line about a run that is too short to learn from, or none. */
export function describeShortRun(size: RunSize, { batch, epochs }: RunLength): string[] {
  const perEpoch = updatesPerEpoch(size, batch);
  const perAtom = usesPerEpoch(size);
  const updates = epochs * perEpoch;
  if (updates >= tooFew.updates && epochs * perAtom >= tooFew.uses) return [];
  const better = Math.max(Math.ceil(enoughUpdates / perEpoch), Math.ceil(tooFew.uses / perAtom));
  const longer = `${counted(better, "epoch")} would make ${counted(better * perEpoch, "update")}`;
  return [`a short run: only ${counted(updates, "update")}, ${describeUses(size, epochs)}; ${longer}`];
}

/** One line about a test set of few examples, or none. */
export function describeFewTests(tested: number): string[] {
  if (tested === 0 || tested >= tooFew.tests) return [];
  return [`tested on ${counted(tested, "example")} only: the test error is a rough guide`];
}

/** How often an epoch uses an atom, on average and at most. */
export function usesPerEpoch({ examples, atoms, sparsity }: RunSize): number {
  return (examples * sparsity) / atoms;
}

function describeUses(size: RunSize, epochs: number): string {
  const uses = epochs * usesPerEpoch(size);
  return `each atom used about ${uses < 10 ? uses.toFixed(1) : grouped(Math.round(uses))} times`;
}
