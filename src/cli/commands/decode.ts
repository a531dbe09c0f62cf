/** `trainlets decode`: rebuild signals from their codes. */

import { extname } from "node:path";
import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { counted } from "../../core/formatText.js";
import { requireFiniteResult } from "../../core/require.js";
import { formatShape, isColourShape, type Shape, sameShape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { makeNpy, writeNpy } from "../../data/formats/npy.js";
import { readFileBytes } from "../../data/node/files.js";
import { type Input, inspectInputs } from "../../data/node/inputs.js";
import { inputFiles } from "../../data/node/outputs.js";
import { readSignals } from "../../data/node/readSignals.js";
import { pictureFrom } from "../../figures/pictureFrom.js";
import { encodePng } from "../../figures/png.js";
import { type CodedSignals, codesFromBytes } from "../../model/files.js";
import { psnr } from "../../tasks/approximate/representation.js";
import { decodeSignals } from "../../tasks/encode/encodeSignals.js";
import { rmseBetween } from "../../tasks/restore/trialDamage.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import { type AtomShapeFlag, atomShapeOption, loadDictionary } from "../terminal/dictionaryFile.js";
import { type DataFlags, nodataValues, option, withDataOptions } from "../terminal/flags.js";
import { stderr } from "../terminal/output.js";
import {
  describeQuality,
  jsonNumber,
  printDone,
  type ResultFlags,
  requireResult,
  withResultOptions,
  writeResult,
} from "../terminal/results.js";

interface DecodeFlags extends DeviceFlags, AtomShapeFlag, DataFlags, ResultFlags {
  readonly dictionary: string;
  readonly output: string;
  readonly against?: string[];
  readonly nodata?: number[];
}

const examples = `
Examples:
  trainlets decode codes.npz -d dict.npz -o face-again.png
  trainlets decode codes.npz -d dict.npz -o face-again.png --against face.png
  trainlets decode codes.npz -d dict.npz -o volume-again.npy`;

export function decodeCommand(): Command {
  const command = new Command("decode")
    .summary("rebuild images or arrays from their codes")
    .description("Rebuild signals from their codes, as one array or one picture, grey or colour.")
    .usage("<codes> -d <dictionary> -o <file> [options]")
    .argument("<codes>", "codes written by encode (.npz)")
    .requiredOption(
      "-d, --dictionary <file>",
      "dictionary they were coded with (.npz, .mat, .safetensors, .npy)",
    )
    .addOption(atomShapeOption())
    .requiredOption(
      "-o, --output <file>",
      "array (.npy) or picture (.png) to write, or - for an array on standard output",
    )
    .option("--against <data...>", "original data: print the error of the result against it")
    .addOption(
      option(
        "--nodata <values>",
        "values that mark missing samples of the original data: -9999, nan; they do not count",
        nodataValues,
      ),
    )
    .addHelpText("after", examples)
    .action(runDecode);
  return withResultOptions(withDeviceOptions(withDataOptions(command)));
}

async function runDecode(path: string, flags: DecodeFlags): Promise<void> {
  const originals = await inspectOriginals(flags);
  await requireResult(flags.output, [".npy", ".png"], [path, flags.dictionary, ...inputFiles(originals)]);
  const model = await loadDictionary(flags.dictionary, flags);
  const { codes, signals } = codesFromBytes(await readFileBytes(path), path);
  if (codes.X.rows !== model.A.cols) {
    throw new InputError(
      `the codes use a dictionary of ${counted(codes.X.rows, "atom")}, but ${flags.dictionary} has ${model.A.cols}`,
    );
  }
  const picture = extname(flags.output).toLowerCase() === ".png";
  if (picture) requireOnePicture(signals.shapes);
  else requireOneArray(signals.shapes);
  const clean = originals && (await readOriginals(originals, signals, flags));
  const decoded = await onDevice(flags, (kernels) => decodeSignals(model, codes, signals, kernels));
  for (const { data } of decoded) requireFiniteResult(flags.output, data);
  await writeResult(flags.output, picture ? encodePng(pictureFrom(decoded[0])) : toNpy(decoded));
  // of a picture as it is written, clipped but not rounded
  const rmse = clean ? rmseBetween(decoded, clean, picture ? [0, 255] : undefined) : signals.rmse;
  const from = flags.against?.join(", ") ?? "what was encoded";
  const quality = rmse === undefined ? "" : `, ${describeQuality(rmse, picture)} from ${from}`;
  printDone(
    flags,
    `${flags.output}: ${counted(decoded.length, "signal")} of ${formatShape(decoded[0].shape)}${quality}`,
    {
      output: flags.output,
      signals: decoded.length,
      shape: decoded[0].shape,
      rmse: rmse ?? null,
      psnr: picture && rmse !== undefined ? jsonNumber(psnr(rmse)) : null,
    },
  );
}

/** The data to compare the result with, if any are given; options about them need some. */
async function inspectOriginals(flags: DecodeFlags): Promise<Input[] | undefined> {
  const { against, signals, raw } = flags;
  if (against) return inspectInputs(against, { onSkip: note, signals, raw });
  for (const name of ["signals", "raw", "nodata"] as const) {
    if (flags[name] === undefined) continue;
    throw new InputError((nameOf) => `${nameOf(name)} needs ${nameOf("against")}`, { argument: name });
  }
  return undefined;
}

/** The data to compare the result with: signals like those that were coded, with NaN for missing samples. */
async function readOriginals(
  originals: readonly Input[],
  { patch, shapes }: CodedSignals,
  { nodata = [] }: DecodeFlags,
): Promise<Signal[]> {
  const clean = await readSignals(originals, { patch, onSkip: note, nodata: [...nodata, Number.NaN] });
  const fits = clean.length === shapes.length && clean.every(({ shape }, s) => sameShape(shape, shapes[s]));
  if (!fits) {
    const [given, made] = [clean.map(({ shape }) => shape), shapes].map(
      (list) => `${counted(list.length, "signal")} of ${formatShape(list[0])}`,
    );
    throw new InputError(
      (nameOf) => `${nameOf("against")} must hold what was decoded, ${made}, got ${given}`,
    );
  }
  if (clean.every(({ data }) => data.every(Number.isNaN)))
    throw new InputError(
      (nameOf) => `${nameOf("against")} must have a known sample, got all of them missing`,
    );
  return clean;
}

function note(message: string): void {
  stderr.write(`decode: ${message}\n`);
}

function requireOnePicture(shapes: readonly Shape[]): void {
  if (shapes.length === 1 && (shapes[0].length === 2 || isColourShape(shapes[0]))) return;
  throw new InputError(
    "a .png holds one picture; write several signals, or signals that are not pictures, to a .npy",
  );
}

function requireOneArray(shapes: readonly Shape[]): void {
  if (shapes.length > 0 && shapes.every((shape) => sameShape(shape, shapes[0]))) return;
  throw new InputError("signals of different shapes cannot form one array; encode them one by one");
}

/** One signal as it is; several of one shape with a first axis that counts them. */
function toNpy(signals: readonly Signal[]): Uint8Array {
  const { shape, data: first } = signals[0];
  if (signals.length === 1) return writeNpy(makeNpy(shape, first));
  const data = new Float32Array(signals.length * sizeOf(shape));
  signals.forEach((signal, s) => data.set(signal.data, s * sizeOf(shape)));
  return writeNpy(makeNpy([signals.length, ...shape], data));
}
