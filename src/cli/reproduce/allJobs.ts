/** What `reproduce all` has to do: one job per experiment and data set, each with what it is recognised by. */

import { requireOneOf } from "../../core/require.js";
import { sha256 } from "../../data/formats/checksums.js";
import type { ResultData, ResultProgram, RunIdentity } from "../../experiments/results/result.js";
import type { Experiment, ExperimentOptions, ExperimentRun } from "../../experiments/shared/experiment.js";
import type { Kernels } from "../../kernels/contract.js";
import { type DataSet, findDataSets } from "./dataFolder.js";

export interface Job {
  readonly experiment: Experiment;
  readonly run: ExperimentRun;
  /** A checksum of all settings. */
  readonly settings: string;
  readonly set: DataSet;
  /** The name of its folder: `fig5`, `fig8-lfw-crop64`. */
  readonly name: string;
}

/** The jobs of the experiments in `only`, or of all; options and names are checked. */
export async function listJobs(
  experiments: readonly Experiment[],
  options: ExperimentOptions,
  folder: string | undefined,
  only: readonly string[] | undefined,
): Promise<Job[]> {
  const names = experiments.map(({ name }) => name);
  for (const name of only ?? []) requireOneOf("reproduce", "experiment", name, names);
  const jobs: Job[] = [];
  for (const experiment of experiments) {
    if (only && !only.includes(experiment.name)) continue;
    const settings = settingsDigest(experiment, options);
    for (const set of await findDataSets(experiment.name, folder)) {
      const run = await experiment.prepare(options);
      jobs.push({ experiment, run, settings, set, name: folderName(experiment.name, set) });
    }
  }
  return jobs;
}

function folderName(experiment: string, { label, oneOfSeveral }: DataSet): string {
  return oneOfSeveral ? `${experiment}-${label}` : experiment;
}

/** A checksum of the settings of a run, in 16 hexadecimal digits. */
export function settingsDigest(experiment: Experiment, options: ExperimentOptions): string {
  return digest(JSON.stringify(experiment.settings(options)));
}

/** What a run is recognised by. */
export function identityOf(
  settings: string,
  data: readonly ResultData[],
  program: ResultProgram,
  kernels: Pick<Kernels, "name" | "description">,
): RunIdentity {
  return {
    settings,
    data: digest(data.map(({ role, digest }) => `${role} ${digest}`).join("\n")),
    program: [program.version, program.sources ?? program.commit].filter(Boolean).join(" "),
    // Threads change no bit of a result, another GPU may.
    device: kernels.name === "gpu" ? `gpu, ${kernels.description}` : kernels.name,
  };
}

function digest(text: string): string {
  const bytes = sha256(new TextEncoder().encode(text)).subarray(0, 8);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
