/** `trainlets info`: what files are, and how they are used. */

import { Command } from "commander";
import { visibleLine } from "../../core/visibleText.js";
import type { FileFacts } from "../info/facts.js";
import { fileFacts } from "../info/fileFacts.js";
import { printResult, type ResultFlags, withResultOptions } from "../terminal/results.js";

const examples = `
Examples:
  trainlets info dict.npz
  trainlets info codes.npz face.tlt run/
  trainlets info volume.npy --json`;

export function infoCommand(): Command {
  const command = new Command("info")
    .summary("print what files are, and how to use them")
    .description(
      "Print what files are: dictionaries, codes, checkpoints, compressed files, or any data; their sizes, their settings and how to use them.",
    )
    .usage("<file...> [options]")
    .argument("<file...>", "files, or folders: of a run with checkpoints, or of data")
    .addHelpText("after", examples)
    .action(runInfo);
  return withResultOptions(command, "print a line of JSON per file on standard output");
}

async function runInfo(paths: string[], flags: ResultFlags): Promise<void> {
  for (const path of paths) {
    const facts = await fileFacts(path);
    printResult(flags, describe(path, facts), { file: path, ...facts.json });
  }
}

function describe(path: string, { what, rows, use }: FileFacts): string {
  const all = [...rows, ...use.map((line, i) => [i === 0 ? "use" : "", line] as const)];
  const width = Math.max(...all.map(([name]) => name.length));
  const lines = all.map(([name, value]) => `  ${name.padEnd(width)}  ${visibleLine(value)}`);
  return [visibleLine(`${path}: ${what}`), ...lines].join("\n");
}
