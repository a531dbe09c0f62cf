/**
 * What a command prints in the end, and where the bytes go that it makes: `--json`, `--quiet` and `-o -`.
 *
 * With `--quiet` nothing is printed but errors, and results that no file holds. With `-o -` the bytes go to standard
 * output, so what would be printed there goes to standard error.
 */

import { type Command, Option } from "commander";
import { InputError } from "../../core/errors.js";
import { rounded } from "../../core/formatText.js";
import { writeFileAtomic } from "../../data/node/files.js";
import { requireOutput } from "../../data/node/outputs.js";
import { psnr } from "../../tasks/approximate/representation.js";
import { stderr, stdout } from "./output.js";

export interface ResultFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Adds `--json` and `--quiet`. */
export function withResultOptions(
  command: Command,
  json = "print the result as a line of JSON on standard output",
): Command {
  return command
    .option("--json", json)
    .option("-q, --quiet", "print only errors, and results that no file holds");
}

/** `--force`, of commands that write a dictionary. */
export function forceOption(): Option {
  return new Option("--force", "replace the output file if it exists");
}

/** What stands for standard output as the name of a file. */
const standardOutput = "-";

/** Print a line about a file that was written, or the same as JSON. */
export function printDone(
  { json, quiet, output }: ResultFlags & { readonly output: string },
  line: string,
  value: object,
): void {
  const to = output === standardOutput ? stderr : stdout;
  if (json) to.write(`${JSON.stringify(value)}\n`);
  else if (!quiet) to.write(`${line}\n`);
}

/** Print a result that no file holds, or the same as JSON. */
export function printResult({ json }: ResultFlags, text: string, value: object): void {
  stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** `requireOutput` for an option that may be `-`, standard output. */
export async function requireResult(
  path: string,
  formats: readonly string[],
  inputs: readonly (string | undefined)[],
): Promise<void> {
  if (path !== standardOutput) return requireOutput(path, formats, inputs);
  if (stdout.isTTY)
    throw new InputError((nameOf) => `${nameOf("output")} -: standard output is a terminal: redirect it`);
}

/** Write the bytes of a result to its file, whole or not at all, or to standard output. */
export async function writeResult(path: string, bytes: Uint8Array): Promise<void> {
  if (path !== standardOutput) return writeFileAtomic(path, bytes);
  await stdout.writeBytes(bytes).catch((error: Error) => {
    throw new Error(`standard output cannot be written (${error.message})`);
  });
}

/** A number for JSON, which has no NaN and no infinity. */
export function jsonNumber(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** The error of what was written, in words; the PSNR of pictures alone, since other data have no peak of their own. */
export function describeQuality(rmse: number, pictures: boolean): string {
  const decibels = rmse > 0 ? `, PSNR ${psnr(rmse).toFixed(2)} dB` : "";
  return `RMSE ${rounded(rmse)}${pictures ? decibels : ""}`;
}

/** Whether a result is written as an array (`.npy`), which standard output always is. */
export function isArrayOutput(path: string): boolean {
  return path === standardOutput || path.toLowerCase().endsWith(".npy");
}
