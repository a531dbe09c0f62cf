/**
 * NIHT over the whole set: the batch method of §IV-A of [Sulam16], whose cost never rises.
 *
 * One update is one turn of the alternation over the whole set Y:
 *
 *     X ← SparseCode(Y, Φ, A), or the codes of the turn before where they are better
 *     for j = 1 … m:
 *         aⱼ ← P_k[aⱼ − ηⱼ∇f(aⱼ)] until it moves no more     (9)    NihtUpdate.columns
 *         R  ← the residual with the new atom                       AtomSweep
 *
 * The step of NIHT never raises f(aⱼ), and the choice between old and new codes never
 * raises the error of an example, so that ‖Y − ΦAX‖² falls from turn to turn, or stays.
 *
 * Departures from the text: D1 to D3 in nihtUpdate.ts, D4 in niht.ts, and, each with a test of
 * the same name in nihtBatch.test.ts,
 *   D5 codes kept  Where the new code of an example is worse, the code of the turn before stays
 *                  as it is. The text takes the best code on its support, which the next
 *                  pursuit finds where it pays; the guarantee is the same.
 *   D6 few steps   (9) is applied at most `iterations` times to an atom in a turn.
 *   D7 atom care   None unless it is asked for: a replaced atom may raise the cost.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §IV-A.
 */

import type { SparseColumns } from "../../../core/matrix.js";
import type { DeviceMatrix } from "../../../kernels/contract.js";
import { heldPart, type Kept, keptTogether, savedSparse } from "../../checkpoints/checkpointParts.js";
import type { LearnerKind } from "../learner.js";
import { AtomwiseLearner, type AtomwiseParts, atomwiseMemory, atomwiseParts } from "./atomwiseLearner.js";
import { CodedSet } from "./codedSet.js";
import { meanOf } from "./niht.js";
import { NihtUpdate, nihtMemory } from "./nihtUpdate.js";

/** Times that (9) is applied to an atom in a turn, and the part of its norm that is no move any more. */
const [iterations, tolerance] = [10, 1e-3];

/** The batch method as the training loop sees it. */
export const nihtBatch: LearnerKind = {
  summary: "NIHT over the whole set, whose cost never rises",
  takes: "whole set",
  own: ["atomSparsity"],
  defaults: { epochs: 10, careEvery: false },
  memory: (options, N) => [...atomwiseMemory(options, N, options.batch), nihtMemory(options)],
  async create(setting) {
    const parts = await atomwiseParts(setting);
    const { options, kernels } = setting;
    return new BatchNiht(parts, await NihtUpdate.create(parts.dictionary, options.atomSparsity, kernels));
  },
};

class BatchNiht extends AtomwiseLearner {
  protected readonly residual: DeviceMatrix;
  readonly #set: CodedSet;
  readonly #niht: NihtUpdate;
  /** The codes of the turn before, where they are those of this dictionary. */
  #codes: SparseColumns | undefined;

  constructor(parts: AtomwiseParts, update: NihtUpdate) {
    const { options, examples, kernels } = parts.setting;
    super(parts, options.batch);
    this.#set = new CodedSet(this.encoder, examples, kernels);
    this.residual = this.#set.residual;
    this.#niht = update;
  }

  async update(Y: DeviceMatrix): Promise<void> {
    const { kernels } = this;
    const X = kernels.headSparse(this.#set.X, Y.cols);
    const R = kernels.head(this.#set.residual, Y.cols);
    const codes = await this.#betterCodes(Y, R);
    await this.#set.take(codes, Y);
    await this.tally(X, R);
    const steps: number[] = [];
    const options = { atomSparsity: this.options.atomSparsity, iterations, decay: 1, tolerance };
    const { atoms, norms } = await this.sweep.run(
      X,
      R,
      async (group) => {
        const columns = await this.#niht.columns(group, options);
        steps.push(...this.#niht.steps);
        return columns;
      },
      false,
    );
    this.#codes = scaledRows(codes, norms);
    this.took(atoms.length, meanOf(steps));
  }

  /** New codes, and old ones for the examples where they leave less than the new, and more than what is asked for (D5). */
  async #betterCodes(Y: DeviceMatrix, R: DeviceMatrix): Promise<SparseColumns> {
    const { kernels } = this;
    const { codes, energies } = await this.#set.encode(Y);
    const old = this.#codes;
    if (!old) return codes;
    const before = kernels.matrix(1, Y.cols);
    await this.#set.take(old, Y); // once more, without the rounding of the sweep
    await kernels.columnEnergies(R, before);
    const left = (await kernels.readMatrix(before)).data;
    kernels.free(before);
    const enough = this.encoder.limits.residualEnergy;
    for (let i = 0; i < codes.cols; i++) {
      if (energies[i] <= Math.max(left[i], enough)) continue;
      codes.slice(i, i + 1).indices.set(old.slice(i, i + 1).indices);
      codes.slice(i, i + 1).values.set(old.slice(i, i + 1).values);
      codes.counts[i] = old.counts[i];
    }
    return codes;
  }

  override get kept(): Kept {
    return keptTogether(super.kept, {
      parts: () => {
        const codes = this.#codes;
        if (!codes) return [];
        return (["indices", "values", "counts"] as const).map((what) => heldPart(`X.${what}`, codes[what]));
      },
      restore: async (saved) => {
        this.#codes = saved.has("X.counts") ? await savedSparse(saved, "X", this.#set.X) : undefined;
      },
    });
  }

  protected override replaced(): void {
    this.#codes = undefined;
  }

  override free(): void {
    this.#niht.free();
    this.#set.free();
    super.free();
  }
}

/** diag(factors) X, in place: codes over atoms that were divided by as much. */
function scaledRows(X: SparseColumns, factors: Float64Array): SparseColumns {
  for (let s = 0; s < X.values.length; s++) X.values[s] *= factors[X.indices[s]];
  return X;
}
