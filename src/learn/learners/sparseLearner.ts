/** What the learners of D = ΦA share: how it is saved, checked and turned into a model. */

import type { SparseDictionary } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import { Model } from "../../model/model.js";
import { savableSparseDictionary, savableTogether } from "../checkpoints/checkpointParts.js";
import type { Learner, OwnWork } from "./learner.js";
import type { CodingState } from "./tally.js";

export interface SparseState extends CodingState {
  readonly dictionary: SparseDictionary;
}

/** A learner of D = ΦA as the training loop sees it. */
export function sparseLearner(
  { dictionary, encoder, tally }: SparseState,
  kernels: Kernels,
  { savable = [], ...own }: OwnWork,
): Learner {
  return {
    get step() {
      return tally.step;
    },
    encoder,
    replaceable: undefined,
    savable: savableTogether(savableSparseDictionary(dictionary, kernels), ...savable, tally.savable),
    report: () => tally.report(),
    findNonFinite: () => findNonFinite(dictionary, kernels),
    model: async (meta) => Model.of(dictionary, meta, kernels, await tally.readUses()),
    ...own,
  };
}

/** A norm above this has exploded: sums of squares are about to leave the range of f32. */
const maxNorm = 2 ** 60;
/** The same for an entry of A. */
const maxEntry = 2 ** 40;

/**
 * The first atom that is not finite. The error alone may not show one: the pursuit never picks it again. This reads
 * one number per atom, and A only if one of them looks wrong. A zero atom is fine.
 */
async function findNonFinite(D: SparseDictionary, kernels: Kernels): Promise<string | undefined> {
  const scale = (await kernels.readMatrix(D.scale)).data;
  const suspects = Array.from(scale.keys()).filter((j) => !(scale[j] > 1 / maxNorm));
  if (suspects.length === 0) return undefined;
  const A = await kernels.readSparse(D.A);
  const exploded = (j: number) => A.slice(j, j + 1).values.some((value) => !(Math.abs(value) < maxEntry));
  const bad = suspects.find((j) => scale[j] !== 0 || exploded(j)); // 1/∞ is 0 as well
  return bad === undefined ? undefined : `atom ${bad} is not finite`;
}
