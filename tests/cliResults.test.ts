/** What commands print: results in words and as JSON, nothing with --quiet, bytes with -o -; and the commands that only print. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeMat } from "../src/data/formats/matlab/matFile.js";
import { readNpy } from "../src/data/formats/npy.js";
import { loadModel } from "../src/model/node/files.js";
import { version } from "../src/model/version.js";
import { rejects, trainlets, works } from "./cliHere.js";
import { trainlets as ownProcess, wave, writeArray, writePhotos } from "./cliProcess.js";

let folder: string;
const path = (name: string): string => join(folder, name);
const run = (line: string) => works(folder, line);
const json = async (line: string) => JSON.parse((await run(`${line} --json`)).stdout);

const quick = "--examples 120 --epochs 1 --batch 40 --base odct:1 --device reference";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-results-"));
  writePhotos(folder);
  writeArray(path("sounds.npy"), [2, 400], wave);
  await run(`train photos --patch 8 ${quick} --sparsity 3 --keep last -o dict.npz`);
  await run(`train photos --patch 4 ${quick} --learner odl --checkpoint run -o small.npz`);
  await run("encode photos/0.png -d dict.npz -o codes.npz --device reference");
  await run("compress photos/0.png -d dict.npz -o photo.tlt --psnr 20 --device reference");
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("score", () => {
  it("prints the error of each dictionary, and what encoding and decoding by hand gives", async () => {
    const line = "score photos -d dict.npz -d small.npz --sparsity 2 --count 50 --device reference";
    const { stdout } = await run(line);
    expect(stdout).toMatch(/^dictionary +atoms +patch +RMSE +PSNR \(dB\) +atoms per patch\n/);
    expect(stdout).toMatch(/^dict\.npz +64 +8x8 .* 2\.00$/m);
    expect(stdout).toMatch(/^small\.npz +16 +4x4 /m);
    const { scores } = await json(line);
    expect(scores).toMatchObject([{ dictionary: "dict.npz", patches: 50 }, { patch: [4, 4] }]);
  });

  it("scores all windows of a signal of one window as encode does", async () => {
    writeArray(path("one.npy"), [8, 8], wave);
    const { scores } = await json("score one.npy -d dict.npz --device reference");
    const { rmse, atomsPerCode } = await json("encode one.npy -d dict.npz -o one.npz --device reference");
    expect(scores[0].rmse).toBeCloseTo(rmse, 4);
    expect(scores[0].atomsPerPatch).toBe(atomsPerCode);
    expect(scores[0].psnr).toBeNull(); // an array has no peak of its own
    const given = await json("score one.npy -d dict.npz --peak 100 --device reference");
    expect(given.scores[0].psnr).toBeCloseTo(20 * Math.log10(100 / rmse), 4);
  });

  it("codes down to an error, and leaves out patches with missing samples", async () => {
    writeArray(path("gaps.npy"), [12, 30], (i) => (i % 30 === 29 ? -9999 : wave(i)));
    const line = "score gaps.npy -d dict.npz --nodata -9999 --error 0.5 --device reference";
    const { scores } = await json(line);
    expect(scores[0].patches).toBe(5 * 22);
    expect(scores[0].rmse).toBeLessThan(0.5);
  });

  it("refuses what it cannot use", async () => {
    expect(await rejects(folder, "score photos")).toBe(
      "score: required option '-d, --dictionary <file>' not specified",
    );
    expect(await rejects(folder, "score photos -d dict.npz --count 0")).toMatch(
      /--count must be an integer of at least 1, got 0/,
    );
  });
});

describe("info", () => {
  it("says what every kind of file is, and how it is used", async () => {
    const { stdout } = await run("info dict.npz small.npz codes.npz photo.tlt run photos sounds.npy");
    for (const line of [
      /^dict\.npz: dictionary of 64 atoms of 8x8$/m,
      /^ {2}atoms +at most \d+ non-zeros each over odct:1, which has 64 atoms$/m,
      /^ {2}learned by +osdl, seed 1, [\d]+ examples seen$/m,
      /^ {2}codes +at most 3 atoms by omp; means removed$/m,
      /^small\.npz: dictionary of 16 atoms of 4x4$/m,
      /^ {2}atoms +explicit: one value per sample$/m,
      /^codes\.npz: codes of 1 signal of 40x40$/m,
      /^photo\.tlt: compressed array of 40x40 \(uint8\)$/m,
      /^run: checkpoint of a training run, after 3 updates$/m,
      /^ {2}settings +learner odl, patch 4x4/m,
      /^photos: 2 images$/m,
      /^sounds\.npy: array of 2x400$/m,
      /^ {2}patches of 1 axis +2 signals of 400$/m,
      /use +trainlets decode codes\.npz -d DICTIONARY/,
    ])
      expect(stdout).toMatch(line);
  });

  it("gives the same as JSON, with fingerprints by which a dictionary is found", async () => {
    const lines = (await run("info dict.npz codes.npz photo.tlt --json")).stdout.trim().split("\n");
    const [dictionary, codes, photo] = lines.map((line) => JSON.parse(line));
    expect(dictionary).toMatchObject({ file: "dict.npz", kind: "dictionary", atoms: 64, patch: [8, 8] });
    expect(codes).toMatchObject({ kind: "codes", codes: 25, dictionary: dictionary.fingerprint });
    expect(photo).toMatchObject({ kind: "compressed", dictionary: dictionary.compressedWith });
  });

  it("knows a dictionary that was converted, and matrices of others", async () => {
    for (const ending of ["mat", "safetensors"]) {
      await run(`convert dict.npz -o known.${ending} --force`);
      expect((await run(`info known.${ending}`)).stdout).toMatch(
        new RegExp(`^known\\.${ending}: dictionary of 64 atoms of 8x8$`, "m"),
      );
    }
    const D = {
      kind: "full",
      shape: [4, 6],
      data: Float64Array.from({ length: 24 }, (_, i) => wave(i)),
    } as const;
    writeFileSync(path("other.mat"), writeMat([["D", D]]));
    expect((await run("info other.mat")).stdout).toMatch(/^other\.mat: array of 4x6$/m);
  });

  it("suggests no patch where there are no samples", async () => {
    writeArray(path("none.npy"), [64, 0], () => 0);
    writeArray(path("number.npy"), [], () => 1);
    for (const name of ["none.npy", "number.npy"])
      expect((await run(`info ${name}`)).stdout).not.toMatch(/--patch/);
  });

  it("refuses what is not there, and what is damaged", async () => {
    expect(await rejects(folder, "info nothing.npz")).toBe("info: no such file or folder: nothing.npz");
    writeFileSync(path("cut.tlt"), readFileSync(path("photo.tlt")).subarray(0, -5));
    expect(await rejects(folder, "info cut.tlt")).toMatch(/^info: cut\.tlt: (truncated|damaged)/);
    writeFileSync(path("empty.npz"), "");
    expect(await rejects(folder, "info empty.npz")).toBe("info: empty.npz: the file is empty");
  });
});

describe("the error of what was written", () => {
  it("is printed by encode and by decode, from what was encoded or from a file", async () => {
    const encoded = (await run("encode photos/0.png -d dict.npz -o c.npz --device reference")).stdout;
    const [, quality] = /each on average, (RMSE \S+, PSNR \S+ dB)\n$/.exec(encoded) ?? [];
    const decoded = (await run("decode c.npz -d dict.npz -o back.png --device reference")).stdout;
    expect(decoded).toBe(`back.png: 1 signal of 40x40, ${quality} from what was encoded\n`);
    const line = "decode c.npz -d dict.npz --device reference";
    const { rmse } = await json(`${line} -o back.npy`);
    const measured = await json(`${line} -o back.npy --against photos/0.png`);
    expect(measured.rmse).toBeCloseTo(rmse, 5);
    expect(measured.psnr).toBeNull(); // an array has no peak of its own
    expect(await rejects(folder, `${line} -o back.npy --against sounds.npy`)).toMatch(/^decode: /);
  });

  it("is measured before anything is written", async () => {
    const line = "decode codes.npz -d dict.npz -o unwritten.npy --device reference";
    expect(await rejects(folder, `${line} --against nosuch.png`)).toBe(
      "decode: no such file or folder: nosuch.png",
    );
    expect(await rejects(folder, `${line} --against photos`)).toBe(
      "decode: --against must hold what was decoded, 1 signal of 40x40, got 2 signals of 40x40",
    );
    writeArray(path("all-missing.npy"), [40, 40], () => Number.NaN);
    expect(await rejects(folder, `${line} --against all-missing.npy`)).toBe(
      "decode: --against must have a known sample, got all of them missing",
    );
    for (const [option, value] of [
      ["--signals", "columns"],
      ["--raw", "float32:40x40"],
      ["--nodata", "-9999"],
    ])
      expect(await rejects(folder, `${line} ${option} ${value}`)).toBe(`decode: ${option} needs --against`);
    expect(existsSync(path("unwritten.npy"))).toBe(false);
  });

  it("leaves out samples that --nodata marks as missing", async () => {
    writeArray(path("marked.npy"), [24, 24], (i) => (i === 100 ? -9999 : wave(i)));
    const { rmse } = await json(
      "encode marked.npy -d dict.npz -o marked.npz --nodata -9999 --device reference",
    );
    const line = "decode marked.npz -d dict.npz -o back.npy --against marked.npy --device reference";
    expect((await json(line)).rmse).toBeGreaterThan(100);
    expect((await json(`${line} --nodata -9999`)).rmse).toBeCloseTo(rmse, 5);
  });

  it("is measured against signals in columns, and plain numbers", async () => {
    await run(`train sounds.npy --patch 16 ${quick} --sparsity 3 -o sounds-16.npz`);
    const d = "-d sounds-16.npz --device reference";
    writeArray(path("columns.npy"), [64, 3], (i) => wave(Math.floor(i / 3) + 64 * (i % 3)));
    const plain = Float32Array.from({ length: 3 * 64 }, (_, i) => wave(i));
    writeFileSync(path("plain.bin"), new Uint8Array(plain.buffer));
    const { rmse } = await json(`encode columns.npy --signals columns ${d} -o columns.npz`);
    const line = `decode columns.npz ${d} -o back.npy --against`;
    expect((await json(`${line} columns.npy --signals columns`)).rmse).toBeCloseTo(rmse, 5);
    expect((await json(`${line} plain.bin --raw float32:3x64`)).rmse).toBeCloseTo(rmse, 5);
  });

  it("is the RMSE alone for arrays", async () => {
    const { stdout } = await run("encode one.npy -d dict.npz -o c.npz --device reference");
    expect(stdout).toMatch(/each on average, RMSE [\d.]+\n$/);
  });
});

describe("--quiet", () => {
  const lines = [
    `train photos --patch 8 ${quick} -o quiet.npz`,
    "encode photos/0.png -d dict.npz -o c.npz --device reference",
    "decode codes.npz -d dict.npz -o b.npy --device reference",
    "compress photos/0.png -d dict.npz -o c.tlt --psnr 20 --device reference",
    "decompress photo.tlt -d dict.npz -o b.png",
    "atoms dict.npz -o a.png --device reference",
    `denoise photos/0.png --sigma 10 --patch 4 ${quick} -o n.png`,
    `inpaint photos/0.png --mask photos/1.png --rounds 1 --patch 4 ${quick} -o n.png`,
    "report run",
  ];

  it.each(lines)("prints nothing: %s", async (line) => {
    expect(await run(`${line} --quiet`)).toEqual({ stdout: "", stderr: "" });
  });

  it.each(lines.filter((line) => /^(encode|decode|atoms|report)/.test(line)))(
    "leaves one line of JSON: %s",
    async (line) => {
      const { stdout, stderr } = await run(`${line} -q --json`);
      expect(Object.keys(JSON.parse(stdout))).toContain("output");
      expect(stderr).toBe("");
    },
  );

  it("keeps results that no file holds, and errors", async () => {
    expect((await run("info dict.npz -q")).stdout).toContain("dictionary of 64 atoms");
    expect((await run("devices -q")).stdout).toContain("reference");
    const { code, stderr } = await trainlets(folder, "encode none.png -d dict.npz -o c.npz --quiet");
    expect({ code, stderr }).toEqual({ code: 2, stderr: "encode: no such file or folder: none.png\n" });
  });
});

describe("-o -", () => {
  it("writes the bytes of the file to standard output, and the line to standard error", async () => {
    const line = (name: string) => `decode codes.npz -d dict.npz -o ${name} --device reference`;
    await run(line("b.npy"));
    const { stdout, stderr } = await ownProcess(folder, line("-"));
    expect(stdout.length).toBeGreaterThan(1000);
    expect(stderr).toMatch(/^-: 1 signal of 40x40/m);
  });

  it("can be piped", async () => {
    const words = [
      "-c",
      `node "$0" encode photos/0.png -d dict.npz -o - -q | node "$0" decode /dev/stdin -d dict.npz -o p.npy`,
    ];
    const { spawnSync } = await import("node:child_process");
    const { program } = await import("./cliProcess.js");
    const { status, stderr } = spawnSync("sh", [...words, program], { cwd: folder, encoding: "utf8" });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(readNpy(readFileSync(path("p.npy")), "p.npy").shape).toEqual([40, 40]);
  });

  it("is refused where a file is needed", async () => {
    expect(await rejects(folder, `train photos --patch 8 ${quick} -o -`)).toBe(
      'train: --output must be a file here (./- is one of that name), got "-"',
    );
  });
});

describe("the version", () => {
  it.each(["--version", "-v", "-V", "version"])("is what %s prints", async (word) => {
    expect((await run(word)).stdout).toBe(`${version}\n`);
  });
});

it("train --json prints reports that say what they are", async () => {
  const { stdout } = await run(`train photos --patch 8 ${quick} -o j.npz --json`);
  const kinds = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).kind);
  expect(new Set(kinds)).toEqual(new Set(["report"]));
  expect((await loadModel(path("j.npz"))).A.cols).toBe(64);
});

describe("mistakes of a new user", () => {
  it("a misspelt option is named, and not the one that is then missing", async () => {
    expect(await rejects(folder, "train photos --patch-size 8 -o x.npz")).toBe(
      "train: unknown option '--patch-size' (Did you mean --patch?)",
    );
    expect(await rejects(folder, "train photos -o x.npz")).toBe(
      "train: required option '--patch <sizes>' not specified",
    );
  });

  it("a picture given as dictionary is called by what it is not", async () => {
    expect(await rejects(folder, "atoms photos/0.png -o a.png")).toBe(
      "atoms: photos/0.png is not a dictionary: give a dictionary of train (.npz), or a matrix with one atom per column (.npy, .mat, .safetensors)",
    );
  });

  it("a dictionary that exists is replaced with --force alone, or by the run that is resumed", async () => {
    const line = `train photos --patch 4 ${quick} -o again.npz`;
    await run(line);
    expect(await rejects(folder, line)).toBe(
      "train: --output again.npz exists: choose another name, or add --force to replace it",
    );
    expect(await rejects(folder, "convert dict.npz -o again.npz")).toMatch(/again\.npz exists/);
    expect(await rejects(folder, "prune dict.npz -o again.npz")).toMatch(/again\.npz exists/);
    expect(await rejects(folder, "encode photos -d dict.npz -o again.npz")).toBe(
      "encode: --output again.npz is a dictionary: choose another name",
    );
    await run("encode photos -d dict.npz -o codes-again.npz");
    await run("encode photos -d dict.npz -o codes-again.npz"); // codes are quickly made
    await run(`${line} --dry-run`);
    await run(`${line} --force`);
    await run(`${line} --checkpoint again --force`);
    await run(`${line} --checkpoint again --resume`);
  });

  it("huge numbers are short", async () => {
    writeArray(path("huge.npy"), [16, 16], (i) => 1e30 * wave(i));
    const { stdout } = await run(`train huge.npy --patch 4x4 ${quick} -o huge.npz`);
    expect(stdout).toMatch(/test RMSE \d\.\d{3}e\+\d\d,/);
    expect(await rejects(folder, `train photos --patch 4 --epochs 1e31 -o x.npz`)).toBe(
      "train: --epochs must be an integer from 1 to 9007199254740991, got 1e+31",
    );
  });
});

describe("convert and prune", () => {
  it("write a dictionary to other formats, and back to the byte", async () => {
    for (const ending of ["mat", "safetensors"]) {
      await run(`convert dict.npz -o all.${ending}`);
      await run(`convert all.${ending} -o back-${ending}.npz`);
      expect(readFileSync(path(`back-${ending}.npz`)).equals(readFileSync(path("dict.npz")))).toBe(true);
    }
    expect((await run("convert dict.npz -o D.npy")).stderr).toContain("a .npy holds the atoms alone");
    const { scores } = await json("score photos -d dict.npz -d D.npy -d all.mat --count 30 --sparsity 2");
    for (const { rmse } of scores) expect(rmse).toBeCloseTo(scores[0].rmse, 3);
    expect((await json("convert dict.npz -o half.npz --type f16")).bytes).toBeLessThan(
      (await json("info dict.npz")).bytes,
    );
  });

  it("keep the atoms most used: in training, or on data, with the error before and after", async () => {
    await run("prune dict.npz -o less.npz --atoms 25%");
    expect((await loadModel(path("less.npz"))).A.cols).toBe(16);
    const { atoms, before, after } = await json("prune dict.npz -o on.npz --on photos --device reference");
    expect(atoms).toBeLessThanOrEqual(64);
    expect(after.rmse).toBeCloseTo(before.rmse, 4); // only atoms that no patch used are gone
    expect(await rejects(folder, "prune dict.npz -o x.npz --atoms 65")).toBe(
      'prune: --atoms must be a number from 1 to 64, or a percentage, got "65"',
    );
    expect(await rejects(folder, "prune D.npy -o x.npz")).toBe(
      "prune: D.npy has no counts of use: give data with --on",
    );
  });
});
