/** `trainlets decompress`: read an image or an array from its compressed file. */

import { Command } from "commander";
import { formatShape } from "../../core/shape.js";
import { readFileBytes } from "../../data/node/files.js";
import { pictureExtensions } from "../../data/node/pictures.js";
import { decompress } from "../../tasks/codec/decompress.js";
import { type AtomShapeFlag, atomShapeOption, loadDictionary } from "../terminal/dictionaryFile.js";
import { printDone, type ResultFlags, requireResult, withResultOptions } from "../terminal/results.js";
import { requireSampleFormat, writeSampleFile } from "../terminal/sampleFiles.js";

interface DecompressFlags extends AtomShapeFlag, ResultFlags {
  readonly dictionary: string;
  readonly output: string;
}

const examples = `
Example:
  trainlets decompress face.tlt -d faces.npz -o face-again.png

The result is the same on every machine: it does not depend on a device.`;

export function decompressCommand(): Command {
  const command = new Command("decompress")
    .summary("decompress an image or an array")
    .description("Decompress an image or an array that compress wrote.")
    .usage("<file> -d <dictionary> -o <file>")
    .argument("<file>", "file written by compress (.tlt)")
    .requiredOption(
      "-d, --dictionary <file>",
      "dictionary it was compressed with (.npz, .mat, .safetensors, .npy)",
    )
    .addOption(atomShapeOption())
    .requiredOption(
      "-o, --output <file>",
      `picture (${pictureExtensions.join(", ")}) or array (.npy) to write, or - for an array on standard output`,
    )
    .addHelpText("after", examples)
    .action(runDecompress);
  return withResultOptions(command);
}

async function runDecompress(path: string, flags: DecompressFlags): Promise<void> {
  await requireResult(flags.output, [...pictureExtensions, ".npy"], [path, flags.dictionary]);
  const model = await loadDictionary(flags.dictionary, flags);
  const array = decompress(await readFileBytes(path), model, path);
  requireSampleFormat(flags.output, array);
  await writeSampleFile(flags.output, array);
  const { shape, colour } = array;
  printDone(flags, `${flags.output}: ${formatShape(shape)}`, { output: flags.output, shape, colour });
}
