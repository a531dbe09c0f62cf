/**
 * Checks of arguments. Each throws an `InputError` whose message names the
 * caller, the argument, the rule and the value that broke it.
 */

import { InputError, inputError, show } from "./errors.js";

/** How an option is called in messages: its own name, or `--its-flag` on the command line. */
export type OptionNaming = (name: string) => string;

export const plainNames: OptionNaming = (name) => name;

/** An integer in [min, max]; `max` may be Infinity. */
export function requireInteger(
  caller: string,
  name: string,
  value: unknown,
  min: number,
  max = Infinity,
): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
  throw inputError(caller, name, `must be an integer ${range}`, value);
}

/** A finite number above `floor`. */
export function requireAbove(caller: string, name: string, value: unknown, floor: number): number {
  if (typeof value === "number" && Number.isFinite(value) && value > floor) return value;
  throw inputError(caller, name, `must be a number above ${floor}`, value);
}

/** A number in [0, 1). */
export function requireFraction(caller: string, name: string, value: unknown): number {
  if (typeof value === "number" && value >= 0 && value < 1) return value;
  throw inputError(caller, name, "must be a number from 0 up to, not including, 1", value);
}

/** One of a list of names; the message lists the legal ones. */
export function requireOneOf<T extends string>(
  caller: string,
  name: string,
  value: unknown,
  known: readonly T[],
): T {
  if (known.includes(value as T)) return value as T;
  throw new InputError(`${caller}: unknown ${name} ${show(value)}; known: ${known.join(", ")}`);
}

/** Two matrices that must have the same number of rows. */
export function requireSameRows(
  caller: string,
  name: string,
  matrix: { readonly rows: number },
  otherName: string,
  other: { readonly rows: number },
): void {
  if (matrix.rows === other.rows) return;
  throw new InputError(
    `${caller}: ${name} must have as many rows as ${otherName} (${other.rows}), got ${matrix.rows}`,
  );
}

/** Every value finite: the first that is not is named with its place. */
export function requireFinite(caller: string, name: string, values: ArrayLike<number>): void {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) {
      throw new InputError(`${caller}: ${name} must be finite, got ${values[i]} at index ${i}`);
    }
  }
}
