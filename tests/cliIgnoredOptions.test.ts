/** Options that would have no effect are refused, each in one line that names them as they were typed. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadModel } from "../src/model/node/files.js";
import { rejects, trainlets, works } from "./cliHere.js";
import { wave, writeArray, writePhotos, writePng } from "./cliProcess.js";

let folder: string;
const path = (name: string): string => join(folder, name);

const quick = "--patch 8 --examples 200 --epochs 1 --device reference --force";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-ignored-"));
  writePhotos(folder);
  mkdirSync(path("runs"));
  writePng(path("large.png"), 64, wave);
  writeArray(path("h.npy"), [64, 64], wave);
  writeArray(path("nan.npy"), [20, 20], () => Number.NaN);
  await works(folder, `train photos ${quick} -o dict.npz`);
});

afterAll(() => rmSync(folder, { recursive: true }));

function refuses(title: string, cases: readonly (readonly [line: string, message: string])[]): void {
  it.each(cases)(`${title}: %s`, async (line, message) => {
    const before = readdirSync(folder);
    expect(await rejects(folder, line)).toBe(message);
    expect(readdirSync(folder)).toEqual(before);
  });
}

const train = (more: string): string => `train photos --patch 8 -o new.npz ${more}`;

describe("train", () => {
  refuses("tests of nothing", [
    [train("--test large.png --holdout 0"), "train: --holdout must be at least 1 with --test, got 0"],
    [
      train("--test large.png --holdout 0 --patience 1"),
      "train: --holdout must be at least 1 with --test, got 0",
    ],
    [train("--holdout 0 --patience 1"), "train: --holdout must be at least 1 with --patience, got 0"],
    [train("--holdout 0 --test-every 50"), "train: --holdout must be at least 1 with --test-every, got 0"],
    [train("--holdout 0 --keep best"), "train: --holdout must be at least 1 with --keep best, got 0"],
    [
      "train large.png --patch 64 --base identity --patience 1 -o new.npz",
      "train: --patience needs a test set, but the data are too few to hold any out: give test data by --test",
    ],
    [
      train("--test nan.npy --nodata nan"),
      "train: --test must have a window of 8x8 without missing samples, got none",
    ],
    [
      "train nan.npy --patch 8x8 --nodata nan -o new.npz",
      "train: the data must have a window of 8x8 without missing samples, got 0 in all",
    ],
  ]);

  it("holds nothing out where nothing asks for a test, in a dry run as well", async () => {
    for (const more of ["", "--keep last", "--dry-run"]) {
      const { stdout } = await works(folder, `train photos ${quick} --holdout 0 ${more} -o none.npz`);
      expect(stdout).not.toContain("test RMSE");
    }
  });

  refuses("atom care", [
    [
      train("--learner pca --atom-care 5"),
      "train: --atom-care must not be given: the learner pca does not use it",
    ],
    [
      train("--learner sedil --atom-care 5"),
      "train: --atom-care must not be given: the learner sedil does not use it",
    ],
    [train("--atom-care 5 --no-atom-care"), "train: --atom-care and --no-atom-care must not both be given"],
    [train("--no-atom-care --atom-care 5"), "train: --atom-care and --no-atom-care must not both be given"],
  ]);

  it("takes --no-atom-care, also twice, and of learners that have no atom care", async () => {
    await works(folder, `train photos ${quick} --no-atom-care --no-atom-care -o care.npz`);
    expect((await loadModel(path("care.npz"))).meta.options).toMatchObject({ atomCare: null });
    await works(folder, `train photos ${quick} --learner pca --no-atom-care -o care.npz`);
  });

  refuses("a base or a number of atoms that the learner cannot use", [
    [
      "train large.png --patch 64 --learner sedil -o new.npz",
      "train: --base cropped:sym8 has two equal atoms for an axis of 64 samples, which sedil cannot use; odct:2 has none",
    ],
    [
      train("--learner pca --redundancy 0.5"),
      "train: --redundancy: the number of atoms must be at most 64 for pca, the number of samples in a patch, got 128",
    ],
  ]);

  refuses("a file to start from, by the option that names it", [
    [
      train("--learner pca --init dict.npz"),
      "train: --init must not be given: the learner pca does not use it",
    ],
    [
      train("--learner pca --start dict.npz"),
      "train: --start must not be given: the learner pca does not use it",
    ],
    [
      train("--init dict.npz --base odct:2"),
      "train: --base must not be given with --init FILE, which has its own",
    ],
    ["train photos --patch 6 --init dict.npz -o new.npz", "train: --init must have shape 6x6, got 8x8"],
  ]);

  refuses("a patch larger than the data, however large", [
    ["train h.npy --patch 70 -o new.npz", "train: h.npy: 64 is smaller than the patch 70"],
    ["train h.npy --patch 1000000 -o new.npz", "train: h.npy: 64 is smaller than the patch 1000000"],
    [
      "train large.png --patch 40000 -o new.npz",
      "train: large.png: 64x64 is smaller than the patch 40000x40000",
    ],
    [
      "train photos --patch 40000 -o new.npz",
      "train: nothing to read: no input is large enough for a patch of 40000x40000",
    ],
    [
      "approximate h.npy --base odct:2 --patch 1000000",
      "approximate: h.npy: 64 is smaller than the patch 1000000",
    ],
  ]);

  it("names a switch that differs from a checkpoint by what it turns off", async () => {
    const line = (folderName: string, more: string) =>
      `train photos ${quick} --checkpoint runs/${folderName} -o resumed.npz ${more}`;
    await works(folder, line("usual", ""));
    await works(folder, line("without", "--no-remove-mean --no-atom-care"));
    expect(await rejects(folder, line("usual", "--resume --no-remove-mean"))).toBe(
      "train: --resume: --no-remove-mean must be left out, as in the checkpoint",
    );
    expect(await rejects(folder, line("without", "--resume --no-atom-care"))).toBe(
      "train: --resume: --no-remove-mean must be given, as in the checkpoint",
    );
    expect(await rejects(folder, line("without", "--resume --no-remove-mean"))).toBe(
      "train: --resume: --atom-care must be turned off, as in the checkpoint, got 25",
    );
  });

  it("reports that --average had no effect, and does not record it", async () => {
    const averaged = `train photos ${quick} --epochs 3 --keep last --average -o averaged.npz`;
    const note = "train: no mean of the atoms was taken: the run ended early\n";
    const early = await works(folder, `${averaged} --minutes 0.00001`);
    expect(early.stderr).toContain(note);
    expect((await loadModel(path("averaged.npz"))).meta.options).not.toHaveProperty("average");
    const whole = await works(folder, averaged);
    expect(whole.stderr).not.toContain("mean of the atoms");
    expect((await loadModel(path("averaged.npz"))).meta.options).toMatchObject({ average: true });
  });
});

describe("prune", () => {
  refuses(
    "options about data, without any",
    ["--count 5", "--seed 2", "--signals rows", "--raw float32:8x8", "--device cpu", "--threads 1"].map(
      (more) => [`prune dict.npz -o less.npz ${more}`, `prune: ${more.split(" ")[0]} needs --on`],
    ),
  );

  it("works without them, and with them on data", async () => {
    expect((await trainlets(folder, "prune dict.npz -o less.npz")).code).toBe(0);
    await works(folder, "prune dict.npz -o least.npz --on photos --count 50 --seed 2 --device reference");
  });
});
