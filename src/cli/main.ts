#!/usr/bin/env node
/**
 * The command line. Exit 0 on success, 2 on a usage or input error, 1 on a
 * failure; one clear line on standard error, never a stack trace.
 *
 * Only the command that is called is loaded: loading all takes a quarter of a second longer.
 */

import { Command } from "commander";
import { version } from "../model/version.js";
import { guardProcess, report } from "./terminal/errors.js";

const examples = `
Examples:
  trainlets demo                                   see it work, in a few seconds
  trainlets train photos/ --patch 16 -o dict.npz   learn from a folder of photos
  trainlets report run                             rebuild the page of a run
  trainlets atoms dict.npz -o atoms.png            look at what was learned
  trainlets encode face.png -d dict.npz -o codes.npz
  trainlets decode codes.npz -d dict.npz -o face-again.png
  trainlets approximate photos/ -d dict.npz --base cropped:sym8 -o curves.svg
  trainlets compress face.png -d dict.npz -o face.tlt --bytes 300
  trainlets decompress face.tlt -d dict.npz -o face-again.png
  trainlets denoise noisy.png -o clean.png
  trainlets inpaint photo.png --mask scratches.png -o whole.png
  trainlets reproduce universal32 --quick          an experiment from the paper`;

const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import("./commands/demo.js")).demoCommand(),
  train: async () => (await import("./commands/train.js")).trainCommand(),
  report: async () => (await import("./commands/report.js")).reportCommand(),
  atoms: async () => (await import("./commands/atoms.js")).atomsCommand(),
  approximate: async () => (await import("./commands/approximate.js")).approximateCommand(),
  encode: async () => (await import("./commands/encode.js")).encodeCommand(),
  decode: async () => (await import("./commands/decode.js")).decodeCommand(),
  compress: async () => (await import("./commands/compress.js")).compressCommand(),
  decompress: async () => (await import("./commands/decompress.js")).decompressCommand(),
  denoise: async () => (await import("./commands/denoise.js")).denoiseCommand(),
  inpaint: async () => (await import("./commands/inpaint.js")).inpaintCommand(),
  reproduce: async () => (await import("./commands/reproduce.js")).reproduceCommand(),
  devices: async () => (await import("./commands/devices.js")).devicesCommand(),
};

const asked = process.argv[2] ?? "";
const known = Object.hasOwn(loaders, asked);
const name = known ? asked : "trainlets";
guardProcess(name);
const commands = await Promise.all((known ? [loaders[asked]] : Object.values(loaders)).map((load) => load()));

/** The flag of an option that the command has; other names stay as they are. */
function flagOf(option: string): string {
  const [name] = option.split("."); // atomCare.every is an option of the library alone
  const found = commands.flatMap(({ options }) => options).find((one) => one.attributeName() === name);
  return found?.long ?? option;
}

const program = new Command("trainlets")
  .description("Learn dictionaries for large patches of images and other signals, and use them.")
  .version(version, "-V, --version", "show the version")
  .helpCommand("help [command]", "show help for a command")
  .addHelpText("after", examples);
for (const command of [program, ...commands]) {
  command
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .helpOption("-h, --help", "show this help");
  if (command !== program) program.addCommand(command);
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error, name, flagOf);
}
