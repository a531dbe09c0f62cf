/** `trainlets encode`: sparse codes of signals over a dictionary. */

import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { counted } from "../../core/formatText.js";
import { formatShape, parseShape, type Shape, sizeOf } from "../../core/shape.js";
import { inspectInputs } from "../../data/node/inputs.js";
import { inputFiles } from "../../data/node/outputs.js";
import { readSignals } from "../../data/node/readSignals.js";
import type { PursuitName } from "../../kernels/contract.js";
import { codesToBytes } from "../../model/files.js";
import { resolveLimits } from "../../pursuit/encoder.js";
import { psnr } from "../../tasks/approximate/representation.js";
import { decodeSignals, encodeSignals } from "../../tasks/encode/encodeSignals.js";
import { rmseBetween } from "../../tasks/restore/trialDamage.js";
import { noteData } from "../terminal/dataLines.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import {
  type AtomShapeFlag,
  atomShapeOption,
  dictionaryFiles,
  loadDictionary,
  requireNoDictionary,
} from "../terminal/dictionaryFile.js";
import { noteExtreme } from "../terminal/extremeSample.js";
import {
  type DataFlags,
  dataFiles,
  nodataValues,
  number,
  option,
  pursuitOption,
  withDataOptions,
} from "../terminal/flags.js";
import { PercentLine } from "../terminal/percentLine.js";
import {
  describeQuality,
  jsonNumber,
  printDone,
  type ResultFlags,
  requireResult,
  withResultOptions,
  writeResult,
} from "../terminal/results.js";

interface EncodeFlags extends DeviceFlags, AtomShapeFlag, DataFlags, ResultFlags {
  readonly dictionary: string;
  readonly output: string;
  readonly sparsity?: number;
  readonly error?: number;
  readonly pursuit?: PursuitName;
  readonly stride?: string;
  readonly nodata?: number[];
}

const examples = `
Examples:
  trainlets encode face.png -d dict.npz -o codes.npz
  trainlets encode face.png -d dict.npz -o codes.npz --error 4 --stride 8`;

export function encodeCommand(): Command {
  const command = new Command("encode")
    .summary("write images or arrays as sparse codes")
    .description("Write images or arrays as sparse codes over a dictionary, one code per window of a grid.")
    .usage("<data...> -d <dictionary> -o <file> [options]")
    .argument("<data...>", dataFiles)
    .requiredOption("-d, --dictionary <file>", `dictionary ${dictionaryFiles}`)
    .addOption(atomShapeOption())
    .requiredOption("-o, --output <file>", "codes to write (.npz), or - for standard output")
    .addOption(
      option(
        "--sparsity <p>",
        "at most this many atoms per window",
        number,
        "without --error, as in training",
      ),
    )
    .addOption(option("--error <e>", "add atoms until the RMSE of a window is at most this", number))
    .addOption(pursuitOption("as in training"))
    .addOption(option("--stride <sizes>", "samples between windows: 4, 4x4", undefined, "the patch size"))
    .addOption(
      option(
        "--nodata <values>",
        "values that mark missing samples: -9999, nan; decode fills them",
        nodataValues,
      ),
    )
    .addHelpText("after", examples)
    .action(runEncode);
  return withResultOptions(withDeviceOptions(withDataOptions(command)));
}

async function runEncode(data: string[], flags: EncodeFlags): Promise<void> {
  const model = await loadDictionary(flags.dictionary, flags);
  const patch = model.shape;
  const stride = resolveStride(flags.stride, patch);
  const given = flags.sparsity !== undefined || flags.error !== undefined;
  const { sparsity, error } = given ? flags : model.meta.coding;
  const coding = { sparsity, error, pursuit: flags.pursuit ?? model.meta.coding.pursuit };
  resolveLimits("encode", coding, sizeOf(patch), model.A.cols);
  const percent = new PercentLine();
  const onSkip = (message: string) => percent.note(`encode: ${message}`);
  const inputs = await inspectInputs(data, { onSkip, signals: flags.signals, raw: flags.raw });
  await requireResult(flags.output, [".npz"], [flags.dictionary, ...inputFiles(inputs)]);
  await requireNoDictionary(flags.output);
  const { result, rmse } = await onDevice(flags, async (kernels) => {
    const signals = await readSignals(inputs, {
      ...{ patch, patchOf: "the dictionary", onSkip },
      nodata: flags.nodata,
    });
    noteData("encode", inputs, signals, patch, (line) => percent.note(line));
    noteExtreme("encode", signals, undefined, (line) => percent.note(line));
    const nodata = flags.nodata && Number.NaN; // what missing samples are in signals
    const onProgress = (done: number) => percent.show(done, "coding windows");
    const result = await encodeSignals(model, signals, { stride, coding, kernels, nodata, onProgress });
    const decoded = await decodeSignals(model, result.codes, result.signals, kernels);
    return { result, rmse: rmseBetween(decoded, signals) };
  });
  percent.clear();
  const { X } = result.codes;
  await writeResult(flags.output, codesToBytes(result.codes, { ...result.signals, rmse }, flags.output));
  const mean = X.counts.reduce((sum, used) => sum + used, 0) / X.cols;
  const pictures = inputs.every(({ kind }) => kind === "image");
  const quality = describeQuality(rmse, pictures);
  printDone(
    flags,
    `${flags.output}: ${counted(X.cols, "code")} of ${formatShape(patch)} windows, ${mean.toFixed(1)} atoms each on average, ${quality}`,
    {
      output: flags.output,
      codes: X.cols,
      patch,
      atomsPerCode: mean,
      rmse,
      psnr: pictures ? jsonNumber(psnr(rmse)) : null,
    },
  );
}

/** One step for all axes, shorter along short ones, or one per axis; at most the patch, so that windows leave no gaps. */
function resolveStride(text: string | undefined, patch: Shape): Shape {
  if (text === undefined) return patch;
  const typed = parseShape("encode", "stride", text);
  const isOne = typed.length === 1 && typed[0] <= Math.max(...patch);
  const stride = isOne ? patch.map((size) => Math.min(size, typed[0])) : typed;
  if (stride.length === patch.length && stride.every((step, axis) => step <= patch[axis])) return stride;
  throw new InputError(`--stride must be steps of at most ${formatShape(patch)}, the patch, got ${text}`);
}
