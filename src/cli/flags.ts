/**
 * How words of the command line become values, and how options are called there.
 */

import { InvalidArgumentError, Option } from "commander";
import { parseShape, type Shape } from "../core/shape.js";

/** `atomSparsity` → `--atom-sparsity`: how messages name an option. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A number, for the library to judge: words that are no numbers are refused here. */
export function number(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw new InvalidArgumentError("must be a number");
  return value;
}

/** A count, with `k` and `M` for thousands and millions: `200k`, `10M`. */
export function count(text: string): number {
  const [, digits, unit] = /^([\d.]+)([kM]?)$/.exec(text) ?? [];
  const value = Number(digits) * (unit === "M" ? 1e6 : unit === "k" ? 1e3 : 1);
  if (!Number.isInteger(value))
    throw new InvalidArgumentError("must be a whole number, such as 5000, 200k or 10M");
  return value;
}

/** Non-zeros of an atom: a number, or a share of the samples of a patch (`10%`). */
export type Share = { readonly count: number } | { readonly percent: number };

export function share(text: string): Share {
  if (text.endsWith("%")) return { percent: number(text.slice(0, -1)) };
  return { count: number(text) };
}

/** The number of non-zeros a share means for patches of n samples. */
export function resolveShare(value: Share, n: number): number {
  return "count" in value ? value.count : Math.round((value.percent / 100) * n);
}

export function shape(text: string): Shape {
  return parseShape("--patch", "the patch", text);
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
