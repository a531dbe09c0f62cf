/**
 * The runs of `bench -- learners` that are done: bench/results/NAME.runs.jsonl, one line each, so that the grid can be measured in
 * several pieces, and shown without measuring anything.
 */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { InputError } from "../src/core/errors.js";
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

/** Where a run was made: the device and the machine, in words. */
export interface RunPlace {
  readonly device: string;
  readonly machine: string;
}

type StoredRun = RunName & RunResult & RunPlace;

export class LearnerRuns {
  readonly #file: string | undefined;
  readonly #runs: StoredRun[];

  private constructor(file: string | undefined, runs: StoredRun[]) {
    this.#file = file;
    this.#runs = runs;
  }

  /** The runs kept under a name; without a name, none. New ones are for this device: times of two devices do not compare. */
  static open(name: string | undefined, device?: string): LearnerRuns {
    if (name === undefined) return new LearnerRuns(undefined, []);
    const file = `bench/results/${name}.runs.jsonl`;
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    const runs: StoredRun[] = lines.filter((line) => line !== "").map((line) => JSON.parse(line));
    const other = device && runs.find((run) => run.device !== device);
    if (other)
      throw new InputError(
        `bench: ${file} has runs on ${other.device}, not on ${device}; save under another name`,
      );
    return new LearnerRuns(file, runs);
  }

  find(name: RunName): RunResult | undefined {
    const keys = ["grid", "pursuit", "learner", "budget", "batch"] as const;
    return this.#runs.find((run) => keys.every((key) => run[key] === name[key]));
  }

  add(name: RunName, result: RunResult, place: RunPlace): void {
    const run = { ...name, ...result, ...place };
    this.#runs.push(run);
    if (this.#file) appendFileSync(this.#file, `${JSON.stringify(run)}\n`);
  }

  /** Where the runs were made, each place once. */
  get places(): string[] {
    return [...new Set(this.#runs.map(({ device, machine }) => `${device}; ${machine}`))];
  }
}
