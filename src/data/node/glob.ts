/**
 * Paths that match a pattern, for patterns that the shell does not expand (in quotes,
 * or on Windows): `*` and `?` within a name, `**` across folders, `{a,b}`.
 *
 * As in shells, names that start with a dot match only patterns that start with one,
 * and `**` does not follow links to folders.
 */

import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, parse, sep } from "node:path";

/** Whether a text has anything that `glob` expands. */
export function isGlob(text: string): boolean {
  return /[*?{]/.test(text);
}

/** Files and folders that match, without repetition, sorted by code units. */
export async function glob(pattern: string): Promise<string[]> {
  const found = new Set<string>();
  for (const plain of expandBraces(pattern)) {
    const { root } = parse(plain);
    const segments = plain.slice(root.length).split(sep === "/" ? "/" : /[\\/]/);
    const paths = await walk(
      root,
      segments.filter((segment) => segment !== ""),
    );
    for (const path of paths) found.add(path);
  }
  return [...found].sort();
}

/** `a{b,c}` → `ab`, `ac`. Braces may nest; braces without a comma are ordinary characters. */
export function expandBraces(pattern: string): string[] {
  for (let open = pattern.indexOf("{"); open >= 0; open = pattern.indexOf("{", open + 1)) {
    const choices = readChoices(pattern, open);
    if (!choices) continue;
    const before = pattern.slice(0, open);
    const after = pattern.slice(choices.end);
    return choices.texts.flatMap((text) => expandBraces(`${before}${text}${after}`));
  }
  return [pattern];
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

/** What matches `segments` below `folder`; "" is the current folder. */
async function walk(folder: string, segments: readonly string[]): Promise<string[]> {
  const [head, ...rest] = segments;
  if (head === undefined) return folder === "" ? [] : [folder];
  if (head === "**") return await walkDeep(folder, segments, rest);
  if (!/[*?]/.test(head)) {
    const path = folder === "" ? head : join(folder, head);
    return (await exists(path)) ? await walk(path, rest) : [];
  }
  const matcher = segmentMatcher(head);
  const names = (await listEntries(folder)).map((entry) => entry.name).filter((name) => matcher.test(name));
  return (await Promise.all(names.map((name) => walk(join(folder, name), rest)))).flat();
}

/** `**`: the rest of the pattern matches here (without a rest, everything does), or all of it in a subfolder. */
async function walkDeep(
  folder: string,
  segments: readonly string[],
  rest: readonly string[],
): Promise<string[]> {
  const entries = (await listEntries(folder)).filter((entry) => !entry.name.startsWith("."));
  const here = rest.length > 0 ? await walk(folder, rest) : entries.map((entry) => join(folder, entry.name));
  const folders = entries.filter((entry) => entry.isDirectory());
  const below = await Promise.all(folders.map((entry) => walk(join(folder, entry.name), segments)));
  return [...here, ...below.flat()];
}

/** `*.p?g` as a regular expression for one name. */
function segmentMatcher(segment: string): RegExp {
  const body = segment
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".");
  return new RegExp(`^${segment.startsWith(".") ? "" : "(?!\\.)"}${body}$`, "su");
}

/** The entries of a folder; none if it is not a folder or cannot be read. */
async function listEntries(folder: string): Promise<Dirent[]> {
  return await readdir(folder === "" ? "." : folder, { withFileTypes: true }).catch(() => []);
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
