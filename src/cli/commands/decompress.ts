/** `trainlets decompress`: an image or an array again from its compressed file. */

import { stdout } from "node:process";
import { Command } from "commander";
import { formatShape } from "../../core/shape.js";
import { readFileBytes } from "../../data/node/files.js";
import { pictureExtensions } from "../../data/node/pictures.js";
import { loadModel } from "../../model/node/files.js";
import { decompress } from "../../tasks/codec/decompress.js";
import { requireOutput } from "../terminal/outputs.js";
import { requireHolds, writeSampleFile } from "../terminal/sampleFiles.js";

interface DecompressFlags {
  readonly dictionary: string;
  readonly output: string;
}

const examples = `
Example:
  trainlets decompress face.tlt -d faces.npz -o face-again.png

The pixels are the same on every machine: no device takes part.`;

export function decompressCommand(): Command {
  return new Command("decompress")
    .summary("an image or an array again from its compressed file")
    .description("The image or array in a compressed file.")
    .usage("<file> -d <dictionary> -o <file>")
    .argument("<file>", "what compress wrote (.tlt)")
    .requiredOption("-d, --dictionary <file>", "the dictionary it is over (.npz)")
    .requiredOption("-o, --output <file>", `a picture (${pictureExtensions.join(", ")}), or an array (.npy)`)
    .addHelpText("after", examples)
    .action(runDecompress);
}

async function runDecompress(path: string, flags: DecompressFlags): Promise<void> {
  await requireOutput(flags.output, "decompress", [...pictureExtensions, ".npy"]);
  const model = await loadModel(flags.dictionary);
  const array = decompress(await readFileBytes(path), model, path);
  requireHolds(flags.output, array, "decompress");
  await writeSampleFile(flags.output, array);
  stdout.write(`${flags.output}: ${formatShape(array.shape)}\n`);
}
