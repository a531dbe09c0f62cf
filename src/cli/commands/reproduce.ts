/** `trainlets reproduce`: run the experiments of the paper. */

import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { clock } from "../../core/formatText.js";
import { requireOneOf } from "../../core/require.js";
import { formatShape, parseShape, type Shape } from "../../core/shape.js";
import { finishOutputFolder, makeOutputFolder, resultFolder } from "../../data/node/outputs.js";
import { experiments, findExperiment } from "../../experiments/catalogue.js";
import type { Experiment, ExperimentOptions, Outcome } from "../../experiments/shared/experiment.js";
import { outcomeOf } from "../../figures/pages/pageClaims.js";
import { identityOf, settingsDigest } from "../reproduce/allJobs.js";
import { labelOf, syntheticLabel } from "../reproduce/dataFolder.js";
import { inspectData, loadData, nameWithin } from "../reproduce/experimentData.js";
import { performExperiment, resultOf } from "../reproduce/performExperiment.js";
import { programFacts } from "../reproduce/programFacts.js";
import { reproduceAll } from "../reproduce/reproduceAll.js";
import { writeOutcome } from "../reproduce/writeOutcome.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import { count, option } from "../terminal/flags.js";
import { Interrupt } from "../terminal/interrupt.js";
import { stderr, stdout } from "../terminal/output.js";
import { ProgressLine } from "../terminal/progress.js";
import { type ResultFlags, withResultOptions } from "../terminal/results.js";
import { textTable } from "../terminal/textTable.js";

interface ReproduceFlags extends DeviceFlags, ResultFlags, Omit<ExperimentOptions, "patch"> {
  readonly patch?: string;
  readonly output?: string;
  readonly images?: string[];
  readonly test?: string[];
  readonly data?: string;
  readonly only?: string;
}

const examples = `
Examples:
  trainlets reproduce                         list the experiments
  trainlets reproduce fig2                    one figure
  trainlets reproduce all --quick             all of them, small, in minutes
  trainlets reproduce all --data pictures     all of them, as in the paper
  trainlets reproduce fig5 --quick --images lena.png   compare learners
  trainlets reproduce fig4 --images photos    on your own photos
  trainlets reproduce universal32 --images bsds/train --test bsds/val
  trainlets reproduce universal64 --images photos --examples 500k

Ctrl-C stops the training; the results then use the dictionary so far.
After Ctrl-C, the same "reproduce all" continues where it stopped.

The folder of --data has lena.png (fig5, fig6, remarks), photos/train and
photos/test (fig4, fig11, complexity, universal32, universal64), denoise (fig7)
and faces/*.npy (fig8, once per file). An experiment whose pictures are missing
uses synthetic ones.`;

export function reproduceCommand(): Command {
  const byExperiment = "depends on the experiment and the device";
  const names = experiments.map(({ name }) => name);
  const command = new Command("reproduce")
    .summary("run an experiment from the paper, or all")
    .description(
      "Run an experiment from the paper, or all of them, and write a page with the figures. Without a name, list the experiments.",
    )
    .usage("[experiment] [options]")
    .argument("[experiment]", [...names, "all"].join(", "))
    .addOption(option("-o, --output <folder>", "folder for the results", undefined, "out/EXPERIMENT"))
    .option("--images <data...>", "images to take patches from (default: synthetic pictures)")
    .option("--test <data...>", "images to test on (default: some of --images, set aside)")
    .option("--data <folder>", "for all: folder of the pictures (default: synthetic pictures)")
    .option("--only <names>", "for all: only these, such as fig5,fig7")
    .option("--quick", "small version: fewer atoms, examples and patch sizes")
    .option("--patch <size>", "one patch size, for experiments with several: fig5")
    .addOption(option("--examples <n>", "patches per epoch: 270k, 10M", count, "as in the paper"))
    .addOption(option("--epochs <n>", "passes over the patches", count, "as in the paper"))
    .addOption(option("--batch <n>", "patches per step (mini-batch)", count, byExperiment))
    .addOption(option("--seed <n>", "seed of the random generator", count, 1))
    .addHelpText("after", examples)
    .action(runReproduce);
  const json = "print progress and results as lines of JSON on standard output";
  return withResultOptions(withDeviceOptions(command), json);
}

async function runReproduce(name: string | undefined, flags: ReproduceFlags): Promise<void> {
  if (name === undefined) {
    for (const { name, summary } of experiments) stdout.write(`${name.padEnd(14)}${summary}\n`);
    return;
  }
  requireOneOf("reproduce", "experiment", name, [...experiments.map((experiment) => experiment.name), "all"]);
  if (name === "all") return await reproduceAll(experiments, allFlags(flags));
  requireNoOption(name, flags, ["data", "only"]);
  await reproduceOne(findExperiment(name), flags);
}

function allFlags(flags: ReproduceFlags) {
  requireNoOption("all", flags, ["images", "test", "patch", "examples", "epochs", "batch", "seed"]);
  const { output = "out/all", data, only, quick, json, quiet, device, threads } = flags;
  return {
    ...{ output, data, quick, json, quiet, only: only?.split(",").map((name) => name.trim()) },
    ...(device === undefined ? {} : { device }),
    ...(threads === undefined ? {} : { threads }),
  };
}

function requireNoOption(
  name: string,
  flags: ReproduceFlags,
  options: readonly (keyof ReproduceFlags)[],
): void {
  const given = options.find((option) => flags[option] !== undefined);
  if (given !== undefined) throw new InputError(`--${given} is not an option of ${name}`);
}

async function reproduceOne(experiment: Experiment, flags: ReproduceFlags): Promise<void> {
  const start = performance.now();
  const { name } = experiment;
  const { output = `out/${name}`, quick, examples, epochs, batch, seed, images, test, json = false } = flags;
  const options = { quick, examples, epochs, batch, seed, patch: sizeOfFlag(experiment, flags.patch) };
  const run = await experiment.prepare(options);
  requireImages(experiment, flags);
  const progress = new ProgressLine(json ? "none" : undefined);
  const inputs = await inspectData({ images, test }, (message) => stderr.write(`reproduce: ${message}\n`));
  await onDevice(flags, async (kernels, computingOn) => {
    const onSkip = (message: string) => progress.note(`reproduce: ${message}`);
    const { signals, described } = await loadData(inputs, { images, test }, experiment, onSkip);
    await makeOutputFolder(output, { ...resultFolder, data: [...(images ?? []), ...(test ?? [])] });
    progress.note(computingOn);
    const interrupt = new Interrupt(() =>
      progress.note("stopping: the results will use the dictionary so far (Ctrl-C again to quit at once)"),
    );
    const tools = { kernels, progress, interrupt, json };
    const outcome = await performExperiment(run, signals, { ...tools, onInterrupt: "finish early" });
    const identity = identityOf(
      settingsDigest(experiment, options),
      described,
      await programFacts(),
      kernels,
    );
    const seconds = (performance.now() - start) / 1000;
    const facts = {
      ...{ experiment: name, label: labelOfRun(experiment, images), quick: quick === true, data: described },
      ...{ command: commandLine(name, flags), identity, kernels, seconds },
    };
    const partly = interrupt.signal.aborted;
    const { names } = await writeOutcome(output, outcome.files, (written) =>
      partly ? undefined : resultOf(outcome, facts, written),
    );
    await finishOutputFolder(output);
    if (json) {
      const { values, claims } = outcome;
      stdout.write(`${JSON.stringify({ experiment: name, ...values, claims, files: names, seconds })}\n`);
    } else if (!flags.quiet)
      stdout.write(`${describe(outcome)}\ndone in ${clock(seconds)}; open ${output}/index.html\n`);
    if (partly)
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

/** A short name of the data, in the result. */
function labelOfRun({ images: purpose }: Experiment, images: readonly string[] | undefined): string {
  if (purpose === "none") return "";
  return images ? labelOf(images[0]) : syntheticLabel;
}

/** The command that made a result, without the folders of this machine. */
function commandLine(name: string, flags: ReproduceFlags): string {
  const { images, test, quick, patch, examples, epochs, batch, seed } = flags;
  const data = Object.entries({ images, test }).flatMap(([flag, paths]) =>
    paths ? [`--${flag} ${paths.map(nameWithin).join(" ")}`] : [],
  );
  const values = Object.entries({ patch, examples, epochs, batch, seed }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag} ${value}`],
  );
  return [`trainlets reproduce ${name}`, ...data, ...(quick ? ["--quick"] : []), ...values].join(" ");
}

/** The table, then the claims. */
function describe({ header, rows, claims }: Outcome): string {
  const judged = claims.map((claim) => `${outcomeOf(claim)}: ${claim.text} (measured: ${claim.measured})`);
  return [textTable(header, rows), "", ...judged].join("\n");
}
