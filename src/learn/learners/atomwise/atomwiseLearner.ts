/**
 * What learners of D = ΦA that update atom by atom have in common: dictionary,
 * encoder, the sweep over the atoms, the tally behind their reports, new atoms for
 * atom care, the model in the end. How codes are made and atoms updated is theirs.
 */

import { baseRows } from "../../../dictionaries/base.js";
import { SparseDictionary } from "../../../dictionaries/sparseDictionary.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../../../kernels/contract.js";
import { Model, type ModelMeta } from "../../../model/model.js";
import { Encoder } from "../../../pursuit/encoder.js";
import { resolveLimits } from "../../../pursuit/limits.js";
import { baseCodingMemory, NewAtoms } from "../../atoms/newAtoms.js";
import {
  type Kept,
  keptDictionary,
  keptMatrix,
  keptNumbers,
  keptTogether,
} from "../../checkpoints/checkpointParts.js";
import { sparseFlaw } from "../finite.js";
import type {
  CaredAtoms,
  Learner,
  LearnerOptions,
  LearnerReport,
  LearnerSetting,
  MemoryPart,
} from "../learner.js";
import { AtomSweep, sweepMemory } from "./atomSweep.js";

/** What every such learner is made of. */
export interface AtomwiseParts {
  readonly setting: LearnerSetting;
  readonly dictionary: SparseDictionary;
  readonly sweep: AtomSweep;
}

export async function atomwiseParts(setting: LearnerSetting): Promise<AtomwiseParts> {
  const { options, start, kernels } = setting;
  const dictionary = await SparseDictionary.create(options.base, start, kernels, options.atomSparsity);
  return { setting, dictionary, sweep: await AtomSweep.create(dictionary, kernels) };
}

export abstract class AtomwiseLearner implements Learner {
  step = 0;
  readonly encoder: Encoder<SparseDictionary>;
  protected readonly options: LearnerOptions;
  protected readonly kernels: Kernels;
  readonly dictionary: SparseDictionary;
  protected readonly sweep: AtomSweep;
  /** Y − DX of the last update, in its first columns. */
  protected abstract readonly residual: DeviceMatrix;
  readonly #uses: DeviceMatrix;
  readonly #newAtoms: NewAtoms;
  /** ‖R‖² since the last report. */
  readonly #energy: DeviceMatrix;
  #samples = 0;
  #atomsUsed = 0;
  #stepSize = 0;

  constructor({ setting, dictionary, sweep }: AtomwiseParts, capacity: number) {
    const { options, kernels } = setting;
    const { rows: n, cols: m } = dictionary;
    this.options = options;
    this.kernels = kernels;
    this.dictionary = dictionary;
    this.sweep = sweep;
    this.encoder = new Encoder(dictionary, resolveLimits("train", options.coding, n, m), capacity, kernels);
    this.#uses = kernels.matrix(m, 1);
    this.#newAtoms = new NewAtoms(dictionary, options.atomSparsity, kernels);
    this.#energy = kernels.matrix(1, 1);
  }

  abstract update(Y: DeviceMatrix): Promise<void>;

  get cared(): CaredAtoms {
    const { dictionary, residual } = this;
    const replace = async (atoms: readonly number[], Y: DeviceMatrix) => {
      await this.#newAtoms.replace(atoms, Y);
      this.replaced();
    };
    return { uses: this.#uses, residual, gram: dictionary.gram, replace };
  }

  get kept(): Kept {
    const { dictionary, kernels } = this;
    return keptTogether(
      keptDictionary(dictionary, kernels),
      keptMatrix("uses", this.#uses, kernels),
      keptMatrix("energy", this.#energy, kernels),
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
    return sparseFlaw(this.dictionary, this.kernels);
  }

  async report(): Promise<LearnerReport> {
    const { kernels, step } = this;
    const total = await kernels.readMatrix(this.#energy);
    const rmse = this.#samples > 0 ? Math.sqrt(total.data[0] / this.#samples) : 0;
    total.data[0] = 0;
    await kernels.writeMatrix(this.#energy, total);
    this.#samples = 0;
    return { step, rmse, stepSize: this.#stepSize, atomsUsed: this.#atomsUsed };
  }

  async model(meta: ModelMeta): Promise<Model> {
    const uses = Uint32Array.from((await this.kernels.readMatrix(this.#uses)).data);
    return Model.of(this.dictionary, meta, this.kernels, uses);
  }

  free(): void {
    this.#newAtoms.free();
    this.encoder.free();
    this.sweep.free();
    this.dictionary.free();
    this.kernels.free(this.#uses, this.#energy);
  }

  /** Told that atoms were replaced: what was kept about the old ones is wrong. */
  protected replaced(): void {}

  /** Count codes and the error they leave, before their update. */
  protected async tally(X: DeviceSparse, R: DeviceMatrix): Promise<void> {
    await this.kernels.countUses(X, this.#uses);
    await this.kernels.squaredNorm(R, this.#energy, 0, { add: true });
    this.#samples += R.rows * R.cols;
  }

  /** An update is done. */
  protected took(atomsUsed: number, stepSize = 0): void {
    this.step += 1;
    this.#atomsUsed = atomsUsed;
    this.#stepSize = stepSize;
  }
}

/** What it takes: `held` examples whose signals and residuals are kept, `coded` at a time. */
export function atomwiseMemory(
  options: LearnerOptions & { readonly cares: boolean },
  held: number,
  coded: number,
): MemoryPart[] {
  const { base, atoms: m, atomSparsity: k, coding } = options;
  const n = baseRows(base);
  const p = coding.sparsity ?? Math.min(n, m);
  return [
    { what: "Gram matrix", bytes: 4 * m * m },
    baseCodingMemory(options),
    { what: "examples", bytes: 4 * held * (2 * n + 2 * p + 3) },
    { what: "coding", bytes: 4 * coded * (n + m + 2 * p + 3) },
    sweepMemory(options),
    { what: "atoms", bytes: 8 * k * m },
  ];
}
