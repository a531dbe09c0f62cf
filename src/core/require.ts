/**
 * Checks of arguments. Each throws an `InputError` that names the function (`where`),
 * the argument, the rule and the value that broke it.
 */

import { InputError, inputError, type OptionNaming, show } from "./errors.js";

/** An integer in [min, max]; `max` may be Infinity. */
export function requireInteger(
  where: string,
  name: string,
  value: unknown,
  min: number,
  max = Infinity,
): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const beyond = typeof value === "number" && value > Number.MAX_SAFE_INTEGER;
  const most = max === Infinity && beyond ? Number.MAX_SAFE_INTEGER : max;
  const range = most === Infinity ? `of at least ${min}` : `from ${min} to ${most}`;
  throw inputError(where, name, `must be an integer ${range}`, value);
}

/** A finite number above `floor`. */
export function requireAbove(where: string, name: string, value: unknown, floor: number): number {
  if (typeof value === "number" && Number.isFinite(value) && value > floor) return value;
  throw inputError(where, name, `must be a number above ${floor}`, value);
}

/** A number in [0, 1). */
export function requireFraction(where: string, name: string, value: unknown): number {
  if (typeof value === "number" && value >= 0 && value < 1) return value;
  throw inputError(where, name, "must be a number of at least 0 and below 1", value);
}

/** One of a list of names; the message lists the known ones. */
export function requireOneOf<T extends string>(
  where: string,
  name: string,
  value: unknown,
  known: readonly T[],
): T {
  if (known.includes(value as T)) return value as T;
  const rule = `must be one of ${known.join(", ")}`;
  const problem = `unknown ${name} ${show(value)}; known: ${known.join(", ")}`;
  throw new InputError(problem, { where, argument: name, rule, value });
}

/** Two matrices that must have the same number of rows. */
export function requireSameRows(
  where: string,
  name: string,
  matrix: { readonly rows: number },
  otherName: string,
  other: { readonly rows: number },
): void {
  if (matrix.rows === other.rows) return;
  throw inputError(where, name, `must have as many rows as ${otherName} (${other.rows})`, matrix.rows);
}

/** A result about to be written: a failure of the work, not of the input, if a value is not finite. */
export function requireFiniteResult(file: string, values: ArrayLike<number>): void {
  for (let i = 0; i < values.length; i++)
    if (!Number.isFinite(values[i]))
      throw new Error(`${file}: not written: the result has ${values[i]} at index ${i}`);
}

/** All values finite; the message names the first that is not, and its index. */
export function requireFinite(where: string, name: string, values: ArrayLike<number>): void {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) {
      const value = values[i];
      const problem = (nameOf: OptionNaming) => `${nameOf(name)} must be finite, got ${value} at index ${i}`;
      throw new InputError(problem, { where, argument: name, rule: "must be finite", value });
    }
  }
}
