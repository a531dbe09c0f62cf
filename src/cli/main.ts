#!/usr/bin/env node
/**
 * The command line. Exit 0 on success, 2 on a usage or input error, 1 on a
 * failure; one clear line on standard error, never a stack trace.
 */

import { Command, CommanderError } from "commander";
import { InputError } from "../core/errors.js";
import { version } from "../model/version.js";
import { atomsCommand } from "./atoms.js";
import { decodeCommand } from "./decode.js";
import { demoCommand } from "./demo.js";
import { devicesCommand } from "./devices.js";
import { encodeCommand } from "./encode.js";
import { trainCommand } from "./train.js";

const commands = [
  trainCommand(),
  atomsCommand(),
  encodeCommand(),
  decodeCommand(),
  devicesCommand(),
  demoCommand(),
];

const program = new Command("trainlets")
  .description("Dictionary learning in high dimensions: cropped wavelets, double sparsity, OSDL")
  .version(version)
  .showSuggestionAfterError(false);
for (const command of [program, ...commands]) {
  command.exitOverride().configureOutput({ outputError: () => {} });
  if (command !== program) program.addCommand(command);
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** One line on standard error; the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0; // --help, --version
    if (error.code === "commander.help") return 2; // no command: the help was shown
    const name = commands.find((command) => command.name() === process.argv[2])?.name() ?? "trainlets";
    process.stderr.write(`${name}: ${error.message.replace(/^error: /, "").replaceAll("\n", " ")}\n`);
    return 2;
  }
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message.replaceAll("\n", " ")}\n`);
  if (process.env.TRAINLETS_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return error instanceof InputError ? 2 : 1;
}
