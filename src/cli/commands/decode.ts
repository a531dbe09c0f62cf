/** `trainlets decode`: rebuild signals from their codes. */

import { extname } from "node:path";
import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { counted } from "../../core/formatText.js";
import { requireFiniteResult } from "../../core/require.js";
import { formatShape, isColourShape, type Shape, sameShape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { makeNpy, writeNpy } from "../../data/formats/npy.js";
import { readFileBytes, writeFileAtomic } from "../../data/node/files.js";
import { requireOutput } from "../../data/node/outputs.js";
import { pictureFrom } from "../../figures/pictureFrom.js";
import { encodePng } from "../../figures/png.js";
import { codesFromBytes } from "../../model/files.js";
import { decodeSignals } from "../../tasks/encode/encodeSignals.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import { type AtomShapeFlag, atomShapeOption, loadDictionary } from "../terminal/dictionaryFile.js";
import { stdout } from "../terminal/output.js";

interface DecodeFlags extends DeviceFlags, AtomShapeFlag {
  readonly dictionary: string;
  readonly output: string;
}

const examples = `
Examples:
  trainlets decode codes.npz -d dict.npz -o face-again.png
  trainlets decode codes.npz -d dict.npz -o volume-again.npy`;

export function decodeCommand(): Command {
  const command = new Command("decode")
    .summary("rebuild images or arrays from their codes")
    .description("Rebuild signals from their codes, as one array or one picture, grey or colour.")
    .usage("<codes> -d <dictionary> -o <file> [options]")
    .argument("<codes>", "codes written by encode (.npz)")
    .requiredOption("-d, --dictionary <file>", "dictionary they were coded with (.npz, .npy)")
    .addOption(atomShapeOption())
    .requiredOption("-o, --output <file>", "array (.npy) or picture (.png) to write")
    .addHelpText("after", examples)
    .action(runDecode);
  return withDeviceOptions(command);
}

async function runDecode(path: string, flags: DecodeFlags): Promise<void> {
  await requireOutput(flags.output, [".npy", ".png"], [path, flags.dictionary]);
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
  await writeFileAtomic(flags.output, picture ? encodePng(pictureFrom(decoded[0])) : toNpy(decoded));
  stdout.write(`${flags.output}: ${counted(decoded.length, "signal")} of ${formatShape(decoded[0].shape)}\n`);
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
