/** The commands of the command line as tables: what `--help` is printed from. */

import { fileURLToPath } from "node:url";
import type { Command, Option } from "commander";
import { listFiles } from "../sources.js";
import { code, table } from "./regions.js";

const folder = "src/cli/commands";

/** Every command by its name. */
export async function loadCommands(): Promise<ReadonlyMap<string, Command>> {
  const commands = new Map<string, Command>();
  for (const path of listFiles(folder)) {
    const module: Record<string, unknown> = await import(
      fileURLToPath(new URL(`../../${path}`, import.meta.url))
    );
    for (const [name, make] of Object.entries(module)) {
      if (!name.endsWith("Command") || typeof make !== "function") continue;
      const command: Command = make();
      commands.set(command.name(), command);
    }
  }
  return commands;
}

/** `| command | what it does |`. */
export function commandList(commands: Iterable<Command>): string {
  const rows = [...commands].map((command) => [
    `[\`${command.name()}\`](#${command.name()})`,
    command.summary(),
  ]);
  return table(["command", "what it does"], rows);
}

/** The usage, the arguments and the options of a command. */
export function commandReference(command: Command): string {
  const usage = `\`\`\`text\ntrainlets ${command.name()} ${command.usage()}\n\`\`\``;
  const data = command.registeredArguments.map((argument) => [
    code(
      argument.required ? `<${argument.name()}${dots(argument)}>` : `[${argument.name()}${dots(argument)}]`,
    ),
    cell(argument.description),
  ]);
  const parts = [cell(command.description()), usage];
  if (data.length > 0) parts.push(table(["argument", "meaning"], data));
  for (const [group, options] of groupsOf(command)) {
    if (group) parts.push(`**${group.replace(/:$/, "")}**`);
    parts.push(table(["option", "meaning", "default"], options.map(optionRow)));
  }
  return parts.join("\n\n");
}

function dots({ variadic }: { readonly variadic: boolean }): string {
  return variadic ? "..." : "";
}

/** Options by the headings that `--help` prints them under. */
function groupsOf(command: Command): Map<string, Option[]> {
  const groups = new Map<string, Option[]>();
  for (const option of command.options.filter(({ hidden }) => !hidden)) {
    const heading = option.helpGroupHeading ?? "";
    groups.set(heading, [...(groups.get(heading) ?? []), option]);
  }
  return groups;
}

function optionRow(option: Option): string[] {
  const [, text, said] = /^(.*?)(?: \(default: (.*)\))?$/s.exec(option.description) ?? [];
  const fallback = said ?? option.defaultValueDescription ?? option.defaultValue;
  const required = option.mandatory && fallback === undefined;
  return [code(option.flags), cell(text), required ? "required" : cell(fallbackText(fallback))];
}

function fallbackText(value: unknown): string {
  return value === undefined || typeof value === "boolean" ? "" : String(value);
}

function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
