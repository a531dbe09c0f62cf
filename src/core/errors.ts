/**
 * The two ways an operation can fail.
 *
 * An `InputError` is for what the caller can mend: a wrong option, a file that is
 * not what it should be. Its message is one line, `where: argument rule, got value`,
 * and its parts can be read one by one, so that a program can show them in its own
 * words: the command line puts its command and its flags in their place, and ends
 * with exit code 2. Anything else is a failure of the work itself (exit code 1).
 */

import { visibleLine } from "./visibleText.js";

/** How a program names an option in messages: `atomSparsity`, or `--atom-sparsity`. */
export type OptionNaming = (option: string) => string;

/** What is wrong in one line; a function where it mentions options by name. */
type Problem = string | ((nameOf: OptionNaming) => string);

/** The parts of a problem, as far as it has them. */
interface ProblemParts {
  /** The function that refused: `train`. */
  readonly where?: string | undefined;
  /** The argument or option it is about: `atomSparsity`. */
  readonly argument?: string | undefined;
  /** What is asked of it: `must be an integer from 1 to 900`. */
  readonly rule?: string | undefined;
  /** What was given. */
  readonly value?: unknown;
}

/** Something was given that cannot be used. The message is one complete line. */
export class InputError extends Error implements ProblemParts {
  declare readonly where: string | undefined;
  declare readonly argument: string | undefined;
  declare readonly rule: string | undefined;
  declare readonly value: unknown;
  readonly #problem: Problem;

  constructor(problem: Problem, { where, argument, rule, value }: ProblemParts = {}) {
    const text = typeof problem === "string" ? problem : problem((option) => option);
    super(visibleLine(where === undefined ? text : `${where}: ${text}`));
    this.#problem = problem;
    for (const [name, part] of Object.entries({ name: "InputError", where, argument, rule, value }))
      Object.defineProperty(this, name, { value: part }); // not enumerable, as the message is not
  }

  /** What is wrong, without `where`, in a program's own names of options. */
  describe(nameOf: OptionNaming): string {
    return visibleLine(typeof this.#problem === "string" ? this.#problem : this.#problem(nameOf));
  }

  /** The same problem, refused by another function. */
  by(where: string): InputError {
    const { argument, rule, value } = this;
    return new InputError(this.#problem, { where, argument, rule, value });
  }
}

/**
 * A file that the disk does not give. Nothing that was given is wrong, so the command line ends with exit code 1; but
 * a run that reads many files leaves this one out and continues, as with any other that cannot be used.
 */
export class ReadFailure extends InputError {}

/** A short, safe rendering of any value for an error message. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}…` : value);
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value))
    return `[${value.slice(0, 6).map(show).join(", ")}${value.length > 6 ? ", …" : ""}]`;
  if (typeof value === "function") return "a function";
  const kind = value.constructor?.name ?? "value";
  return `${/^[AEIOU](?!int)/.test(kind) ? "an" : "a"} ${kind}`;
}

/** The error for an argument that breaks a rule: `where: argument rule, got value`. */
export function inputError(where: string, argument: string, rule: string, value: unknown): InputError {
  const problem = (nameOf: OptionNaming) => `${nameOf(argument)} ${rule}, got ${show(value)}`;
  return new InputError(problem, { where, argument, rule, value });
}

/** Do something whose arguments are those of the function `where`: it is who refuses them. */
export function onBehalfOf<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof InputError ? error.by(where) : error;
  }
}
