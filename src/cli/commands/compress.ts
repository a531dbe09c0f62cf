/** `trainlets compress`: an image or an array over a dictionary, in few bytes. */

import { stdout } from "node:process";
import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { requireAbove, requireInteger } from "../../core/require.js";
import { sizeOf } from "../../core/shape.js";
import { writeFileAtomic } from "../../data/node/files.js";
import { inspectInputs } from "../../data/node/inputs.js";
import { loadModel } from "../../model/node/files.js";
import { type CompressionTarget, Compressor, defaultPsnr } from "../../tasks/codec/compress.js";
import { planeShape, type SampleArray } from "../../tasks/codec/samples.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import { count, flagOf, number, option } from "../terminal/flags.js";
import { requireOutput } from "../terminal/outputs.js";
import { counted, ProgressLine } from "../terminal/progress.js";
import { readSampleFile } from "../terminal/sampleFiles.js";

interface CompressFlags extends DeviceFlags {
  readonly dictionary: string;
  readonly output: string;
  readonly bytes?: number;
  readonly bpp?: number;
  readonly psnr?: number;
}

const examples = `
Examples:
  trainlets compress face.png -d faces.npz -o face.tlt --bytes 200
  trainlets compress photo.png -d dict.npz -o photo.tlt --psnr 36
  trainlets decompress face.tlt -d faces.npz -o face-again.png

The file names the dictionary, and does not hold it: keep both.`;

export function compressCommand(): Command {
  const command = new Command("compress")
    .summary("an image or an array in few bytes, over a dictionary")
    .description("Compress an image or an array over a dictionary, in blocks of its patch.")
    .usage("<data> -d <dictionary> -o <file> [options]")
    .argument("<data>", "an image, or a .npy array (uint8, uint16, int16, float32)")
    .requiredOption("-d, --dictionary <file>", "a dictionary that train wrote (.npz)")
    .requiredOption("-o, --output <file>", "where the compressed file goes (.tlt)")
    .addOption(option("--bytes <n>", "at most so many bytes, as good as they allow", count))
    .addOption(option("--bpp <x>", "the same in bits a pixel", number))
    .addOption(
      option("--psnr <p>", "at least so near, in dB, in as few bytes as it takes", number, defaultPsnr),
    )
    .addHelpText("after", examples)
    .action(runCompress);
  return withDeviceOptions(command);
}

async function runCompress(path: string, flags: CompressFlags): Promise<void> {
  requireOneTarget(flags);
  await requireOutput(flags.output, "compress", [".tlt"]);
  const model = await loadModel(flags.dictionary);
  const inputs = await inspectInputs([path]);
  if (inputs.length !== 1)
    throw new InputError(`compress: one image or array at a time, got ${inputs.length} in ${path}`);
  const array = await readSampleFile(inputs[0].path, model.shape.length, "compress");
  const pixels = sizeOf(planeShape(array.shape, array.colour));
  const progress = new ProgressLine();
  const { bytes, psnr, blocks, atoms } = await onDevice(flags, "compress", async (kernels) => {
    const compressor = await Compressor.open(model, kernels);
    const onAttempt = (attempts: number, size: number) => {
      if (attempts > 1) progress.show([`file ${attempts} of the search`, counted(size, "byte")]);
    };
    return compressor
      .compress(array, targetOf(flags, array), onAttempt)
      .catch((error: unknown) => {
        const typed = error instanceof InputError && error.argument === "bytes" && flags.bpp !== undefined;
        throw typed ? new InputError(error.describe(() => "bytes of --bpp")) : error;
      })
      .finally(() => {
        progress.clear();
        compressor.free();
      });
  });
  await writeFileAtomic(flags.output, bytes);
  const size = `${counted(bytes.length, "byte")}, ${((bytes.length * 8) / pixels).toFixed(3)} bits a pixel`;
  const content = `${counted(atoms, "atom")} in ${counted(blocks, "block")}`;
  stdout.write(`${flags.output}: ${size}, PSNR ${psnr.toFixed(2)} dB, ${content}\n`);
}

function requireOneTarget({ bytes, bpp, psnr }: CompressFlags): void {
  const given = Object.entries({ bytes, bpp, psnr }).filter(([, value]) => value !== undefined);
  if (given.length > 1)
    throw new InputError(
      `compress: one of --bytes, --bpp and --psnr can be given, got ${given.map(([name]) => flagOf(name)).join(" and ")}`,
    );
  if (bytes !== undefined) requireInteger("compress", "--bytes", bytes, 1);
  if (bpp !== undefined) requireAbove("compress", "--bpp", bpp, 0);
  if (psnr !== undefined) requireAbove("compress", "--psnr", psnr, 0);
}

function targetOf(
  { bytes, bpp, psnr = defaultPsnr }: CompressFlags,
  { shape, colour }: SampleArray,
): CompressionTarget {
  if (bytes !== undefined) return { bytes };
  if (bpp === undefined) return { psnr };
  return { bytes: Math.max(1, Math.floor((bpp * sizeOf(planeShape(shape, colour))) / 8)) };
}
