/**
 * Options by name: a name that a function does not know is refused, with the nearest
 * one that it does know. Types say the same to those who compile; a slip in plain
 * JavaScript would otherwise be ignored without a word.
 */

import { InputError, show } from "../errors.js";

/** Where an option that is often expected here is given instead: `{ sparsity: "coding: { sparsity: … }" }`. */
export type Elsewhere = Readonly<Record<string, (value: unknown) => string>>;

/** Refuse names of options that are not among the known ones. */
export function requireKnownOptions(
  where: string,
  options: object,
  known: readonly string[],
  elsewhere: Elsewhere = {},
): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new InputError(`options must be an object, got ${show(options)}`, { where });
  for (const [name, value] of Object.entries(options)) {
    if (known.includes(name) || value === undefined) continue;
    const meant = Object.hasOwn(elsewhere, name) ? elsewhere[name](value) : nearestName(name, known);
    const help = meant === undefined ? `known: ${known.join(", ")}` : `did you mean ${meant}?`;
    throw new InputError(`unknown option ${name}; ${help}`, { where, argument: name, value });
  }
}

/** The names of all options of a type, which the compiler checks to be complete. */
export function optionNames<Options extends object>(names: Record<keyof Options, true>): readonly string[] {
  return Object.keys(names);
}

/** The known name with the fewest letters to change, if that is at most a third of them. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const distances = known.map((one) => ({
    one,
    distance: editDistance(name.toLowerCase(), one.toLowerCase()),
  }));
  const best = distances.reduce((a, b) => (b.distance < a.distance ? b : a), { one: "", distance: Infinity });
  return best.distance <= Math.max(name.length, best.one.length) / 3 ? best.one : undefined;
}

/** Levenshtein distance: letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}
