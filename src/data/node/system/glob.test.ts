import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../../core/errors.js";
import { expandBraces, glob, isGlob, matchesName } from "./glob.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-glob-"));
  for (const name of [
    "a.png",
    "b.png",
    "c.jpg",
    ".hidden.png",
    "x/d.png",
    "x/y/e.png",
    "x/[1].png",
    ".git/f.png",
  ]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), "");
  }
  await symlink(folder, join(folder, "x", "loop"));
});

afterAll(() => rm(folder, { recursive: true }));

const matches = async (pattern: string) =>
  (await glob(join(folder, pattern))).map((path) => relative(folder, path));

describe("glob", () => {
  it("matches * and ? within a name", async () => {
    expect(await matches("*.png")).toEqual(["a.png", "b.png"]);
    expect(await matches("?.*")).toEqual(["a.png", "b.png", "c.jpg"]);
    expect(await matches("*/*.png")).toEqual(["x/[1].png", "x/d.png"]);
    expect(await matches("*.tif")).toEqual([]);
    expect(await matches("nowhere/*.png")).toEqual([]);
  });

  it("matches ** across any number of folders, without following links", async () => {
    expect(await matches("**/*.png")).toEqual(["a.png", "b.png", "x/[1].png", "x/d.png", "x/y/e.png"]);
    expect(await matches("**/y/*")).toEqual(["x/y/e.png"]);
    expect(await matches("x/**")).toEqual(["x/[1].png", "x/d.png", "x/loop", "x/y", "x/y/e.png"]);
  });

  it("matches the choices in braces", async () => {
    expect(await matches("{a,c}.{png,jpg}")).toEqual(["a.png", "c.jpg"]);
    expect(await matches("{x/d,b}.png")).toEqual(["b.png", "x/d.png"]);
  });

  it("finds hidden names only if the pattern starts with a dot", async () => {
    expect(await matches(".*.png")).toEqual([".hidden.png"]);
    expect(await matches(".git/*.png")).toEqual([".git/f.png"]);
  });

  it("matches every other character literally", async () => {
    expect(await matches("x/[1].pn?")).toEqual(["x/[1].png"]);
    expect(await matches("a.pn+?")).toEqual([]);
  });

  it("works from the current folder", async () => {
    expect(await glob("package*.json")).toContain("package.json");
    expect(await glob("./src/dat?")).toEqual(["src/data"]);
  });
});

describe("patterns that could take long", () => {
  it("match names in the time of their lengths", () => {
    const name = "a".repeat(250);
    expect(matchesName(`${"*a".repeat(100)}b`, name)).toBe(false);
    expect(matchesName("*a".repeat(100), name)).toBe(true);
  });

  it("match as a regular expression does", () => {
    const text = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 });
    fc.assert(
      fc.property(text("ab*?𝄞."), text("ab𝄞."), (pattern, name) => {
        const body = pattern.replace(/\./g, "\\.").replace(/\*+/g, ".*").replace(/\?/g, ".");
        const expected = new RegExp(`^${pattern.startsWith(".") ? "" : "(?!\\.)"}${body}$`, "su");
        expect(matchesName(pattern, name)).toBe(expected.test(name));
      }),
      { numRuns: 2000 },
    );
  });

  it("look at each folder once for each part of the pattern", async () => {
    const deep = join(folder, "deep", ...Array.from({ length: 30 }, () => "x"));
    await mkdir(deep, { recursive: true });
    await writeFile(join(deep, "last.png"), "");
    expect(await matches(`deep/${"**/".repeat(12)}*.png`)).toHaveLength(1);
    expect(await matches(`deep/${"**/x/".repeat(12)}*.png`)).toHaveLength(1);
  });

  it("with too many choices are rejected", () => {
    expect(() => expandBraces("{a,b}".repeat(22))).toThrow(
      new InputError(
        `"${"{a,b}".repeat(11)}{a…" must stand for at most 10,000 patterns: use * or a folder instead`,
      ),
    );
    expect(expandBraces("{a,b}".repeat(13))).toHaveLength(8192);
    expect(() => expandBraces("{".repeat(10_001))).toThrow(
      /must have at most 10,000 characters, got 10,001$/,
    );
  });
});

describe("expandBraces", () => {
  it("expands choices, also nested ones, and keeps braces without a comma", () => {
    expect(expandBraces("a{b,c}d{e,f}")).toEqual(["abde", "abdf", "acde", "acdf"]);
    expect(expandBraces("a{b{c,d},}")).toEqual(["abc", "abd", "a"]);
    expect(expandBraces("{a}{b,c}")).toEqual(["{a}b", "{a}c"]);
    expect(expandBraces("{a,b")).toEqual(["{a,b"]);
  });
});

describe("isGlob", () => {
  it("distinguishes patterns from names", () => {
    expect(["*.png", "a?", "{a,b}"].every(isGlob)).toBe(true);
    expect(["a.png", "[1].png", "a+b"].some(isGlob)).toBe(false);
  });
});
