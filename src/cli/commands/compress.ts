/** `trainlets compress`: compress an image or an array with a dictionary. */

import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { counted } from "../../core/formatText.js";
import { requireAbove, requireInteger } from "../../core/require.js";
import { isColourShape, sizeOf } from "../../core/shape.js";
import { inspectInputs, memberIn } from "../../data/node/inputs.js";
import { describeInputs } from "../../data/node/units/describeInputs.js";
import { type CompressionTarget, Compressor, defaultPsnr } from "../../tasks/codec/compress.js";
import type { SampleArray } from "../../tasks/codec/sampleArray.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import {
  type AtomShapeFlag,
  atomShapeOption,
  dictionaryFiles,
  loadDictionary,
} from "../terminal/dictionaryFile.js";
import { noteExtreme } from "../terminal/extremeSample.js";
import { count, inputFile, number, option, rawOption } from "../terminal/flags.js";
import { PercentLine } from "../terminal/percentLine.js";
import {
  jsonNumber,
  printDone,
  type ResultFlags,
  requireResult,
  withResultOptions,
  writeResult,
} from "../terminal/results.js";
import { readSampleFile } from "../terminal/sampleFiles.js";

interface CompressFlags extends DeviceFlags, AtomShapeFlag, ResultFlags {
  readonly dictionary: string;
  readonly output: string;
  readonly bytes?: number;
  readonly bpp?: number;
  readonly psnr?: number;
  readonly raw?: string;
}

const examples = `
Examples:
  trainlets compress face.png -d faces.npz -o face.tlt --bytes 200
  trainlets compress photo.png -d dict.npz -o photo.tlt --psnr 36
  trainlets decompress face.tlt -d faces.npz -o face-again.png

The file does not hold the dictionary, which decompress needs: keep both.
Missing samples must be filled first: trainlets inpaint --nodata -9999.`;

export function compressCommand(): Command {
  const command = new Command("compress")
    .summary("compress an image or an array")
    .description("Compress an image or an array with a dictionary, in blocks of its patch size.")
    .usage("<data> -d <dictionary> -o <file> [options]")
    .argument("<data>", `${inputFile}; of arrays, uint8, uint16, int16 and float32`)
    .requiredOption("-d, --dictionary <file>", `dictionary ${dictionaryFiles}`)
    .addOption(atomShapeOption())
    .requiredOption("-o, --output <file>", "compressed file to write (.tlt), or - for standard output")
    .addOption(option("--bytes <n>", "best quality within this many bytes", count))
    .addOption(option("--bpp <x>", "best quality within this many bits per pixel", number))
    .addOption(rawOption())
    .addOption(option("--nodata <values>", "refused: see fillFirst", fillFirst).hideHelp())
    .addOption(option("--psnr <p>", "smallest file with at least this PSNR (dB)", number, defaultPsnr))
    .addHelpText("after", examples)
    .action(runCompress);
  return withResultOptions(withDeviceOptions(command));
}

async function runCompress(path: string, flags: CompressFlags): Promise<void> {
  requireOneTarget(flags);
  await requireResult(flags.output, [".tlt"], [memberIn(path)?.archive ?? path, flags.dictionary]);
  const model = await loadDictionary(flags.dictionary, flags);
  const { raw } = flags;
  const percent = new PercentLine();
  const inputs = await inspectInputs([path], {
    onSkip: (message) => percent.note(`compress: ${message}`),
    raw,
  });
  if (inputs.length !== 1)
    throw new InputError(`takes one image or array at a time, got ${inputs.length} in ${path}`);
  const array = await readSampleFile(inputs[0].path, model.shape, raw);
  percent.note(describeInputs(inputs, [{ name: inputs[0].path, shape: array.shape }]));
  const remedy = "fill them first: trainlets inpaint --nodata";
  if (array.data instanceof Float32Array)
    noteExtreme("compress", [{ name: path, shape: array.shape, data: array.data }], remedy);
  const pixels = pixelsOf(array);
  const { bytes, psnr, blocks, atoms } = await onDevice(flags, async (kernels) => {
    const compressor = await Compressor.open(model, kernels);
    const onTrial = (trials: number, size: number, done: number) =>
      percent.show(done, `file ${trials} of the search`, counted(size, "byte"));
    return compressor
      .compress(array, targetOf(flags, array), onTrial)
      .catch((error: unknown) => {
        const typed = error instanceof InputError && error.argument === "bytes" && flags.bpp !== undefined;
        throw typed ? new InputError(error.describe(() => "bytes of --bpp")) : error;
      })
      .finally(() => {
        percent.clear();
        compressor.free();
      });
  });
  await writeResult(flags.output, bytes);
  const size = `${counted(bytes.length, "byte")}, ${((bytes.length * 8) / pixels).toFixed(3)} bits per pixel`;
  const content = `${counted(atoms, "atom")} in ${counted(blocks, "block")}`;
  printDone(flags, `${flags.output}: ${size}, PSNR ${psnr.toFixed(2)} dB, ${content}`, {
    output: flags.output,
    bytes: bytes.length,
    bpp: (bytes.length * 8) / pixels,
    psnr: jsonNumber(psnr),
    atoms,
    blocks,
  });
}

/** A file has no place for missing samples. */
function fillFirst(values: string): never {
  const fill = `trainlets inpaint <data> --nodata ${values} -o <file>`;
  throw new InputError(`--nodata must not be given: fill missing samples first, with ${fill}`);
}

function requireOneTarget({ bytes, bpp, psnr }: CompressFlags): void {
  const given = Object.entries({ bytes, bpp, psnr }).filter(([, value]) => value !== undefined);
  if (given.length > 1)
    throw new InputError(
      `only one of --bytes, --bpp and --psnr can be given, got ${given.map(([name]) => `--${name}`).join(" and ")}`,
    );
  if (bytes !== undefined) requireInteger("compress", "bytes", bytes, 1);
  if (bpp !== undefined) requireAbove("compress", "bpp", bpp, 0);
  if (psnr !== undefined) requireAbove("compress", "psnr", psnr, 0);
}

/** Samples of an array; a colour picture has three per pixel. */
function pixelsOf({ shape }: SampleArray): number {
  return sizeOf(isColourShape(shape) ? shape.slice(0, 2) : shape);
}

function targetOf({ bytes, bpp, psnr = defaultPsnr }: CompressFlags, array: SampleArray): CompressionTarget {
  if (bytes !== undefined) return { bytes };
  if (bpp === undefined) return { psnr };
  return { bytes: Math.max(1, Math.floor((bpp * pixelsOf(array)) / 8)) };
}
