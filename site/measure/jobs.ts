/** What the page "Measure this machine" measures: jobs of the benchmarks, for which there are published rows. */

import { type Problem, problems } from "../../bench/problems.js";

export interface Job {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly does: "code" | "learn";
  readonly problem: Problem;
  /** Patches per job of the benchmark, or per step of learning. */
  readonly patches: number;
  /** Whether it needs so much time and memory that it is measured only on request. */
  readonly onRequest: boolean;
}

export const jobs: readonly Job[] = [
  {
    name: "code-12",
    title: "Coding 12×12 patches",
    about: "Batch-OMP, 4 of 900 atoms per patch",
    does: "code",
    problem: problems.small,
    patches: 50_000,
    onRequest: false,
  },
  {
    name: "code-20",
    title: "Coding 20×20 patches",
    about: "Batch-OMP, 10 of 2,500 atoms per patch",
    does: "code",
    problem: problems.medium,
    patches: 20_000,
    onRequest: false,
  },
  {
    name: "learn-12",
    title: "Learning from 12×12 patches",
    about: "steps of OSDL on 512 patches, 900 atoms",
    does: "learn",
    problem: problems.small,
    patches: 512,
    onRequest: false,
  },
  {
    name: "learn-32",
    title: "Learning from 32×32 patches",
    about: "steps of OSDL on 4,096 patches, 60 of 6,272 atoms per patch",
    does: "learn",
    problem: problems.large,
    patches: 4096,
    onRequest: true,
  },
];
