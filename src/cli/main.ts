#!/usr/bin/env node
/**
 * The command line. Exit 0 on success, 2 on a usage or input error, 1 on a
 * failure; one clear line on standard error, never a stack trace.
 */

import { Command } from "commander";
import { version } from "../model/version.js";
import { approximateCommand } from "./approximate.js";
import { atomsCommand } from "./atoms.js";
import { compressCommand } from "./compress.js";
import { decodeCommand } from "./decode.js";
import { decompressCommand } from "./decompress.js";
import { demoCommand } from "./demo.js";
import { denoiseCommand } from "./denoise.js";
import { devicesCommand } from "./devices.js";
import { encodeCommand } from "./encode.js";
import { inpaintCommand } from "./inpaint.js";
import { guardProcess, report } from "./report.js";
import { reportCommand } from "./reportCommand.js";
import { reproduceCommand } from "./reproduce.js";
import { trainCommand } from "./train.js";

const examples = `
Examples:
  trainlets demo                                   see it work, in a few seconds
  trainlets train photos/ --patch 16 -o dict.npz   learn from a folder of photos
  trainlets report run                             the page of a training run
  trainlets atoms dict.npz -o atoms.png            look at what was learned
  trainlets encode face.png -d dict.npz -o codes.npz
  trainlets decode codes.npz -d dict.npz -o face-again.png
  trainlets approximate photos/ -d dict.npz --base cropped:sym8 -o curves.svg
  trainlets compress face.png -d dict.npz -o face.tlt --bytes 300
  trainlets decompress face.tlt -d dict.npz -o face-again.png
  trainlets denoise noisy.png -o clean.png
  trainlets inpaint photo.png --mask scratches.png -o whole.png
  trainlets reproduce universal32 --quick          an experiment of the paper`;

const commands = [
  trainCommand(),
  reportCommand(),
  atomsCommand(),
  encodeCommand(),
  decodeCommand(),
  approximateCommand(),
  compressCommand(),
  decompressCommand(),
  devicesCommand(),
  demoCommand(),
  reproduceCommand(),
  denoiseCommand(),
  inpaintCommand(),
];

const program = new Command("trainlets")
  .description("Learn dictionaries for large patches of images and other signals, and use them.")
  .version(version, "-V, --version", "show the version")
  .helpCommand("help [command]", "show the help of a command")
  .addHelpText("after", examples);
for (const command of [program, ...commands]) {
  command
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .helpOption("-h, --help", "show this help");
  if (command !== program) program.addCommand(command);
}

const name = commands.find((command) => command.name() === process.argv[2])?.name() ?? "trainlets";
guardProcess(name);
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error, name);
}
