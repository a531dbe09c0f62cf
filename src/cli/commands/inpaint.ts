/** `trainlets inpaint`: a picture or an array with its missing samples filled. */

import { stdout } from "node:process";
import { Command } from "commander";
import { InputError, inputError } from "../../core/errors.js";
import { Rng } from "../../core/rng.js";
import { formatShape, parseShape, type Shape, sameShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { readNpy, toFloat32 } from "../../data/formats/npy.js";
import { kindOf } from "../../data/node/expandInputs.js";
import { readFileBytes } from "../../data/node/files.js";
import { readImage } from "../../data/node/images.js";
import { trainDefaults } from "../../learn/run/trainOptions.js";
import type { Model } from "../../model/model.js";
import { loadModel } from "../../model/node/files.js";
import { isColour, pictureOf, planesOf } from "../../tasks/restore/colour.js";
import {
  type Incomplete,
  type InpaintOptions,
  inpaint,
  inpaintDefaults,
  missingIn,
} from "../../tasks/restore/inpaint.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import { count, number, option, type Share, share } from "../terminal/flags.js";
import { withLearningOptions } from "../terminal/learningFlags.js";
import { clock, counted } from "../terminal/progress.js";
import {
  note,
  qualityOf,
  type Restorable,
  readRestorable,
  requireHolds,
  requireNoLearning,
  requireRestoredOutput,
  shareOf,
  withProgress,
  writeRestored,
} from "../terminal/restored.js";

interface InpaintFlags extends DeviceFlags, Omit<NonNullable<InpaintOptions["training"]>, "atomShare"> {
  readonly output: string;
  readonly mask?: string;
  readonly patch?: string;
  readonly dictionary?: string;
  readonly stride?: number;
  readonly error?: number;
  readonly rounds?: number;
  readonly atomSparsity?: Share;
  readonly trial?: Share;
}

const examples = `
Examples:
  trainlets inpaint photo.png --mask scratches.png -o whole.png
  trainlets inpaint photo.png --mask mask.png -d dictionary.npz -o whole.png
  trainlets inpaint traces.npy --patch 64 -o whole.npy  NaN are filled
  trainlets inpaint lena.png --trial 80% -o out.png     tell the PSNR

Known samples stay as they are. Ctrl-C ends it; nothing is written.`;

export function inpaintCommand(): Command {
  const d = inpaintDefaults;
  const command = withLearningOptions(
    new Command("inpaint")
      .summary("fill missing samples of a picture or an array")
      .description("Fill missing samples of a picture or an array, with a dictionary learned from itself.")
      .usage("<input> -o <file> [--mask <file>] [options]")
      .argument("<input>", "an image, or a .npy array")
      .requiredOption("-o, --output <file>", "where the result goes (.png, .tif, .npy)")
      .optionsGroup("What is filled:")
      .option("--mask <file>", "white (128 or more) where an image is to be filled; not 0 in a .npy mask")
      .addOption(option("--error <e>", "RMSE of a code over what is known", number, "10% of the deviation"))
      .optionsGroup("Patches:")
      .addOption(
        option("--patch <sizes>", "size of a patch: 16, 12x16, 8x8x8", undefined, "16x16 in pictures"),
      )
      .addOption(option("--stride <n>", "samples between patches: 2 is four times faster", count, d.stride))
      .optionsGroup("The dictionary:")
      .option("-d, --dictionary <file>", "use this one (.npz) instead of learning one")
      .addOption(
        option("--rounds <n>", "fillings, each but the first learning from the last", count, d.rounds),
      ),
    d,
  )
    .optionsGroup("Other options:")
    .addOption(
      option("--trial <share>", "forget this share of the pixels first (50%), and tell the PSNR", share),
    )
    .addHelpText("after", examples)
    .action(runInpaint);
  return withDeviceOptions(command);
}

async function runInpaint(input: string, flags: InpaintFlags): Promise<void> {
  const model = flags.dictionary === undefined ? undefined : await loadModel(flags.dictionary);
  if (model) requireNoLearning("inpaint", flags, ["rounds"]);
  const patch = model?.shape ?? patchOf(flags.patch, kindOf(input) === "image");
  const trial = shareOf("inpaint", "--trial", flags.trial);
  const options = libraryOptions(flags, patch, model);
  await requireRestoredOutput(flags.output, "inpaint", [input, flags.mask, flags.dictionary]);
  const read = await readRestorable(input, { caller: "inpaint", axes: patch?.length, gaps: true });
  requireHolds(flags.output, read, "inpaint");
  const items = await incomplete(read, flags.mask, trial, flags.seed ?? trainDefaults.seed);
  const missing = items.reduce((sum, item) => sum + item.missing.reduce((part, gone) => part + gone, 0), 0);
  if (missing === 0 && flags.mask === undefined)
    throw new InputError(`inpaint: ${input} has no missing samples (NaN): a --mask must be given`);
  const start = performance.now();
  const signals = await onDevice(flags, "inpaint", (kernels, reason) => {
    note(`computing on ${kernels.name}: ${kernels.description} (${reason})`);
    return withProgress("inpaint", (signal, onProgress) =>
      inpaintAs(items, read, { ...options, kernels, signal, onProgress }),
    );
  });
  await writeRestored(flags.output, signals, read);
  const seconds = (performance.now() - start) / 1000;
  const all = items.reduce((sum, item) => sum + item.missing.length, 0);
  const what = `${counted(missing, "sample")} filled (${((100 * missing) / all).toFixed(1)} %)`;
  const quality = trial === undefined ? "" : `, ${qualityOf([signals], read)}`;
  stdout.write(`${flags.output}: ${what}${quality}, in ${clock(seconds)}\n`);
}

/** Colour as planes with the same mask, anything else as it is. */
async function inpaintAs(
  items: readonly Incomplete[],
  { picture }: Restorable,
  options: InpaintOptions,
): Promise<readonly Signal[]> {
  const { signal, missing } = items[0];
  if (!picture || !isColour(signal)) return inpaint(items, options);
  const pixels = missing.filter((_, i) => i % 3 === 0);
  const planes = planesOf(signal).map((plane) => ({ signal: plane, missing: pixels }));
  const filled = pictureOf(await inpaint(planes, options), signal.name);
  filled.data.forEach((_, i) => {
    if (!missing[i]) filled.data[i] = signal.data[i]; // not rounded by the planes
  });
  return [filled];
}

function libraryOptions(
  flags: InpaintFlags,
  patch: Shape | undefined,
  model: Model | undefined,
): InpaintOptions {
  const { base, learner, batch, epochs, examples, seed, stride, error, rounds } = flags;
  if (error !== undefined && !(Number.isFinite(error) && error >= 0))
    throw inputError("inpaint", "--error", "must be a number of at least 0", error);
  const atomShare = shareOf("inpaint", "--atom-sparsity", flags.atomSparsity);
  const training = { base, learner, batch, epochs, examples, seed, atomShare };
  return { patch, stride, error, rounds, model, training };
}

function patchOf(text: string | undefined, square: boolean): Shape | undefined {
  if (text === undefined) return undefined;
  const shape = parseShape("inpaint", "--patch", text);
  return square && shape.length === 1 ? [shape[0], shape[0]] : shape;
}

/** What is missing: NaN, what the mask says, and what a trial forgets. */
async function incomplete(
  { signals, picture, shape }: Restorable,
  mask: string | undefined,
  trial: number | undefined,
  seed: number,
): Promise<Incomplete[]> {
  const pixel = picture && isColour(signals[0]) ? 3 : 1;
  const masked = mask === undefined ? undefined : await readMask(mask, picture ? shape.slice(0, 2) : shape);
  const rng = Rng.from(seed).split("missing");
  let at = 0;
  return signals.map((signal) => {
    const missing = missingIn(signal);
    for (let i = 0; i < missing.length; i += pixel, at++) {
      const forgotten = trial !== undefined && rng.uniform() < trial;
      if (forgotten || masked?.[at]) missing.fill(1, i, i + pixel);
    }
    return { signal, missing };
  });
}

/** 1 for each sample, or pixel, to be filled. */
async function readMask(path: string, shape: Shape): Promise<Uint8Array> {
  const array = kindOf(path) === "npy" ? readNpy(await readFileBytes(path), path) : undefined;
  const picture = array ? undefined : await readImage(path);
  const found = array?.shape ?? picture!.shape;
  if (!sameShape(found, shape))
    throw new InputError(
      `inpaint: --mask must have shape ${formatShape(shape)}, got ${formatShape(found)} in ${path}`,
    );
  if (array) return Uint8Array.from(toFloat32(array, path), (value) => (value === 0 ? 0 : 1));
  return Uint8Array.from(picture!.data, (value) => (value >= 128 ? 1 : 0));
}
