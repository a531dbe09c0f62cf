/** `trainlets train`: learn a dictionary from images or arrays. */

import { stderr, stdout } from "node:process";
import { Command } from "commander";
import { requireAbove, requireInteger } from "../../core/require.js";
import { parseShape, type Shape, sizeOf } from "../../core/shape.js";
import type { Input } from "../../data/node/input.js";
import { inspectInputs, resolvePatch } from "../../data/node/inputs.js";
import { openSource } from "../../data/node/openSource.js";
import { readSignals } from "../../data/node/readSignals.js";
import { baseForms } from "../../dictionaries/base.js";
import { loadBase } from "../../dictionaries/node/base.js";
import type { Kernels } from "../../kernels/contract.js";
import { atomCareDefaults } from "../../learn/atoms/atomCare.js";
import { learnerNames, learners } from "../../learn/learners/registry.js";
import {
  defaultAtomSparsity,
  resolveTraining,
  type TrainOptions,
  trainDefaults,
} from "../../learn/run/trainOptions.js";
import { loadModel } from "../../model/node/files.js";
import { defaultSparsity } from "../../pursuit/limits.js";
import {
  type Checkpoints,
  openCheckpoints,
  withCheckpointOptions,
  withFolder,
} from "../terminal/checkpoints.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import { choice, count, number, option, resolveShare, type Share, share } from "../terminal/flags.js";
import { requireOutput } from "../terminal/outputs.js";
import { ProgressLine } from "../terminal/progress.js";
import { learn, makeReportFolder, type RunFlags, requireReport } from "../terminal/trainRun.js";

interface TrainFlags
  extends DeviceFlags,
    RunFlags,
    Omit<
      TrainOptions,
      | "patch"
      | "base"
      | "atomSparsity"
      | "atomCare"
      | "coding"
      | "start"
      | "checkpoints"
      | "resume"
      | "reportEvery"
    > {
  readonly base?: string;
  readonly patch: string;
  readonly atomSparsity?: Share;
  readonly sparsity?: number;
  readonly error?: number;
  readonly start?: string;
  readonly test?: string[];
  readonly atomCare?: number | boolean;
  readonly minutes?: number;
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

Ctrl-C ends a run and saves the dictionary so far.`;

export function trainCommand(): Command {
  const d = trainDefaults;
  const atomSparsity = (n: number) => defaultAtomSparsity(n, Infinity);
  const command = new Command("train")
    .summary("learn a dictionary from images or arrays")
    .description("Learn a dictionary from patches of images or of .npy arrays.")
    .usage("<data...> --patch <sizes> -o <file> [options]")
    .argument("<data...>", 'images, folders of images, globs ("*.png"), .npy and .npz arrays, .tar archives')
    .optionsGroup("What is learned:")
    .requiredOption("-o, --output <file>", "where the dictionary goes (.npz)")
    .requiredOption("--patch <sizes>", "size of a patch: 16 (16x16 in images), 32x24, 8x8x8")
    .addOption(
      option(
        "--base <name>",
        `what atoms are made of: ${baseForms.join(", ")}, MATRIX.npy`,
        undefined,
        d.base,
      ),
    )
    .addOption(option("--atoms <m>", "number of atoms", count, "as many as the base has"))
    .addOption(option("--redundancy <r>", "the same, as a multiple of those of the base", number))
    .addOption(option("--atom-sparsity <k>", "base atoms in an atom: 250, 10%", share, bySize(atomSparsity)))
    .optionsGroup("How patches are coded:")
    .addOption(option("--sparsity <p>", "with so many atoms", number, bySize(defaultSparsity)))
    .addOption(option("--error <e>", "until the RMSE of the patch is at most this", number))
    .option("--no-remove-mean", "keep the mean of each patch in its code")
    .optionsGroup("How it is learned:")
    .addOption(option("--examples <n>", "patches an epoch: 5000, 200k, 10M", count, d.examples))
    .addOption(option("--epochs <n>", "times that each patch is seen", count, d.epochs))
    .addOption(option("--batch <n>", "patches of a step", count, d.batch))
    .addOption(option("--momentum <g>", "part of a step that goes on, below 1, for osdl", number, d.momentum))
    .addOption(option("--step-decay <t>", "steps are halved after so many, for niht", number, d.stepDecay))
    .addOption(option("--seed <n>", "seed of everything random", count, d.seed))
    .addOption(option("--atom-care <n>", "steps between replacing idle atoms", count, atomCareDefaults.every))
    .option("--no-atom-care", "leave idle and double atoms alone")
    .addOption(choice("--learner <name>", "algorithm", learnerNames, d.learner))
    .option("--start <file>", "go on from this dictionary, with its base and its atoms")
    .optionsGroup("Testing, and when to stop:")
    .addOption(option("--holdout <n>", "patches to test on; up to a tenth of all", count, d.holdout))
    .option("--test <data...>", "test on patches of these instead")
    .addOption(option("--test-every <n>", "patches between two tests", count, "an epoch"))
    .addOption(option("--patience <n>", "stop after so many tests without a better one", count))
    .addOption(option("--minutes <t>", "stop after so many minutes", number))
    .addHelpText("after", () => `${learnerList()}${examples}`)
    .action(runTrain);
  return withDeviceOptions(
    withCheckpointOptions(command)
      .optionsGroup("Other options:")
      .addOption(
        option(
          "--group-samples <n>",
          "samples in memory at a time; larger sets are read in groups",
          count,
          `${trainDefaults.groupSamples / 2 ** 20}Mi`,
        ),
      )
      .option("--json", "progress as lines of JSON on standard output"),
  );
}

/** What each learner is. */
function learnerList(): string {
  const width = Math.max(...learnerNames.map((name) => name.length));
  const lines = learnerNames.map((name) => `  ${name.padEnd(width)}  ${learners[name].summary}`);
  return `\nLearners:\n${lines.join("\n")}\n`;
}

/** A default that depends on the patch, by examples: `16 for 8x8, 64 for 32x32`. */
function bySize(of: (n: number) => number): string {
  return [8, 16, 32, 64].map((side) => `${of(side * side)} for ${side}x${side}`).join(", ");
}

async function runTrain(data: string[], flags: TrainFlags): Promise<void> {
  const typed = parseShape("train", "--patch", flags.patch);
  const inputs = await inspectInputs(data);
  const tests = flags.test && (await inspectInputs(flags.test));
  const start = flags.start === undefined ? undefined : await loadModel(flags.start);
  const patch = resolvePatch(typed, inputs);
  const named = flags.base ?? (start ? undefined : trainDefaults.base); // a dictionary to go on from has its own
  const base = named === undefined ? undefined : await loadBase(named, patch);
  const options = { ...libraryOptions(flags, patch), base, start };
  const resolved = resolveTraining(options); // refuses bad options before anything is read
  await requireOutput(flags.output, "train", [".npz"]);
  requireReport(flags);
  const progress = progressFor(flags.json === true);
  const checkpoints = await openCheckpoints(flags, resolved, (line) => progress.note(line));
  const work = { flags, inputs, tests, patch, options, checkpoints, progress };
  await withFolder(checkpoints, async () => {
    await makeReportFolder(flags);
    await onDevice(flags, "train", (kernels, reason) => trainOn(kernels, reason, work));
  });
}

/** What was asked for, checked. */
interface TrainWork {
  readonly flags: TrainFlags;
  readonly inputs: readonly Input[];
  readonly tests: readonly Input[] | undefined;
  readonly patch: Shape;
  readonly options: TrainOptions;
  readonly checkpoints: Checkpoints;
  readonly progress: ProgressLine;
}

async function trainOn(kernels: Kernels, reason: string, work: TrainWork): Promise<void> {
  const { flags, inputs, tests, patch, options, checkpoints, progress } = work;
  const onSkip = (message: string) => progress.note(`train: ${message}`);
  const reading = { patch, onSkip };
  const { groupSamples = trainDefaults.groupSamples } = options;
  const source = await openSource(inputs, { ...reading, unitSamples: groupSamples / unitsOfGroup });
  try {
    const testSignals = tests && (await readSignals(tests, reading));
    const on = `computing on ${kernels.name}: ${kernels.description} (${reason})`;
    const onReading = (part: number) => progress.show([`reading the data ${(100 * part).toFixed(0)}%`]);
    const more = { testSignals, kernels, onUnreadable: onSkip, onReading };
    const said = await learn(source, { options: { ...options, ...more }, flags, checkpoints, progress, on });
    (flags.json ? stderr : stdout).write(`${said}\n`);
  } finally {
    await source.close();
  }
}

/** Large arrays are cut up so that a group has pieces from so many places at least. */
const unitsOfGroup = 8;

/** JSON is progress enough, unless it goes elsewhere than the terminal. */
function progressFor(json: boolean): ProgressLine {
  return !json || (stderr.isTTY && !stdout.isTTY) ? new ProgressLine() : new ProgressLine("none");
}

/** The library's options for what was typed. */
function libraryOptions(flags: TrainFlags, patch: Shape): TrainOptions {
  const { sparsity, error, atomSparsity, atomCare, minutes, ...rest } = flags;
  const {
    test: _test,
    output: _output,
    device: _device,
    threads: _threads,
    json: _json,
    report: _report,
    reportEvery: _reportEvery,
    dryRun: _dryRun,
    start: _start,
    checkpoint: _checkpoint,
    checkpointEvery: _every,
    checkpointSteps: _steps,
    resume: _resume,
    ...same
  } = rest;
  return {
    ...same,
    patch,
    coding: sparsity === undefined && error === undefined ? undefined : { sparsity, error },
    atomSparsity: atomSparsity && resolveShare("train", "--atom-sparsity", atomSparsity, sizeOf(patch)),
    atomCare: resolveCare(atomCare),
    seconds: minutes === undefined ? undefined : requireAbove("train", "--minutes", minutes, 0) * 60,
  };
}

function resolveCare(atomCare: number | boolean | undefined): TrainOptions["atomCare"] {
  if (atomCare === false) return false;
  if (atomCare === undefined || atomCare === true) return undefined;
  return { every: requireInteger("train", "--atom-care", atomCare, 1) };
}
