/** `trainlets train`: learn a dictionary from images or arrays. */

import { stderr, stdout } from "node:process";
import { Command } from "commander";
import { requireAbove, requireInteger } from "../core/require.js";
import { formatShape, parseShape, type Shape, sizeOf } from "../core/shape.js";
import type { Signal } from "../core/signal.js";
import { type Input, inspectInputs, readSignals, resolvePatch } from "../data/node/inputs.js";
import { baseForms } from "../dictionaries/base.js";
import { loadBase } from "../dictionaries/node/base.js";
import { atomCareDefaults } from "../learn/atomCare.js";
import { learnerNames, learners } from "../learn/learners.js";
import { dataSettings, requireSameSettings } from "../learn/runSettings.js";
import { train } from "../learn/trainingRun.js";
import {
  defaultAtomSparsity,
  defaultSparsity,
  resolveTraining,
  type TrainOptions,
  trainDefaults,
} from "../learn/trainOptions.js";
import { loadModel, saveModel } from "../model/node/files.js";
import {
  type CheckpointFlags,
  type Checkpoints,
  notSaved,
  openCheckpoints,
  withCheckpointOptions,
  withLastCheckpoint,
} from "./checkpoints.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "./device.js";
import { choice, count, flagOf, number, option, resolveShare, type Share, share } from "./flags.js";
import { Interrupt } from "./interrupt.js";
import { requireOutput } from "./output.js";
import { counted, ProgressLine } from "./progress.js";
import { describeEnd, describePlan, follow } from "./trainReports.js";

interface TrainFlags
  extends DeviceFlags,
    CheckpointFlags,
    Omit<
      TrainOptions,
      "patch" | "base" | "atomSparsity" | "atomCare" | "coding" | "start" | "checkpoints" | "resume"
    > {
  readonly output: string;
  readonly base?: string;
  readonly patch: string;
  readonly atomSparsity?: Share;
  readonly sparsity?: number;
  readonly error?: number;
  readonly start?: string;
  readonly test?: string[];
  readonly atomCare?: number | boolean;
  readonly minutes?: number;
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

Ctrl-C ends a run and saves the dictionary so far.`;

export function trainCommand(): Command {
  const d = trainDefaults;
  const command = new Command("train")
    .summary("learn a dictionary from images or arrays")
    .description("Learn a dictionary from patches of images or of .npy arrays.")
    .usage("<data...> --patch <sizes> -o <file> [options]")
    .argument("<data...>", 'images, folders of images, globs ("*.png"), .npy arrays')
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
    .addOption(option("--atom-sparsity <k>", "base atoms in an atom: 250, 10%", share, atomShare()))
    .optionsGroup("How patches are coded:")
    .addOption(option("--sparsity <p>", "with so many atoms", number, codeShare()))
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
      .option("--json", "progress as lines of JSON on standard output"),
  );
}

/** What each learner is. */
function learnerList(): string {
  const width = Math.max(...learnerNames.map((name) => name.length));
  const lines = learnerNames.map((name) => `  ${name.padEnd(width)}  ${learners[name].summary}`);
  return `\nLearners:\n${lines.join("\n")}\n`;
}

/** Defaults that depend on the patch, in words. */
function atomShare(): string {
  return `${defaultAtomSparsity(1000, Infinity) / 10}% of the samples`;
}

function codeShare(): string {
  return `${defaultSparsity(1000) / 10}% of the samples`;
}

async function runTrain(data: string[], flags: TrainFlags): Promise<void> {
  const typed = parseShape("train", "--patch", flags.patch);
  const inputs = await inspectInputs(data, "train");
  const tests = flags.test && (await inspectInputs(flags.test, "train"));
  const start = flags.start === undefined ? undefined : await loadModel(flags.start);
  const patch = resolvePatch(typed, inputs);
  const named = flags.base ?? (start ? undefined : trainDefaults.base); // a dictionary to go on from has its own
  const base = named === undefined ? undefined : await loadBase(named, patch, "train");
  const options = { ...libraryOptions(flags, patch), base, start };
  const resolved = resolveTraining(options, "train", flagOf); // refuses bad options before anything is read
  await requireOutput(flags.output, "train", [".npz"]);
  const progress = progressFor(flags.json === true);
  const checkpoints = await openCheckpoints(flags, resolved, (line) => progress.note(line));
  await onDevice(flags, "train", async (kernels, reason) => {
    const signals = await read(inputs, options.patch, progress);
    const testSignals = tests && (await read(tests, options.patch, progress));
    const on = `computing on ${kernels.name}: ${kernels.description} (${reason})`;
    const saying = { progress, on };
    const said = await learn(signals, { ...options, testSignals, kernels }, flags, checkpoints, saying);
    (flags.json ? stderr : stdout).write(`${said}\n`);
  });
}

/** Train and save; what to say in the end. */
async function learn(
  signals: readonly Signal[],
  options: TrainOptions,
  { output, json = false }: TrainFlags,
  { folder, resume }: Checkpoints,
  { progress, on }: { readonly progress: ProgressLine; readonly on: string },
): Promise<string> {
  const kept = folder ? `, a checkpoint to ${folder.path}` : "";
  const interrupt = new Interrupt(() =>
    progress.note(`ending: the dictionary so far goes to ${output}${kept} (Ctrl-C again to leave at once)`),
  );
  if (resume)
    requireSameSettings(resume.header.settings, dataSettings(signals, options.testSignals), "train", flagOf);
  const run = train(signals, { ...options, signal: interrupt.signal, checkpoints: folder, resume });
  const plan = await run.plan();
  progress.note(`${describePlan(plan)}\n${on}`);
  if (resume) interrupt.listen(); // its first report may be long in coming
  const following = follow(run, plan, { progress, json, onStart: () => interrupt.listen() });
  const course = await following
    .finally(() => interrupt.stop())
    .catch((error) => Promise.reject(withLastCheckpoint(error, folder)));
  const model = await run.model();
  await saveModel(output, model).catch((error) => Promise.reject(notSaved(error, folder)));
  const what = `${counted(plan.atoms, "atom")} of ${formatShape(plan.base.shape)}`;
  return `${output}: ${what}, ${describeEnd(course, plan)}`;
}

function read(inputs: readonly Input[], patch: Shape, progress: ProgressLine): Promise<Signal[]> {
  const onSkip = (message: string) => progress.note(`train: ${message}`);
  return readSignals(
    inputs.map(({ path }) => path),
    { patch, caller: "train", onSkip },
  );
}

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
