/** The options that `denoise` and `inpaint` share, and what they mean to the library. */

import type { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { requireOneOf } from "../../core/require.js";
import type { Shape } from "../../core/shape.js";
import { isArrayFile } from "../../data/node/inputs.js";
import { baseForms, channelBase } from "../../dictionaries/base.js";
import type { PursuitName } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import type { ColourMode } from "../../tasks/restore/colour.js";
import { wholeSetExamples } from "../../tasks/restore/patchLearning.js";
import type { PatchTraining } from "../../tasks/restore/patchOptions.js";
import { type DeviceFlags, withDeviceOptions } from "./device.js";
import {
  type AtomShapeFlag,
  atomShapeOption,
  dictionaryFiles,
  loadDictionary,
  requireDictionaryFor,
} from "./dictionaryFile.js";
import {
  atomSparsity,
  choice,
  count,
  inputFile,
  option,
  parsePatch,
  pursuitOption,
  rawOption,
  withTrainingOptions,
} from "./flags.js";
import { type ResultFlags, withResultOptions } from "./results.js";

/** Flags that say how a dictionary is learned. */
const trainingFlags = ["base", "atomSparsity", "examples", "epochs", "batch", "learner", "seed"] as const;

export interface RestoreFlags
  extends DeviceFlags,
    AtomShapeFlag,
    ResultFlags,
    Pick<PatchTraining, (typeof trainingFlags)[number]> {
  readonly output: string;
  readonly base?: string;
  readonly patch?: string;
  readonly stride?: number;
  readonly pursuit?: PursuitName;
  readonly colour?: ColourMode;
  readonly dictionary?: string;
  readonly nodata?: number[];
  readonly raw?: string;
}

interface RestoreDefaults {
  readonly stride: number;
  readonly base: string;
  readonly atomSparsity: string;
  readonly examples: number;
  readonly epochs: number;
  readonly batch: number;
}

const colours = ["luma-chroma", "joint", "each"] as const satisfies readonly ColourMode[];

/** Adds the argument and the output. */
export function withRestoreFiles(command: Command): Command {
  return command
    .argument("<input>", inputFile)
    .requiredOption(
      "-o, --output <file>",
      "file to write (.png, .tif, .npy), or - for an array on standard output",
    )
    .addOption(rawOption());
}

/** Adds the options about patches. */
export function withPatchOptions(command: Command, sizes: string, d: RestoreDefaults): Command {
  return command
    .optionsGroup("Patches:")
    .addOption(option("--patch <sizes>", `patch size: ${sizes}`, undefined, "16x16 in pictures"))
    .addOption(
      option(
        "--stride <n>",
        "samples between patches; 2 is about four times faster for pictures",
        count,
        d.stride,
      ),
    )
    .addOption(pursuitOption("omp"))
    .addOption(
      choice(
        "--colour <mode>",
        "colour as planes of luma and chroma, as patches with all channels, or as red, green and blue one by one",
        colours,
        `${colours[0]}; joint for patches such as 8x8x3`,
      ),
    );
}

/** Adds the options about the dictionary, and the device. */
export function withDictionaryOptions(command: Command, d: RestoreDefaults): Command {
  const bases = `base dictionary, or one per axis: ${baseForms.join(", ")}`;
  const share = "non-zeros per atom: 25, or 10% of the patch";
  command
    .optionsGroup("Dictionary:")
    .option("-d, --dictionary <file>", `dictionary to use instead of learning one: ${dictionaryFiles}`)
    .addOption(atomShapeOption())
    .addOption(option("--base <name>", bases, undefined, `${d.base}; ${channelBase} along channels`))
    .addOption(option("--atom-sparsity <k>", share, atomSparsity, d.atomSparsity));
  withTrainingOptions(command, {
    examples: `${d.examples}; ${wholeSetExamples} for whole-set learners`,
    epochs: `${d.epochs}; whole-set learners have their own`,
    batch: d.batch,
  });
  return withResultOptions(withDeviceOptions(command.optionsGroup("Other options:")));
}

/** The dictionary to use, if one is given; it rules out these flags, and those about learning one. */
export async function givenDictionary(
  flags: RestoreFlags,
  others: readonly string[] = [],
): Promise<Model | undefined> {
  if (flags.dictionary === undefined) return requireDictionaryFor(flags);
  const learning = [...others, "patch", ...trainingFlags.filter((name) => name !== "seed")];
  const given = Object.keys(flags).find((name) => learning.includes(name));
  if (given !== undefined)
    throw new InputError((nameOf) => `${nameOf(given)} and ${nameOf("dictionary")} must not both be given`, {
      argument: given,
    });
  return loadDictionary(flags.dictionary, flags);
}

/** `12x16` → [12, 16]; one number is a square in a picture. */
export function patchShape(text: string, input: string, raw?: string): Shape {
  return parsePatch(text, raw !== undefined || isArrayFile(input) ? [] : [{ kind: "image" }]);
}

/** The colour mode that was asked for, if any. */
export function colourFlag({ colour }: RestoreFlags): ColourMode | undefined {
  return colour === undefined ? undefined : requireOneOf("colourFlag", "colour mode", colour, colours);
}

/** The colour mode of a file: a grey picture has no colour to treat, and an array is colour if that was asked for. */
export function colourOf(colour: boolean, mode: ColourMode | undefined): ColourMode | undefined {
  return colour ? mode : "none";
}

/** How the library learns a dictionary for these flags. */
export function trainingOf(flags: RestoreFlags): Omit<PatchTraining, "base"> & { readonly base?: string } {
  return Object.fromEntries(trainingFlags.map((name) => [name, flags[name]]));
}
