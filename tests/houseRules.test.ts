/**
 * The house rules that can be counted: the size of folders, files and of the public
 * surface, and phrases that plain English says otherwise (CONTRIBUTING.md, *Plain words*).
 */

import { posix } from "node:path";
import { expect, it } from "vitest";
import { isTest, listFiles, read, readSources, withoutComments } from "./sources.js";

const shipped = [...readSources("src"), ...readSources("studio/src")].filter(({ path }) => !isTest(path));

it("has no folder of src with more than 20 files", () => {
  const counts = new Map<string, number>();
  for (const path of listFiles("src")) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect(counts.size).toBeGreaterThan(10);
  expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
});

it("has no shipped file of more than 450 lines, but for tables of numbers", () => {
  const isTable = (path: string) => path === "src/wavelets/coefficients.ts";
  const long = shipped.filter(({ path, text }) => !isTable(path) && text.split("\n").length > 451);
  expect(long.map(({ path }) => path)).toEqual([]);
});

it("asserts nothing of an index that the compiler does not ask for", () => {
  const asserted = shipped.filter(({ text }) => /\]!(?!=)/.test(withoutComments(text)));
  expect(asserted.map(({ path }) => path)).toEqual([]);
});

it("offers at most 50 names in trainlets", () => {
  const lists = [...withoutComments(read("src/index.ts")).matchAll(/\{([^}]*)\}/g)];
  const names = lists.flatMap(([, list]) => list.split(",").map((name) => name.trim())).filter(Boolean);
  expect(names.length).toBeGreaterThan(30);
  expect(names.length).toBeLessThanOrEqual(50);
  expect(new Set(names).size).toBe(names.length);
});

/** Phrases that slow a reader down, and what to write instead. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bunless told\b/i, "by default"],
  [/\bso (?:many|near|few)\b/i, "this many, at most N, at least"],
  [/\b(?:goes|go|going|went) on\b/i, "continues, resumes"],
  [/\b(?:is|are|was|were|be) none\b|\bof none\b/i, "is not a …, there is no …"],
  [/\btells?\b(?! (?:apart|them apart|[\w ]{1,20} apart))/i, "prints, reports, says"],
  [/\bwhat there is to\b|\bwhat atoms are made of\b/i, "the noun: devices, base dictionary"],
  [/\bat work in it\b/i, "is already using"],
];

it.each(phrases)("says nothing with %s, but %s", (phrase) => {
  const pages = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", ...listFiles("docs")];
  const texts = [
    ...listFiles("src"),
    ...listFiles("studio/src"),
    "studio/index.html",
    ...listFiles("tests"),
    ...listFiles("bench"),
    ...listFiles("tools"),
    ...pages,
  ].filter((path) => /\.(?:tsx?|mjs|wgsl|md|py|html|css)$/.test(path) && path !== "tests/houseRules.test.ts");
  const found = texts.flatMap((path) =>
    read(path)
      .split("\n")
      .flatMap((line, i) => (phrase.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
  );
  expect(texts.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
