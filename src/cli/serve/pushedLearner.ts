/** A learner for batches as they come, opened, saved and opened again by messages. */

import type { DenseMatrix } from "../../core/matrix.js";
import type { Kernels } from "../../kernels/contract.js";
import {
  type CheckpointDraft,
  checkpointFromBytes,
  checkpointToBytes,
} from "../../learn/checkpoints/checkpoint.js";
import { type OnlineLearner, openLearner } from "../../learn/online/onlineLearner.js";
import type { OnlineOptions } from "../../learn/online/onlineOptions.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import type { Model } from "../../model/model.js";
import type { Frame } from "./frames.js";
import { bytesOf, modelOf } from "./requestArrays.js";

export class PushedLearner {
  readonly #learner: OnlineLearner;
  readonly #saved: { bytes?: Uint8Array };

  private constructor(learner: OnlineLearner, saved: { bytes?: Uint8Array }) {
    this.#learner = learner;
    this.#saved = saved;
  }

  static async open(request: Frame, kernels: Kernels): Promise<PushedLearner> {
    const { arrays, head } = request;
    const saved: { bytes?: Uint8Array } = {};
    const checkpoints = {
      due: () => false,
      async save(draft: CheckpointDraft) {
        saved.bytes = await checkpointToBytes(draft);
      },
    };
    const start = arrays.has("model") ? { start: modelOf(request) } : {};
    const resume = arrays.has("learner")
      ? { resume: await checkpointFromBytes(bytesOf(request, "learner"), "the saved learner") }
      : {};
    const options = { ...(head.options as OnlineOptions), kernels, checkpoints, ...start, ...resume };
    return new PushedLearner(openLearner(options), saved);
  }

  learn(batch: DenseMatrix): Promise<TrainReport> {
    return this.#learner.partialFit(batch);
  }

  /** The dictionary so far. */
  model(): Promise<Model> {
    return this.#learner.snapshot();
  }

  /** All that the learner carries from one batch to the next. */
  async save(): Promise<Uint8Array> {
    await this.#learner.save();
    return this.#saved.bytes ?? new Uint8Array();
  }
}
