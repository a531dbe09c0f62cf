/**
 * What commands may write where: no output is ever an input, whatever its spelling, and no
 * folder of results takes the place of somebody's files.
 */

import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeNpy } from "../src/data/formats/npy.js";
import { writeNpz } from "../src/data/formats/npz.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { rejects, works } from "./cliHere.js";
import { writePhotos } from "./cliProcess.js";

const folder = mkdtempSync(join(tmpdir(), "trainlets-outputs-"));
const path = (...parts: string[]) => join(folder, ...parts);
const quick = "--patch 8 --examples 500 --epochs 1 --batch 100 --device cpu --threads 1";

beforeAll(async () => {
  writePhotos(folder);
  const pictures = syntheticPictures(7, 2, 64);
  const samples = new Float32Array(2 * 64 * 64);
  pictures.forEach(({ data }, i) => samples.set(data, i * data.length));
  writeFileSync(path("data.npz"), writeNpz(new Map([["pictures", makeNpy([2, 64, 64], samples)]])));
  await works(folder, `train photos ${quick} -o dict.npz`);
  await works(folder, "encode photos/0.png -d dict.npz -o codes.npz --device cpu");
  await works(folder, "compress photos/0.png -d dict.npz -o small.tlt --device cpu");
  copyFileSync(path("codes.npz"), path("codes.npy"));
  copyFileSync(path("small.tlt"), path("small.png"));
  copyFileSync(path("photos/0.png"), path("picture.tlt"));
  copyFileSync(path("photos/0.png"), path("mask.png"));
  copyFileSync(path("dict.npz"), path("dict.png"));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("an output is never an input", () => {
  const cases = [
    ["data.npz", `train data.npz ${quick.replace("8", "8x8")} -o OUT`],
    ["data.npz", `train photos ${quick} --test data.npz -o OUT`],
    ["dict.npz", `train photos ${quick} --start dict.npz -o OUT`],
    ["data.npz", "encode data.npz -d dict.npz -o OUT"],
    ["dict.npz", "encode photos -d dict.npz -o OUT"],
    ["codes.npy", "decode codes.npy -d dict.npz -o OUT"],
    ["picture.tlt", "compress picture.tlt -d dict.npz -o OUT"],
    ["small.png", "decompress small.png -d dict.npz -o OUT"],
    ["photos/0.png", "denoise photos/0.png --patch 8 --sigma 10 -o OUT"],
    ["photos/0.png", "inpaint photos/0.png --mask mask.png --patch 8 -o OUT"],
    ["mask.png", "inpaint photos/0.png --mask mask.png --patch 8 -o OUT"],
    ["dict.png", "atoms dict.png -o OUT"],
    ["photos/1.png", "approximate photos -d dict.npz -o OUT"],
  ] as const;

  it.each(cases)("%s: %s", async (input, line) => {
    const before = readFileSync(path(input));
    const link = `link${extname(input)}`;
    rmSync(path(link), { force: true });
    symlinkSync(path(input), path(link));
    for (const output of [input, `./photos/../${input}`, link]) {
      expect(await rejects(folder, line.replace("OUT", output))).toMatch(
        /--output must not be an input, got /,
      );
      expect(readFileSync(path(input))).toEqual(before);
    }
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("the file that is tried is the one that is written", () => {
  it("refuses a path through a folder that does not exist, before the work", async () => {
    expect(await rejects(folder, `train photos ${quick} -o nosuch/../new.npz`)).toBe(
      "train: nosuch/../new.npz cannot be written (no such folder)",
    );
  });

  it("writes through a link to a folder and out of it again, as the system does", async () => {
    mkdirSync(path("elsewhere/below"), { recursive: true });
    symlinkSync(path("elsewhere/below"), path("shortcut"));
    await works(folder, `train photos ${quick} -o shortcut/../through.npz`);
    expect(existsSync(path("elsewhere/through.npz"))).toBe(true);
    expect(existsSync(path("through.npz"))).toBe(false);
  });

  it("makes the file that a dangling link points to, and keeps the link", async () => {
    symlinkSync("later.npz", path("dangling.npz"));
    await works(folder, `train photos ${quick} -o dangling.npz`);
    expect(lstatSync(path("dangling.npz")).isSymbolicLink()).toBe(true);
    expect(statSync(path("later.npz")).isFile()).toBe(true);
  });

  it("does not replace a read-only file", async () => {
    copyFileSync(path("dict.npz"), path("kept.npz"));
    chmodSync(path("kept.npz"), 0o444);
    const before = readFileSync(path("kept.npz"));
    expect(await rejects(folder, `train photos ${quick} -o kept.npz`)).toBe(
      "train: kept.npz cannot be written (the file is read-only)",
    );
    expect(readFileSync(path("kept.npz"))).toEqual(before);
  });
});

describe("folders of results", () => {
  it.each(["report", "checkpoint"])("--%s leaves the files of others alone", async (option) => {
    for (const name of ["atoms.png", "report.html", "metrics.jsonl"]) {
      const mine = `mine-${option}-${name}`;
      mkdirSync(path(mine));
      writeFileSync(path(mine, name), "mine\n");
      expect(await rejects(folder, `train photos ${quick} --${option} ${mine} -o new.npz`)).toBe(
        `train: --${option} must be a new folder or that of an earlier run, got ${mine}, whose ${name} is not from trainlets`,
      );
      expect(readFileSync(path(mine, name), "utf8")).toBe("mine\n");
      expect(readdirSync(path(mine))).toEqual([name]);
    }
  });

  it.each(["photos", "photos/run", "photos/run/deep/below", "'photos/*.png'", "'**/*.png'"])(
    "is never where data are read from: %s",
    async (data) => {
      const isNew = data.startsWith("photos/run");
      const line = `train ${isNew ? "photos" : data} ${quick} --report ${isNew ? data : "photos"} -o new.npz`;
      expect(await rejects(folder, line)).toMatch(
        /^train: --report must not be in the folder of the data \(.*\), got /,
      );
      expect(existsSync(path("photos/run"))).toBe(false);
      expect(readdirSync(path("photos")).filter((name) => !/^\d\.png$/.test(name))).toEqual([]);
    },
  );

  it("may be used again by the next run", async () => {
    await works(folder, `train photos ${quick} --report again --force -o new.npz`);
    await works(folder, `train photos ${quick} --report again --force -o new.npz`);
    expect(readdirSync(path("again")).sort()).toEqual(["atoms.png", "metrics.jsonl", "report.html"]);
  });

  it.each(["metrics.jsonl", "report.html", "atoms.png"])(
    "writes through no link, even in the folder of an earlier run: %s",
    async (name) => {
      await works(folder, `train photos ${quick} --report linked --force -o new.npz`);
      writeFileSync(path("precious"), "mine\n");
      rmSync(path("linked", name));
      symlinkSync(path("precious"), path("linked", name));
      expect(await rejects(folder, `train photos ${quick} --report linked --force -o new.npz`)).toBe(
        `train: --report must be a new folder or that of an earlier run, got linked, whose ${name} is not from trainlets`,
      );
      if (name !== "metrics.jsonl") await works(folder, "report linked");
      expect(readFileSync(path("precious"), "utf8")).toBe("mine\n");
      rmSync(path("linked"), { recursive: true });
    },
  );

  it("whose marks are devices or pipes is not waited for", async () => {
    for (const name of ["metrics.jsonl", "report.html"]) {
      mkdirSync(path("odd"));
      symlinkSync("/dev/zero", path("odd", name));
      expect(await rejects(folder, `train photos ${quick} --report odd --force -o new.npz`)).toMatch(
        /is not from trainlets$/,
      );
      rmSync(path("odd"), { recursive: true });
    }
  });

  it("of an experiment is new, empty or its own", async () => {
    await works(folder, "reproduce fig3 -o figure");
    await works(folder, "reproduce fig3 -o figure");
    mkdirSync(path("notes"));
    writeFileSync(path("notes/diary.txt"), "mine");
    for (const line of ["reproduce fig3 -o notes", "demo -o notes"])
      expect(await rejects(folder, line)).toMatch(
        /: --output must be a new folder .*, whose diary\.txt is not from trainlets$/,
      );
    expect(readdirSync(path("notes"))).toEqual(["diary.txt"]);
  });
});
