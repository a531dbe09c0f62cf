/**
 * What the learners of an explicit dictionary D (n × m) share: how it is created, saved,
 * checked and turned into a model, and how examples take the place of its atoms.
 */

import {
  having,
  kernels as kernelsType,
  requireArgument,
  requireArguments,
} from "../../core/arguments/argumentTypes.js";
import { inputError } from "../../core/errors.js";
import { baseRows } from "../../dictionaries/base.js";
import { ExplicitDictionary, unitColumns } from "../../dictionaries/dictionary.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { Model, type ModelMeta } from "../../model/model.js";
import { Encoder, resolveLimits } from "../../pursuit/encoder.js";
import { maxReplaced } from "../atoms/atomCare.js";
import { startMemory } from "../atoms/exampleStart.js";
import { savableExplicitDictionary, savableTogether } from "../checkpoints/checkpointParts.js";
import type {
  Learner,
  LearnerOptions,
  LearnerSetting,
  MemoryOptions,
  MemoryPart,
  OwnWork,
  ReplaceableAtoms,
} from "./learner.js";
import { type CodingState, Tally } from "./tally.js";

export interface ExplicitState extends CodingState {
  readonly dictionary: ExplicitDictionary;
}

/** All of it but room for residuals, which is a learner's own: those of a mini-batch, or of the whole set. */
export type ExplicitParts = Omit<ExplicitState, "residual">;

const explicitState = having("a state, as createExplicit returns it", [], ["dictionary", "encoder", "tally"]);

/** D, its pursuit and its tally, from the atoms of the setting. */
export async function createExplicit(setting: LearnerSetting): Promise<ExplicitParts> {
  requireArgument(
    "createExplicit",
    "setting",
    setting,
    having("a setting, as a run gives to `create`", [], ["options"]),
  );
  const { options, atoms, examples, kernels } = setting;
  if (!atoms) throw inputError("createExplicit", "setting.atoms", "must be a function", atoms);
  const { base, coding, batch } = options;
  const dictionary = await ExplicitDictionary.create(base.shape, await atoms(), kernels);
  const { rows: n, cols: m } = dictionary;
  const encoder = new Encoder(
    dictionary,
    resolveLimits("train", coding, n, m),
    Math.min(batch, examples),
    kernels,
  );
  return { dictionary, encoder, tally: new Tally(m, kernels) };
}

/** Free an explicit dictionary and its workspace. */
export function freeExplicit(parts: ExplicitParts): void {
  requireArgument("freeExplicit", "parts", parts, explicitState);
  const { dictionary, encoder, tally } = parts;
  tally.free();
  encoder.free();
  dictionary.free();
}

/** A learner of an explicit dictionary as the training loop sees it. */
export function explicitLearner(state: ExplicitState, kernels: Kernels, work: OwnWork): Learner {
  requireArguments("explicitLearner", {
    state: [state, explicitState],
    kernels: [kernels, kernelsType],
    work: [work, having("a learner's own work, { update, free, … }", ["update", "free"])],
  });
  const { savable = [], ...own } = work;
  const { dictionary, encoder, tally } = state;
  return {
    get step() {
      return tally.step;
    },
    encoder,
    replaceable: undefined,
    savable: savableTogether(savableExplicitDictionary(dictionary, kernels), ...savable, tally.savable),
    report: () => tally.report(),
    findNonFinite: () => findNonFinite(dictionary, kernels),
    model: (meta) => explicitModel(state, meta, kernels),
    ...own,
  };
}

export async function explicitModel(
  { dictionary, tally }: ExplicitState,
  meta: ModelMeta,
  kernels: Kernels,
): Promise<Model> {
  const D = await kernels.readMatrix(dictionary.atoms);
  return Model.explicit(dictionary.shape, D, meta, { uses: await tally.readUses() });
}

/** The atoms as atom care sees them: an atom is replaced by an example of unit norm. */
export function replaceableColumns(
  { dictionary, tally, residual }: ExplicitState,
  kernels: Kernels,
): ReplaceableAtoms {
  const replace = async (atoms: readonly number[], Y: DeviceMatrix) => {
    const D = await kernels.readMatrix(dictionary.atoms);
    const examples = unitColumns(await kernels.readMatrix(Y));
    atoms.forEach((atom, i) => D.column(atom).set(examples.column(i)));
    await kernels.writeMatrix(dictionary.atoms, D);
    await dictionary.refresh();
  };
  return { uses: tally.uses, residual, coherence: (target) => dictionary.coherence(target), replace };
}

/** The first atom that is not finite. */
async function findNonFinite(D: ExplicitDictionary, kernels: Kernels): Promise<string | undefined> {
  const energies = kernels.matrix(1, D.cols);
  await kernels.columnEnergies(D.atoms, energies);
  const bad = (await kernels.readMatrix(energies)).data.findIndex((energy) => !Number.isFinite(energy));
  kernels.free(energies);
  return bad < 0 ? undefined : `atom ${bad} is not finite`;
}

/** `both` is for sparse atoms alone. */
export function checkStart(learner: string): (options: LearnerOptions) => void {
  return ({ init }) => {
    if (init === "both") throw inputError("train", "init", `must be base or examples for ${learner}`, init);
  };
}

/** The memory of D, its Gram matrix and a pursuit over it, for updates of N examples coded `batch` at a time. */
export function explicitMemory(options: MemoryOptions, N: number): MemoryPart[] {
  const { base, atoms: m, batch, coding, hasAtomCare } = options;
  const n = baseRows(base);
  const p = coding.sparsity ?? Math.min(n, m);
  const coded = Math.min(batch, N); // and as many to test on
  const parts = [
    { what: "Gram matrix", bytes: 4 * m * m },
    { what: "atoms", bytes: 4 * n * m },
    { what: "examples", bytes: 4 * (N * (n + 1) + coded * (2 * n + m + 2 * p + 4)) },
    { what: "atom care", bytes: hasAtomCare ? 4 * n * maxReplaced(m) : 0 },
  ];
  return parts;
}

/** The same for a learner that may start from the base, with what that takes. */
export function startedMemory(options: MemoryOptions, N: number): MemoryPart[] {
  const parts = explicitMemory(options, N);
  return options.init === "base" ? [...parts, startMemory(options, parts)] : parts;
}
