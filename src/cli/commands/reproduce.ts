/** `trainlets reproduce`: the experiments of the paper. */

import { resolve } from "node:path";
import { stdout } from "node:process";
import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { requireOneOf } from "../../core/require.js";
import { formatShape, parseShape, type Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { Input } from "../../data/node/input.js";
import { inspectInputs } from "../../data/node/inputs.js";
import { readSignals } from "../../data/node/readSignals.js";
import { experiments, findExperiment } from "../../experiments/catalogue.js";
import type {
  Experiment,
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  Outcome,
} from "../../experiments/shared/experiment.js";
import { memoryNow } from "../../report/node/machine.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import { count, option } from "../terminal/flags.js";
import { Interrupt } from "../terminal/interrupt.js";
import { clock, ProgressLine } from "../terminal/progress.js";
import { makeFolder, writeOutcome } from "../terminal/resultFolder.js";
import { textTable } from "../terminal/textTable.js";
import { describePlan, follow } from "../terminal/trainReports.js";

interface ReproduceFlags extends DeviceFlags, Omit<ExperimentOptions, "patch"> {
  readonly patch?: string;
  readonly output?: string;
  readonly images?: string[];
  readonly test?: string[];
  readonly json?: boolean;
}

const examples = `
Examples:
  trainlets reproduce                         the experiments there are
  trainlets reproduce fig2                    one figure
  trainlets reproduce fig5 --quick --images lena.png   learners compared
  trainlets reproduce fig4 --images photos    on your own photos
  trainlets reproduce universal32 --quick     a small version, about a minute
  trainlets reproduce universal32 --images bsds/train --test bsds/val
  trainlets reproduce universal64 --images photos --examples 500k

Ctrl-C ends the training, and shows the dictionary so far.`;

export function reproduceCommand(): Command {
  const command = new Command("reproduce")
    .summary("run an experiment of the paper, and draw its figures")
    .description(
      "Run an experiment of the paper, and leave its figures on a page. Without a name: list them.",
    )
    .usage("[experiment] [options]")
    .argument("[experiment]", experiments.map(({ name }) => name).join(", "))
    .addOption(option("-o, --output <folder>", "where the results go", undefined, "out/EXPERIMENT"))
    .option("--images <data...>", "images to take patches from (default: made-up pictures)")
    .option("--test <data...>", "images to test on (default: a part of the others, set aside)")
    .option("--quick", "a small version: the same patches, fewer atoms and examples")
    .option("--patch <size>", "one size of patches, where an experiment has several: fig5")
    .addOption(option("--examples <n>", "patches an epoch: 270k, 10M", count, "as in the paper"))
    .addOption(option("--epochs <n>", "times that each patch is seen", count, "as in the paper"))
    .addOption(option("--batch <n>", "patches of a step", count, "by the device"))
    .addOption(option("--seed <n>", "seed of everything random", count, 1))
    .option("--json", "progress and outcome as lines of JSON on standard output")
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
  await onDevice(flags, "reproduce", async (kernels, reason) => {
    const data = await readData(inputs, experiment, progress);
    await makeFolder(output, "reproduce");
    progress.note(`computing on ${kernels.name}: ${kernels.description} (${reason})`);
    const outcome = await perform(run, data, { kernels, progress, json: flags.json === true });
    const written = await writeOutcome(output, outcome.files);
    const seconds = (performance.now() - start) / 1000;
    if (flags.json) {
      const { values, claims } = outcome;
      stdout.write(`${JSON.stringify({ experiment: name, ...values, claims, files: written, seconds })}\n`);
    } else stdout.write(`${describe(outcome)}\ndone in ${clock(seconds)}; open ${output}/index.html\n`);
  });
}

/** One of the sizes that an experiment has. */
function sizeOfFlag({ name, sizes }: Experiment, typed: string | undefined): Shape | undefined {
  if (typed === undefined) return undefined;
  if (!sizes) throw new InputError(`reproduce: --patch is not an option of ${name}`);
  const patch = parseShape("reproduce", "--patch", typed);
  const square = patch.length === 1 ? [patch[0], patch[0]] : patch;
  requireOneOf("reproduce", "size of patches", formatShape(square), sizes.map(formatShape));
  return square;
}

/** Refuse images where there is no use for them. */
function requireImages({ name, images }: Experiment, flags: ReproduceFlags): void {
  if (images !== "learn" && flags.test)
    throw new InputError(`reproduce: --test is not an option of ${name}, which learns nothing`);
  if (images === "none" && flags.images)
    throw new InputError(`reproduce: --images is not an option of ${name}, which needs none`);
}

/** The files to read; none may be both learned from and tested on. */
async function inputsOf({ images, test }: ReproduceFlags): Promise<{ images?: Input[]; test?: Input[] }> {
  const list = (args: string[]) => inspectInputs(args);
  const [seen, unseen] = [images && (await list(images)), test && (await list(test))];
  const known = new Set(seen?.map(({ path }) => resolve(path)));
  const both = unseen?.find(({ path }) => known.has(resolve(path)));
  if (both !== undefined)
    throw new InputError(
      `reproduce: --test must be images that are not learned from, got ${both.path} in both`,
    );
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
    throw new InputError("reproduce: --images must be at least two where --test is not given, got 1");
  return { images, test: await read(inputs.test) };
}

/** Run it, with the progress on a line. */
async function perform(
  run: ExperimentRun,
  data: ExperimentData,
  tools: { kernels: Parameters<ExperimentRun>[1]["kernels"]; progress: ProgressLine; json: boolean },
): Promise<Outcome> {
  const { kernels, progress, json } = tools;
  const interrupt = new Interrupt(() =>
    progress.note("ending: the dictionary so far will be shown (Ctrl-C again to leave at once)"),
  );
  const outcome = await run(data, {
    kernels,
    signal: interrupt.signal,
    async showTraining(plan, reports) {
      progress.note(describePlan(plan));
      const onStart = () => interrupt.listen();
      const memory = () => memoryNow(kernels);
      const following = follow(reports, plan, { progress, json, memory, onStart });
      await following.finally(() => interrupt.stop());
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

/** The table, then the claims. */
function describe({ header, rows, claims }: Outcome): string {
  const judged = claims.map(({ text, holds }) => `${holds ? "holds" : "does not hold"}: ${text}`);
  return [textTable(header, rows), "", ...judged].join("\n");
}
