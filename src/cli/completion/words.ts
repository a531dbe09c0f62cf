/** What can follow on a command line, from the definitions of the commands: names, options, and what options take. */

import type { Command, Option } from "commander";
import { choicesOf } from "../terminal/flags.js";

/** What a word may be: one of a few names, a file, or anything (numbers, sizes). */
export type Words = { readonly names: readonly string[] } | "files" | "anything";

export interface CompletedOption {
  /** `-o` and `--output`, or one of them. */
  readonly flags: readonly string[];
  readonly text: string;
  /** What it takes; undefined if it takes nothing. */
  readonly takes: Words | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly text: string;
  readonly options: readonly CompletedOption[];
  /** What stands without an option. */
  readonly data: Words;
}

/** The commands as the shells need them, with `help` and `--help`. */
export function completedCommands(commands: readonly Command[]): CompletedCommand[] {
  const names = commands.map((command) => command.name());
  const all = commands.map((command) => ({
    name: command.name(),
    text: command.summary(),
    options: [...command.options.filter(({ hidden }) => !hidden).map(completedOption), help],
    data: dataOf(command),
  }));
  return [...all, { name: "help", text: "show help for a command", options: [], data: { names } }];
}

const help: CompletedOption = { flags: ["-h", "--help"], text: "show help", takes: undefined };

function completedOption(option: Option): CompletedOption {
  const { short, long, description } = option;
  const flags = [short, long].filter((flag) => flag !== undefined);
  return {
    flags,
    text: description,
    takes: option.required || option.optional ? wordsOf(option) : undefined,
  };
}

function wordsOf(option: Option): Words {
  const names = choicesOf(option);
  if (names) return { names };
  return /<(?:file|folder|data\.\.\.)>/.test(option.flags) ? "files" : "anything";
}

function dataOf({ registeredArguments }: Command): Words {
  const [first] = registeredArguments;
  if (!first) return "anything";
  return first.argChoices ? { names: first.argChoices } : "files";
}
