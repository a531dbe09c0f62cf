/**
 * How words of the command line become values, and how options are described there.
 *
 * A word that is no number stays a word, whatever its type says here: the check
 * that knows the rule then refuses it, and names the rule and the word.
 */

import { Option } from "commander";
import { inputError } from "../../core/errors.js";

/** `atomSparsity` → `--atom-sparsity`: how messages name an option. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function number(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(value) ? (text as unknown as number) : value;
}

/** A number, with `k` and `M` for thousands and millions: `200k`, `10M`. */
export function count(text: string): number {
  const [, digits, unit] = /^([\d.]+)([kM])$/.exec(text) ?? [];
  const value = Number(digits) * (unit === "M" ? 1e6 : 1e3);
  return Number.isNaN(value) ? number(text) : value;
}

/** Non-zeros of an atom: a number, or a share of the samples of a patch (`10%`). */
export type Share = number | { readonly percent: number };

export function share(text: string): Share {
  return text.endsWith("%") ? { percent: number(text.slice(0, -1)) } : number(text);
}

/** The number that a share means for patches of n samples: at least 1. */
export function resolveShare(caller: string, flag: string, value: Share, n: number): number {
  if (typeof value !== "object") return value;
  const { percent } = value;
  if (percent > 0) return Math.max(1, Math.round((percent / 100) * n));
  throw inputError(caller, flag, "must be a number, or a percentage above 0", `${percent}%`);
}

/** An option with its default in the help, which the library fills in itself. */
export function option(
  flags: string,
  text: string,
  parse?: (text: string) => unknown,
  fallback?: unknown,
): Option {
  const description = fallback === undefined ? text : `${text} (default: ${fallback})`;
  const made = new Option(flags, description);
  return parse ? made.argParser(parse) : made;
}

/** An option that takes one of a few names; the one who uses it refuses others. */
export function choice(flags: string, text: string, names: readonly string[], fallback: string): Option {
  return option(flags, `${text}: ${names.join(", ")}`, undefined, fallback);
}
