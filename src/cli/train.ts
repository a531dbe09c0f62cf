/** `trainlets train`: learn a dictionary from images or arrays. */

import { stderr, stdout } from "node:process";
import { Command, Option } from "commander";
import { formatShape, type Shape, sizeOf } from "../core/shape.js";
import { requireWritable } from "../data/node/files.js";
import { inspectInputs, readSignals, resolvePatch } from "../data/node/inputs.js";
import { baseForms } from "../dictionaries/base.js";
import { atomCareDefaults } from "../learn/atomCare.js";
import { type TrainReport, train } from "../learn/trainingRun.js";
import { learnerNames, resolveTraining, type TrainOptions, trainDefaults } from "../learn/trainOptions.js";
import type { TrainPlan } from "../learn/workshop.js";
import { saveModel } from "../model/node/files.js";
import { chooseDevice, type DeviceFlags, withDeviceOptions } from "./device.js";
import { count, flagOf, number, option, resolveShare, type Share, shape, share } from "./flags.js";
import { clock, grouped, ProgressLine } from "./progress.js";

interface TrainFlags
  extends DeviceFlags,
    Omit<TrainOptions, "patch" | "atomSparsity" | "atomCare" | "coding"> {
  readonly output: string;
  readonly patch: Shape;
  readonly atomSparsity?: Share;
  readonly sparsity?: number;
  readonly error?: number;
  readonly test?: string[];
  readonly atomCare?: number | false;
  readonly minutes?: number;
  readonly json?: boolean;
}

export function trainCommand(): Command {
  const d = trainDefaults;
  const command = new Command("train")
    .description("learn a dictionary from images (files, folders, globs) or .npy arrays")
    .argument("<data...>", "images, folders of images, globs, or .npy arrays")
    .requiredOption("-o, --output <file>", "where the dictionary goes (.npz)")
    .requiredOption(
      "--patch <sizes>",
      "shape of a patch: 12 (a square of an image, a window of a 1-D signal), 32x24, 16x16x8",
      shape,
    )
    .addOption(option("--base <name>", `base dictionary: ${baseForms.join(", ")}`, undefined, d.base))
    .addOption(option("--atoms <m>", "atoms of the dictionary", count, "as many as the base has"))
    .addOption(option("--redundancy <r>", "atoms as a multiple of those of the base", number))
    .addOption(
      option(
        "--atom-sparsity <k>",
        "non-zeros of an atom over the base: a number, or a share of the samples",
        share,
        "10%",
      ),
    )
    .addOption(option("--sparsity <p>", "atoms of a code", number, "a fortieth of the samples"))
    .addOption(
      option("--error <e>", "code until the root-mean-square error a sample is at most this", number),
    )
    .addOption(new Option("--learner <name>", "learner").choices(learnerNames).default(d.learner))
    .addOption(option("--batch <n>", "examples of a mini-batch", count, d.batch))
    .addOption(option("--epochs <n>", "times each example is seen", count, d.epochs))
    .addOption(option("--examples <n>", "examples of an epoch, drawn from all windows", count, d.examples))
    .addOption(option("--momentum <g>", "momentum, from 0 to below 1", number, d.momentum))
    .addOption(option("--seed <n>", "seed of everything random", count, d.seed))
    .addOption(option("--holdout <n>", "windows kept for testing", count, d.holdout))
    .addOption(new Option("--test <data...>", "test on windows of these instead"))
    .addOption(option("--test-every <n>", "examples between two test errors", count, "an epoch"))
    .addOption(option("--patience <n>", "stop after so many test errors without a better one", count))
    .addOption(option("--minutes <t>", "stop after so many minutes", number))
    .addOption(
      option(
        "--atom-care <steps>",
        "mini-batches between two looks for idle and double atoms",
        count,
        atomCareDefaults.every,
      ),
    )
    .option("--no-atom-care", "leave idle and double atoms alone")
    .option("--no-remove-mean", "keep the mean of each patch")
    .option("--json", "a line of JSON a report on standard output")
    .action(runTrain);
  return withDeviceOptions(command);
}

async function runTrain(data: string[], flags: TrainFlags): Promise<void> {
  const inputs = await inspectInputs(data, "train");
  const options = libraryOptions(flags, resolvePatch(flags.patch, inputs));
  resolveTraining(options, "train", flagOf); // refuses bad options before anything is read
  await requireWritable(flags.output, "train");
  const progress = new ProgressLine();
  const reading = {
    patch: options.patch,
    caller: "train",
    onSkip: (message: string) => progress.note(message),
  };
  const signals = await readSignals(
    inputs.map(({ path }) => path),
    reading,
  );
  const testSignals = flags.test && (await readTestSignals(flags.test, reading));
  const { kernels, reason } = await chooseDevice(flags, "train");
  const interrupted = abortOnInterrupt(progress);
  try {
    const run = train(signals, { ...options, testSignals, kernels, signal: interrupted.signal });
    const plan = await run.plan();
    progress.note(`${describe(plan)}\ncomputing on ${kernels.name}: ${kernels.description} (${reason})`);
    const summary = await follow(run, plan, progress, flags.json === true);
    await saveModel(flags.output, await run.model());
    (flags.json ? stderr : stdout).write(
      `${flags.output}: ${plan.atoms} atoms of ${formatShape(plan.base.shape)}, ${summary}\n`,
    );
  } finally {
    interrupted.stop();
    await kernels.dispose();
  }
}

/** The library's options for what was typed. */
function libraryOptions(flags: TrainFlags, patch: Shape): TrainOptions {
  const {
    sparsity,
    error,
    atomSparsity,
    atomCare,
    minutes,
    test: _,
    output: __,
    device: ___,
    json: ____,
    ...rest
  } = flags;
  return {
    ...rest,
    patch,
    coding: sparsity === undefined && error === undefined ? undefined : { sparsity, error },
    atomSparsity: atomSparsity && resolveShare(atomSparsity, sizeOf(patch)),
    atomCare: typeof atomCare === "number" ? { every: atomCare } : atomCare === false ? false : undefined,
    seconds: minutes === undefined ? undefined : minutes * 60,
  };
}

async function readTestSignals(args: string[], reading: Parameters<typeof readSignals>[1]) {
  const inputs = await inspectInputs(args, "train");
  return readSignals(
    inputs.map(({ path }) => path),
    reading,
  );
}

function describe(plan: TrainPlan): string {
  const { base, atoms, atomSparsity, coding, examples, available, epochs, batch, holdout } = plan;
  const L = base.factors.reduce((product, factor) => product * factor.cols, 1);
  const code = coding.sparsity === undefined ? `error ${coding.error}` : `${coding.sparsity} atoms a code`;
  return [
    `${formatShape(base.shape)} patches over ${base.name} (${L} base atoms): ${atoms} atoms, ${atomSparsity} non-zeros each, ${code}`,
    `${grouped(examples)} of ${grouped(available)} patches, ${epochs} ${epochs === 1 ? "epoch" : "epochs"}, batches of ${batch}, ${grouped(holdout)} to test on`,
  ].join("\n");
}

/** Show reports as they come; what to say in the end. */
async function follow(
  run: AsyncIterable<TrainReport>,
  plan: TrainPlan,
  progress: ProgressLine,
  json: boolean,
): Promise<string> {
  const start = performance.now();
  const total = plan.examples * plan.epochs;
  let testRmse: number | undefined;
  let ended: string | undefined;
  for await (const report of run) {
    const seconds = (performance.now() - start) / 1000;
    testRmse = report.testRmse ?? testRmse;
    ended = report.ended;
    if (json) stdout.write(`${JSON.stringify({ ...report, rmse: finite(report.rmse), seconds })}\n`);
    progress.show(progressLine(report, total, seconds, testRmse), report.testRmse !== undefined && !json);
  }
  progress.clear();
  const early = ended === undefined || ended === "epochs" ? "" : `, ended early (${ended})`;
  return `test RMSE ${testRmse === undefined ? "not measured" : testRmse.toFixed(3)} in ${clock((performance.now() - start) / 1000)}${early}`;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function progressLine(
  report: TrainReport,
  total: number,
  seconds: number,
  testRmse: number | undefined,
): string {
  const rate = report.examples / Math.max(seconds, 1e-3);
  const left = report.examples > 0 ? clock((total - report.examples) / rate) : "?";
  const share = ((100 * report.examples) / total).toFixed(0).padStart(3);
  const parts = [
    `${share}%`,
    `epoch ${report.epoch}`,
    `${grouped(report.examples)} examples`,
    `${grouped(rate)}/s`,
  ];
  if (Number.isFinite(report.rmse)) parts.push(`RMSE ${report.rmse.toFixed(3)}`);
  if (testRmse !== undefined) parts.push(`test ${testRmse.toFixed(3)}`);
  return [...parts, `${left} left`].join("  ");
}

/** Ctrl-C once ends the run with the model so far; twice ends the program. */
function abortOnInterrupt(progress: ProgressLine): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
    progress.note("ending: the dictionary so far will be saved (Ctrl-C again to leave at once)");
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop: () => {
      for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, onSignal);
    },
  };
}
