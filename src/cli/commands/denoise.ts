/** `trainlets denoise`: a picture or an array without its noise. */

import { stdout } from "node:process";
import { Command } from "commander";
import { inputError } from "../../core/errors.js";
import { requireOneOf } from "../../core/require.js";
import { Rng } from "../../core/rng.js";
import { formatShape, parseShape, type Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { kindOf } from "../../data/node/expandInputs.js";
import { trainDefaults } from "../../learn/run/trainOptions.js";
import { loadModel } from "../../model/node/files.js";
import { isColour, pictureOf, planesOf } from "../../tasks/restore/colour.js";
import { denoise } from "../../tasks/restore/denoise.js";
import { type DenoiseOptions, denoiseDefaults } from "../../tasks/restore/denoiseOptions.js";
import type { PatchTraining } from "../../tasks/restore/patchOptions.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import { choice, count, number, option, type Share } from "../terminal/flags.js";
import { withLearningOptions } from "../terminal/learningFlags.js";
import { clock, rounded } from "../terminal/progress.js";
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

const colourModes = ["luma-chroma", "joint"] as const;

interface DenoiseFlags extends DeviceFlags, Omit<PatchTraining, "atomShare"> {
  readonly output: string;
  readonly sigma?: number | "auto";
  readonly patch?: string;
  readonly dictionary?: string;
  readonly colour?: string;
  readonly stride?: number;
  readonly lambda?: number;
  readonly iterations?: number;
  readonly atomSparsity?: Share;
  readonly trial?: number;
}

const examples = `
Examples:
  trainlets denoise noisy.png -o clean.png          the noise is estimated
  trainlets denoise noisy.png --sigma 30 -o clean.png
  trainlets denoise photo.jpg --patch 8,16 --iterations 2 -o clean.png
  trainlets denoise scan.tif -d dictionary.npz --stride 2 -o clean.tif
  trainlets denoise ecg.npy --patch 128 -o clean.npy
  trainlets denoise lena.png --trial 30 -o out.png  add noise, tell the PSNR

Samples of pictures are on the scale 0 to 255, also those of 16 bits. What is
written has the channels and bits of the input. Ctrl-C ends it; nothing is
written.`;

export function denoiseCommand(): Command {
  const d = denoiseDefaults;
  const command = withLearningOptions(
    new Command("denoise")
      .summary("remove the noise of a picture or an array")
      .description("Remove white noise from a picture or an array, with a dictionary learned from itself.")
      .usage("<input> -o <file> [options]")
      .argument("<input>", "an image, or a .npy array")
      .requiredOption("-o, --output <file>", "where the result goes (.png, .tif, .npy)")
      .optionsGroup("What is removed:")
      .addOption(option("--sigma <s>", "standard deviation of the noise", sigmaOf, "auto: estimated"))
      .addOption(option("--lambda <l>", "weight of the noisy samples in the average", number, d.lambda))
      .addOption(option("--iterations <n>", "denoise again what is left", count, d.iterations))
      .optionsGroup("Patches:")
      .addOption(
        option(
          "--patch <sizes>",
          "size of a patch: 16, 12x16, 8x8x8; 8,16 averages two",
          undefined,
          "16x16 in pictures",
        ),
      )
      .addOption(option("--stride <n>", "samples between patches: 2 is four times faster", count, d.stride))
      .addOption(choice("--colour <mode>", "how colour is treated", colourModes, colourModes[0]))
      .optionsGroup("The dictionary:")
      .option("-d, --dictionary <file>", "use this one (.npz) instead of learning one"),
    d,
  )
    .optionsGroup("Other options:")
    .addOption(
      option("--trial <s>", "add noise of this standard deviation first, and tell how much is left", number),
    )
    .addHelpText("after", examples)
    .action(runDenoise);
  return withDeviceOptions(command);
}

function sigmaOf(text: string): number | "auto" {
  return text === "auto" ? "auto" : number(text);
}

async function runDenoise(input: string, flags: DenoiseFlags): Promise<void> {
  const mode = requireOneOf("denoise", "--colour mode", flags.colour ?? colourModes[0], colourModes);
  const model = flags.dictionary === undefined ? undefined : await loadModel(flags.dictionary);
  if (model) requireNoLearning("denoise", flags, []);
  requireNumber("--sigma", flags.sigma === "auto" ? undefined : flags.sigma);
  requireNumber("--trial", flags.trial);
  const patches = model ? [model.shape] : patchesOf(flags.patch, kindOf(input) === "image");
  await requireRestoredOutput(flags.output, "denoise", [input, flags.dictionary]);
  const read = await readRestorable(input, { caller: "denoise", axes: patches?.[0]?.length });
  requireHolds(flags.output, read, "denoise");
  const noisy =
    flags.trial === undefined
      ? read.signals
      : withNoise(read.signals, flags.trial, flags.seed ?? trainDefaults.seed);
  const told = flags.sigma === "auto" ? undefined : flags.sigma;
  const start = performance.now();
  const { signals, sigma } = await onDevice(flags, "denoise", (kernels, reason) => {
    note(`computing on ${kernels.name}: ${kernels.description} (${reason})`);
    return withProgress("denoise", (signal, onProgress) => {
      const options = { ...libraryOptions(flags, patches), sigma: told, model, kernels, signal, onProgress };
      return denoiseAs(mode, { ...read, signals: noisy }, options);
    });
  });
  await writeRestored(flags.output, signals, read);
  const seconds = (performance.now() - start) / 1000;
  const quality = flags.trial === undefined ? "" : `, ${qualityOf([noisy, signals], read)}`;
  stdout.write(
    `${flags.output}: ${described(signals, read)}, ${describeNoise(sigma, told)}${quality}, in ${clock(seconds)}\n`,
  );
}

/** Planes of a colour picture one by one or all together, anything else as it is. */
async function denoiseAs(
  mode: (typeof colourModes)[number],
  { signals, picture }: Restorable,
  options: DenoiseOptions,
): Promise<{ signals: readonly Signal[]; sigma: number[] }> {
  const colour = picture !== undefined && isColour(signals[0]);
  const whole = colour && options.model?.shape.length === 3;
  if (!colour || mode === "joint" || whole) return denoise(signals, { ...options, channels: colour });
  const result = await denoise(planesOf(signals[0]), options);
  return { ...result, signals: [pictureOf(result.signals, signals[0].name)] };
}

/** Options of the library. Patches of pictures are typed without their channels. */
function libraryOptions(flags: DenoiseFlags, patches: readonly Shape[] | undefined): DenoiseOptions {
  const { base, learner, batch, epochs, examples, seed, stride, lambda, iterations } = flags;
  const atomShare = shareOf("denoise", "--atom-sparsity", flags.atomSparsity);
  const training = { base, learner, batch, epochs, examples, seed, atomShare };
  return { patches, stride, lambda, iterations, training };
}

/** `8,16` → [[8, 8], [16, 16]] for a picture. */
function patchesOf(text: string | undefined, square: boolean): Shape[] | undefined {
  return text?.split(",").map((part) => {
    const shape = parseShape("denoise", "--patch", part);
    return square && shape.length === 1 ? [shape[0], shape[0]] : shape;
  });
}

function requireNumber(flag: string, value: number | undefined): void {
  if (value === undefined || (Number.isFinite(value) && value >= 0)) return;
  throw inputError("denoise", flag, "must be a number of at least 0", value);
}

/** White noise, neither rounded nor clipped. */
function withNoise(signals: readonly Signal[], sigma: number, seed: number): Signal[] {
  const rng = Rng.from(seed).split("noise");
  return signals.map((signal) => ({
    ...signal,
    data: signal.data.map((value) => value + sigma * rng.normal()),
  }));
}

function described(signals: readonly Signal[], { shape }: Restorable): string {
  return signals.length === 1
    ? formatShape(signals[0].shape)
    : `${signals.length} signals, ${formatShape(shape)}`;
}

function describeNoise(sigma: readonly number[], told: number | undefined): string {
  const levels = [...new Set(sigma.map(rounded))];
  const range =
    levels.length > 3
      ? `${rounded(Math.min(...sigma))} to ${rounded(Math.max(...sigma))}`
      : levels.join(", ");
  return `noise ${range}${told === undefined ? " (estimated)" : ""}`;
}
