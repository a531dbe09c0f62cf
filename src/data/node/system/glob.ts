/**
 * Paths that match a pattern, for patterns that the shell does not expand (in quotes,
 * or on Windows): `*` and `?` within a name, `**` across folders, `{a,b}`.
 *
 * As in shells, names that start with a dot match only patterns that start with one,
 * and `**` does not follow links to folders.
 *
 * Cost   a name is matched in O(pattern · name), a folder is listed once for each part of
 *        the pattern that can begin there, and braces stand for a limited number of patterns
 */

import { parse, sep } from "node:path";
import { InputError, show } from "../../../core/errors.js";
import { grouped } from "../../../core/formatText.js";
import { readError } from "../files.js";
import { type FolderEntry, listEntries, pathIn, statIfThere } from "./folderFiles.js";

/** Whether a text has anything that `glob` expands. */
export function isGlob(text: string): boolean {
  return /[*?{]/.test(text);
}

/** Files and folders that match, without repetition, sorted by code units; folders that cannot be read are passed to `onSkip`. */
export async function glob(
  pattern: string,
  onSkip: (problem: InputError) => void = () => {},
): Promise<string[]> {
  const found = new Set<string>();
  for (const plain of expandBraces(pattern)) {
    const { root } = parse(plain);
    const segments = plain.slice(root.length).split(sep === "/" ? "/" : /[\\/]/);
    await new PatternWalk(collapse(segments), found, onSkip).from(root, 0);
  }
  return [...found].sort();
}

/** Segments that are not empty; `**` after `**` adds nothing. */
function collapse(segments: readonly string[]): string[] {
  const named = segments.filter((segment) => segment !== "");
  return named.filter((segment, i) => segment !== "**" || named[i - 1] !== "**");
}

/** The most patterns that braces may stand for, and the longest text with braces. */
const maxPatterns = 10_000;
const maxPatternLength = 10_000;

/** `a{b,c}` → `ab`, `ac`. Braces may nest; braces without a comma are ordinary characters. */
export function expandBraces(pattern: string): string[] {
  if (!pattern.includes("{")) return [pattern];
  const refusal = (what: string) => new InputError(`${show(pattern)} ${what}`);
  if (pattern.length > maxPatternLength)
    throw refusal(
      `must have at most ${grouped(maxPatternLength)} characters, got ${grouped(pattern.length)}`,
    );
  const done: string[] = [];
  const waiting = [{ text: pattern, from: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { text } = next;
    const found = firstChoices(text, next.from);
    if (!found) done.push(text);
    else {
      const { open, texts, end } = found;
      const before = text.slice(0, open);
      for (const choice of texts.toReversed())
        waiting.push({ text: `${before}${choice}${text.slice(end)}`, from: open });
    }
    if (done.length + waiting.length > maxPatterns)
      throw refusal(`must stand for at most ${grouped(maxPatterns)} patterns: use * or a folder instead`);
  }
  return done;
}

/** The first brace with choices at or after `from`. */
function firstChoices(
  text: string,
  from: number,
): { open: number; texts: string[]; end: number } | undefined {
  for (let open = text.indexOf("{", from); open >= 0; open = text.indexOf("{", open + 1)) {
    const choices = readChoices(text, open);
    if (choices) return { open, ...choices };
  }
  return undefined;
}

/** The texts between the commas of the brace at `open`, if it closes and has a comma. */
function readChoices(pattern: string, open: number): { texts: string[]; end: number } | undefined {
  const texts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let i = open; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === "{") depth++;
    if (char === "}") depth--;
    if ((char === "," && depth === 1) || depth === 0) {
      texts.push(pattern.slice(start, i));
      start = i + 1;
    }
    if (depth === 0) return texts.length > 1 ? { texts, end: i + 1 } : undefined;
  }
  return undefined;
}

/** Finds what matches a pattern without braces. */
class PatternWalk {
  readonly #segments: readonly string[];
  readonly #found: Set<string>;
  readonly #onSkip: (problem: InputError) => void;
  /** Folders, and which segments were matched from there. */
  readonly #visited = new Set<string>();

  constructor(segments: readonly string[], found: Set<string>, onSkip: (problem: InputError) => void) {
    this.#segments = segments;
    this.#found = found;
    this.#onSkip = onSkip;
  }

  /** Match the segments from `at` on in a folder; "" is the current one. */
  async from(folder: string, at: number): Promise<void> {
    const state = `${at} ${folder}`;
    if (this.#visited.has(state)) return;
    this.#visited.add(state);
    const segment = this.#segments[at];
    if (segment === undefined) return;
    if (segment === "**") return this.#deep(folder, at);
    const names = /[*?]/.test(segment)
      ? (await this.#entries(folder)).map(({ name }) => name).filter((name) => matchesName(segment, name))
      : await this.#literal(folder, segment);
    for (const name of names) {
      if (at === this.#segments.length - 1) this.#found.add(inside(folder, name));
      else await this.from(inside(folder, name), at + 1);
    }
  }

  /** A name without wildcards, if something has it. */
  async #literal(folder: string, name: string): Promise<string[]> {
    try {
      return (await statIfThere(inside(folder, name))) ? [name] : [];
    } catch (error) {
      this.#onSkip(error as InputError);
      return [];
    }
  }

  /** `**`: the rest of the pattern matches here (without a rest, everything does), or all of it in a subfolder. */
  async #deep(folder: string, at: number): Promise<void> {
    const entries = (await this.#entries(folder)).filter(({ name }) => !name.startsWith("."));
    const last = at === this.#segments.length - 1;
    if (last) for (const { name } of entries) this.#found.add(inside(folder, name));
    else await this.from(folder, at + 1);
    for (const entry of entries) if (entry.isDirectory()) await this.from(inside(folder, entry.name), at);
  }

  /** The entries of a folder; none if it is not a folder. */
  async #entries(folder: string): Promise<FolderEntry[]> {
    try {
      return await listEntries(folder === "" ? "." : folder);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "ENOTDIR" || code === "ENOENT") return [];
      this.#onSkip(readError(error, folder, "no such folder"));
      return [];
    }
  }
}

function inside(folder: string, name: string): string {
  return folder === "" ? name : pathIn(folder, name);
}

/** Whether a name matches `*` (any text) and `?` (any character). After a mismatch only the last `*` takes more. */
export function matchesName(pattern: string, name: string): boolean {
  if (name.startsWith(".") && !pattern.startsWith(".")) return false;
  const wanted = Array.from(pattern);
  const given = Array.from(name);
  let p = 0;
  let star = -1; // where the last `*` is, and where what it takes ends
  let taken = 0;
  for (let n = 0; n < given.length; ) {
    if (wanted[p] === "*") {
      star = p++;
      taken = n;
    } else if (p < wanted.length && (wanted[p] === "?" || wanted[p] === given[n])) {
      p++;
      n++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++taken;
    } else return false;
  }
  while (wanted[p] === "*") p++;
  return p === wanted.length;
}
