/** `trainlets convert`: a dictionary in the file of another program, or from one. */

import { Command } from "commander";
import { byteSize, counted } from "../../core/formatText.js";
import { requireOneOf } from "../../core/require.js";
import { formatShape } from "../../core/shape.js";
import { requireNotThere } from "../../data/node/outputs.js";
import {
  dictionaryEnding,
  dictionaryEndings,
  modelToContainer,
  type NumberType,
  numberTypes,
} from "../../model/containers.js";
import {
  type AtomShapeFlag,
  atomShapeOption,
  dictionaryFiles,
  loadDictionary,
} from "../terminal/dictionaryFile.js";
import { choice } from "../terminal/flags.js";
import { stderr } from "../terminal/output.js";
import {
  forceOption,
  printDone,
  type ResultFlags,
  requireResult,
  withResultOptions,
  writeResult,
} from "../terminal/results.js";

interface ConvertFlags extends AtomShapeFlag, ResultFlags {
  readonly output: string;
  readonly type?: NumberType;
  readonly force?: boolean;
}

const examples = `
Examples:
  trainlets convert dict.npz -o D.npy              the atoms as a matrix, n x m
  trainlets convert dict.npz -o dict.mat           for Matlab and Octave
  trainlets convert dict.npz -o dict.safetensors
  trainlets convert dict.npz -o small.npz --type f16
  trainlets convert 'ksvd.mat[D]' -o ksvd.npz --atom-shape 8x8

A .npz, .mat or .safetensors holds all of a dictionary, and every command takes
it. A .npy holds the atoms alone.`;

export function convertCommand(): Command {
  const command = new Command("convert")
    .summary("convert a dictionary to another format")
    .description("Convert a dictionary to the format of another program, or back.")
    .usage("<dictionary> -o <file> [options]")
    .argument("<dictionary>", `dictionary ${dictionaryFiles}`)
    .addOption(atomShapeOption())
    .requiredOption(
      "-o, --output <file>",
      `file to write (${dictionaryEndings.join(", ")}), or - for a .npz on standard output`,
    )
    .addOption(forceOption())
    .addOption(choice("--type <name>", "numbers of the atoms; f16 takes half the space", numberTypes, "f32"))
    .addHelpText("after", examples)
    .action(runConvert);
  return withResultOptions(command);
}

async function runConvert(path: string, flags: ConvertFlags): Promise<void> {
  const { output } = flags;
  const type = requireOneOf("convert", "type", flags.type ?? "f32", numberTypes);
  await requireResult(output, dictionaryEndings, [path]);
  if (!flags.force) await requireNotThere(output);
  const model = await loadDictionary(path, flags);
  const ending = dictionaryEnding(output) ?? ".npz";
  const bytes = await modelToContainer(model, ending, type, () => model.atoms());
  await writeResult(output, bytes);
  if (ending === ".npy")
    stderr.write("convert: a .npy holds the atoms alone: the base and the settings are left out\n");
  const { A, shape } = model;
  printDone(
    flags,
    `${output}: ${counted(A.cols, "atom")} of ${formatShape(shape)}, ${type}, ${byteSize(bytes.length)}`,
    { output, atoms: A.cols, patch: shape, type, bytes: bytes.length },
  );
}
