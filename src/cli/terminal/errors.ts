/**
 * How the command line reports an error: one line on standard error and an exit code, 2 for
 * a mistake of the user, 1 for a failure, 128 + the number of a signal that ended the work.
 */

import { CommanderError } from "commander";
import { InputError, type OptionNaming, ReadFailure } from "../../core/errors.js";
import { InterruptedError } from "./interrupt.js";
import { stderr, stdout } from "./output.js";

/** Print what is wrong, after the command's name; the exit code. `nameOf` gives the flag of an option. */
export function report(error: unknown, command: string, nameOf: OptionNaming = (name) => name): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0; // --help, --version
    if (error.code === "commander.help") return 2; // no command: the help was shown
  }
  stderr.mute(false); // whatever --quiet says
  const prefix = `${command}: `;
  const line = describeError(error, nameOf);
  stderr.write(`${line.startsWith(prefix) ? "" : prefix}${line}\n`);
  if (process.env.TRAINLETS_DEBUG && error instanceof Error) stderr.write(`${error.stack}\n`);
  if (error instanceof InterruptedError) return error.exitCode();
  const ofUser = error instanceof InputError && !(error instanceof ReadFailure);
  return error instanceof CommanderError || ofUser ? 2 : 1;
}

/** What is wrong, in one line. */
export function describeError(error: unknown, nameOf: OptionNaming = (name) => name): string {
  const message =
    error instanceof InputError
      ? error.describe(nameOf)
      : error instanceof Error
        ? error.message
        : String(error);
  const line = message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " ");
  if (!(error instanceof RangeError && /alloc|array (buffer )?length/i.test(line))) return line;
  return `not enough memory: try fewer atoms, a smaller patch or less data (${line})`;
}

/**
 * Handles what Node would answer with a stack trace: uncaught errors, and standard output that
 * cannot be written. A reader who has left (`| head`) is not an error; if standard error cannot
 * be written, nothing can be reported.
 */
export function guardProcess(command: string): void {
  let reported = false;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || reported || stdout.writesBytes) return;
    reported = true;
    process.exitCode = report(new Error(`standard output cannot be written (${error.message})`), command);
  });
  stderr.on("error", () => {});
  process.on("uncaughtException", (error) => process.exit(report(error, command)));
}
