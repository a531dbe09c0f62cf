/** `trainlets inpaint`: fill the missing samples of a picture or an array. */

import { Command } from "commander";
import { InputError, inputError } from "../../core/errors.js";
import { clock, counted } from "../../core/formatText.js";
import { Rng } from "../../core/random/rng.js";
import { resolveNodata } from "../../core/samples/gaps.js";
import { formatShape, type Shape, sameShape } from "../../core/shape.js";
import { toFloat32 } from "../../data/formats/npy.js";
import { readArrayFile } from "../../data/node/arrays/arrayFiles.js";
import { readImage } from "../../data/node/images.js";
import { isArrayFile } from "../../data/node/inputs.js";
import { trainDefaults } from "../../learn/run/trainOptions.js";
import { type Incomplete, inpaint, inpaintDefaults, missingIn } from "../../tasks/restore/inpaint.js";
import { forgetSamples } from "../../tasks/restore/trialDamage.js";
import { noteExtreme } from "../terminal/extremeSample.js";
import { count, nodataValues, number, option } from "../terminal/flags.js";
import {
  errorOf,
  qualityOf,
  type RestorableFile,
  readRestorable,
  restore,
  writeRestored,
} from "../terminal/restoreFiles.js";
import {
  colourFlag,
  colourOf,
  givenDictionary,
  patchShape,
  type RestoreFlags,
  trainingOf,
  withDictionaryOptions,
  withPatchOptions,
  withRestoreFiles,
} from "../terminal/restoreFlags.js";
import { printDone } from "../terminal/results.js";

interface InpaintFlags extends RestoreFlags {
  readonly mask?: string;
  readonly error?: number;
  readonly rounds?: number;
  /** From 0 to 1. */
  readonly trial?: number;
}

const examples = `
Examples:
  trainlets inpaint photo.png --mask scratches.png -o whole.png
  trainlets inpaint photo.png --mask mask.png -d dictionary.npz -o whole.png
  trainlets inpaint photo.png --mask mask.png --patch 8x8x3 -o whole.png
  trainlets inpaint traces.npy --patch 64 -o whole.npy  fills NaN
  trainlets inpaint heights.tif --nodata -9999 -o whole.npy
  trainlets inpaint lena.png --trial 80% -o out.png     prints the PSNR

Known samples are not changed. Ctrl-C stops the command without writing
anything.`;

export function inpaintCommand(): Command {
  const d = inpaintDefaults;
  const error = `${100 * d.errorShare}% of the standard deviation`;
  const command = new Command("inpaint")
    .summary("fill missing samples of a picture or array")
    .description(
      "Fill missing samples of a picture or an array, with a dictionary learned from the input itself.",
    )
    .usage("<input> -o <file> [--mask <file>] [options]")
    .addHelpText("after", examples)
    .action(runInpaint);
  withRestoreFiles(command)
    .optionsGroup("Missing samples:")
    .option(
      "--mask <file>",
      "samples to fill: white pixels (128 or more) of an image, non-zeros of a .npy array",
    )
    .addOption(
      option(
        "--nodata <values>",
        "values that mark missing samples: -9999, 65535; NaN always does",
        nodataValues,
      ),
    )
    .addOption(
      option("--error <e>", "add atoms until the RMSE of the known samples is at most this", number, error),
    )
    .addOption(
      option("--rounds <n>", "passes; each after the first relearns the dictionary", count, d.rounds),
    )
    .addOption(
      option("--trial <share>", "first drop this share of the pixels, such as 50%; print the quality", share),
    );
  withPatchOptions(command, "16, 12x16, 8x8x3 (colour), 8x8x8", d);
  return withDictionaryOptions(command, d);
}

/** `50%` → 0.5. */
function share(text: string): number {
  const percent = text.endsWith("%") ? Number(text.slice(0, -1)) : Number.NaN;
  if (percent > 0 && percent <= 100) return percent / 100;
  throw inputError("inpaint", "trial", "must be a percentage above 0, up to 100%", text);
}

async function runInpaint(input: string, flags: InpaintFlags): Promise<void> {
  const { output, mask, trial, stride, error, rounds } = flags;
  const mode = colourFlag(flags);
  const dictionary = await givenDictionary(flags, ["rounds"]);
  if (error !== undefined && !(Number.isFinite(error) && error >= 0))
    throw inputError("inpaint", "error", "must be a number of at least 0", error);
  const patch = flags.patch === undefined ? undefined : patchShape(flags.patch, input, flags.raw);
  const nodata = [...resolveNodata("inpaint", flags.nodata), Number.NaN];
  const others = [mask, flags.dictionary];
  const file = await readRestorable(input, {
    output,
    others,
    patch: dictionary?.shape ?? patch,
    patchOf: dictionary && "the dictionary",
    colour: mode !== undefined,
    nodata,
    masked: mask !== undefined,
    raw: flags.raw,
  });
  noteExtreme("inpaint", file.signals);
  const items = await incompleteOf(file, flags);
  const missing = items.reduce((sum, item) => sum + item.missing.reduce((part, gone) => part + gone, 0), 0);
  if (missing === 0 && mask === undefined)
    throw new InputError(
      (nameOf) =>
        `${input} has no missing samples (NaN): give a ${nameOf("mask")}, or the value that marks them by ${nameOf("nodata")}`,
    );
  const options = {
    patch,
    colour: colourOf(file.colour, mode),
    stride,
    error,
    rounds,
    pursuit: flags.pursuit,
    dictionary,
  };
  const training = trainingOf(flags);
  const start = performance.now();
  const signals = await restore(flags, (tools) => inpaint(items, { ...options, training, ...tools }));
  await writeRestored(output, signals, file);
  const seconds = (performance.now() - start) / 1000;
  const all = items.reduce((sum, item) => sum + item.missing.length, 0);
  const filled = `${counted(missing, "sample")} filled (${((100 * missing) / all).toFixed(1)} %)`;
  const quality = trial === undefined ? "" : `, ${qualityOf([signals], file)}`;
  printDone(flags, `${output}: ${filled}${quality}, in ${clock(seconds)}`, {
    output,
    shape: file.shape,
    filled: missing,
    samples: all,
    ...(trial === undefined ? {} : { after: errorOf(signals, file) }),
    seconds,
  });
}

/** What is missing: samples that are NaN, those of the mask, and those that a trial forgets. */
async function incompleteOf(
  { signals, picture, colour, shape }: RestorableFile,
  { mask, trial, seed = trainDefaults.seed }: InpaintFlags,
): Promise<Incomplete[]> {
  const together = colour ? 3 : 1;
  const perValue = picture ? together : 1; // the mask of a picture has one value per pixel
  const masked = mask === undefined ? undefined : await readMask(mask, picture ? shape.slice(0, 2) : shape);
  const rng = Rng.from(seed).split("missing");
  let from = 0;
  return signals.map((signal) => {
    const missing = missingIn(signal);
    if (trial !== undefined) forgetSamples(missing, trial, rng, together);
    const size = missing.length / perValue;
    masked?.subarray(from, from + size).forEach((gone, i) => {
      if (gone) missing.fill(1, i * perValue, (i + 1) * perValue);
    });
    from += size;
    return { signal, missing };
  });
}

/** 1 for each sample, or pixel, to be filled. */
async function readMask(path: string, shape: Shape): Promise<Uint8Array> {
  if (!isArrayFile(path)) {
    const picture = await readImage(path);
    requireMaskShape(path, picture.shape, shape);
    return Uint8Array.from(picture.data, (value) => (value >= 128 ? 1 : 0));
  }
  const array = await readArrayFile(path);
  requireMaskShape(path, array.shape, shape);
  return Uint8Array.from(toFloat32(array, path), (value) => (value === 0 ? 0 : 1));
}

function requireMaskShape(path: string, found: Shape, shape: Shape): void {
  if (sameShape(found, shape)) return;
  const rule = `must have shape ${formatShape(shape)}`;
  throw new InputError((nameOf) => `${nameOf("mask")} ${rule}, got ${formatShape(found)} in ${path}`, {
    argument: "mask",
    rule,
  });
}
