/**
 * `trainlets reproduce all`: every experiment, one after the other, into one folder.
 *
 *     OUT/index.html            all results on one page
 *     OUT/fig5/                 the folder of an experiment, as `reproduce fig5` writes it
 *     OUT/fig8-lfw-crop64/      of one that is run once per data set
 *     OUT/fig5/parts/           what an unfinished run has finished; removed at its end
 *
 * An experiment is finished if its `result.json` is of the same settings, data, program and kind of device; it is not
 * run again. An experiment that fails is named at the end, and does not end the others. While one experiment
 * computes, the data of the next are read, and the files of the one before are drawn and written.
 */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../core/errors.js";
import { clock } from "../../core/formatText.js";
import {
  fileExists,
  isSystemError,
  readError,
  readFileBytes,
  writeFileAtomic,
} from "../../data/node/files.js";
import { finishOutputFolder, makeOutputFolder, resultFolder } from "../../data/node/outputs.js";
import { allPage, type FoundResult } from "../../experiments/results/allPage.js";
import {
  type Result,
  type RunIdentity,
  readResult,
  resultName,
  totalSeconds,
} from "../../experiments/results/result.js";
import type { Experiment, Outcome } from "../../experiments/shared/experiment.js";
import type { Kernels } from "../../kernels/contract.js";
import { RunLock } from "../../learn/checkpoints/node/runLock.js";
import { type DeviceFlags, onDevice } from "../terminal/device.js";
import { describeError } from "../terminal/errors.js";
import { Interrupt } from "../terminal/interrupt.js";
import { stdout } from "../terminal/output.js";
import { ProgressLine } from "../terminal/progress.js";
import { identityOf, type Job, listJobs } from "./allJobs.js";
import { claimTable } from "./claimTable.js";
import { requireDataFolder } from "./dataFolder.js";
import { inspectData, type LoadedData, loadData, nameWithin } from "./experimentData.js";
import { differenceOf, PartFolder } from "./partFolder.js";
import { performExperiment, type RunFacts, resultOf } from "./performExperiment.js";
import { programFacts } from "./programFacts.js";
import { writeOutcome } from "./writeOutcome.js";

export interface AllFlags extends DeviceFlags {
  readonly output: string;
  /** The folder of the pictures. */
  readonly data?: string | undefined;
  readonly quick?: boolean | undefined;
  /** Names of experiments: only these are run. */
  readonly only?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** Run the experiments of a list, as far as they are not finished, and print their claims. */
export async function reproduceAll(experiments: readonly Experiment[], flags: AllFlags): Promise<void> {
  const start = performance.now();
  const { quick, data, only, output, json, quiet } = flags;
  if (data !== undefined) await requireDataFolder(data);
  const jobs = await listJobs(experiments, { quick }, data, only);
  const session = await AllSession.open(
    flags,
    new Map(experiments.map(({ name, summary }) => [name, summary])),
  );
  try {
    await session.runJobs(jobs);
  } finally {
    await session.close();
  }
  const results = jobs.flatMap(({ name }) => session.results.get(name) ?? []);
  const seconds = (performance.now() - start) / 1000;
  if (!json && !quiet)
    stdout.write(`${claimTable(results)}\ndone in ${clock(seconds)}; open ${output}/index.html\n`);
  const failed = [...session.failures].map(([name, reason]) => `${name} (${reason})`);
  if (failed.length > 0)
    throw new Error(`${failed.length} of ${jobs.length} experiments failed: ${failed.join("; ")}`);
}

/** Data that are being read. */
interface Loading {
  readonly job: Job;
  readonly data: Promise<LoadedData>;
}

class AllSession {
  readonly results = new Map<string, Result>();
  /** The reason of each failure, by job. */
  readonly failures = new Map<string, string>();
  readonly #flags: AllFlags;
  /** Names and summaries of all experiments, in the order of the page. */
  readonly #summaries: ReadonlyMap<string, string>;
  readonly #progress: ProgressLine;
  readonly #interrupt: Interrupt;
  readonly #lock: RunLock | undefined;
  /** The files of earlier experiments are being written. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    flags: AllFlags,
    summaries: ReadonlyMap<string, string>,
    progress: ProgressLine,
    lock: RunLock | undefined,
  ) {
    this.#flags = flags;
    this.#summaries = summaries;
    this.#progress = progress;
    this.#lock = lock;
    this.#interrupt = new Interrupt(() =>
      progress.note("stopping: what is finished is saved (Ctrl-C again to quit at once)"),
    );
  }

  static async open(flags: AllFlags, summaries: ReadonlyMap<string, string>): Promise<AllSession> {
    const progress = new ProgressLine(flags.json ? "none" : undefined);
    await makeOutputFolder(flags.output, folderOptions(flags));
    const onNote = (line: string) => progress.note(`reproduce: ${line}`);
    const lock = await RunLock.acquire(flags.output, { onNote }).catch((error) => {
      if (isSystemError(error)) return undefined; // a disk that has no links, say
      throw error;
    });
    return new AllSession(flags, summaries, progress, lock);
  }

  async close(): Promise<void> {
    this.#interrupt.stop();
    this.#progress.clear();
    await this.#lock?.release();
  }

  async runJobs(jobs: readonly Job[]): Promise<void> {
    const { output } = this.#flags;
    this.#interrupt.listen();
    let next = this.#load(jobs[0]);
    for (const [i, job] of jobs.entries()) {
      const loading = next;
      if (i + 1 < jobs.length) next = this.#load(jobs[i + 1]);
      this.#progress.note(`${i + 1} of ${jobs.length}: ${job.name}${describeData(job)}`);
      await this.#runJob(loading);
      if (this.#interrupt.signal.aborted) break;
    }
    await this.#writing;
    await this.#writePage();
    await finishOutputFolder(output);
    if (!this.#interrupt.signal.aborted) return;
    throw this.#interrupt.error(
      `interrupted: ${this.results.size} of ${jobs.length} experiments are finished in ${output}; the same command continues`,
    );
  }

  #load(job: Job): Loading {
    const onSkip = (line: string) => this.#progress.note(`reproduce: ${line}`);
    const data = inspectData(job.set, onSkip).then((inputs) =>
      loadData(inputs, job.set, job.experiment, onSkip),
    );
    data.catch(() => {}); // thrown where the data are used
    return { job, data };
  }

  /** Run one, unless it is finished. Whatever goes wrong with it is kept for the end. */
  async #runJob({ job, data }: Loading): Promise<void> {
    await onDevice(this.#flags, async (kernels, computingOn) => {
      try {
        const loaded = await data;
        const identity = identityOf(job.settings, loaded.described, await programFacts(), kernels);
        const earlier = await this.#finished(job, identity);
        if (earlier) await this.#keep(job, earlier);
        else await this.#perform(job, loaded, identity, kernels, computingOn);
      } catch (error) {
        if (!this.#interrupt.signal.aborted) this.#fail(job, error);
      }
    });
  }

  #fail({ name }: Job, error: unknown): void {
    const reason = describeError(error);
    this.failures.set(name, reason);
    this.#progress.note(`${name} failed: ${reason}`);
  }

  /** The result of an earlier run that was the same. */
  async #finished(job: Job, identity: RunIdentity): Promise<Result | undefined> {
    const result = await this.#readResult(job.name);
    if (!result) return undefined;
    const difference = differenceOf(result.identity, identity);
    this.#progress.note(
      difference === undefined
        ? `finished earlier, in ${clock(totalSeconds(result))}`
        : `running again: the result found is of ${difference}`,
    );
    return difference === undefined ? result : undefined;
  }

  async #readResult(name: string): Promise<Result | undefined> {
    const path = join(this.#flags.output, name, resultName);
    if (!(await fileExists(path))) return undefined;
    try {
      return readResult(new TextDecoder().decode(await readFileBytes(path)), path);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#progress.note(`reproduce: ${error.message}`);
      return undefined;
    }
  }

  async #perform(
    job: Job,
    { signals, described }: LoadedData,
    identity: RunIdentity,
    kernels: Kernels,
    computingOn: string,
  ): Promise<void> {
    const { json = false, quick = false, output } = this.#flags;
    const start = performance.now();
    const folder = join(output, job.name);
    await makeOutputFolder(folder, folderOptions(this.#flags));
    const parts = await PartFolder.open(folder, identity, (line) => this.#progress.note(line));
    this.#progress.note(computingOn);
    const tools = { kernels, progress: this.#progress, interrupt: this.#interrupt, json, parts };
    const outcome = await performExperiment(job.run, signals, { ...tools, onInterrupt: "end" });
    const facts: RunFacts = {
      experiment: job.experiment.name,
      label: job.set.label,
      quick,
      data: described,
      command: commandLine(this.#flags, job.experiment.name),
      identity,
      kernels: { name: kernels.name, description: kernels.description },
      seconds: (performance.now() - start) / 1000,
    };
    this.#writing = this.#writing.then(() => this.#finish(job, outcome, facts, parts));
  }

  /** Write the files of an experiment, its result last, and the page of all. */
  async #finish(job: Job, outcome: Outcome, facts: RunFacts, parts: PartFolder): Promise<void> {
    try {
      const folder = join(this.#flags.output, job.name);
      const { result } = await writeOutcome(folder, outcome.files, (names) =>
        resultOf(outcome, facts, names),
      );
      this.results.set(job.name, result);
      await this.#removeParts(parts);
      await finishOutputFolder(folder);
      await this.#writePage();
      const { experiment, label, claims, seconds } = result;
      if (this.#flags.json) stdout.write(`${JSON.stringify({ experiment, label, claims, seconds })}\n`);
    } catch (error) {
      this.#fail(job, error);
    }
  }

  /** A finished experiment; its run may have been killed before it had cleaned up. */
  async #keep({ name }: Job, result: Result): Promise<void> {
    const folder = join(this.#flags.output, name);
    this.results.set(name, result);
    await this.#removeParts(PartFolder.in(folder));
    await finishOutputFolder(folder);
  }

  async #removeParts(parts: PartFolder): Promise<void> {
    await parts.remove().catch((error) => this.#progress.note(`reproduce: ${describeError(error)}`));
  }

  /** The page shows all results in the folder, those of other runs as well. */
  async #writePage(): Promise<void> {
    const { output } = this.#flags;
    const entries = await readdir(output, { withFileTypes: true }).catch((error) => {
      throw readError(error, output);
    });
    const found: FoundResult[] = [];
    for (const { name } of entries.filter((entry) => entry.isDirectory())) {
      const result = this.results.get(name) ?? (await this.#readResult(name));
      if (result) found.push({ folder: name, result });
    }
    const order = [...this.#summaries.keys()];
    const rank = ({ result }: FoundResult) => order.indexOf(result.experiment);
    found.sort((a, b) => rank(a) - rank(b) || (a.folder < b.folder ? -1 : 1));
    const page = allPage(found, { summaries: this.#summaries, failures: this.failures });
    await writeFileAtomic(join(output, "index.html"), new TextEncoder().encode(page));
  }
}

function folderOptions({ data }: AllFlags) {
  return { ...resultFolder, data: data === undefined ? [] : [data] };
}

function describeData({ set: { label } }: Job): string {
  return label === "" ? "" : `, ${label === "synthetic" ? "synthetic pictures" : label}`;
}

/** The command that made a result, without the folders of this machine. */
function commandLine({ data, quick }: AllFlags, experiment: string): string {
  const words = [
    `trainlets reproduce all --only ${experiment}`,
    ...(data === undefined ? [] : [`--data ${nameWithin(data)}`]),
    ...(quick ? ["--quick"] : []),
  ];
  return words.join(" ");
}
