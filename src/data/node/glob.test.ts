import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expandBraces, glob, isGlob } from "./glob.js";

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
