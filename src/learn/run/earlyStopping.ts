/** Why to stop before the last epoch: time, no improvement, the caller's wish. */

import type { RunPosition } from "../checkpoints/checkpointHeader.js";
import { type TrainPlan, testError, type Workshop } from "./setup.js";

export class Watch {
  readonly #plan: TrainPlan;
  readonly #signal: AbortSignal | undefined;
  readonly #start = performance.now();
  /** Seconds of the run before this part of it. */
  readonly #before: number;
  #best: number;
  #sinceBest: number;

  /** From the beginning, or from where a run stood. */
  constructor(
    plan: TrainPlan,
    signal: AbortSignal | undefined,
    { best, sinceBest, seconds }: Pick<RunPosition, "best" | "sinceBest" | "seconds">,
  ) {
    this.#plan = plan;
    this.#signal = signal;
    this.#before = seconds;
    this.#best = best;
    this.#sinceBest = sinceBest;
  }

  /** Measure the test error, where there is a test set. */
  async test(workshop: Workshop): Promise<{ testRmse?: number }> {
    if (workshop.plan.holdout === 0) return {};
    const testRmse = await testError(workshop);
    if (workshop.learner.step === 0) return { testRmse }; // the first steps may be worse than the base
    this.#sinceBest = testRmse < this.#best ? 0 : this.#sinceBest + 1;
    this.#best = Math.min(this.#best, testRmse);
    return { testRmse };
  }

  over(): "aborted" | "time" | "no improvement" | undefined {
    if (this.#signal?.aborted) return "aborted";
    if (this.#seconds > this.#plan.seconds) return "time";
    if (this.#sinceBest >= this.#plan.patience) return "no improvement";
    return undefined;
  }

  /** What a checkpoint has to know of it. */
  get position(): Pick<RunPosition, "best" | "sinceBest" | "seconds"> {
    return { best: this.#best, sinceBest: this.#sinceBest, seconds: this.#seconds };
  }

  get #seconds(): number {
    return this.#before + (performance.now() - this.#start) / 1000;
  }
}
