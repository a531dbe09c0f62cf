/** `trainlets denoise`: remove noise from a picture or an array. */

import { Command } from "commander";
import { inputError } from "../../core/errors.js";
import { clock, counted, rounded } from "../../core/formatText.js";
import { Rng } from "../../core/random/rng.js";
import { resolveNodata } from "../../core/samples/gaps.js";
import { formatShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { trainDefaults } from "../../learn/run/trainOptions.js";
import { type ColourMode, isPlaneMode, planeNames } from "../../tasks/restore/colour.js";
import { denoise } from "../../tasks/restore/denoise.js";
import { denoiseDefaults } from "../../tasks/restore/denoiseOptions.js";
import { addNoise } from "../../tasks/restore/trialDamage.js";
import { noteExtreme } from "../terminal/extremeSample.js";
import { count, nodataValues, number, option } from "../terminal/flags.js";
import {
  countMissing,
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

interface DenoiseFlags extends RestoreFlags {
  readonly sigma?: number | "auto";
  readonly lambda?: number;
  readonly iterations?: number;
  readonly trial?: number;
}

const examples = `
Examples:
  trainlets denoise noisy.png -o clean.png          the noise is estimated
  trainlets denoise noisy.png --sigma 30 -o clean.png
  trainlets denoise photo.jpg --patch 8,16 --iterations 2 -o clean.png
  trainlets denoise photo.jpg --patch 8x8x3 -o clean.png
  trainlets denoise scan.tif -d dictionary.npz --stride 2 -o clean.tif
  trainlets denoise ecg.npy --patch 128 -o clean.npy
  trainlets denoise lena.png --trial 30 -o out.png  add noise, print the PSNR

--sigma is on the scale 0 to 255 for pictures, 16-bit ones included. The output
has the channels and bit depth of the input. Ctrl-C stops the command without
writing anything.`;

export function denoiseCommand(): Command {
  const d = denoiseDefaults;
  const command = new Command("denoise")
    .summary("remove noise from a picture or an array")
    .description(
      "Remove white noise from a picture or an array, with a dictionary learned from the input itself.",
    )
    .usage("<input> -o <file> [options]")
    .addHelpText("after", examples)
    .action(runDenoise);
  withRestoreFiles(command)
    .optionsGroup("Noise:")
    .addOption(option("--sigma <s>", "standard deviation of the noise", sigmaOf, "auto, estimated"))
    .addOption(option("--lambda <l>", "weight of the noisy samples in the average", number, d.lambda))
    .addOption(option("--iterations <n>", "number of denoising passes", count, d.iterations))
    .addOption(
      option(
        "--trial <s>",
        "first add noise of this standard deviation; print the quality before and after",
        number,
      ),
    )
    .addOption(
      option(
        "--nodata <values>",
        "values that mark missing samples: -9999, nan; they stay as they are",
        nodataValues,
      ),
    );
  withPatchOptions(command, "16, 12x16, 8x8x3 (colour), 8x8x8; 8,16 averages two sizes", d);
  return withDictionaryOptions(command, d);
}

function sigmaOf(text: string): number | "auto" {
  return text === "auto" ? "auto" : number(text);
}

async function runDenoise(input: string, flags: DenoiseFlags): Promise<void> {
  const { output, trial, stride, lambda, iterations, pursuit, seed = trainDefaults.seed } = flags;
  const mode = colourFlag(flags);
  const dictionary = await givenDictionary(flags);
  const given = flags.sigma === "auto" ? undefined : flags.sigma;
  requireDeviation("sigma", given);
  requireDeviation("trial", trial);
  const patch = flags.patch?.split(",").map((part) => patchShape(part, input, flags.raw));
  const nodata = resolveNodata("denoise", flags.nodata);
  const file = await readRestorable(input, {
    output,
    others: [flags.dictionary],
    patch: dictionary?.shape ?? patch?.[0],
    patchOf: dictionary && "the dictionary",
    colour: mode !== undefined,
    nodata,
    raw: flags.raw,
  });
  noteExtreme("denoise", file.signals);
  const rng = Rng.from(seed).split("noise");
  const noisy = trial === undefined ? file.signals : file.signals.map((one) => addNoise(one, trial, rng));
  const colour = colourOf(file.colour, mode);
  const missing = flags.nodata && Number.NaN; // what missing samples are in signals
  const about = { sigma: given, patch, colour, stride, lambda, iterations, pursuit };
  const options = { ...about, dictionary, nodata: missing };
  const training = trainingOf(flags);
  const start = performance.now();
  const { signals, sigma } = await restore(flags, (tools) =>
    denoise(noisy, { ...options, training, ...tools }),
  );
  await writeRestored(output, signals, file);
  const seconds = (performance.now() - start) / 1000;
  const noise = `noise ${describeLevels(sigma, signals, colour)}${given === undefined ? " (estimated)" : ""}`;
  const quality = trial === undefined ? "" : `, ${qualityOf([noisy, signals], file)}`;
  const kept = countMissing(file.signals);
  const gaps = kept === 0 ? "" : `, ${counted(kept, "missing sample")} kept as they are`;
  printDone(flags, `${output}: ${describeSignals(file)}, ${noise}${gaps}${quality}, in ${clock(seconds)}`, {
    output,
    shape: file.shape,
    sigma,
    estimated: given === undefined,
    missing: kept,
    ...(trial === undefined ? {} : { before: errorOf(noisy, file), after: errorOf(signals, file) }),
    seconds,
  });
}

/** Noise far above any sample would only make numbers that are not finite. */
const mostDeviation = 1e30;

function requireDeviation(name: string, value: number | undefined): void {
  if (value === undefined || (value >= 0 && value <= mostDeviation)) return;
  const rule =
    value > mostDeviation
      ? `must be at most ${mostDeviation.toExponential()}`
      : "must be a number of at least 0";
  throw inputError("denoise", name, rule, value);
}

function describeSignals({ signals, shape }: RestorableFile): string {
  return signals.length === 1
    ? formatShape(signals[0].shape)
    : `${signals.length} signals, ${formatShape(shape)}`;
}

/** Up to three levels, those of planes with their names; of more, the range. */
function describeLevels(
  sigma: readonly number[],
  signals: readonly Signal[],
  colour: ColourMode = "luma-chroma",
): string {
  const levels = [...new Set(sigma.map(rounded))];
  const isSplit = signals.length === 1 && sigma.length === 3 && isPlaneMode(colour);
  if (isSplit && levels.length > 1)
    return sigma.map((level, p) => `${rounded(level)} (${planeNames[colour][p]})`).join(", ");
  if (levels.length <= 3) return levels.join(", ");
  return `${rounded(Math.min(...sigma))} to ${rounded(Math.max(...sigma))}`;
}
