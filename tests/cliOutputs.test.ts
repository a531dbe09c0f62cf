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
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeMat } from "../src/data/formats/matlab/matFile.js";
import { makeNpy } from "../src/data/formats/npy.js";
import { writeNpz } from "../src/data/formats/npz.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { loadModel } from "../src/model/node/files.js";
import { savePartialModel } from "../src/model/node/partialModel.js";
import { rejects, trainlets, works } from "./cliHere.js";
import { wave, writePhotos } from "./cliProcess.js";

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
  const matrix = (shape: number[]) =>
    ({
      kind: "full",
      shape,
      data: Float64Array.from({ length: shape[0] * shape[1] }, (_, i) => wave(i)),
    }) as const;
  writeFileSync(
    path("set.mat"),
    writeMat([
      ["D", matrix([64, 70])],
      ["precious", matrix([3, 4])],
    ]),
  );
  await works(folder, "convert dict.npz -o set.safetensors");
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("an output is never an input", () => {
  const cases = [
    ["data.npz", `train data.npz ${quick.replace("8", "8x8")} -o OUT`],
    ["data.npz", `train photos ${quick} --test data.npz -o OUT`],
    ["dict.npz", `train photos ${quick} --start dict.npz -o OUT`],
    ["dict.npz", `train photos ${quick} --init dict.npz --force -o OUT`],
    ["data.npz", "encode data.npz -d dict.npz -o OUT"],
    ["dict.npz", "encode photos -d dict.npz -o OUT"],
    ["codes.npy", "decode codes.npy -d dict.npz -o OUT"],
    ["photos/0.png", "decode codes.npz -d dict.npz -o OUT --against photos/0.png"],
    ["photos/0.png", "decode codes.npz -d dict.npz -o OUT --against photos"],
    ["photos/0.png", "decode codes.npz -d dict.npz -o OUT --against 'photos/*.png'"],
    ["set.mat", "convert 'set.mat[D]' -o OUT --force"],
    ["set.safetensors", "convert 'set.safetensors[D]' -o OUT --force"],
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

it("the file of an interrupted run is never an input", async () => {
  const partial = { examples: 1, of: 2 };
  await savePartialModel(path("part.partial.npz"), await loadModel(path("dict.npz")), partial);
  const before = readFileSync(path("part.partial.npz"));
  for (const option of ["--init", "--start"])
    expect(await rejects(folder, `train photos ${quick} ${option} part.partial.npz -o part.npz`)).toBe(
      "train: the file of an interrupted run must not be an input, got part.partial.npz",
    );
  expect(readFileSync(path("part.partial.npz"))).toEqual(before);
});

describe("the dictionary of a run with --resume", () => {
  const line = (run: string, output: string) =>
    `train photos ${quick} --checkpoint ${run} --resume -o ${output}`;
  const refusal = (output: string) =>
    `train: --output ${output} exists: choose another name, or add --force to replace it`;

  it("does not replace a file if there is nothing to resume", async () => {
    copyFileSync(path("dict.npz"), path("kept-1.npz"));
    mkdirSync(path("empty"));
    for (const run of ["not-yet", "empty"])
      expect(await rejects(folder, line(run, "kept-1.npz"))).toBe(refusal("kept-1.npz"));
    expect(readFileSync(path("kept-1.npz"))).toEqual(readFileSync(path("dict.npz")));
    expect(existsSync(path("not-yet"))).toBe(false);
    expect(readdirSync(path("empty"))).toEqual([]);
    await works(folder, `${line("empty", "kept-1.npz")} --force`);
    expect(readFileSync(path("kept-1.npz"))).toEqual(readFileSync(path("dict.npz")));
  });

  it("replaces the file that its run wrote, and no other", async () => {
    await works(folder, line("own", "own.npz"));
    await works(folder, line("own", "own.npz")); // a loop may run it again
    const { stderr } = await works(folder, `${line("own", "own.npz")} --epochs 2`);
    expect(stderr).toContain("resuming from own/checkpoint-000005.tlc");
    const other = readFileSync(path("own.npz"));
    writeFileSync(path("kept-2.npz"), "mine");
    expect(await rejects(folder, line("own", "kept-2.npz"))).toBe(refusal("kept-2.npz"));
    expect(readFileSync(path("kept-2.npz"), "utf8")).toBe("mine");
    await works(folder, `train photos ${quick} --seed 2 --force -o own.npz`); // of another run
    expect(await rejects(folder, `${line("own", "own.npz")} --epochs 2`)).toBe(refusal("own.npz"));
    await works(folder, `${line("own", "own.npz")} --epochs 2 --force`);
    expect(readFileSync(path("own.npz"))).toEqual(other);
  });

  it("is known from another folder, and when it was moved", async () => {
    mkdirSync(path("place"));
    await works(folder, line("place/run", "place/moved.npz"));
    await works(path("photos"), line("../place/run", "../place/moved.npz").replace("photos", "."));
    renameSync(path("place"), path("place-2"));
    await works(folder, line("place-2/run", "place-2/moved.npz"));
    renameSync(path("place-2/moved.npz"), path("moved.npz"));
    await works(folder, line("place-2/run", "moved.npz"));
  });

  it("of an earlier run in the folder is not its own", async () => {
    await works(folder, line("emptied", "earlier.npz"));
    const before = readFileSync(path("earlier.npz"));
    for (const name of readdirSync(path("emptied"))) if (name.endsWith(".tlc")) rmSync(path("emptied", name));
    const seed = "--seed 3 --force";
    expect(await rejects(folder, line("emptied", "earlier.npz"))).toBe(refusal("earlier.npz"));
    await works(folder, `${line("emptied", "after-emptied.npz")} ${seed}`);
    expect(await rejects(folder, `${line("emptied", "earlier.npz")} --seed 3`)).toBe(refusal("earlier.npz"));
    expect(readFileSync(path("earlier.npz"))).toEqual(before);
  });

  it("replaces nothing by a link instead of the list of its files", async () => {
    await works(folder, line("listed", "listed.npz"));
    writeFileSync(path("precious-list"), "mine\n");
    rmSync(path("listed/.trainlets-outputs"));
    symlinkSync(path("precious-list"), path("listed/.trainlets-outputs"));
    expect(await rejects(folder, line("listed", "listed.npz"))).toBe(refusal("listed.npz"));
    await works(folder, line("listed", "listed-again.npz"));
    expect(readFileSync(path("precious-list"), "utf8")).toBe("mine\n");
    await works(folder, line("listed", "listed-again.npz"));
  });
});

describe("a file that appears at --output during a run", () => {
  const long = `train photos ${quick.replace("--epochs 1", "--epochs 60")}`;

  /** Run a line, and write its output when it has begun to train. */
  async function overtaken(line: string, run: string, output: string) {
    const ended = trainlets(folder, line);
    while (!existsSync(path(run, "metrics.jsonl"))) await pause(1);
    writeFileSync(path(output), "of another program");
    return await ended;
  }

  beforeAll(() => works(folder, `${long} -o alone.npz`));

  it.each(["report", "checkpoint"])(
    "is not replaced: the dictionary is saved beside it (--%s)",
    async (option) => {
      const run = `late-${option}`;
      writeFileSync(path(`${run}-2.npz`), "taken as well");
      const { code, stderr } = await overtaken(`${long} --${option} ${run} -o ${run}.npz`, run, `${run}.npz`);
      expect(code, stderr).toBe(1);
      expect(stderr.trimEnd().split("\n").at(-1)).toMatch(
        new RegExp(
          `^train: ${run}-3\\.npz: 256 atoms of 8x8, .*; ${run}\\.npz was written by another process during the run and is not replaced$`,
        ),
      );
      expect(readFileSync(path(`${run}.npz`), "utf8")).toBe("of another program");
      expect(readFileSync(path(`${run}-2.npz`), "utf8")).toBe("taken as well");
      expect(readFileSync(path(`${run}-3.npz`))).toEqual(readFileSync(path("alone.npz")));
      const last = readFileSync(path(run, "metrics.jsonl"), "utf8").trimEnd().split("\n").at(-1);
      expect(JSON.parse(last ?? "")).toMatchObject({ kind: "end", output: `${run}-3.npz` });
    },
  );

  it("is replaced with --force", async () => {
    const { code } = await overtaken(`${long} --report forced --force -o forced.npz`, "forced", "forced.npz");
    expect(code).toBe(0);
    expect(readFileSync(path("forced.npz"))).toEqual(readFileSync(path("alone.npz")));
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

  it("never takes the place of an input", async () => {
    await works(folder, `train photos ${quick} --report seen --force -o new.npz`);
    const before = readFileSync(path("seen/atoms.png"));
    mkdirSync(path("links"));
    symlinkSync(path("seen/atoms.png"), path("links/a.png"));
    for (const data of ["seen/atoms.png", "links", "'links/*.png'", "photos --test seen/atoms.png"])
      for (const option of ["--report seen", "--checkpoint seen", "--checkpoint other-run --report seen"])
        expect(await rejects(folder, `train ${data} ${quick} ${option} -o never.npz`)).toBe(
          `train: --${option.includes("report") ? "report" : "checkpoint"} must not replace an input, got seen, whose atoms.png is one`,
        );
    expect(readFileSync(path("seen/atoms.png"))).toEqual(before);
    expect(existsSync(path("other-run"))).toBe(false);
  });

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
    copyFileSync(path("photos/0.png"), path("figure/photo.png"));
    expect(
      await rejects(folder, "reproduce fig5 --quick --images figure/photo.png photos/1.png -o figure"),
    ).toBe("reproduce: --output must not replace an input, got figure, whose photo.png is one");
  });
});
