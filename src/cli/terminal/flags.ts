/**
 * How the words of a command line become values, and how options are described.
 *
 * A word that is not a number is passed on as it is, whatever its type says here: the
 * code that uses the value rejects it, and names the rule and the word.
 */

import { type Command, Option } from "commander";
import { inputError } from "../../core/errors.js";
import { parseShape, type Shape } from "../../core/shape.js";
import { type Input, resolvePatch, type SignalAxis, signalAxes } from "../../data/node/inputs.js";
import { type PursuitName, pursuitNames } from "../../kernels/contract.js";
import { learnerNames } from "../../learn/learners/registry.js";
import { optionWords } from "../../learn/optionWords.js";
import { type AtomSparsity, trainDefaults } from "../../learn/run/trainOptions.js";

export function number(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(value) ? (text as unknown as number) : value;
}

/** A number, with `k` and `M` for thousands and millions: `200k`, `10M`. */
export function count(text: string): number {
  const [, digits, unit] = /^([\d.]+)([kM])$/.exec(text) ?? [];
  const value = Number(digits) * (unit === "M" ? 1e6 : 1e3);
  return Number.isNaN(value) ? number(text) : value;
}

/** Values that mark missing samples: `-9999`, or `-9999,nan`. */
export function nodataValues(text: string): number[] {
  return text.split(",").map((word) => {
    const name = word.trim().toLowerCase();
    const value = name === "nan" ? Number.NaN : Number(name.replace(/^([+-]?)inf$/, "$1Infinity"));
    if (name !== "" && (name === "nan" || !Number.isNaN(value))) return value;
    throw inputError("nodata", "nodata", "must be numbers or nan, separated by commas", text);
  });
}

/** Non-zeros per atom: `250`, or `10%` of the samples of a patch. */
export function atomSparsity(text: string): AtomSparsity {
  return text.endsWith("%") ? (text as AtomSparsity) : number(text);
}

/** What data arguments may be, for help. */
export const dataFiles =
  "images, folders of images, globs, arrays (.npy, .npz, .mat, .h5, .nii), tables (.csv, .tsv), sounds (.wav), archives (.tar, .tar.gz)";

/** What the input of commands that take one may be, for help. */
export const inputFile =
  "image, array (.npy, .nii, set.npz[X], set.mat[X], set.h5[X]), table (.csv, .tsv) or sound (.wav)";

/** Flags about how data are read. */
export interface DataFlags {
  readonly signals?: SignalAxis;
  readonly raw?: string;
}

/** Adds the options that all commands have that read sets of signals. */
export function withDataOptions(command: Command): Command {
  const text = `which axis of an array or table counts signals, the first or the last: ${signalAxes.join(", ")}`;
  return command.addOption(option("--signals <axis>", text, undefined, signalAxes[0])).addOption(rawOption());
}

/** `--raw`; the reader validates it. */
export function rawOption(): Option {
  return option("--raw <type:sizes>", "read files as plain numbers: float32:800x1000, int16be:*x256");
}

/** `--patch`: sizes joined by x. One number is a square of images, and a window of 1-D signals. */
export function parsePatch(text: string, inputs: readonly Pick<Input, "kind">[]): Shape {
  const shape = parseShape("parsePatch", "patch", text);
  return resolvePatch(shape.length === 1 ? shape[0] : shape, inputs);
}

/** An option whose help shows the default; the library fills it in. */
export function option(
  flags: string,
  text: string,
  parse?: (text: string) => unknown,
  fallback?: unknown,
): Option {
  const description = fallback === undefined ? text : `${text} (default: ${fallback})`;
  const made = new Option(flags, description);
  return parse ? made.argParser(parse) : made;
}

/** The names that options take, for the completion of words. */
const namesOf = new WeakMap<Option, readonly string[]>();

/** The names that an option takes; undefined if it takes anything else. */
export function choicesOf(option: Option): readonly string[] | undefined {
  return namesOf.get(option);
}

/** An option that takes one of a few names; the code that uses it validates the name. */
export function choice(flags: string, text: string, names: readonly string[], fallback: string): Option {
  return taking(names, option(flags, `${text}: ${names.join(", ")}`, undefined, fallback));
}

function taking(names: readonly string[], made: Option): Option {
  namesOf.set(made, names);
  return made;
}

/** `--pursuit`; the code that uses it validates the name. */
export function pursuitOption(fallback: PursuitName | "as in training"): Option {
  const text = "how atoms are chosen: omp, by correlation, or ols, by the error they leave";
  return taking(pursuitNames, option("--pursuit <name>", text, undefined, fallback));
}

/** Defaults as the help shows them. */
export interface TrainingDefaults {
  readonly examples: number | string;
  readonly epochs: number | string;
  readonly batch: number | string;
}

/** Adds the options that all commands have that learn a dictionary. */
export function withTrainingOptions(command: Command, d: TrainingDefaults): Command {
  return command
    .addOption(option("--examples <n>", optionWords.examples, count, d.examples))
    .addOption(option("--epochs <n>", optionWords.epochs, count, d.epochs))
    .addOption(option("--batch <n>", optionWords.batch, count, d.batch))
    .addOption(choice("--learner <name>", optionWords.learner, learnerNames, trainDefaults.learner))
    .addOption(option("--seed <n>", optionWords.seed, count, trainDefaults.seed));
}
