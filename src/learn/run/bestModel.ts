/**
 * The best model of a run by its test error, the start included. Where two are equal, the later one is the best.
 *
 * The best is at first the learner itself, as it was tested; only before the next update is it copied to the host. So a run
 * that ends with its best test reads nothing back before its end, and a test that is no improvement reads nothing at all. A
 * copy is as large as a model file (48 MB at 64×64 with 10,000 atoms of 600 non-zeros), and takes far less time than a test.
 * Checkpoints hold it, as the bytes of such a file.
 */

import { InputError } from "../../core/errors.js";
import { sizeOf } from "../../core/shape.js";
import { modelFromBytes, modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import type { KeptTest, TestRecord } from "../checkpoints/checkpointHeader.js";
import { type CheckpointPart, hostPart, readPart, type SavedParts } from "../checkpoints/checkpointParts.js";
import type { LearnerKind, LearnerOptions } from "../learners/learner.js";

/** The name of its part of a checkpoint. */
const partName = "best model";

export class BestModel {
  readonly #keepsModel: boolean;
  #start: number | undefined;
  #best: KeptTest | undefined;
  /** A copy of the best model, once the learner has moved on. */
  #copy: Model | undefined;

  /** Without `keepsModel`, errors are recorded and no model is copied. */
  constructor(keepsModel: boolean, saved: TestRecord = {}) {
    this.#keepsModel = keepsModel;
    this.#start = saved.start;
    this.#best = saved.best;
  }

  /** The errors so far, for reports and checkpoints. */
  get record(): TestRecord {
    return {
      ...(this.#start === undefined ? {} : { start: this.#start }),
      ...(this.#best === undefined ? {} : { best: this.#best }),
    };
  }

  /** A test of the learner as it is now. */
  note(test: KeptTest): void {
    if (test.step === 0) this.#start = test.testRmse;
    if (this.#best && this.#best.testRmse < test.testRmse) return;
    this.#best = test;
    this.#copy = undefined;
  }

  /** Copy the best model if it is the learner itself after this many updates, which is about to change. */
  async beforeChange(step: number, snapshot: () => Promise<Model>): Promise<void> {
    if (this.#keepsModel && this.#best?.step === step && !this.#copy) this.#copy = await snapshot();
  }

  /** The best model, unless it is the learner itself. */
  get earlier(): { readonly model: Model; readonly test: KeptTest } | undefined {
    return this.#best && this.#copy ? { model: this.#copy, test: this.#best } : undefined;
  }

  /** Its part of a checkpoint; none if the best model is the learner itself. */
  parts(): CheckpointPart[] {
    const { earlier } = this;
    return earlier ? [hostPart(partName, wordsOf(modelToBytes(earlier.model, partName)))] : [];
  }

  /** Read the model of a checkpoint that was saved after this many updates. */
  async restore(saved: SavedParts, step: number): Promise<void> {
    if (!this.#keepsModel || !this.#best) return;
    if (saved.has(partName))
      this.#copy = modelFromBytes(bytesOf(await readPart(saved, partName, "u32")), partName);
    else if (this.#best.step !== step) this.#best = undefined; // a run that kept the last model saved none
  }
}

/** The number of bytes, then the bytes, four to a word. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(1 + Math.ceil(bytes.length / 4));
  words[0] = bytes.length;
  new Uint8Array(words.buffer, 4).set(bytes);
  return words;
}

function bytesOf(words: Uint32Array): Uint8Array {
  const length = words[0] ?? 0;
  if (length > 4 * (words.length - 1)) throw new InputError(`checkpoint: the ${partName} is cut off`);
  return new Uint8Array(words.buffer, words.byteOffset + 4, length);
}

/**
 * Whether the gain of a run may be chance, as measured on this many examples. A rule of thumb, not derived: gains of
 * single examples differ by a quarter of the error, so that their mean is uncertain by a quarter over √tested; and one
 * example may have six times its share of the squared error, so that the gain of it alone lowers the RMSE by 3/tested.
 */
export function gainIsUnclear(testRmse: number, startRmse: number, tested: number): boolean {
  const least = 1 / (4 * Math.sqrt(tested)) + 3 / tested;
  return testRmse <= startRmse && testRmse > startRmse * (1 - least);
}

/** The bytes of a model file: A with one index per value, or D; Φ; the uses of the atoms. */
export function modelBytes({
  base,
  atoms,
  atomSparsity,
  kind,
}: Pick<LearnerOptions, "base" | "atoms" | "atomSparsity"> & { readonly kind: LearnerKind }): number {
  const { explicit, ownOptions } = kind;
  const phi = 8 * base.factors.reduce((sum, { data }) => sum + data.length, 0);
  const width = ownOptions.includes("atomSparsity") ? atomSparsity : 1; // without a sparse factor: A = I
  const values = explicit ? 4 * sizeOf(base.shape) * atoms : 8 * width * atoms + phi;
  return values + 8 * atoms + 4096;
}
