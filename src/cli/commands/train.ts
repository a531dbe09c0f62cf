/**
 * `trainlets train`: learn a dictionary from images or arrays.
 *
 * In order: the options are checked, the data opened, the run planned, trained and
 * saved. What it prints and records of the run is written in src/report.
 */

import { dirname } from "node:path";
import { stderr, stdout } from "node:process";
import { Command } from "commander";
import { InputError, inputError } from "../../core/errors.js";
import { counted } from "../../core/formatText.js";
import { requireAbove, requireInteger } from "../../core/require.js";
import { formatShape } from "../../core/shape.js";
import { type Input, inspectInputs } from "../../data/node/inputs.js";
import { openSource } from "../../data/node/openSource.js";
import { freeSpace, inputFiles, requireOutput } from "../../data/node/outputs.js";
import { readSignals } from "../../data/node/readSignals.js";
import type { SignalSource } from "../../data/sampling/signalSource.js";
import { baseForms } from "../../dictionaries/base.js";
import type { Kernels } from "../../kernels/contract.js";
import { atomCareDefaults } from "../../learn/atoms/atomCare.js";
import { checkpointDefaults } from "../../learn/checkpoints/node/checkpointFolder.js";
import {
  type Checkpoints,
  notSaved,
  openCheckpoints,
  withLastCheckpoint,
} from "../../learn/checkpoints/node/openCheckpoints.js";
import type { LearnerKind } from "../../learn/learners/learner.js";
import { learnerNames, learners } from "../../learn/learners/registry.js";
import { unitsPerGroup } from "../../learn/run/node/trainFiles.js";
import type { TrainPlan } from "../../learn/run/setup.js";
import { type TrainingRun, train } from "../../learn/run/train.js";
import {
  defaultAtomSparsity,
  type ResolvedTraining,
  resolveTraining,
  type TrainOptions,
  trainDefaults,
} from "../../learn/run/trainOptions.js";
import { loadBase, loadModel, saveModel } from "../../model/node/files.js";
import { defaultSparsity } from "../../pursuit/encoder.js";
import {
  describeData,
  describeDisk,
  describeEnd,
  describePlan,
  describeTime,
  describeUnread,
  diskNeeds,
  expectedSeconds,
  measurePace,
  type Need,
  type RunProgress,
} from "../../report/followRun.js";
import { makeRunFolders, pageDefaults } from "../../report/node/liveReport.js";
import { recordRun } from "../../report/node/recordRun.js";
import { thisMachine } from "../../report/node/thisMachine.js";
import { jsonReport, type PlanLine, planLine } from "../../report/runRecord.js";
import { type DeviceFlags, memoryNow, onDevice, withDeviceOptions } from "../terminal/device.js";
import { atomSparsity, count, number, option, parsePatch, withTrainingOptions } from "../terminal/flags.js";
import { Interrupt } from "../terminal/interrupt.js";
import { ProgressLine } from "../terminal/progress.js";

/** Flags that the library takes as they are. */
const sameInLibrary = [
  "atoms",
  "redundancy",
  "atomSparsity",
  "learner",
  "batch",
  "epochs",
  "examples",
  "momentum",
  "stepDecay",
  "seed",
  "holdout",
  "testEvery",
  "patience",
  "minutes",
  "removeMean",
  "groupSamples",
] as const satisfies readonly (keyof TrainOptions)[];

interface TrainFlags extends DeviceFlags, Pick<TrainOptions, (typeof sameInLibrary)[number]> {
  readonly output: string;
  readonly patch: string;
  readonly base?: string;
  readonly sparsity?: number;
  readonly error?: number;
  readonly atomCare?: number | boolean;
  readonly start?: string;
  readonly test?: string[];
  readonly checkpoint?: string;
  readonly checkpointEvery?: number;
  readonly checkpointSteps?: number;
  readonly resume?: boolean;
  readonly report?: string;
  readonly pageEvery?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  trainlets train photos/ --patch 16 -o dict.npz
  trainlets train "bsds/*.jpg" --patch 32 --redundancy 2 --atom-sparsity 250 \\
      --sparsity 60 --examples 10M --epochs 2 -o universal.npz
  trainlets train lena.png --patch 12 --test boat.png --minutes 5 -o lena.npz
  trainlets train ecg.npy --patch 256 --base cropped:db4 -o ecg.npz
  trainlets train photos/ --patch 32 --base contourlet -o contours.npz
  trainlets train volume.npy --patch 8x8x8 --base odct:2 -o volume.npz
  trainlets train lena.png --patch 12 --learner odl --atoms 900 -o dense.npz
  trainlets train photos/ --patch 64 --checkpoint run/ --resume -o large.npz
  trainlets train photos/ --patch 64 -o large.npz --dry-run
  trainlets train photos/ --patch 32 -o large.npz --report run

Ctrl-C stops a run and saves the dictionary so far.`;

export function trainCommand(): Command {
  const command = new Command("train")
    .summary("learn a dictionary from images or arrays")
    .description("Learn a dictionary from patches of images or of .npy arrays.")
    .usage("<data...> --patch <sizes> -o <file> [options]")
    .argument("<data...>", 'images, folders of images, globs ("*.png"), .npy and .npz arrays, .tar archives')
    .addHelpText("after", () => `${learnerList()}${examples}`)
    .action(runTrain);
  withDictionaryOptions(command);
  withTrainingOptions(command.optionsGroup("Training:"), {
    examples: byLearner(trainDefaults.examples, ({ examples }) => examples),
    epochs: byLearner(trainDefaults.epochs, ({ epochs }) => epochs),
    batch: trainDefaults.batch,
  });
  withLearnerOptions(command);
  withStoppingOptions(command);
  withLongRunOptions(command);
  command.optionsGroup("Other options:");
  const text = "samples held in memory at a time; larger data are read in groups";
  command
    .addOption(option("--group-samples <n>", text, count, trainDefaults.groupSamples))
    .option("--json", "print progress as lines of JSON on standard output");
  return withDeviceOptions(command);
}

function withDictionaryOptions(command: Command): void {
  const bases = `base dictionary: ${baseForms.join(", ")}, MATRIX.npy`;
  const multiple = "number of atoms, as a multiple of the number of base atoms";
  const m = byLearner("as many as the base has", ({ atoms }) => atoms && "the samples of a patch");
  const k = bySize((n) => defaultAtomSparsity(n, Infinity));
  const p = `without --error, ${bySize(defaultSparsity)}`;
  command
    .optionsGroup("Dictionary:")
    .requiredOption("-o, --output <file>", "dictionary file to write (.npz)")
    .requiredOption("--patch <sizes>", "patch size: 16 (16x16 in images), 32x24, 8x8x8")
    .addOption(option("--base <name>", bases, undefined, trainDefaults.base))
    .addOption(option("--atoms <m>", "number of atoms", count, m))
    .addOption(option("--redundancy <r>", multiple, number))
    .addOption(option("--atom-sparsity <k>", "non-zeros per atom: 250, or 10% of the patch", atomSparsity, k))
    .optionsGroup("Coding of patches:")
    .addOption(option("--sparsity <p>", "at most this many atoms per patch", number, p))
    .addOption(option("--error <e>", "add atoms until the RMSE of a patch is at most this", number))
    .option("--no-remove-mean", "do not subtract the mean of each patch");
}

function withLearnerOptions(command: Command): void {
  const d = trainDefaults;
  const care = "steps between replacements of little-used and duplicate atoms";
  const every = byLearner(atomCareDefaults.every, ({ careEvery }) =>
    careEvery === false ? "never" : careEvery,
  );
  command
    .addOption(option("--momentum <g>", "momentum γ in [0, 1) (osdl only)", number, d.momentum))
    .addOption(
      option("--step-decay <t>", "mini-batches until the step is halved (niht only)", number, d.stepDecay),
    )
    .addOption(option("--atom-care <n>", care, count, every))
    .option("--no-atom-care", "never replace little-used or duplicate atoms")
    .option("--start <file>", "start from the atoms and the base of this dictionary");
}

function withStoppingOptions(command: Command): void {
  const holdout = "patches held out for testing, at most a tenth of all";
  command
    .optionsGroup("Testing and stopping:")
    .addOption(option("--holdout <n>", holdout, count, trainDefaults.holdout))
    .option("--test <data...>", "test on patches of these files instead")
    .addOption(option("--test-every <n>", "patches between two tests", count, "one epoch"))
    .addOption(option("--patience <n>", "stop after this many tests without improvement", count))
    .addOption(option("--minutes <t>", "stop after this many minutes", number));
}

function withLongRunOptions(command: Command): void {
  const minutes = checkpointDefaults.minutes;
  const seconds = `${pageDefaults.every}, or longer to keep drawing below ${100 * pageDefaults.share}% of the time`;
  command
    .optionsGroup("Long runs:")
    .option("--checkpoint <folder>", "save checkpoints there; the last two are kept")
    .addOption(option("--checkpoint-every <t>", "minutes between checkpoints", number, minutes))
    .addOption(option("--checkpoint-steps <n>", "also save a checkpoint every n steps", count))
    .option(
      "--resume",
      "resume from the newest checkpoint; the result is the same as without the interruption",
    )
    .option(
      "--report <folder>",
      "write metrics.jsonl, report.html and atoms.png there (default: the --checkpoint folder)",
    )
    .addOption(option("--page-every <s>", "seconds between updates of report.html", number, seconds))
    .option("--dry-run", "print the memory, disk space and time a run would need, and stop");
}

/** The learners and what each is. */
function learnerList(): string {
  const width = Math.max(...learnerNames.map((name) => name.length));
  const lines = learnerNames.map((name) => `  ${name.padEnd(width)}  ${learners[name].summary}`);
  return `\nLearners:\n${lines.join("\n")}\n`;
}

/** A default, with those of the learners that have their own: `1; sparse-ksvd and ksvd: 10`. */
function byLearner(
  usual: number | string,
  of: (defaults: NonNullable<LearnerKind["defaults"]>) => number | string | undefined,
): string {
  const own = new Map<number | string, string[]>();
  for (const name of learnerNames) {
    const value = of(learners[name].defaults ?? {});
    if (value !== undefined) own.set(value, [...(own.get(value) ?? []), name]);
  }
  const list = new Intl.ListFormat("en-GB");
  return [usual, ...[...own].map(([value, names]) => `${list.format(names)}: ${value}`)].join("; ");
}

/** A default that depends on the patch, by examples: `16 for 8x8, 64 for 32x32`. */
function bySize(of: (n: number) => number): string {
  return [8, 16, 32, 64].map((side) => `${of(side * side)} for ${side}x${side}`).join(", ");
}

/** What was asked for, checked, with what the run needs besides kernels. */
interface TrainJob {
  readonly flags: TrainFlags;
  readonly inputs: readonly Input[];
  readonly tests: readonly Input[] | undefined;
  readonly options: TrainOptions;
  readonly checkpoints: Checkpoints | undefined;
  readonly progress: ProgressLine;
}

async function runTrain(data: string[], flags: TrainFlags): Promise<void> {
  const inputs = await inspectInputs(data);
  const tests = flags.test && (await inspectInputs(flags.test));
  const options = await libraryOptions(flags, inputs);
  const resolved = resolveTraining(options); // rejects bad options before data is read
  const { start, base } = flags;
  const read = [...inputFiles(inputs), ...inputFiles(tests), start, base];
  await requireOutput(flags.output, [".npz"], read);
  requireLongRunFlags(flags);
  const progress = progressFor(flags);
  if (reportFolder(flags) !== undefined && !flags.dryRun)
    await makeRunFolders(flags, [...data, ...(flags.test ?? [])]);
  const checkpoints = await checkpointsOf(flags, resolved, progress);
  try {
    const job = { flags, inputs, tests, options, checkpoints, progress };
    const result = await onDevice(flags, (kernels, computingOn) => trainOn(kernels, computingOn, job));
    (flags.json ? stderr : stdout).write(`${result}\n`);
  } finally {
    await checkpoints?.folder.close();
  }
}

/** The options of the library for these flags. */
async function libraryOptions(flags: TrainFlags, inputs: readonly Input[]): Promise<TrainOptions> {
  const { sparsity, error } = flags;
  const same = Object.fromEntries(sameInLibrary.map((name) => [name, flags[name]]));
  const patch = parsePatch(flags.patch, inputs);
  const start = flags.start === undefined ? undefined : await loadModel(flags.start);
  const base = flags.base ?? (start ? undefined : trainDefaults.base); // `start` has a base of its own
  return {
    ...(same as Pick<TrainOptions, (typeof sameInLibrary)[number]>),
    patch,
    base: base === undefined ? undefined : await loadBase(base, patch),
    start,
    coding: sparsity === undefined && error === undefined ? undefined : { sparsity, error },
    atomCare: atomCareOf(flags.atomCare),
  };
}

function atomCareOf(flag: number | boolean | undefined): TrainOptions["atomCare"] {
  if (flag === false) return false;
  if (flag === undefined || flag === true) return undefined;
  return { every: flag };
}

/** Reject flags of long runs that need others, or have invalid values. */
function requireLongRunFlags(flags: TrainFlags): void {
  const { checkpoint, checkpointEvery, checkpointSteps, pageEvery } = flags;
  if (checkpoint === undefined) {
    for (const name of ["checkpointEvery", "checkpointSteps", "resume"] as const)
      if (flags[name] !== undefined)
        throw new InputError((nameOf) => `${nameOf(name)} needs ${nameOf("checkpoint")}`, { argument: name });
  }
  if (checkpoint === "") throw inputError("train", "checkpoint", "must be a folder", checkpoint);
  if (checkpointEvery !== undefined) requireAbove("train", "checkpointEvery", checkpointEvery, 0);
  if (checkpointSteps !== undefined) requireInteger("train", "checkpointSteps", checkpointSteps, 1);
  if (pageEvery === undefined) return;
  requireAbove("train", "pageEvery", pageEvery, 0);
  if (reportFolder(flags) === undefined) throw new InputError("--page-every needs --report or --checkpoint");
}

/** The folder of the report: that of the checkpoints, unless it has its own. */
function reportFolder({ report, checkpoint }: TrainFlags): string | undefined {
  return report ?? checkpoint;
}

/** With `--json` there is a progress line only if the JSON goes elsewhere than the terminal. */
function progressFor({ json }: TrainFlags): ProgressLine {
  return !json || (stderr.isTTY && !stdout.isTTY) ? new ProgressLine() : new ProgressLine("none");
}

/** The checkpoints of the run, if any are wanted; a dry run neither writes nor resumes. */
async function checkpointsOf(
  flags: TrainFlags,
  training: ResolvedTraining,
  progress: ProgressLine,
): Promise<Checkpoints | undefined> {
  const { checkpoint, checkpointEvery: minutes, checkpointSteps: steps, resume, dryRun } = flags;
  if (checkpoint === undefined || dryRun) return undefined;
  return openCheckpoints(checkpoint, training, {
    minutes,
    steps,
    resume,
    onProblem: (problem) => progress.note(`train: ${problem}`),
    onStart: (line) => progress.note(line),
  });
}

/** Open the data, plan, train and save; what to print in the end. */
async function trainOn(kernels: Kernels, computingOn: string, job: TrainJob): Promise<string> {
  const { inputs, tests, progress } = job;
  const { patch, groupSamples = trainDefaults.groupSamples } = job.options;
  const onSkip = (message: string) => progress.note(`train: ${message}`);
  const reading = { patch, onSkip };
  const source = await openSource(inputs, { ...reading, unitSamples: groupSamples / unitsPerGroup });
  try {
    const test = tests && (await readSignals(tests, reading));
    const onReading = (part: number) => progress.show([`reading the data ${(100 * part).toFixed(0)}%`]);
    const options = { ...job.options, test, kernels, onUnreadable: onSkip, onReading };
    return await planAndTrain(source, { ...job, options }, computingOn);
  } finally {
    await source.close();
  }
}

type DeviceJob = TrainJob & { readonly options: { readonly kernels: Kernels } };

async function planAndTrain(source: SignalSource, job: DeviceJob, computingOn: string): Promise<string> {
  const { flags, options, checkpoints, progress } = job;
  const resume = checkpoints?.resume;
  const interrupt = interruptOf(job);
  const { signal } = interrupt;
  const run = train(source, { ...options, signal, checkpoints: checkpoints?.folder, resume });
  const plan = await run.plan();
  const free = await freeSpace(dirname(flags.output));
  const lines = [
    describePlan(plan),
    describeData(plan),
    describeDisk(diskOf(plan, flags), free),
    computingOn,
  ];
  if (flags.dryRun) {
    await run.close();
    return [...lines, await dryRun(source, plan, job)].join("\n");
  }
  progress.note(lines.join("\n"));
  if (resume) interrupt.listen(); // its first report may take a while
  const end = await trainAndSave(run, plan, interrupt, job);
  const what = `${counted(plan.atoms, "atom")} of ${formatShape(plan.base.shape)}`;
  const unread = describeUnread(run.unreadable);
  return `${flags.output}: ${what}, ${describeEnd(end, plan)}${unread ? `\n${unread}` : ""}`;
}

/** Ctrl-C ends the run with what it has learned. */
function interruptOf({ flags, checkpoints, progress }: TrainJob): Interrupt {
  const kept = checkpoints ? `, and a checkpoint to ${checkpoints.folder.path}` : "";
  return new Interrupt(() =>
    progress.note(
      `stopping: saving the dictionary so far to ${flags.output}${kept} (Ctrl-C again to quit at once)`,
    ),
  );
}

/** What the run writes to disk. */
function diskOf(plan: TrainPlan, flags: TrainFlags): Need[] {
  const report = reportFolder(flags) !== undefined;
  return diskNeeds(plan, { report, checkpoints: flags.checkpoint !== undefined });
}

/** The plan as the record of the run keeps it. */
function recordedPlan(plan: TrainPlan, { flags, options, checkpoints }: DeviceJob): PlanLine {
  const machine = thisMachine(options.kernels);
  const resumedAt = checkpoints?.resume?.header.position.examples;
  return planLine(plan, { output: flags.output, disk: diskOf(plan, flags), machine, resumedAt });
}

/** Measure the pace of a run, without running it to its end; its time in words. */
async function dryRun(source: SignalSource, plan: TrainPlan, job: DeviceJob): Promise<string> {
  const { options, flags } = job;
  const pace = await measurePace(source, options, plan);
  const seconds = pace && expectedSeconds(plan, pace);
  if (flags.json) stdout.write(`${JSON.stringify({ ...recordedPlan(plan, job), seconds })}\n`);
  return describeTime(plan, pace);
}

/** Follow the run to its end and save its model; its last state. */
async function trainAndSave(
  run: TrainingRun,
  plan: TrainPlan,
  interrupt: Interrupt,
  job: DeviceJob,
): Promise<RunProgress> {
  const { flags, checkpoints, progress } = job;
  return recordRun(run, plan, {
    kernels: job.options.kernels,
    memory: () => memoryNow(job.options.kernels),
    line: () => recordedPlan(plan, job),
    folder: reportFolder(flags),
    pageEvery: flags.pageEvery,
    display: progress,
    onStart: () => interrupt.listen(),
    onReport(report, seconds) {
      if (flags.json) stdout.write(`${JSON.stringify(jsonReport(report, seconds))}\n`);
    },
    onStop: () => interrupt.stop(),
    explain: (error) => withLastCheckpoint(error, checkpoints?.folder),
    save: (model) =>
      saveModel(flags.output, model).catch((error) => {
        throw notSaved(error, checkpoints?.folder);
      }),
    onProblem: (problem) => progress.note(`train: ${problem}`),
  });
}
