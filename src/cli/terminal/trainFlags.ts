/** The flags of `train`: their definitions, the rules between them, and what they mean to the library. */

import type { Command } from "commander";
import { InputError, inputError } from "../../core/errors.js";
import { requireAbove, requireInteger } from "../../core/require.js";
import { requireSameShape } from "../../core/shape.js";
import type { Input } from "../../data/node/inputs.js";
import { requireRoomFor } from "../../data/node/openSource.js";
import { baseForms, channelBase, defaultBaseFor } from "../../dictionaries/base.js";
import type { PursuitName } from "../../kernels/contract.js";
import { atomCareDefaults } from "../../learn/atoms/atomCare.js";
import { checkpointDefaults } from "../../learn/checkpoints/node/checkpointFolder.js";
import { type LearnerKind, startingAtoms } from "../../learn/learners/learner.js";
import { learnerNames, learners } from "../../learn/learners/registry.js";
import { optionWords } from "../../learn/optionWords.js";
import { requireHoldout } from "../../learn/run/plan/testSet.js";
import {
  defaultAtomSparsity,
  keepRules,
  resolveLearner,
  type TrainOptions,
  trainDefaults,
  unusedOption,
} from "../../learn/run/trainOptions.js";
import { loadBase, loadModel } from "../../model/node/files.js";
import { defaultSparsity } from "../../pursuit/encoder.js";
import { pageDefaults } from "../../report/node/liveReport.js";
import { type DeviceFlags, withDeviceOptions } from "./device.js";
import {
  atomSparsity,
  choice,
  count,
  type DataFlags,
  nodataValues,
  number,
  option,
  parsePatch,
  pursuitOption,
  withDataOptions,
  withTrainingOptions,
} from "./flags.js";
import { forceOption, type ResultFlags, withResultOptions } from "./results.js";

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
  "firstSteps",
  "average",
  "refineBase",
  "stepDecay",
  "seed",
  "holdout",
  "testEvery",
  "keep",
  "patience",
  "minutes",
  "removeMean",
  "groupSamples",
  "nodata",
] as const satisfies readonly (keyof TrainOptions)[];

export interface TrainFlags
  extends DeviceFlags,
    ResultFlags,
    DataFlags,
    Pick<TrainOptions, (typeof sameInLibrary)[number]> {
  readonly output: string;
  readonly patch: string;
  readonly base?: string;
  readonly sparsity?: number;
  readonly error?: number;
  readonly pursuit?: PursuitName;
  readonly atomCare?: number | boolean;
  readonly init?: string;
  readonly start?: string;
  readonly test?: string[];
  readonly checkpoint?: string;
  readonly checkpointEvery?: number;
  readonly checkpointSteps?: number;
  readonly resume?: boolean;
  readonly report?: string;
  readonly pageEvery?: number;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** Adds all flags of `train`. */
export function withTrainFlags(command: Command): Command {
  withDictionaryOptions(command);
  withTrainingOptions(command.optionsGroup("Training:"), {
    examples: byLearner(trainDefaults.examples, ({ examples }) => examples),
    epochs: byLearner(`${trainDefaults.epochs}; small sets: more`, ({ epochs }) => epochs),
    batch: `${trainDefaults.batch}; small sets: fewer`,
  });
  withLearnerOptions(command);
  withStoppingOptions(command);
  withLongRunOptions(command);
  command.optionsGroup("Other options:");
  const text = "samples held in memory at a time; larger data are read in groups";
  const missing = "values that mark missing samples: -9999, nan; patches that have one are not used";
  withDataOptions(command)
    .addOption(option("--nodata <values>", missing, nodataValues))
    .addOption(option("--group-samples <n>", text, count, trainDefaults.groupSamples));
  return withResultOptions(withDeviceOptions(command), "print progress as lines of JSON on standard output");
}

function withDictionaryOptions(command: Command): void {
  const bases = `${optionWords.base}: ${baseForms.join(", ")}, MATRIX.npy, FILE.npz (the base of a dictionary; of sedil, its learned factors)`;
  const multiple = "number of atoms, as a multiple of the number of base atoms";
  const m = byLearner("as many as the base has", ({ atoms }) => atoms && "the samples of a patch");
  const k = bySize((n) => defaultAtomSparsity(n, Infinity));
  const p = `without --error, ${bySize(defaultSparsity)}`;
  command
    .optionsGroup("Dictionary:")
    .requiredOption("-o, --output <file>", "dictionary file to write (.npz)")
    .addOption(forceOption())
    .requiredOption("--patch <sizes>", optionWords.patch)
    .addOption(
      option("--base <name>", bases, undefined, `${trainDefaults.base}; ${channelBase} along channels`),
    )
    .addOption(option("--atoms <m>", optionWords.atoms, count, m))
    .addOption(option("--redundancy <r>", multiple, number))
    .addOption(option("--atom-sparsity <k>", optionWords.atomSparsity, atomSparsity, k))
    .optionsGroup("Coding of patches:")
    .addOption(option("--sparsity <p>", optionWords.sparsity, number, p))
    .addOption(option("--error <e>", "add atoms until the RMSE of a patch is at most this", number))
    .addOption(pursuitOption("omp"))
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
      option(
        "--first-steps <how>",
        "paper, or short, so that the error does not rise at first (osdl only)",
        undefined,
        `${d.firstSteps}; short runs: short`,
      ),
    )
    .option(
      "--average",
      "end with the mean of the atoms over the last epoch; over the second half of a single one (osdl only)",
    )
    .option(
      "--refine-base",
      "refine the factors of a separable base to the data while learning (osdl and sparse-odl)",
    )
    .addOption(
      option("--step-decay <t>", "mini-batches until the step is halved (niht only)", number, d.stepDecay),
    )
    .addOption(option("--atom-care <n>", care, undefined, every).argParser(atomCareCount))
    .on("option:no-atom-care", () => refuseAtomCare(command.getOptionValue("atomCare"))) // before its own listener sets the value
    .option("--no-atom-care", "never replace little-used or duplicate atoms")
    .addOption(
      option(
        "--init <what>",
        "starting atoms of osdl, odl, ksvd and sparse-odl: base (the base dictionary), examples, both (the most used of them; osdl and sparse-odl), or a file as for --start",
        undefined,
        `${byLearner(d.init, ({ init }) => init)}; short runs of osdl: both`,
      ),
    )
    .option("--start <file>", optionWords.start);
}

/** The value of --atom-care; `before` is the value that --no-atom-care leaves earlier in the line. */
function atomCareCount(text: string, before: unknown): unknown {
  if (before === false) throw bothOfAtomCare();
  return count(text);
}

/** Refuse --no-atom-care after a value of --atom-care. */
function refuseAtomCare(before: unknown): void {
  if (before !== undefined && before !== false) throw bothOfAtomCare();
}

function bothOfAtomCare(): InputError {
  return new InputError("--atom-care and --no-atom-care must not both be given");
}

function withStoppingOptions(command: Command): void {
  command
    .optionsGroup("Testing and stopping:")
    .addOption(option("--holdout <n>", optionWords.holdout, count, trainDefaults.holdout))
    .option("--test <data...>", "test on patches of these files instead")
    .addOption(option("--test-every <n>", optionWords.testEvery, count, "one epoch; small sets: more often"))
    .addOption(
      choice(
        "--keep <which>",
        "dictionary to save, by the error in the tests",
        keepRules,
        trainDefaults.keep,
      ),
    )
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

/** The options of the library for these flags. */
export async function libraryOptions(flags: TrainFlags, inputs: readonly Input[]): Promise<TrainOptions> {
  requireHoldout(flags); // the test data are read later
  const { sparsity, error, pursuit } = flags;
  const same = Object.fromEntries(sameInLibrary.map((name) => [name, flags[name]]));
  const patch = parsePatch(flags.patch, inputs);
  await requireRoomFor(inputs, patch);
  const init = startingAtoms.find((name) => name === flags.init);
  const file = startFile(flags);
  const start = file === undefined ? undefined : await loadModel(file);
  if (start && flags.start === undefined) requireSameShape("train", "init", start.shape, patch);
  const base = flags.base ?? (start ? undefined : defaultBaseFor(patch)); // `start` has a base of its own
  return {
    ...(same as Pick<TrainOptions, (typeof sameInLibrary)[number]>),
    patch,
    base: base === undefined ? undefined : await loadBase(base, patch),
    init,
    start,
    coding: { sparsity, error, pursuit },
    atomCare: atomCareOf(flags.atomCare),
  };
}

/** The dictionary to start from: that of `--start`, or of `--init` if it is not one of the words. */
function startFile(flags: TrainFlags): string | undefined {
  const { init, start } = flags;
  if (init === undefined || startingAtoms.some((name) => name === init)) return start;
  if (start !== undefined) throw new InputError("--init FILE and --start must not both be given");
  const { learner, kind } = resolveLearner(flags.learner);
  if (kind.canStartFromModel === false) throw unusedOption("init", learner);
  const rule = "must not be given with --init FILE, which has its own";
  for (const name of ["base", "atoms", "redundancy"] as const)
    if (flags[name] !== undefined)
      throw new InputError((nameOf) => `${nameOf(name)} ${rule}`, { argument: name, rule });
  return init;
}

function atomCareOf(flag: number | boolean | undefined): TrainOptions["atomCare"] {
  if (flag === false) return false;
  if (flag === undefined || flag === true) return undefined;
  return { every: flag };
}

/** Reject flags of long runs that need others, or have invalid values. */
export function requireLongRunFlags(flags: TrainFlags): void {
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
export function reportFolder({ report, checkpoint }: TrainFlags): string | undefined {
  return report ?? checkpoint;
}
