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
import { readSignals } from "../../data/node/readSignals.js";
import { pictureFrom } from "../../figures/pictureFrom.js";
import { encodePng } from "../../figures/png.js";
import { codesFromBytes } from "../../model/files.js";
import { psnr } from "../../tasks/approximate/representation.js";
import { decodeSignals } from "../../tasks/encode/encodeSignals.js";
import { rmseBetween } from "../../tasks/restore/trialDamage.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import { type AtomShapeFlag, atomShapeOption, loadDictionary } from "../terminal/dictionaryFile.js";
import {
  describeQuality,
  jsonNumber,
  printDone,
  type ResultFlags,
  requireResult,
  withResultOptions,
  writeResult,
} from "../terminal/results.js";

interface DecodeFlags extends DeviceFlags, AtomShapeFlag, ResultFlags {
  readonly dictionary: string;
  readonly output: string;
  readonly against?: string[];
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
    .addHelpText("after", examples)
    .action(runDecode);
  return withResultOptions(withDeviceOptions(command));
}

async function runDecode(path: string, flags: DecodeFlags): Promise<void> {
  const { against = [] } = flags;
  await requireResult(flags.output, [".npy", ".png"], [path, flags.dictionary, ...against]);
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
  const decoded = await onDevice(flags, (kernels) => decodeSignals(model, codes, signals, kernels));
  for (const { data } of decoded) requireFiniteResult(flags.output, data);
  await writeResult(flags.output, picture ? encodePng(pictureFrom(decoded[0])) : toNpy(decoded));
  const rmse = against.length > 0 ? await errorFrom(against, decoded, picture, signals.patch) : signals.rmse;
  const from = against.length > 0 ? against.join(", ") : "what was encoded";
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

/** The RMSE of signals from the data in files; of a picture, as it is written, clipped but not rounded. */
async function errorFrom(
  paths: readonly string[],
  decoded: readonly Signal[],
  picture: boolean,
  patch: Shape,
): Promise<number> {
  const clean = await readSignals(paths, { patch, nodata: Number.NaN });
  const fits =
    clean.length === decoded.length && clean.every(({ shape }, s) => sameShape(shape, decoded[s].shape));
  if (!fits) {
    const [given, made] = [clean, decoded].map(
      (signals) => `${counted(signals.length, "signal")} of ${formatShape(signals[0].shape)}`,
    );
    throw new InputError(
      (nameOf) => `${nameOf("against")} must hold what was decoded, ${made}, got ${given}`,
    );
  }
  return rmseBetween(decoded, clean, picture ? [0, 255] : undefined);
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
