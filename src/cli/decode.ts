/** `trainlets decode`: signals again from their codes. */

import { stdout } from "node:process";
import { Command } from "commander";
import { InputError } from "../core/errors.js";
import { formatShape, sameShape, sizeOf } from "../core/shape.js";
import type { Signal } from "../core/signal.js";
import { readFileBytes, requireWritable, writeFileAtomic } from "../data/node/files.js";
import { makeNpy, writeNpy } from "../data/npy.js";
import { encodePng } from "../figures/png.js";
import { codesFromBytes } from "../model/files.js";
import { loadModel } from "../model/node/files.js";
import { decodeSignals } from "../tasks/codeSignals.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "./device.js";

interface DecodeFlags extends DeviceFlags {
  readonly dictionary: string;
  readonly output: string;
}

export function decodeCommand(): Command {
  const command = new Command("decode")
    .description("signals again from their codes: one array, or one grey picture (.png)")
    .argument("<codes>", "codes that encode wrote (.npz)")
    .requiredOption("-d, --dictionary <file>", "the dictionary they are over (.npz)")
    .requiredOption("-o, --output <file>", "where the signals go: .npy (float32), or .png for one picture")
    .action(runDecode);
  return withDeviceOptions(command);
}

async function runDecode(path: string, flags: DecodeFlags): Promise<void> {
  const model = await loadModel(flags.dictionary);
  const { codes, signals } = codesFromBytes(await readFileBytes(path), path);
  await requireWritable(flags.output, "decode");
  const decoded = await onDevice(flags, "decode", (kernels) => decodeSignals(model, codes, signals, kernels));
  await writeFileAtomic(flags.output, flags.output.endsWith(".png") ? toPng(decoded) : toNpy(decoded));
  stdout.write(
    `${flags.output}: ${decoded.length} ${decoded.length === 1 ? "signal" : "signals"} of ${formatShape(decoded[0]!.shape)}\n`,
  );
}

/** One signal as it is; several of one shape with an axis in front that counts them. */
function toNpy(signals: readonly Signal[]): Uint8Array {
  const { shape } = signals[0]!;
  if (signals.some((signal) => !sameShape(signal.shape, shape))) {
    throw new InputError("decode: signals of different shapes cannot be one array; encode them one by one");
  }
  if (signals.length === 1) return writeNpy(makeNpy(shape, signals[0]!.data));
  const data = new Float32Array(signals.length * sizeOf(shape));
  signals.forEach((signal, s) => data.set(signal.data, s * sizeOf(shape)));
  return writeNpy(makeNpy([signals.length, ...shape], data));
}

function toPng(signals: readonly Signal[]): Uint8Array {
  const [signal] = signals;
  if (signals.length !== 1 || signal!.shape.length !== 2) {
    throw new InputError("decode: a .png holds one picture; write several signals, or other axes, to a .npy");
  }
  const [height, width] = signal!.shape as [number, number];
  const data = Uint8Array.from(signal!.data, (value) => Math.min(255, Math.max(0, Math.round(value))));
  return encodePng({ width, height, channels: 1, data });
}
