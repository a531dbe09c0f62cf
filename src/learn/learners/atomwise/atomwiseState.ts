/**
 * What the learners of D = ΦA that update atom by atom share: the dictionary and its
 * pursuit, the sweep over its atoms, new atoms for atom care. How codes are made and
 * how an atom is updated is up to each learner.
 */

import { baseRows } from "../../../dictionaries/base.js";
import { SparseDictionary } from "../../../dictionaries/dictionary.js";
import type { DeviceMatrix } from "../../../kernels/contract.js";
import { Encoder, resolveLimits } from "../../../pursuit/encoder.js";
import { atomCareMemory, NewAtoms } from "../../atoms/atomCare.js";
import { startMemory } from "../../atoms/exampleStart.js";
import {
  correlationsOf,
  gramMemory,
  type LearnerOptions,
  type LearnerSetting,
  type MemoryOptions,
  type MemoryPart,
  type ReplaceableAtoms,
} from "../learner.js";
import { type SparseState, Tally } from "../tally.js";
import { AtomSweep, sweepMemory } from "./atomSweep.js";

export interface AtomwiseState extends SparseState {
  readonly options: LearnerOptions;
  readonly sweep: AtomSweep;
  readonly newAtoms: NewAtoms;
}

/** All of it but room for residuals, which is a learner's own: those of a mini-batch, or of the whole set. */
export type AtomwiseParts = Omit<AtomwiseState, "residual">;

/** Start from the atoms of the setting; the encoder takes `capacity` examples at a time. */
export async function createAtomwise(
  { options, start, kernels }: LearnerSetting,
  capacity: number,
): Promise<AtomwiseParts> {
  const { base, atomSparsity, coding } = options;
  const dictionary = await SparseDictionary.create(base, start, kernels, atomSparsity);
  const { rows: n, cols: m } = dictionary;
  return {
    options,
    dictionary,
    encoder: new Encoder(dictionary, resolveLimits("train", coding, n, m), capacity, kernels),
    tally: new Tally(m, kernels),
    sweep: await AtomSweep.create(dictionary, kernels),
    newAtoms: new NewAtoms(dictionary, atomSparsity, kernels),
  };
}

export function freeAtomwise({ dictionary, encoder, tally, sweep, newAtoms }: AtomwiseParts): void {
  newAtoms.free();
  sweep.free();
  tally.free();
  encoder.free();
  dictionary.free();
}

/** The atoms as atom care sees them; `onReplaced` is called when some have been replaced. */
export function replaceableAtoms(
  { dictionary, tally, residual, newAtoms }: AtomwiseState,
  onReplaced: () => void = () => {},
): ReplaceableAtoms {
  const replace = async (atoms: readonly number[], Y: DeviceMatrix) => {
    await newAtoms.replace(atoms, Y);
    onReplaced();
  };
  return { uses: tally.uses, residual, coherence: (target) => dictionary.coherence(target), replace };
}

/** The memory for `held` examples whose signals and residuals are kept, `coded` at a time. */
export function atomwiseMemory(options: MemoryOptions, held: number, coded: number): MemoryPart[] {
  const { base, atoms: m, atomSparsity: k, coding } = options;
  const n = baseRows(base);
  const p = coding.sparsity ?? Math.min(n, m);
  const parts = [
    ...gramMemory(options),
    atomCareMemory(options),
    { what: "examples", bytes: 4 * held * (2 * n + 2 * p + 3) },
    { what: "coding", bytes: 4 * coded * (n + correlationsOf(options) + 2 * p + 3) },
    sweepMemory(options),
    { what: "atoms", bytes: 8 * k * m },
  ];
  return [...parts, startMemory(options, parts)];
}
