/** The runs of `bench -- learners` that are done, kept in .cache/bench, one line each. */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import type { PursuitName } from "../src/kernels/contract.js";

/** What a run is known by. */
export interface RunName {
  readonly grid: string;
  readonly pursuit: PursuitName;
  readonly learner: string;
  /** Examples of all epochs. */
  readonly budget: number;
  readonly batch: number;
}

export interface RunResult {
  /** The test error before learning and after it. */
  readonly start: number;
  readonly rmse: number;
  /** Seconds of setting up, finding starting atoms included, and of learning, without tests. */
  readonly setup: number;
  readonly seconds: number;
}

type StoredRun = RunName & RunResult & { readonly device: string };

const folder = ".cache/bench";

export class LearnerRuns {
  readonly #file: string | undefined;
  readonly #device: string;
  readonly #runs: StoredRun[];

  private constructor(file: string | undefined, device: string, runs: StoredRun[]) {
    this.#file = file;
    this.#device = device;
    this.#runs = runs;
  }

  /** The runs kept under a name that were made on this device; without a name, none. */
  static open(name: string | undefined, device: string): LearnerRuns {
    if (name === undefined) return new LearnerRuns(undefined, device, []);
    mkdirSync(folder, { recursive: true });
    const file = `${folder}/${name}.jsonl`;
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    const runs = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as StoredRun);
    return new LearnerRuns(
      file,
      device,
      runs.filter((run) => run.device === device),
    );
  }

  find({ grid, pursuit, learner, budget, batch }: RunName): RunResult | undefined {
    return this.#runs.find(
      (run) =>
        run.grid === grid &&
        run.pursuit === pursuit &&
        run.learner === learner &&
        run.budget === budget &&
        run.batch === batch,
    );
  }

  add(name: RunName, result: RunResult): void {
    const run = { ...name, ...result, device: this.#device };
    this.#runs.push(run);
    if (this.#file) appendFileSync(this.#file, `${JSON.stringify(run)}\n`);
  }
}
