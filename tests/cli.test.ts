/** The command line from end to end, on files; `cliProcess` runs the built program where a process of its own matters. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Signal } from "../src/core/signal.js";
import { readNpy, toFloat32 } from "../src/data/formats/npy.js";
import { readImage } from "../src/data/node/images.js";
import { experiments } from "../src/experiments/catalogue.js";
import { atomGallery } from "../src/figures/atoms/atomGallery.js";
import { deviceNames } from "../src/kernels/chooseDevice.js";
import { trainDefaults } from "../src/learn/run/trainOptions.js";
import { loadModel } from "../src/model/node/files.js";
import { works } from "./cliHere.js";
import { wave, writeArray, writePhotos, writePng } from "./cliProcess.js";

let folder: string;
const path = (name: string): string => join(folder, name);

/** Run a line that must succeed; what it prints on standard output. */
const run = async (line: string): Promise<string> => (await works(folder, line)).stdout;

const quick = "--examples 600 --epochs 1 --batch 100";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-cli-"));
  writePhotos(folder);
  writePng(path("flat.png"), 40, () => 99);
  writeArray(path("pictures.npy"), [3, 20, 24], wave);
  writeArray(path("sounds.npy"), [2, 400], wave);
  writeArray(path("windows.npy"), [60, 16], (i) => wave(i) * ((i >> 4) % 7));
  writeArray(path("volume.npy"), [12, 12, 12], (i) => wave(i) * (i % 5));
  await run(`train photos --patch 8 ${quick} -o dict.npz`);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("--pursuit ols", () => {
  /** The sum of squares of what a picture has more than its codes say. */
  const errorOf = async (dictionary: string, flags: string): Promise<number> => {
    await run(`encode photos/0.png -d ${dictionary} --sparsity 3 ${flags} -o codes.npz`);
    await run(`decode codes.npz -d ${dictionary} -o back.npy`);
    const back = readNpy(readFileSync(path("back.npy")), "back.npy").data;
    const { data } = await readImage(path("photos/0.png"));
    return data.reduce((sum, value, i) => sum + (value - Number(back[i])) ** 2, 0);
  };

  it("makes other codes than OMP, and a model learned with it codes with it", async () => {
    await run(`train photos --patch 8 --pursuit ols ${quick} -o ols.npz`);
    expect((await loadModel(path("ols.npz"))).meta.coding.pursuit).toBe("ols");
    const [own, ols, omp] = [
      await errorOf("ols.npz", ""),
      await errorOf("ols.npz", "--pursuit ols"),
      await errorOf("ols.npz", "--pursuit omp"),
    ];
    expect(own).toBe(ols);
    expect(omp).not.toBe(ols);
  });

  it.each([
    "denoise photos/0.png --patch 6 --sigma 20",
    "inpaint photos/0.png --mask photos/1.png --patch 6 --rounds 1",
  ])("changes what %s writes", async (line) => {
    const written: Buffer[] = [];
    for (const pursuit of ["omp", "ols"]) {
      await run(`${line} ${quick} --pursuit ${pursuit} -o ${pursuit}.png`);
      written.push(readFileSync(path(`${pursuit}.png`)));
    }
    expect(written[0].equals(written[1])).toBe(false);
  });
});

describe("a small set", () => {
  it("gets many updates, which the plan explains, and a test that is called rough", async () => {
    const { stdout, stderr } = await works(
      folder,
      "train windows.npy --patch 16 --device cpu -o windows.npz",
    );
    expect(stderr).toContain("45 of 60 patches, 195 epochs, batches of 32, tested on 15\n");
    expect(stderr).toMatch(
      /^batches of 32 and 195 epochs for a small set: 390 updates, each atom used about /m,
    );
    expect(stderr).toContain("train: tested on 15 examples only: the test error is a rough guide\n");
    expect(stderr).not.toContain("a short run");
    expect(stdout).toMatch(/^windows\.npz: \d+ atoms of 16, test RMSE /);
  });

  it("that is seen once keeps its starting atoms, and the command reports it", async () => {
    const line = "train windows.npy --patch 16 --epochs 1 --first-steps paper --device cpu -o once.npz";
    const { stdout, stderr } = await works(folder, line);
    expect(stderr).toMatch(
      /^train: a short run: only 2 updates, each atom used about \d.*; 195 epochs would make/m,
    );
    expect(stderr).toMatch(
      /^train: the run ended worse than it began: .* before the first step; the starting atoms are kept$/m,
    );
    expect(stdout).toMatch(/test RMSE [^ ]+ \(the best, tested after 0 of 45 examples; [^ ]+ at the end\)/);
    expect((await loadModel(path("once.npz"))).meta.kept).toEqual({ step: 0, of: 2 });
    await works(folder, `${line.replace("once", "last")} --keep last`);
    expect((await loadModel(path("last.npz"))).meta).toMatchObject({ examplesSeen: 45 });
  });
});

describe("dictionaries that other learners learn", () => {
  it.each([
    ["odl", "--atoms 80"],
    ["ksvd", "--atoms 80 --epochs 2"],
    ["pca", ""],
    ["sedil", "--base odct:1.25 --epochs 4"],
  ])("%s: train, encode, decode, atoms, and train on", async (learner, flags) => {
    const file = `${learner}.npz`;
    await run(`train photos --patch 8 ${quick} --learner ${learner} ${flags} -o ${file}`);
    const model = await loadModel(path(file));
    expect(model.meta.learner).toBe(learner);
    expect(model.dictionary === undefined).toBe(learner === "sedil");
    expect(await run(`encode photos/0.png -d ${file} -o codes.npz --sparsity 12`)).toMatch(
      /^codes\.npz: \d+ codes/,
    );
    await run("decode codes.npz -d %s -o back.npy".replace("%s", file));
    const back = readNpy(readFileSync(path("back.npy")), "back.npy");
    const photo = await readImage(path("photos/0.png"));
    expect(back.shape).toEqual([...photo.shape]);
    const error = photo.data.reduce((sum, value, i) => sum + (value - Number(back.data[i])) ** 2, 0);
    const spread = photo.data.reduce((sum, value) => sum + (value - 128) ** 2, 0);
    expect(error).toBeLessThan(0.2 * spread);
    await run(`atoms ${file} -o atoms.png`);
    if (learner === "pca") return; // it cannot start from a dictionary
    await run(
      `train photos --patch 8 ${quick} --learner ${learner} --epochs 1 --start ${file} --force -o more.npz`,
    );
    expect((await loadModel(path("more.npz"))).A.cols).toBe(model.A.cols);
  });
});

describe("train", () => {
  it("starts explicit atoms from the base, or from a file", async () => {
    const odl = "train photos --patch 8 --examples 200 --epochs 1 --base odct:1 --learner odl";
    await run(`${odl} --init base -o base.npz`);
    const { meta } = await loadModel(path("base.npz"));
    expect(meta.options).toMatchObject({ init: "base" });
    await run(
      `train photos --patch 8 --examples 200 --epochs 1 --learner odl --init base.npz -o further.npz`,
    );
    expect((await loadModel(path("further.npz"))).A.cols).toBe(64);
  });

  it("writes a model that the library reads", async () => {
    const model = await loadModel(path("dict.npz"));
    expect(model.shape).toEqual([8, 8]);
    expect(model.base.name).toBe(trainDefaults.base);
    expect(model.meta).toMatchObject({ learner: "osdl", seed: 1, examplesSeen: 600, removeMean: true });
    expect(model.A.cols).toBe(256);
  });

  it("gives the same bytes for the same seed, whatever the threads, and others for another", async () => {
    await run(`train photos --patch 8 ${quick} --threads 1 -o again.npz`);
    await run(`train photos/0.png photos/1.png --patch 8x8 ${quick} --seed 2 -o other.npz`);
    const [first, again, other] = ["dict.npz", "again.npz", "other.npz"].map((name) =>
      readFileSync(path(name)),
    );
    expect(again.equals(first)).toBe(true);
    expect(other.equals(first)).toBe(false);
  });

  it("learns with any learner, and starts from a dictionary of another", async () => {
    await run(
      `train photos --patch 8 --examples 300 --epochs 2 --learner sparse-ksvd --keep last --force -o ksvd.npz`,
    );
    const started = "--examples 300 --epochs 1 --learner niht --step-decay 5 --keep last --start ksvd.npz";
    await run(`train photos --patch 8 ${started} -o niht.npz`);
    const [first, second] = [await loadModel(path("ksvd.npz")), await loadModel(path("niht.npz"))];
    expect(first.meta).toMatchObject({ learner: "sparse-ksvd", examplesSeen: 600 });
    expect(first.meta.options).not.toHaveProperty("momentum");
    expect(second.meta).toMatchObject({ learner: "niht", examplesSeen: 300, options: { stepDecay: 5 } });
    expect(second.A.cols).toBe(first.A.cols);
  });

  it("prints its result on standard output, its progress on standard error", async () => {
    const line = `train photos --patch 8 ${quick} --redundancy 1.5 --device reference --test flat.png --force -o x.npz`;
    const { stdout, stderr } = await works(folder, line);
    expect(stdout).toMatch(/^x\.npz: 384 atoms of 8x8, test RMSE 0, in \d:\d\d\n$/);
    expect(stderr).toContain("384 atoms of 16 non-zeros, patches coded with at most 2 atoms\n");
    expect(stderr).toContain("600 of 2,178 patches, 1 epoch, batches of 100, tested on 1,089\n");
    expect(stderr).toContain("computing on reference: ");
    expect(stderr).toMatch(
      /^100% {2}RMSE \d+\.\d+ {2}test RMSE 0 {2}[\d,]+ examples\/s {2}\d+ MiB {2}epoch 1 of 1$/m,
    );
  });

  it("reports as lines of JSON, the last with the test error", async () => {
    const lines = (await run(`train photos --patch 8 ${quick} --json --force -o x.npz`))
      .trimEnd()
      .split("\n");
    const reports = lines.map((line) => JSON.parse(line));
    expect(reports.map(({ examples }) => examples)).toEqual([0, 100, 200, 300, 400, 500, 600]);
    expect(reports[0]).toMatchObject({ rmse: null, testRmse: expect.any(Number) });
    expect(reports.at(-1)).toMatchObject({ epoch: 1, ended: "epochs", testRmse: expect.any(Number) });
  });

  it("skips what it cannot use, and names it", async () => {
    writePng(path("small.png"), 7, () => 1);
    const line = `train photos small.png --patch 8 ${quick} --force -o x.npz`;
    const { stderr } = await works(folder, line);
    expect(stderr).toContain("train: small.png: 7x7 is smaller than the patch 8x8, skipped\n");
    rmSync(path("small.png"));
  });

  it("reports that there was nothing to learn", async () => {
    expect(await run(`train flat.png --patch 8 ${quick} -o flat.npz`)).toMatch(
      /^flat\.npz: 256 atoms of 8x8, test RMSE 0 \(all patches are flat: there was nothing to learn\), in /,
    );
    const { A } = await loadModel(path("flat.npz"));
    expect(A.values.every(Number.isFinite)).toBe(true);
  });
});

describe("bases that are not separable", () => {
  it.each(["contourlet", "cropped-contourlet:4,4", "wavelet:db2:zero"])(
    "%s: learn, code and decode",
    async (base) => {
      const patch = base === "contourlet" ? "8" : "7x6";
      await run(`train photos --patch ${patch} --base ${base} ${quick} --force -o whole.npz`);
      await run("encode photos/0.png -d whole.npz -o whole-codes.npz --error 3");
      await run("decode whole-codes.npz -d whole.npz -o whole.npy");
      expect(rmse(readArray("whole.npy"), await readImage(path("photos/0.png")))).toBeLessThan(3);
      expect((await loadModel(path("whole.npz"))).base.name).toBe(base);
    },
  );

  it("a matrix in a file, with its columns scaled", async () => {
    writeArray(path("matrix.npy"), [16, 20], (i) => wave(3 * i));
    await run(`train photos --patch 4 --base matrix.npy ${quick} -o matrix.npz`);
    const { base } = await loadModel(path("matrix.npz"));
    expect([base.name, base.factors.length, base.factors[0].cols]).toEqual(["matrix.npy", 1, 20]);
    const column = Array.from({ length: 16 }, (_, r) => Math.fround(wave(3 * (20 * r + 5))));
    const norm = Math.hypot(...column);
    column.forEach((value, r) => expect(base.factors[0].at(r, 5)).toBeCloseTo(value / norm, 12));
  });
});

describe("atoms", () => {
  it("draws a picture of the size of the gallery", async () => {
    expect(await run("atoms dict.npz -o atoms.png --count 12 --columns 5 --sort use")).toBe(
      "atoms.png: 12 of 256 atoms of 8x8 by use\n",
    );
    const model = await loadModel(path("dict.npz"));
    const order = Array.from({ length: 12 }, (_, i) => i);
    const { width, height } = atomGallery(await model.atoms(), model.shape, { order, columns: 5 });
    expect((await readImage(path("atoms.png"))).shape).toEqual([height, width]);
  });
});

describe("encode and decode", () => {
  it("give an image back, as close as it was coded", async () => {
    await run("encode photos/0.png -d dict.npz -o codes.npz --error 3 --stride 5x8");
    expect(await run("decode codes.npz -d dict.npz -o back.npy")).toMatch(
      /^back\.npy: 1 signal of 40x40, RMSE [\d.]+ from what was encoded\n$/,
    );
    await run("decode codes.npz -d dict.npz -o back.png");
    const original = await readImage(path("photos/0.png"));
    expect(rmse(readArray("back.npy"), original)).toBeLessThan(3);
    expect(rmse(await readImage(path("back.png")), original)).toBeLessThan(3.3); // and rounded
  });

  it("give several signals back, coded as in training", async () => {
    expect(await run("encode pictures.npy -d dict.npz -o codes3.npz")).toMatch(
      /^codes3\.npz: 27 codes of 8x8 windows, 2\.0 atoms each on average, RMSE [\d.]+\n$/,
    );
    await run("decode codes3.npz -d dict.npz -o back3.npy");
    expect(readArray("back3.npy").shape).toEqual([3, 20, 24]);
  });

  it.each([
    ["1-D windows", "sounds.npy", "16", [2, 400]],
    ["3-D blocks", "volume.npy", "4x4x4", [12, 12, 12]],
  ])("work on %s", async (_, data, patch, shape) => {
    await run(`train ${data} --patch ${patch} --base odct:1.5 ${quick} -o ${data}.npz`);
    await run(`atoms ${data}.npz -o ${data}.png`);
    await run(`encode ${data} -d ${data}.npz -o ${data}.codes.npz --error 1`);
    await run(`decode ${data}.codes.npz -d ${data}.npz -o ${data}.back.npy`);
    const back = readArray(`${data}.back.npy`);
    expect(back.shape).toEqual(shape);
    expect(rmse(back, readArray(data))).toBeLessThan(1);
  });
});

describe("approximate", () => {
  it("compares dictionaries and bases in a table, and draws the curves", async () => {
    const line =
      "approximate photos -d dict.npz --base cropped:sym8 --base contourlet --count 200 --terms 1,4,2";
    const { stdout, stderr } = await works(folder, `${line} -o curves.png`);
    const [header, ...rows] = stdout.trimEnd().split("\n");
    expect(header).toMatch(/^PSNR \(dB\) with M terms {3}M = 1 {3}M = 2 {3}M = 4$/);
    expect(rows.map((row) => row.split(/\s/, 1)[0])).toEqual([
      "dict",
      "cropped:sym8",
      "contourlet",
      "curves.png:",
    ]);
    for (const row of rows.slice(0, -1)) {
      const values = row.match(/\d+\.\d\d/g)!.map(Number);
      expect(values).toEqual([...values].sort((a, b) => a - b));
    }
    expect(stdout).toMatch(/^curves\.png: plot of the curves; 200 patches of 8x8, in \d:\d\d$/m);
    expect(stderr).toMatch(/^ +\d+% {2}contourlet: {2}preparing/m);
    expect((await readImage(path("curves.png"))).shape).toEqual([1120, 1707]);
    await run(`${line} -o curves.svg`);
    expect(readFileSync(path("curves.svg"), "utf8")).toMatch(/^<svg .*cropped:sym8/s);
  });

  it("prints whole curves as JSON, of the same patches for the same seed", async () => {
    const line =
      "approximate sounds.npy --patch 16 --base odct:1 --base matrix16.npy --count 50 --terms 16 --json";
    writeArray(path("matrix16.npy"), [16, 16], (i) => (i % 17 === 0 ? 2 : 0));
    const { psnr, ...run1 } = JSON.parse(await run(line));
    expect(run1).toMatchObject({ patch: [16], patches: 50, terms: [16] });
    expect(psnr["odct:1"].length).toBe(17);
    expect(psnr["matrix16.npy"][0]).toBe(psnr["odct:1"][0]);
    expect(psnr["matrix16.npy"][16] ?? 999).toBeGreaterThan(100); // a basis
    expect(JSON.parse(await run(`${line} --threads 1`)).psnr).toEqual(psnr);
    expect(JSON.parse(await run(`${line} --seed 2`)).psnr).not.toEqual(psnr);
  });
});

describe("reproduce", () => {
  const small = "universal32 --quick --examples 200 --images photos/0.png --test photos/1.png";

  it("lists the experiments, one per line", async () => {
    const lines = (await run("reproduce")).trimEnd().split("\n");
    expect(lines.map((line) => line.split(/\s+/, 1)[0])).toEqual(experiments.map(({ name }) => name));
    expect(lines.every((line) => line.length <= 80)).toBe(true);
  });

  it("runs one: a table, the claims, and a page with its figures", async () => {
    const { stdout, stderr } = await works(folder, `reproduce ${small} -o figures`);
    expect(stdout).toMatch(/^PSNR \(dB\) with M terms {3}M = 10 {3}M = 20 {3}M = 40 {3}M = 60$/m);
    for (const label of ["wavelets", "separable wavelets", "cropped wavelets", "trainlets \\(OSDL\\)"])
      expect(stdout).toMatch(new RegExp(`^${label}( +\\d\\d\\.\\d\\d){4}$`, "m"));
    expect(stdout).toMatch(/^(holds|does not hold): trainlets \(OSDL\) has the highest PSNR/m);
    expect(stdout).toMatch(/^done in \d:\d\d; open figures\/index\.html$/m);
    expect(stderr).toContain("3,136 atoms of 100 non-zeros, patches coded with at most 20 atoms\n");
    const page = readFileSync(path("figures/index.html"), "utf8");
    for (const [, src] of page.matchAll(/<img src="([^"]+)"/g)) await readImage(path(`figures/${src}`));
    await readImage(path("figures/figure-11a-m-term.png"));
    expect((await loadModel(path("figures/dictionary.npz"))).A.cols).toBe(3136);
  });

  it("draws a figure that needs no data", async () => {
    expect(await run("reproduce fig2 --quick -o figure2")).toMatch(
      /^holds: around the jump, the error of cropped wavelets is no larger/m,
    );
    await readImage(path("figure2/figure-2-error-by-sample.png"));
    expect(readFileSync(path("figure2/index.html"), "utf8")).toContain("<svg");
  });

  it("prints everything as lines of JSON", async () => {
    const lines = (await run(`reproduce ${small} --json -o figures`)).trimEnd().split("\n");
    const last = JSON.parse(lines.at(-1)!);
    const others = lines.map((line) => JSON.parse(line)).filter(({ stage }) => stage === undefined);
    expect(others.length).toBeLessThan(lines.length); // stages are printed as well
    expect(others[0]).toMatchObject({ examples: 0 });
    expect(last).toMatchObject({ experiment: "universal32", terms: [10, 20, 40, 60] });
    expect(last.psnr["cropped wavelets"].length).toBe(61);
    expect(last.files).toContain("figure-11a-m-term.csv");
  });
});

describe("help", () => {
  it.each([
    "",
    "train",
    "report",
    "atoms",
    "encode",
    "decode",
    "approximate",
    "compress",
    "decompress",
    "denoise",
    "inpaint",
    "devices",
    "demo",
    "studio",
    "reproduce",
  ])("fits into 80 columns: %s", async (name) => {
    const help = await run(`${name} --help`);
    expect(help).toMatch(/^Usage: trainlets/);
    expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("shows the defaults of the library", async () => {
    const help = (await run("train --help")).replaceAll(/\s+/g, " ");
    for (const name of ["base", "batch", "epochs", "examples", "momentum", "seed", "holdout"] as const)
      expect(help).toMatch(new RegExp(`--${name} (?:(?! --).)*\\(default: ${trainDefaults[name]}[;)]`));
    expect(help).toContain(
      "(default: 1; small sets: more; niht-batch, sparse-ksvd and ksvd: 10; pca: 1; sedil: 100)",
    );
    expect(help).toContain(`where to compute: ${deviceNames.join(", ")} (default: auto)`);
  });

  it("shows the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(await run("--version")).toBe(`${version}\n`);
  });
});

describe("devices", () => {
  it("lists them, best first, and marks the one of auto", async () => {
    const rows = (await run("devices"))
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/\s+/, 2));
    expect(rows.map(([name]) => name)).toEqual(deviceNames.slice(1));
    expect(rows.filter(([, state]) => state === "auto").length).toBe(1);
    expect(rows.at(-1)).toEqual(["reference", expect.stringMatching(/^(yes|auto)$/)]);
  });
});

function readArray(name: string): Signal {
  const array = readNpy(readFileSync(path(name)), name);
  return { name, shape: array.shape, data: toFloat32(array, name) };
}

function rmse(a: Signal, b: Signal): number {
  expect(a.data.length).toBe(b.data.length);
  return Math.sqrt(a.data.reduce((sum, value, i) => sum + (value - b.data[i]) ** 2, 0) / a.data.length);
}
