/**
 * `trainlets train`: learn a dictionary from images or arrays.
 *
 * In order: the options are checked, the data opened, the run planned, trained and
 * saved. What it prints and records of the run is written in src/report.
 */

import { dirname } from "node:path";
import { Command } from "commander";
import { counted } from "../../core/formatText.js";
import { describeExtreme } from "../../core/samples/extremes.js";
import { nodataInSignals } from "../../core/samples/gaps.js";
import { formatShape } from "../../core/shape.js";
import { temporaryBytes } from "../../data/node/archives/temporaryStore.js";
import { writeFileAtomic } from "../../data/node/files.js";
import { type Input, inspectInputs } from "../../data/node/inputs.js";
import { openSource } from "../../data/node/openSource.js";
import {
  freeNameBeside,
  freeSpace,
  inputFiles,
  isTaken,
  requireNotThere,
  requireOutput,
} from "../../data/node/outputs.js";
import { readSignals } from "../../data/node/readSignals.js";
import { describeInputs, hintAtColumns } from "../../data/node/units/describeInputs.js";
import type { SignalSource } from "../../data/sampling/signalSource.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Checkpoint } from "../../learn/checkpoints/checkpoint.js";
import {
  type Checkpoints,
  notSaved,
  openCheckpoints,
  withLastCheckpoint,
  withMore,
} from "../../learn/checkpoints/node/openCheckpoints.js";
import { forgetOutputs, isOwnOutput, recordOutput } from "../../learn/checkpoints/node/ownOutputs.js";
import type { RunLock } from "../../learn/checkpoints/node/runLock.js";
import { startingAtoms } from "../../learn/learners/learner.js";
import { learnerNames, learners } from "../../learn/learners/registry.js";
import { unitsPerGroup } from "../../learn/run/node/trainFiles.js";
import type { TrainPlan } from "../../learn/run/setup.js";
import { type TrainingRun, train } from "../../learn/run/train.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import {
  type ResolvedTraining,
  resolveTraining,
  type TrainOptions,
  trainDefaults,
} from "../../learn/run/trainOptions.js";
import { modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import { removePartialModel, requirePartialOutput, savePartialModel } from "../../model/node/partialModel.js";
import {
  describeData,
  describeDecline,
  describeDisk,
  describeEnd,
  describeNoAverage,
  describePlan,
  describeUnread,
  diskNeeds,
  type Need,
  type RunProgress,
} from "../../report/followRun.js";
import { lockReportFolder, makeRunFolders } from "../../report/node/liveReport.js";
import type { ResumedRun } from "../../report/node/metricsFile.js";
import { recordRun } from "../../report/node/recordRun.js";
import { thisMachine } from "../../report/node/thisMachine.js";
import { describeTime, expectedSeconds, measurePace, planQuickly } from "../../report/runPace.js";
import { jsonReport, type PlanLine, planLine } from "../../report/runRecord.js";
import { memoryNow, onDevice } from "../terminal/device.js";
import { dataFiles } from "../terminal/flags.js";
import { Interrupt } from "../terminal/interrupt.js";
import { JsonLines } from "../terminal/jsonLines.js";
import { continueOnNewDevice } from "../terminal/lostDevice.js";
import { stderr, stdout } from "../terminal/output.js";
import { ProgressLine } from "../terminal/progress.js";
import {
  libraryOptions,
  reportFolder,
  requireLongRunFlags,
  type TrainFlags,
  withTrainFlags,
} from "../terminal/trainFlags.js";

const examples = `
Examples:
  trainlets train photos/ --patch 16 -o dict.npz
  trainlets train "bsds/*.jpg" --patch 32 --redundancy 2 --atom-sparsity 250 \\
      --sparsity 60 --examples 10M --epochs 2 -o universal.npz
  trainlets train lena.png --patch 12 --test boat.png --minutes 5 -o lena.npz
  trainlets train ecg.npy --patch 256 --base cropped:db4 -o ecg.npz
  trainlets train photos/ --patch 8x8x3 -o colour.npz
  trainlets train photos/ --patch 32 --base contourlet -o contours.npz
  trainlets train volume.npy --patch 8x8x8 --base odct:2 -o volume.npz
  trainlets train lena.png --patch 12 --learner odl --atoms 900 -o dense.npz
  trainlets train photos/ --patch 64 --checkpoint run/ --resume -o large.npz
  trainlets train photos/ --patch 64 -o large.npz --dry-run
  trainlets train photos/ --patch 32 -o large.npz --report run

Ctrl-C stops a run and saves the dictionary so far beside the output, to
dict.partial.npz for dict.npz, and a checkpoint if there is --checkpoint. So do
SIGTERM, SIGHUP and the warnings of queues (SIGUSR1, SIGUSR2, SIGXCPU). The exit
code is then 128 + the number of the signal: 130 for Ctrl-C. It is 0 only if the
run came to its end, by its epochs, --minutes or --patience.`;

export function trainCommand(): Command {
  return withTrainFlags(
    new Command("train")
      .summary("learn a dictionary from images or arrays")
      .description("Learn a dictionary from patches of images, arrays, tables or sounds.")
      .usage("<data...> --patch <sizes> -o <file> [options]")
      .argument("<data...>", dataFiles)
      .addHelpText("after", () => `${learnerList()}${examples}`)
      .action(runTrain),
  );
}

/** The learners and what each is. */
function learnerList(): string {
  const width = Math.max(...learnerNames.map((name) => name.length));
  const lines = learnerNames.map((name) => `  ${name.padEnd(width)}  ${learners[name].summary}`);
  return `\nLearners:\n${lines.join("\n")}\n`;
}

/** What was asked for, checked, with what the run needs besides kernels. */
interface TrainJob {
  readonly flags: TrainFlags;
  readonly inputs: readonly Input[];
  readonly tests: readonly Input[] | undefined;
  readonly options: TrainOptions;
  readonly checkpoints: Checkpoints | undefined;
  /** Where the dictionary of an interrupted run is saved, if there is a place for it. */
  readonly partial: string | undefined;
  readonly progress: ProgressLine;
  readonly json: JsonLines;
}

async function runTrain(data: string[], flags: TrainFlags): Promise<void> {
  const progress = progressFor(flags);
  const note = notesOf(progress);
  const reading = { onSkip: note, signals: flags.signals, raw: flags.raw };
  const inputs = await inspectInputs(data, reading);
  const tests = flags.test && (await inspectInputs(flags.test, reading));
  const options = await libraryOptions(flags, inputs);
  const resolved = resolveTraining(options); // rejects bad options before data is read
  const read = [...inputFiles(inputs), ...inputFiles(tests), ...modelFiles(flags)];
  await requireOutput(flags.output, [".npz"], read);
  if (!flags.dryRun && !(await mayReplaceOutput(flags))) await requireNotThere(flags.output);
  const partial = await requirePartialOutput(flags.output, read);
  requireLongRunFlags(flags);
  if (reportFolder(flags) !== undefined && !flags.dryRun)
    await makeRunFolders(flags, [...data, ...(flags.test ?? [])], read);
  const checkpoints = await checkpointsOf(flags, resolved, progress);
  const json = new JsonLines(() =>
    note("nobody reads standard output any more: training continues without --json"),
  );
  let lock: RunLock | undefined;
  try {
    if (!flags.dryRun) lock = await lockReportFolder(flags, note);
    const job = { flags, inputs, tests, options, partial, progress, json };
    const result = await continueOnNewDevice({ checkpoints, note }, (from, opened) =>
      onDevice(flags, (kernels, computingOn) => {
        opened(kernels);
        return trainOn(kernels, computingOn, { ...job, checkpoints: from });
      }),
    );
    if (!flags.quiet || flags.dryRun) (flags.json ? stderr : stdout).write(`${result}\n`);
  } finally {
    json.close();
    await lock?.release();
    await checkpoints?.folder.close();
  }
}

/** The dictionaries and matrices that a run starts from. */
function modelFiles({ start, init, base }: TrainFlags): (string | undefined)[] {
  const isWord = startingAtoms.some((name) => name === init);
  return [start, isWord ? undefined : init, base];
}

/** Whether a file at the output may be replaced: on request, or if the run that is resumed wrote it. */
async function mayReplaceOutput({ output, force, resume, checkpoint }: TrainFlags): Promise<boolean> {
  if (force) return true;
  return resume === true && checkpoint !== undefined && (await isOwnOutput(checkpoint, output));
}

/** With `--json` there is a progress line only if the JSON goes elsewhere than the terminal. */
function progressFor({ json }: TrainFlags): ProgressLine {
  return !json || (stderr.isTTY && !stdout.isTTY) ? new ProgressLine() : new ProgressLine("none");
}

/** Prints a line about the run. */
function notesOf(progress: ProgressLine): (line: string) => void {
  return (line) => progress.note(`train: ${line}`);
}

/** The checkpoints of the run, if any are wanted; a dry run neither writes nor resumes. */
async function checkpointsOf(
  flags: TrainFlags,
  training: ResolvedTraining,
  progress: ProgressLine,
): Promise<Checkpoints | undefined> {
  const { checkpoint, checkpointEvery: minutes, checkpointSteps: steps, resume, dryRun } = flags;
  if (checkpoint === undefined || dryRun) return undefined;
  const checkpoints = await openCheckpoints(checkpoint, training, {
    minutes,
    steps,
    resume,
    onProblem: notesOf(progress),
    onStart: (line) => progress.note(line),
  });
  if (!checkpoints.resume) await forgetOutputs(checkpoints.folder.path);
  return checkpoints;
}

/** Open the data, plan, train and save; what to print in the end. */
async function trainOn(kernels: Kernels, computingOn: string, job: TrainJob): Promise<string> {
  const { inputs, tests, progress } = job;
  const { patch, groupSamples = trainDefaults.groupSamples } = job.options;
  const onSkip = notesOf(progress);
  const reading = { patch, onSkip, nodata: job.options.nodata };
  const source = await openSource(inputs, { ...reading, unitSamples: groupSamples / unitsPerGroup });
  try {
    const test = tests && (await readSignals(tests, reading));
    const works = {
      ordering: "putting the examples in order",
      reading: "reading the data",
      starting: "finding atoms to start from",
    };
    const onReading = (part: number, work: keyof typeof works) =>
      progress.show([`${works[work]} ${(100 * part).toFixed(0)}%`]);
    const nodata = nodataInSignals(job.options.nodata);
    const options = { ...job.options, nodata, test, kernels, onUnreadable: onSkip, onReading };
    return await planAndTrain(source, { ...job, options }, computingOn);
  } finally {
    await source.close();
  }
}

type DeviceJob = TrainJob & { readonly options: { readonly kernels: Kernels } };

async function planAndTrain(source: SignalSource, job: DeviceJob, computingOn: string): Promise<string> {
  const { flags, options, checkpoints, progress } = job;
  const resume = checkpoints?.resume;
  const interrupt = new Interrupt(() => progress.note(describeStop(job)));
  const { signal } = interrupt;
  const run = train(source, { ...options, signal, checkpoints: checkpoints?.folder, resume });
  const plan = flags.dryRun ? await planQuickly(run, source, options) : await run.plan();
  const free = await freeSpace(dirname(flags.output));
  const about = describeInputs(job.inputs, source.units);
  const lines = [
    about,
    describePlan(plan),
    describeData(plan),
    describeDisk(diskOf(plan, job), free),
    computingOn,
  ];
  const hint = hintAtColumns(job.inputs, plan.base.shape);
  if (hint) notesOf(progress)(hint);
  if (flags.dryRun) {
    await run.close();
    plan.warnings.forEach(notesOf(progress));
    return [...lines, await dryRun(source, plan, job)].join("\n");
  }
  progress.note(lines.join("\n"));
  if (plan.extreme) notesOf(progress)(describeExtreme(plan.extreme, "name it by --nodata"));
  plan.warnings.forEach(notesOf(progress));
  if (resume) interrupt.listen(); // its first report may take a while
  try {
    const saved = await trainAndSave(run, plan, interrupt, job);
    const { end, elsewhere } = saved;
    for (const line of [describeDecline(end, plan), describeNoAverage(end, plan)])
      if (line !== undefined) notesOf(progress)(line);
    const result = describeResult(plan, saved, flags);
    const unread = describeUnread(run.unreadable);
    if (end.report.ended === "aborted")
      throw interrupt.error(`${result}${unread && `; ${unread}`}${howToResume(checkpoints)}`);
    if (elsewhere !== undefined)
      throw new Error(`${result}${unread && `; ${unread}`}; ${describeTaken(flags)}`);
    return unread ? `${result}\n${unread}` : result;
  } finally {
    interrupt.stop();
  }
}

/** What follows the first signal. */
function describeStop({ flags, partial, checkpoints }: TrainJob): string {
  const saved = [
    ...(partial === undefined ? [] : [`the dictionary so far to ${partial}`]),
    ...(checkpoints ? [`a checkpoint to ${checkpoints.folder.path}`] : []),
  ];
  const what = saved.length > 0 ? `saving ${saved.join(", and ")}` : `nothing is saved at ${flags.output}`;
  return `stopping: ${what} (Ctrl-C again to quit at once)`;
}

/** What a signal brings that arrives when the run has ended. */
const stopsWhenSaved = "stopping once the dictionary is saved (Ctrl-C again to quit at once)";

/** A run that has ended, and where its dictionary is, if it is not at the output. */
interface SavedRun {
  readonly end: RunProgress;
  readonly elsewhere: string | undefined;
}

/** What the run came to, and where it is saved. */
function describeResult(plan: TrainPlan, { end, elsewhere }: SavedRun, { output }: TrainFlags): string {
  const interrupted = end.report.ended === "aborted";
  const saved = elsewhere ?? (interrupted ? `${output} (nothing saved)` : output);
  const what = `${counted(plan.atoms, "atom")} of ${formatShape(plan.base.shape)}`;
  return `${saved}: ${what}, ${describeEnd(end, plan)}`;
}

/** Why the dictionary of a finished run is not at the output. */
function describeTaken({ output }: TrainFlags): string {
  return `${output} was written by another process during the run and is not replaced`;
}

function howToResume(checkpoints: Checkpoints | undefined): string {
  const last = checkpoints?.folder.last;
  return last === undefined ? "" : `; to continue from ${last}, run the same command with --resume`;
}

/** What the run writes to disk. */
function diskOf(plan: TrainPlan, { flags, inputs, tests = [] }: TrainJob): Need[] {
  const report = reportFolder(flags) !== undefined;
  const temporary = temporaryBytes([...inputs, ...tests]);
  return diskNeeds(plan, { report, checkpoints: flags.checkpoint !== undefined, temporary });
}

/** The plan as the record of the run keeps it. */
function recordedPlan(plan: TrainPlan, job: DeviceJob): PlanLine {
  const { flags, options, checkpoints } = job;
  const machine = thisMachine(options.kernels);
  const resumedAt = checkpoints?.resume?.header.position.examples;
  return planLine(plan, { output: flags.output, disk: diskOf(plan, job), machine, resumedAt });
}

/** Measure the pace of a run, without running it to its end; its time in words. */
async function dryRun(source: SignalSource, plan: TrainPlan, job: DeviceJob): Promise<string> {
  const { options, flags } = job;
  const pace = await measurePace(source, options, plan);
  const seconds = pace && expectedSeconds(plan, pace);
  if (flags.json) job.json.write({ ...recordedPlan(plan, job), seconds });
  return describeTime(plan, pace);
}

/** Follow the run to its end and save its model. */
async function trainAndSave(
  run: TrainingRun,
  plan: TrainPlan,
  interrupt: Interrupt,
  job: DeviceJob,
): Promise<SavedRun> {
  const { flags, checkpoints, progress, json } = job;
  let elsewhere: string | undefined;
  const end = await recordRun(run, plan, {
    kernels: job.options.kernels,
    memory: () => memoryNow(job.options.kernels),
    line: () => recordedPlan(plan, job),
    resumed: checkpoints?.resume && resumedRun(checkpoints.resume),
    folder: reportFolder(flags),
    pageEvery: flags.pageEvery,
    display: progress,
    onStart: () => interrupt.listen(),
    onReport(report, seconds) {
      if (flags.json) json.write({ kind: "report", ...jsonReport(report, seconds) });
    },
    rescue: (error) => rescue(error, run, plan, job),
    async save(model, { report }) {
      if (report.ended !== "aborted") interrupt.listen(() => progress.note(stopsWhenSaved));
      elsewhere = await save(model, report, plan, job).catch((error) => {
        throw notSaved(error, checkpoints?.folder);
      });
      return elsewhere;
    },
    onProblem: notesOf(progress),
  });
  return { end, elsewhere };
}

function resumedRun({ header: { position, report } }: Checkpoint): ResumedRun {
  return { examples: position.examples, seconds: position.seconds, report };
}

/** Save a finished model at the output if that is free, the model of an interrupted run beside it; where, if beside it. */
async function save(
  model: Model,
  { ended, examples }: TrainReport,
  plan: TrainPlan,
  { flags, partial, checkpoints, progress }: DeviceJob,
): Promise<string | undefined> {
  if (ended === "aborted") {
    if (partial !== undefined) await savePartialModel(partial, model, progressOf(examples, plan));
    return partial;
  }
  const elsewhere = await placeBesideTaken(flags);
  const bytes = modelToBytes(model, elsewhere ?? flags.output);
  if (checkpoints)
    await recordOutput(checkpoints.folder.path, bytes).catch((error: Error) => {
      notesOf(progress)(`${error.message}; to resume this run later, add --force`);
    });
  await writeFileAtomic(elsewhere ?? flags.output, bytes);
  if (partial !== undefined && checkpoints?.resume) await removePartialModel(partial);
  return elsewhere;
}

/** A free name beside the output, if there is now a file that was not there when the run began. */
async function placeBesideTaken(flags: TrainFlags): Promise<string | undefined> {
  if (!(await isTaken(flags.output)) || (await mayReplaceOutput(flags))) return undefined;
  return freeNameBeside(flags.output);
}

function progressOf(seen: number, { examples, epochs }: TrainPlan): { examples: number; of: number } {
  return { examples: seen, of: examples * epochs };
}

/** A run whose data can no longer be read leaves what Ctrl-C would leave; any other failure names the last checkpoint. */
async function rescue(error: unknown, run: TrainingRun, plan: TrainPlan, job: DeviceJob): Promise<unknown> {
  const { partial, checkpoints } = job;
  const model = await run.snapshot().catch(() => undefined);
  if (model === undefined || partial === undefined) return withLastCheckpoint(error, checkpoints?.folder);
  await savePartialModel(partial, model, progressOf(model.meta.examplesSeen, plan)).catch((problem) => {
    throw withMore(error, (problem as Error).message);
  });
  const saved = `the dictionary so far is in ${partial}`;
  return withMore(error, `${saved}${howToResume(checkpoints)}`);
}
