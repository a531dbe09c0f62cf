/** `trainlets encode`: sparse codes of signals over a dictionary. */

import { stderr, stdout } from "node:process";
import { Command } from "commander";
import { InputError } from "../core/errors.js";
import { formatShape, type Shape } from "../core/shape.js";
import { requireWritable, writeFileAtomic } from "../data/node/files.js";
import { inspectInputs, readSignals } from "../data/node/inputs.js";
import { codesToBytes } from "../model/files.js";
import { loadModel } from "../model/node/files.js";
import { resolveLimits } from "../pursuit/limits.js";
import { encodeSignals } from "../tasks/codeSignals.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "./device.js";
import { flagOf, number, option, shape } from "./flags.js";

interface EncodeFlags extends DeviceFlags {
  readonly dictionary: string;
  readonly output: string;
  readonly sparsity?: number;
  readonly error?: number;
  readonly stride?: Shape;
}

export function encodeCommand(): Command {
  const command = new Command("encode")
    .description("code images or arrays over a dictionary: each is covered by a grid of windows")
    .argument("<data...>", "images, folders of images, globs, or .npy arrays")
    .requiredOption("-d, --dictionary <file>", "a dictionary that train wrote (.npz)")
    .requiredOption("-o, --output <file>", "where the codes go (.npz)")
    .addOption(option("--sparsity <p>", "atoms of a code", number, "as in training"))
    .addOption(
      option("--error <e>", "code until the root-mean-square error a sample is at most this", number),
    )
    .addOption(
      option("--stride <sizes>", "steps of the grid, such as 4 or 4x4", shape, "the patch: no overlap"),
    )
    .action(runEncode);
  return withDeviceOptions(command);
}

async function runEncode(data: string[], flags: EncodeFlags): Promise<void> {
  const model = await loadModel(flags.dictionary);
  const patch = model.shape;
  const stride = resolveStride(flags.stride, patch);
  const given = flags.sparsity !== undefined || flags.error !== undefined;
  const rule = given ? { sparsity: flags.sparsity, error: flags.error } : model.meta.coding;
  resolveLimits("encode", rule, model.A.rows, model.A.cols, flagOf);
  await requireWritable(flags.output, "encode");
  const inputs = await inspectInputs(data, "encode");
  const onSkip = (message: string) => stderr.write(`${message}\n`);
  const signals = await readSignals(
    inputs.map(({ path }) => path),
    { patch, caller: "encode", onSkip },
  );
  const result = await onDevice(flags, "encode", (kernels) =>
    encodeSignals(model, signals, { stride, rule, kernels }),
  );
  await writeFileAtomic(flags.output, codesToBytes(result.codes, result.signals));
  const { X } = result.codes;
  const mean = X.counts.reduce((sum, used) => sum + used, 0) / X.cols;
  stdout.write(
    `${flags.output}: ${X.cols} codes of ${formatShape(patch)} windows, ${mean.toFixed(1)} atoms each on average\n`,
  );
}

function resolveStride(stride: Shape | undefined, patch: Shape): Shape {
  if (stride === undefined) return patch;
  if (stride.length === 1) return patch.map(() => stride[0]!);
  if (stride.length === patch.length) return stride;
  throw new InputError(`encode: --stride must have 1 or ${patch.length} sizes, got ${formatShape(stride)}`);
}
