/**
 * The two ways an operation can fail, and the one form of their messages:
 * `caller: argument rule, got value`.
 *
 * An `InputError` is the caller's to mend (a wrong option, a file that is not
 * what it should be); the command line ends with exit code 2. Anything else is
 * a failure of the work itself and ends with exit code 1.
 */

/** The caller gave something that cannot be used. Its message is one complete line. */
export class InputError extends Error {
  override readonly name = "InputError";
}

/** A short, safe rendering of any value for an error message. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}…` : value);
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value))
    return `[${value.slice(0, 6).map(show).join(", ")}${value.length > 6 ? ", …" : ""}]`;
  if (typeof value === "function") return "a function";
  return `a ${value.constructor?.name ?? "value"}`;
}

/** The error for an argument that breaks a rule: `caller: name rule, got value`. */
export function inputError(caller: string, name: string, rule: string, value: unknown): InputError {
  return new InputError(`${caller}: ${name} ${rule}, got ${show(value)}`);
}
