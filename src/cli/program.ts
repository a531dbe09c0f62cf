/**
 * The program `trainlets`: one run of a command, from its words to its exit code. 0 on success,
 * 2 on a usage or input error, 1 on a failure, 128 + the number of a signal that ended the work; one
 * clear line on standard error, never a stack trace.
 *
 * It leaves nothing behind in the process, so that tests can run one command after the other;
 * main.ts adds what a process of its own needs.
 *
 * Only the command that is called is loaded: loading all takes a quarter of a second longer.
 */

import { Command, CommanderError } from "commander";
import { InputError } from "../core/errors.js";
import { version } from "../model/version.js";
import { report } from "./terminal/errors.js";
import { stderr, stdout } from "./terminal/output.js";

const examples = `
Examples:
  trainlets demo                                   see it work, in a few seconds
  trainlets studio photos/                         see it learn, in a browser
  trainlets train photos/ --patch 16 -o dict.npz   learn from a folder of photos
  trainlets report run                             rebuild the page of a run
  trainlets atoms dict.npz -o atoms.png            look at what was learned
  trainlets info dict.npz                          its size, its settings
  trainlets score photos/ -d dict.npz              its error on other data
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
  studio: async () => (await import("./commands/studio.js")).studioCommand(),
  train: async () => (await import("./commands/train.js")).trainCommand(),
  report: async () => (await import("./commands/report.js")).reportCommand(),
  atoms: async () => (await import("./commands/atoms.js")).atomsCommand(),
  info: async () => (await import("./commands/info.js")).infoCommand(),
  score: async () => (await import("./commands/score.js")).scoreCommand(),
  convert: async () => (await import("./commands/convert.js")).convertCommand(),
  prune: async () => (await import("./commands/prune.js")).pruneCommand(),
  approximate: async () => (await import("./commands/approximate.js")).approximateCommand(),
  encode: async () => (await import("./commands/encode.js")).encodeCommand(),
  decode: async () => (await import("./commands/decode.js")).decodeCommand(),
  compress: async () => (await import("./commands/compress.js")).compressCommand(),
  decompress: async () => (await import("./commands/decompress.js")).decompressCommand(),
  denoise: async () => (await import("./commands/denoise.js")).denoiseCommand(),
  inpaint: async () => (await import("./commands/inpaint.js")).inpaintCommand(),
  reproduce: async () => (await import("./commands/reproduce.js")).reproduceCommand(),
  completion: async () => (await import("./commands/completion.js")).completionCommand(loadCommands),
  devices: async () => (await import("./commands/devices.js")).devicesCommand(),
};

/** Every command. */
function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(loaders).map((load) => load()));
}

/** The command that the words of a command line call, or the program itself. */
export function commandOf(words: readonly string[]): string {
  const [asked = ""] = words;
  return Object.hasOwn(loaders, asked) ? asked : "trainlets";
}

/** Run the command that these words call; its exit code. */
export async function runProgram(words: readonly string[]): Promise<number> {
  const name = commandOf(words);
  const asksVersion = words.length === 1 && ["version", "--version", "-v", "-V"].includes(words[0]);
  const typed = asksVersion ? ["--version"] : words;
  const loading = name in loaders ? [loaders[name]] : asksVersion ? [] : Object.values(loaders);
  const commands = await Promise.all(loading.map((load) => load()));
  try {
    await programOf(commands).parseAsync(typed, { from: "user" });
    return 0;
  } catch (problem) {
    const error = name in loaders ? firstProblem(problem, commands[0], words.slice(1)) : problem;
    return report(error, name, (option) => flagOf(option, commands));
  } finally {
    stderr.mute(false);
  }
}

/** An option that does not exist, if there is one, instead of one that is missing: it may be the same, misspelt. */
function firstProblem(problem: unknown, command: Command, words: readonly string[]): unknown {
  if (!(problem instanceof CommanderError) || problem.code !== "commander.missingMandatoryOptionValue")
    return problem;
  const known = command.options.flatMap(({ long }) => (long ? [long] : []));
  const typed = words
    .filter((word) => word.startsWith("--") && word !== "--")
    .map((word) => word.split("=")[0]);
  const unknown = typed.find((word) => !known.includes(word));
  if (unknown === undefined) return problem;
  const near = known.find((flag) => unknown.startsWith(flag) || flag.startsWith(unknown));
  return new InputError(`unknown option '${unknown}'${near ? ` (Did you mean ${near}?)` : ""}`);
}

function programOf(commands: readonly Command[]): Command {
  const program = new Command("trainlets")
    .description("Learn dictionaries for large patches of images and other signals, and use them.")
    .version(version, "-v, --version", "show the version")
    .helpCommand("help [command]", "show help for a command")
    .addHelpText("after", examples)
    .hook("preAction", (_, command) => stderr.mute(command.opts().quiet === true));
  for (const command of [program, ...commands]) {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => stdout.write(text), outputError: () => {} })
      .helpOption("-h, --help", "show this help");
    if (command !== program) program.addCommand(command);
  }
  return program;
}

/** The flag of an option that the command has; other names stay as they are. */
function flagOf(option: string, commands: readonly Command[]): string {
  const [name] = option.split("."); // atomCare.every is an option of the library alone
  const found = commands.flatMap(({ options }) => options).find((one) => one.attributeName() === name);
  return found?.long ?? option;
}
