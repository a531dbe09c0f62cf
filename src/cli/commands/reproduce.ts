/** `trainlets reproduce`: run the experiments of the paper. */

import { join, resolve } from "node:path";
import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { clock } from "../../core/formatText.js";
import { requireOneOf } from "../../core/require.js";
import { formatShape, parseShape, type Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { writeFileAtomic } from "../../data/node/files.js";
import { type Input, inspectInputs } from "../../data/node/inputs.js";
import { finishOutputFolder, makeOutputFolder, resultFolder } from "../../data/node/outputs.js";
import { readSignals } from "../../data/node/readSignals.js";
import { experiments, findExperiment } from "../../experiments/catalogue.js";
import type {
  Experiment,
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  Outcome,
  OutcomeFile,
} from "../../experiments/shared/experiment.js";
import { rasterizeSvg } from "../../figures/node/rasterize.js";
import { describePlan, followRun } from "../../report/followRun.js";
import { jsonReport } from "../../report/runRecord.js";
import { type DeviceFlags, memoryNow, onDevice, withDeviceOptions } from "../terminal/device.js";
import { count, option } from "../terminal/flags.js";
import { Interrupt } from "../terminal/interrupt.js";
import { stderr, stdout } from "../terminal/output.js";
import { ProgressLine } from "../terminal/progress.js";
import { textTable } from "../terminal/textTable.js";

interface ReproduceFlags extends DeviceFlags, Omit<ExperimentOptions, "patch"> {
  readonly patch?: string;
  readonly output?: string;
  readonly images?: string[];
  readonly test?: string[];
  readonly json?: boolean;
}

const examples = `
Examples:
  trainlets reproduce                         list the experiments
  trainlets reproduce fig2                    one figure
  trainlets reproduce fig5 --quick --images lena.png   compare learners
  trainlets reproduce fig4 --images photos    on your own photos
  trainlets reproduce universal32 --quick     a small version, about a minute
  trainlets reproduce universal32 --images bsds/train --test bsds/val
  trainlets reproduce universal64 --images photos --examples 500k

Ctrl-C stops the training; the results then use the dictionary so far.`;

export function reproduceCommand(): Command {
  const byExperiment = "depends on the experiment and the device";
  const command = new Command("reproduce")
    .summary("run an experiment from the paper")
    .description(
      "Run an experiment from the paper, and write a page with its figures. Without a name, list the experiments.",
    )
    .usage("[experiment] [options]")
    .argument("[experiment]", experiments.map(({ name }) => name).join(", "))
    .addOption(option("-o, --output <folder>", "folder for the results", undefined, "out/EXPERIMENT"))
    .option("--images <data...>", "images to take patches from (default: synthetic pictures)")
    .option("--test <data...>", "images to test on (default: some of --images, set aside)")
    .option("--quick", "small version: fewer atoms, examples and patch sizes")
    .option("--patch <size>", "one patch size, for experiments with several: fig5")
    .addOption(option("--examples <n>", "patches per epoch: 270k, 10M", count, "as in the paper"))
    .addOption(option("--epochs <n>", "passes over the patches", count, "as in the paper"))
    .addOption(option("--batch <n>", "patches per step (mini-batch)", count, byExperiment))
    .addOption(option("--seed <n>", "seed of the random generator", count, 1))
    .option("--json", "print progress and results as lines of JSON on standard output")
    .addHelpText("after", examples)
    .action(runReproduce);
  return withDeviceOptions(command);
}

async function runReproduce(name: string | undefined, flags: ReproduceFlags): Promise<void> {
  if (name === undefined) {
    for (const { name, summary } of experiments) stdout.write(`${name.padEnd(14)}${summary}\n`);
    return;
  }
  const start = performance.now();
  const experiment = findExperiment(name);
  const { output = `out/${name}`, quick, examples, epochs, batch, seed } = flags;
  const patch = sizeOfFlag(experiment, flags.patch);
  const run = await experiment.prepare({ quick, examples, epochs, batch, seed, patch });
  requireImages(experiment, flags);
  const progress = new ProgressLine(flags.json ? "none" : undefined);
  const inputs = await inputsOf(flags);
  await onDevice(flags, async (kernels, computingOn) => {
    const data = await readData(inputs, experiment, progress);
    const read = [...(flags.images ?? []), ...(flags.test ?? [])];
    await makeOutputFolder(output, { ...resultFolder, data: read });
    progress.note(computingOn);
    const interrupt = new Interrupt(() =>
      progress.note("stopping: the results will use the dictionary so far (Ctrl-C again to quit at once)"),
    );
    const outcome = await perform(run, data, { kernels, progress, interrupt, json: flags.json === true });
    const written = await writeOutcome(output, outcome.files);
    await finishOutputFolder(output);
    const seconds = (performance.now() - start) / 1000;
    if (flags.json) {
      const { values, claims } = outcome;
      stdout.write(`${JSON.stringify({ experiment: name, ...values, claims, files: written, seconds })}\n`);
    } else stdout.write(`${describe(outcome)}\ndone in ${clock(seconds)}; open ${output}/index.html\n`);
    if (interrupt.signal.aborted)
      throw interrupt.error(
        `interrupted: the results in ${output} are those of a dictionary learned in part`,
      );
  });
}

/** One of the patch sizes of an experiment. */
function sizeOfFlag({ name, sizes }: Experiment, typed: string | undefined): Shape | undefined {
  if (typed === undefined) return undefined;
  if (!sizes) throw new InputError(`--patch is not an option of ${name}`);
  const patch = parseShape("reproduce", "patch", typed);
  const square = patch.length === 1 ? [patch[0], patch[0]] : patch;
  requireOneOf("reproduce", "patch size", formatShape(square), sizes.map(formatShape));
  return square;
}

/** Reject images for an experiment that does not use them. */
function requireImages({ name, images }: Experiment, flags: ReproduceFlags): void {
  if (images !== "learn" && flags.test)
    throw new InputError(`--test is not an option of ${name}: it takes no separate test images`);
  if (images === "none" && flags.images)
    throw new InputError(`--images is not an option of ${name}, which needs none`);
}

/** The files to read; no file may be both learned from and tested on. */
async function inputsOf({ images, test }: ReproduceFlags): Promise<{ images?: Input[]; test?: Input[] }> {
  const onSkip = (message: string) => stderr.write(`reproduce: ${message}\n`);
  const seen = images && (await inspectInputs(images, { onSkip }));
  const unseen = test && (await inspectInputs(test, { onSkip }));
  const known = new Set(seen?.map(({ path }) => resolve(path)));
  const both = unseen?.find(({ path }) => known.has(resolve(path)));
  if (both !== undefined)
    throw new InputError(`--test must be images that are not learned from, got ${both.path} in both`);
  return { ...(seen && { images: seen }), ...(unseen && { test: unseen }) };
}

async function readData(
  inputs: { readonly images?: Input[]; readonly test?: Input[] },
  { patch, images: purpose }: Experiment,
  progress: ProgressLine,
): Promise<ExperimentData> {
  const onSkip = (message: string) => progress.note(`reproduce: ${message}`);
  const read = async (list: Input[] | undefined): Promise<Signal[] | undefined> =>
    list && (await readSignals(list, { patch, onSkip }));
  const images = await read(inputs.images);
  if (purpose === "learn" && images?.length === 1 && !inputs.test)
    throw new InputError("--images must be at least two unless --test is given, got 1");
  return { images, test: await read(inputs.test) };
}

/** Run it and show its progress. */
async function perform(
  run: ExperimentRun,
  data: ExperimentData,
  tools: {
    kernels: Parameters<ExperimentRun>[1]["kernels"];
    progress: ProgressLine;
    interrupt: Interrupt;
    json: boolean;
  },
): Promise<Outcome> {
  const { kernels, progress, interrupt, json } = tools;
  const outcome = await run(data, {
    kernels,
    signal: interrupt.signal,
    async showTraining(plan, reports) {
      progress.note(describePlan(plan));
      await followRun(reports, plan, {
        display: progress,
        memory: () => memoryNow(kernels),
        onStart: () => interrupt.listen(),
        onReport(report, seconds) {
          if (json) stdout.write(`${JSON.stringify(jsonReport(report, seconds))}\n`);
        },
      }).finally(() => interrupt.stop());
    },
    onStage(stage) {
      if (json) stdout.write(`${JSON.stringify({ stage })}\n`);
      progress.show([stage], true);
    },
    onProgress: (state) => progress.show([state]),
  });
  progress.clear();
  return outcome;
}

/** Write all files, an SVG also as PNG if fonts are installed; their names. */
async function writeOutcome(folder: string, files: readonly OutcomeFile[]): Promise<string[]> {
  const names: string[] = [];
  const write = async (name: string, bytes: Uint8Array) => {
    await writeFileAtomic(join(folder, name), bytes);
    names.push(name);
  };
  for (const { name, bytes } of files) {
    const png = name.endsWith(".svg") ? await rasterizeSvg(bytes) : undefined;
    if (png) await write(name.replace(/svg$/, "png"), png);
    await write(name, bytes);
  }
  return names;
}

/** The table, then the claims. */
function describe({ header, rows, claims }: Outcome): string {
  const judged = claims.map(
    ({ text, measured, holds }) => `${holds ? "holds" : "does not hold"}: ${text} (measured: ${measured})`,
  );
  return [textTable(header, rows), "", ...judged].join("\n");
}
