/**
 * What the learners of explicit dictionaries share: D and its Gram matrix, the
 * pursuit over it, what reports and atom care need, and the model in the end.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import { baseRows } from "../../dictionaries/base.js";
import { ExplicitDictionary, unitColumns } from "../../dictionaries/explicitDictionary.js";
import type { DeviceMatrix, DeviceSet, DeviceSparse, Kernels } from "../../kernels/contract.js";
import { Model, type ModelMeta } from "../../model/model.js";
import { Encoder } from "../../pursuit/encoder.js";
import { resolveLimits } from "../../pursuit/limits.js";
import { mostReplaced } from "../atoms/newAtoms.js";
import {
  type Kept,
  keptExplicit,
  keptMatrix,
  keptNumbers,
  keptTogether,
} from "../checkpoints/checkpointParts.js";
import { explicitFlaw } from "./finite.js";
import type { LearnerOptions, LearnerReport, LearnerSetting, MemoryPart } from "./learner.js";

export class ExplicitState {
  readonly dictionary: ExplicitDictionary;
  readonly encoder: Encoder;
  /** How many examples used each atom since atoms were last looked after, m × 1. */
  readonly uses: DeviceMatrix;
  /** R = Y − DX of the examples last coded. */
  readonly residual: DeviceMatrix;
  /** The atoms that the last examples used. */
  readonly used: DeviceSet;
  /** ‖R‖² since the last report. */
  readonly #error: DeviceMatrix;
  readonly kernels: Kernels;
  /** Updates so far. */
  step = 0;
  #samples = 0;

  private constructor(
    dictionary: ExplicitDictionary,
    { coding, batch }: LearnerOptions,
    examples: number,
    kernels: Kernels,
  ) {
    const { rows: n, cols: m } = dictionary;
    this.dictionary = dictionary;
    this.encoder = new Encoder(
      dictionary,
      resolveLimits("train", coding, n, m),
      Math.min(batch, examples),
      kernels,
    );
    this.uses = kernels.matrix(m, 1);
    this.residual = kernels.matrix(n, this.encoder.capacity);
    this.used = kernels.set(m);
    this.#error = kernels.matrix(1, 1);
    this.kernels = kernels;
  }

  static async open({ options, atoms, examples, kernels }: LearnerSetting): Promise<ExplicitState> {
    if (!atoms) throw new TypeError("ExplicitState.open: there must be atoms to start from");
    const dictionary = await ExplicitDictionary.create(options.base.shape, await atoms(), kernels);
    return new ExplicitState(dictionary, options, examples, kernels);
  }

  /** Codes of the columns of Y, at most a mini-batch; uses, the residual and its energy are taken note of. */
  async code(Y: DeviceMatrix): Promise<DeviceSparse> {
    const { kernels } = this;
    const X = await this.encoder.encode(Y);
    const R = kernels.head(this.residual, Y.cols);
    await this.encoder.residual(Y, X, R);
    await this.tally(X, R);
    return X;
  }

  /** Count codes and the error they leave, before their update. */
  async tally(X: DeviceSparse, R: DeviceMatrix): Promise<void> {
    const { kernels } = this;
    await kernels.usedAtoms(X, this.used);
    await kernels.countUses(X, this.uses);
    await kernels.squaredNorm(R, this.#error, 0, { add: true });
    this.#samples += R.rows * R.cols;
  }

  /** All of it that is carried from one update to the next. */
  get kept(): Kept {
    const { dictionary, uses, kernels } = this;
    return keptTogether(
      keptExplicit(dictionary, kernels),
      keptMatrix("uses", uses, kernels),
      keptMatrix("energy", this.#error, kernels),
      keptNumbers(
        "counters",
        () => [this.step, this.#samples],
        ([step, samples]) => {
          this.step = step;
          this.#samples = samples;
        },
      ),
    );
  }

  flaw(): Promise<string | undefined> {
    return explicitFlaw(this.dictionary, this.kernels);
  }

  async report(): Promise<LearnerReport> {
    const { kernels } = this;
    const read = [kernels.readMatrix(this.#error), kernels.readSet(this.used)] as const; // one way back
    const [error, { length: atomsUsed }] = await Promise.all(read);
    const rmse = this.#samples > 0 ? Math.sqrt(error.data[0] / this.#samples) : 0;
    error.data[0] = 0;
    await kernels.writeMatrix(this.#error, error);
    this.#samples = 0;
    return { step: this.step, rmse, stepSize: 0, atomsUsed };
  }

  /** Examples, scaled to unit norm, in place of atoms. */
  async replace(atoms: readonly number[], Y: DeviceMatrix): Promise<void> {
    const { dictionary, kernels } = this;
    const D = await kernels.readMatrix(dictionary.atoms);
    const examples = unitColumns(await kernels.readMatrix(Y));
    atoms.forEach((atom, i) => D.column(atom).set(examples.column(i)));
    await kernels.writeMatrix(dictionary.atoms, D);
    await dictionary.refresh();
  }

  async model(meta: ModelMeta): Promise<Model> {
    const { dictionary, kernels } = this;
    const D: DenseMatrix = await kernels.readMatrix(dictionary.atoms);
    const uses = Uint32Array.from((await kernels.readMatrix(this.uses)).data);
    return Model.explicit(dictionary.shape, D, meta, { uses });
  }

  free(): void {
    this.kernels.free(this.uses, this.residual, this.used, this.#error);
    this.encoder.free();
    this.dictionary.free();
  }
}

/** The memory of D, its Gram matrix and a pursuit over it, for updates of N examples coded `batch` at a time. */
export function explicitMemory(
  options: LearnerOptions & { readonly cares: boolean },
  N: number,
): MemoryPart[] {
  const { base, atoms: m, batch, coding, cares } = options;
  const n = baseRows(base);
  const p = coding.sparsity ?? Math.min(n, m);
  const coded = Math.min(batch, N); // and as many to test on
  return [
    { what: "Gram matrix", bytes: 4 * m * m },
    { what: "atoms", bytes: 4 * n * m },
    { what: "examples", bytes: 4 * (N * (n + 1) + coded * (2 * n + m + 2 * p + 4)) },
    { what: "atom care", bytes: cares ? 4 * n * mostReplaced(m) : 0 },
  ];
}
