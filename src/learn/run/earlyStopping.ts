/** When a run stops before its last epoch: no improvement of the test error, out of time, or the caller's wish. */

import type { RunPosition } from "../checkpoints/checkpointHeader.js";
import type { TrainPlan } from "./setup.js";

export type StopReason = "no improvement" | "time" | "aborted";

export class EarlyStopping {
  readonly #plan: TrainPlan;
  readonly #signal: AbortSignal | undefined;
  readonly #start = performance.now();
  /** Seconds that the run took before it was resumed. */
  readonly #before: number;
  #best: number;
  #sinceBest: number;

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

  /** A test after this many updates. */
  note(testRmse: number, step: number): void {
    if (step === 0) return; // the first steps may be worse than the base
    this.#sinceBest = testRmse < this.#best ? 0 : this.#sinceBest + 1;
    this.#best = Math.min(this.#best, testRmse);
  }

  get aborted(): boolean {
    return this.#signal?.aborted ?? false;
  }

  /** Why to stop now; undefined to continue. */
  reason(): StopReason | undefined {
    if (this.aborted) return "aborted";
    if (this.#seconds > 60 * this.#plan.minutes) return "time";
    if (this.#sinceBest >= this.#plan.patience) return "no improvement";
    return undefined;
  }

  /** Its part of the position in a checkpoint. */
  get position(): Pick<RunPosition, "best" | "sinceBest" | "seconds"> {
    return { best: this.#best, sinceBest: this.#sinceBest, seconds: this.#seconds };
  }

  get #seconds(): number {
    return this.#before + (performance.now() - this.#start) / 1000;
  }
}
