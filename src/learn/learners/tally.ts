/**
 * What every learner counts, for its reports and for atom care:
 *
 *     step     updates so far
 *     ‖R‖²     the error energy since the last report, R = Y − DX before each update
 *     uses     how many examples used each atom since the last round of atom care
 *     S        the atoms that the last codes use
 *
 * The sums stay where the kernels compute; only `report` and `readUses` read them back.
 * `sparseLearner` adds what the learners of D = ΦA share besides: how the dictionary is
 * saved, checked and turned into a model.
 */

import {
  having,
  kernels as kernelsType,
  requireArgument,
  requireArguments,
} from "../../core/arguments/argumentTypes.js";
import { requireInteger } from "../../core/require.js";
import type { SparseDictionary } from "../../dictionaries/dictionary.js";
import type { DeviceMatrix, DeviceSet, DeviceSparse, Kernels } from "../../kernels/contract.js";
import { Model } from "../../model/model.js";
import type { Encoder } from "../../pursuit/encoder.js";
import type { BaseRefinement } from "../atoms/baseRefinement.js";
import {
  type Savable,
  savableMatrix,
  savableNumbers,
  savableSparseDictionary,
  savableTogether,
} from "../checkpoints/checkpointParts.js";
import type { Learner, LearnerReport, OwnWork } from "./learner.js";

export class Tally {
  /** Updates so far. */
  step = 0;
  /** How many examples used each atom since the last round of atom care, m × 1. */
  readonly uses: DeviceMatrix;
  /** S: the atoms that the last codes use. */
  readonly used: DeviceSet;
  /** ‖R‖² since the last report, and the number of samples behind it. */
  readonly #energy: DeviceMatrix;
  #samples = 0;
  readonly #kernels: Kernels;

  constructor(atoms: number, kernels: Kernels) {
    requireInteger("Tally", "atoms", atoms, 0);
    requireArgument("Tally", "kernels", kernels, kernelsType);
    this.uses = kernels.matrix(atoms, 1);
    this.used = kernels.set(atoms);
    this.#energy = kernels.matrix(1, 1);
    this.#kernels = kernels;
  }

  /** Count the codes X and their residuals R, before the update that follows from them. */
  async count(X: DeviceSparse, R: DeviceMatrix): Promise<void> {
    const kernels = this.#kernels;
    await kernels.usedAtoms(X, this.used);
    await kernels.countUses(X, this.uses);
    await kernels.addSquaredNorm(R, this.#energy, 0);
    this.#samples += R.rows * R.cols;
  }

  /** What happened since the last report; the step size is 0 unless the learner puts in its own. */
  async report(): Promise<LearnerReport> {
    const kernels = this.#kernels;
    const reads = [kernels.readMatrix(this.#energy), kernels.readSet(this.used)] as const; // one round trip
    const [energy, { length: atomsUsed }] = await Promise.all(reads);
    const rmse = this.#samples > 0 ? Math.sqrt(energy.data[0] / this.#samples) : 0;
    energy.data[0] = 0;
    await kernels.writeMatrix(this.#energy, energy);
    this.#samples = 0;
    return { step: this.step, rmse, stepSize: 0, atomsUsed };
  }

  async readUses(): Promise<Uint32Array> {
    return Uint32Array.from((await this.#kernels.readMatrix(this.uses)).data);
  }

  get savable(): Savable {
    return savableTogether(
      savableMatrix("uses", this.uses, this.#kernels),
      savableMatrix("energy", this.#energy, this.#kernels),
      savableNumbers(
        "counters",
        () => [this.step, this.#samples],
        ([step, samples]) => {
          this.step = step;
          this.#samples = samples;
        },
      ),
    );
  }

  free(): void {
    this.#kernels.free(this.uses, this.used, this.#energy);
  }
}

/** What coding a mini-batch takes. */
export interface CodingState {
  readonly encoder: Encoder;
  readonly tally: Tally;
  /** R = Y − DX of the last update, in its first columns. */
  readonly residual: DeviceMatrix;
}

/** X ← SparseCode(Y, D) and R = Y − DX for a mini-batch, both counted. */
export async function codeBatch(
  { encoder, tally, residual }: CodingState,
  Y: DeviceMatrix,
  kernels: Kernels,
): Promise<{ X: DeviceSparse; R: DeviceMatrix }> {
  const X = await encoder.encode(Y);
  const R = kernels.head(residual, Y.cols);
  await encoder.residual(Y, X, R);
  await tally.count(X, R);
  return { X, R };
}

export interface SparseState extends CodingState {
  readonly dictionary: SparseDictionary;
  /** Refines the base, where it is not fixed. */
  readonly refinement?: BaseRefinement | undefined;
}

/** A learner of D = ΦA as the training loop sees it. */
export function sparseLearner(state: SparseState, kernels: Kernels, work: OwnWork): Learner {
  requireArguments("sparseLearner", {
    state: [
      state,
      having("a state { dictionary, encoder, tally, … }", [], ["dictionary", "encoder", "tally"]),
    ],
    kernels: [kernels, kernelsType],
    work: [work, having("a learner's own work, { update, free, … }", ["update", "free"])],
  });
  const { dictionary, encoder, tally, refinement } = state;
  const { savable = [], ...own } = work;
  return {
    get step() {
      return tally.step;
    },
    encoder,
    replaceable: undefined,
    savable: savableTogether(
      ...(refinement ? [refinement.savable] : []),
      savableSparseDictionary(dictionary, kernels),
      tally.savable, // before a learner's own parts, which may need its step
      ...savable,
    ),
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
