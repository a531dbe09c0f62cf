/**
 * What the command line rejects: one line on standard error, the exit code, and
 * nothing left behind. `OUT` stands for an output in an empty folder of the case.
 */

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeNpy } from "../src/data/formats/npy.js";
import { writeNpz } from "../src/data/formats/npz.js";
import { trainlets, works } from "./cliHere.js";
import { wave, writeArray, writePhotos, writePng } from "./cliProcess.js";

let folder: string;
let before: string[];
const path = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-refusals-"));
  writePhotos(folder);
  for (const name of ["empty", "out"]) mkdirSync(path(name));
  writePng(path("small.png"), 7, () => 1);
  writePng(path("one.png"), 8, wave);
  writeFileSync(path("empty.png"), "");
  writeFileSync(path("text.png"), "no picture");
  writeArray(path("nan.npy"), [2, 100], (i) => (i === 105 ? Number.NaN : i));
  writeArray(path("inf.npy"), [100], (i) => (i === 7 ? -Infinity : i));
  writeArray(path("none.npy"), [0, 9], wave);
  writeArray(path("sound.npy"), [100], wave);
  writeArray(path("matrix.npy"), [9, 12], wave);
  writeFileSync(path("numpy.npz"), writeNpz([["a", makeNpy([1], Float32Array.of(1))]]));
  await works(folder, "train photos --patch 8 --examples 64 --epochs 1 --keep last -o dict.npz");
  await works(folder, "train photos --patch 8 --examples 64 --epochs 1 --atoms 100 -o dict100.npz");
  await works(folder, "train photos --patch 16x4 --examples 64 --epochs 1 -o dict16x4.npz");
  await works(folder, "encode photos -d dict.npz -o codes.npz");
  writeFileSync(path("cut.npz"), readFileSync(path("dict.npz")).subarray(0, 4000));
  const damaged = readFileSync(path("dict.npz"));
  damaged[2000] ^= 0xff;
  writeFileSync(path("damaged.npz"), damaged);
  before = readdirSync(folder);
});

afterAll(() => {
  expect(readdirSync(folder)).toEqual(before);
  rmSync(folder, { recursive: true });
});

/** A table of command lines and the error that each must print. */
function refuses(title: string, cases: readonly (readonly [line: string, stderr: string])[], exit = 2): void {
  describe.concurrent(title, () => {
    it.each(cases)("%s", async (line, stderr) => {
      const out = mkdtempSync(path("out/"));
      const name = `${out.slice(folder.length + 1)}/new`;
      const outcome = await trainlets(folder, line.replaceAll("OUT", name));
      expect(outcome).toEqual({ code: exit, stdout: "", stderr: `${stderr.replaceAll("OUT", name)}\n` });
      expect(readdirSync(out)).toEqual([]);
    });
  });
}

/** A line that works without what is added. */
const train = (more: string): string => `train photos --patch 8 -o OUT.npz ${more}`;

refuses("the command", [
  ["frobnicate", "trainlets: unknown command 'frobnicate'"],
  ["trian photos", "trainlets: unknown command 'trian' (Did you mean train?)"],
  ["--frob", "trainlets: unknown option '--frob'"],
  [train("--sparsty 3"), "train: unknown option '--sparsty' (Did you mean --sparsity?)"],
  ["train photos --patch 8", "train: required option '-o, --output <file>' not specified"],
  ["train photos -o OUT.npz", "train: required option '--patch <sizes>' not specified"],
  ["train --patch 8 -o OUT.npz", "train: missing required argument 'data'"],
  [train("--seed"), "train: option '--seed <n>' argument missing"],
  ["devices all", "devices: too many arguments for 'devices'. Expected 0 arguments but got 1."],
  ["demo -o text.png", "demo: --output must be a folder, got the file text.png"],
]);

const sparsity = "train: --sparsity must be an integer from 1 to 256, got";
const atomSparsity = "train: --atom-sparsity must be an integer from 1 to 256, got";
const patch = "train: --patch must be sizes joined by x, such as 32, 32x24 or 16x16x8, got";

refuses("options of train", [
  [train("--sparsity 0"), `${sparsity} 0`],
  [train("--sparsity -4"), `${sparsity} -4`],
  [train("--sparsity 2.5"), `${sparsity} 2.5`],
  [train("--sparsity 257"), `${sparsity} 257`],
  [train("--sparsity four"), `${sparsity} "four"`],
  [train("--sparsity ''"), `${sparsity} ""`],
  [train("--sparsity 11 --atoms 10"), "train: --sparsity must be an integer from 1 to 10, got 11"],
  [train("--atom-sparsity 0"), `${atomSparsity} 0`],
  [train("--atom-sparsity 257"), `${atomSparsity} 257`],
  [train("--atom-sparsity few"), `${atomSparsity} "few"`],
  [train("--atom-sparsity 1000%"), `${atomSparsity} 640`],
  [train("--atom-sparsity 0%"), 'train: --atom-sparsity must be a number, or a percentage above 0, got "0%"'],
  [
    train("--atoms 100M --device reference"),
    "train: the run needs 265.9 GiB (momentum 95.4, gradient 95.4, atom care 63.3, atoms 11.9), but the device holds at most 64.0 GiB",
  ],
  [
    train("--redundancy 1e300"),
    "train: --redundancy must give a number of atoms that can be counted, got 1e+300",
  ],
  [train("--error -1"), "train: --error must be a number of at least 0, got -1"],
  [
    train("--base cropped:sym99"),
    'train: unknown wavelet "sym99"; known: haar, db1…db20, sym2…sym20, coif1…coif5, bior1.1…bior6.8, rbio1.1…rbio6.8, dmey',
  ],
  [
    train("--base fourier"),
    'train: unknown base "fourier"; known: cropped:WAVELET, separable:WAVELET, wavelet:WAVELET[:BORDER], contourlet[:DIRECTIONS], cropped-contourlet[:DIRECTIONS], odct:REDUNDANCY, identity',
  ],
  [
    train("--base contourlet:4,8,8,8"),
    "train: contourlets of 4,8,8,8 directions need sizes divisible by 16, got 8x8; cropped contourlets take any",
  ],
  [train("--base wavelet:haar:up"), 'train: unknown border "up"; known: periodic, symmetric, zero'],
  [train("--base nowhere.npy"), "train: nowhere.npy: cannot be read (no such file)"],
  [train("--base sound.npy"), "train: base sound.npy must be a matrix of 2 axes, got shape (100)"],
  [
    train("--base matrix.npy"),
    "train: matrix.npy must have 64 rows for patches of 8x8 and one column per atom, got 9x12",
  ],
  [train("--base odct:x"), 'train: redundancy of odct must be a number above 0, at most 64, got "x"'],
  [train("--atoms 5 --redundancy 2"), "train: --atoms and --redundancy must not both be given"],
  [train("--atoms 0"), "train: --atoms must be an integer of at least 1, got 0"],
  [train("--redundancy -1"), "train: --redundancy must be a number above 0, got -1"],
  [train("--momentum 1"), "train: --momentum must be a number of at least 0 and below 1, got 1"],
  [train("--seed -1"), "train: --seed must be an integer of at least 0, got -1"],
  [train("--batch 0"), "train: --batch must be an integer of at least 1, got 0"],
  [train("--examples 0"), "train: --examples must be an integer of at least 1, got 0"],
  [train("--epochs 0"), "train: --epochs must be an integer of at least 1, got 0"],
  [train("--holdout -1"), "train: --holdout must be an integer of at least 0, got -1"],
  [train("--minutes 0"), "train: --minutes must be a number above 0, got 0"],
  [train("--atom-care 0"), "train: --atom-care must be an integer of at least 1, got 0"],
  [
    train("--learner pca --atoms 65"),
    "train: --atoms must be at most 64 for pca, the number of samples in a patch, got 65",
  ],
  [
    train("--learner sedil --atoms 65"),
    "train: --atoms must be 256 for sedil, the number of base atoms, got 65",
  ],
  [
    train("--learner odl --atom-sparsity 5"),
    "train: --atom-sparsity must not be given: the learner odl does not use it",
  ],
  [
    train("--learner magic"),
    'train: unknown learner "magic"; known: osdl, niht, niht-batch, sparse-ksvd, sparse-odl, odl, ksvd, pca, sedil',
  ],
  [
    train("--learner niht --momentum 0.5"),
    "train: --momentum must not be given: the learner niht does not use it",
  ],
  [
    train("--learner sparse-ksvd --step-decay 5"),
    "train: --step-decay must not be given: the learner sparse-ksvd does not use it",
  ],
  [train("--learner niht --step-decay 0"), "train: --step-decay must be a number above 0, got 0"],
  [
    train("--start dict.npz --base odct:2"),
    "train: --base must not be given with --start, which has its own",
  ],
  [train("--learner odl --init both"), 'train: --init must be base or examples for odl, got "both"'],
  [train("--first-steps long"), 'train: --first-steps must be paper or short, got "long"'],
  [train("--learner niht --init base"), "train: --init must not be given: the learner niht does not use it"],
  [
    train("--learner odl --init base --start dict.npz"),
    "train: --init must not be given with --start, which has its own",
  ],
  [
    train("--learner odl --init dict.npz --start dict.npz"),
    "train: --init FILE and --start must not both be given",
  ],
  [train("--learner odl --average"), "train: --average must not be given: the learner odl does not use it"],
  [
    train("--learner odl --refine-base"),
    "train: --refine-base must not be given: the learner odl does not use it",
  ],
  [
    train("--base contourlet --refine-base"),
    'train: --base must have a factor for each axis to be refined, got "contourlet"',
  ],
  [train("--average --refine-base"), "train: --average and --refine-base must not both be given"],
  ["train photos --patch 6 --start dict.npz -o OUT.npz", "train: --start must have shape 6x6, got 8x8"],
  [
    train("--start dict.npz --atom-sparsity 1"),
    "train: --atom-sparsity must be an integer from 16 to 256, got 1",
  ],
  [train("--start codes.npz"), "train: codes.npz: not a trainlets model"],
  [train("--device abacus"), 'train: unknown device "abacus"; known: auto, gpu, cpu, reference'],
  [train("--threads 0"), "train: --threads must be an integer from 1 to 256, got 0"],
  [train("--resume"), "train: --resume needs --checkpoint"],
  [train("--checkpoint-every 5"), "train: --checkpoint-every needs --checkpoint"],
  [train("--checkpoint-steps 5"), "train: --checkpoint-steps needs --checkpoint"],
  [train("--checkpoint ''"), 'train: --checkpoint must be a folder, got ""'],
  [
    train("--checkpoint OUT --checkpoint-every 0"),
    "train: --checkpoint-every must be a number above 0, got 0",
  ],
  [
    train("--checkpoint OUT --checkpoint-steps 0.5"),
    "train: --checkpoint-steps must be an integer of at least 1, got 0.5",
  ],
  ["train photos --patch 0x3 -o OUT.npz", `${patch} "0x3"`],
  ["train photos --patch axb -o OUT.npz", `${patch} "axb"`],
  ["train photos --patch '' -o OUT.npz", `${patch} ""`],
]);

refuses("approximate", [
  ["approximate photos", "approximate: needs at least one dictionary (-d) or base (--base)"],
  ["approximate photos --base haar", "approximate: --patch must be given if there is no dictionary"],
  [
    "approximate photos -d dict.npz -d dict16x4.npz",
    "approximate: dict16x4.npz must have the same patch as dict.npz, 8x8, got 16x4",
  ],
  [
    "approximate photos -d dict16x4.npz --patch 8",
    "approximate: dict16x4.npz must have the patch given by --patch, 8x8, got 16x4",
  ],
  [
    "approximate sound.npy -d dict.npz",
    "approximate: sound.npy has 1 axis (100): a patch of 8x8 needs 2 axes (one signal) or 3 (the first counts signals)",
  ],
  ["approximate small.png -d dict.npz", "approximate: small.png: 7x7 is smaller than the patch 8x8"],
  [
    "approximate photos -d dict.npz --terms 10,65",
    "approximate: --terms must be an integer from 1 to 64, got 65",
  ],
  [
    "approximate photos -d dict.npz --terms few",
    'approximate: --terms must be an integer from 1 to 64, got "few"',
  ],
  [
    "approximate photos -d dict.npz --count 0",
    "approximate: --count must be an integer of at least 1, got 0",
  ],
  ["approximate photos -d dict.npz --peak 0", "approximate: --peak must be a number above 0, got 0"],
  [
    "approximate photos -d dict.npz -o OUT.pdf",
    'approximate: --output must end in .svg or .png, got "OUT.pdf"',
  ],
  [
    "approximate photos --patch 8 --base wavelet:sym99",
    'approximate: unknown wavelet "sym99"; known: haar, db1…db20, sym2…sym20, coif1…coif5, bior1.1…bior6.8, rbio1.1…rbio6.8, dmey',
  ],
]);

refuses("data of train", [
  ["train nowhere --patch 8 -o OUT.npz", "train: no such file or folder: nowhere"],
  ["train empty --patch 8 -o OUT.npz", "train: no images, arrays or sounds in folder empty"],
  ["train photos/*.tif --patch 8 -o OUT.npz", "train: no images, arrays or sounds match photos/*.tif"],
  ["train empty.png --patch 8 -o OUT.npz", "train: empty.png: cannot be read as an image (empty file)"],
  [
    "train text.png --patch 8 -o OUT.npz",
    "train: text.png: cannot be read as an image (unsupported image format)",
  ],
  ["train small.png --patch 8 -o OUT.npz", "train: small.png: 7x7 is smaller than the patch 8x8"],
  [
    "train small.png empty.png --patch 8 -o OUT.npz",
    "train: small.png: 7x7 is smaller than the patch 8x8, skipped\n" +
      "train: empty.png: cannot be read as an image (empty file), skipped\n" +
      "train: nothing to read: no input is large enough for a patch of 8x8",
  ],
  [
    "train nan.npy --patch 8 -o OUT.npz",
    "train: nan.npy[1]: samples must be finite, got NaN at [5]; if it marks missing samples, name it by --nodata",
  ],
  [
    "train inf.npy --patch 8 -o OUT.npz",
    "train: inf.npy: samples must be finite, got -Infinity at [7]; if it marks missing samples, name it by --nodata",
  ],
  ["train none.npy --patch 8 -o OUT.npz", "train: none.npy: 0x9 holds no samples"],
  [
    "train sound.npy --patch 8x8 -o OUT.npz",
    "train: sound.npy has 1 axis (100): a patch of 8x8 needs 2 axes (one signal) or 3 (the first counts signals)",
  ],
  [
    "train photos --patch 8x8x8 -o OUT.npz",
    "train: photos/0.png is an image: the patch must have 2 axes, or 3 channels as in 8x8x3, got 8x8x8",
  ],
  [train("--test nowhere"), "train: no such file or folder: nowhere"],
  [train("--test small.png"), "train: small.png: 7x7 is smaller than the patch 8x8"],
]);

refuses("outputs", [
  ["train photos --patch 8 -o nowhere/x.npz", "train: nowhere/x.npz cannot be written (no such folder)"],
  ["train photos --patch 8 -o empty", "train: empty cannot be written (it is a folder)"],
  ["train photos --patch 8 -o ''", 'train: --output must end in .npz, got ""'],
  ["train photos --patch 8 -o OUT.mat", 'train: --output must end in .npz, got "OUT.mat"'],
  ["atoms dict.npz -o OUT.jpg", 'atoms: --output must end in .png, got "OUT.jpg"'],
  ["decode codes.npz -d dict.npz -o OUT.jpg", 'decode: --output must end in .npy or .png, got "OUT.jpg"'],
  ["encode photos -d dict.npz -o dict.npz", "encode: --output must not be an input, got dict.npz"],
]);

refuses("files of others, or damaged", [
  ["atoms nowhere.npz -o OUT.png", "atoms: nowhere.npz: cannot be read (no such file)"],
  ["atoms cut.npz -o OUT.png", "atoms: cut.npz: truncated: its directory is missing"],
  [
    "encode photos -d text.png -o OUT.npz",
    "encode: text.png is not a dictionary: give a dictionary of train (.npz), or a matrix with one atom per column (.npy, .mat, .safetensors)",
  ],
  ["encode photos -d numpy.npz -o OUT.npz", "encode: numpy.npz: not a trainlets model: it has no meta"],
  ["encode photos -d codes.npz -o OUT.npz", "encode: codes.npz: not a trainlets model"],
  ["decode dict.npz -d dict.npz -o OUT.npy", "decode: dict.npz: not trainlets codes"],
]);

refuses("dictionaries, data and codes that do not fit", [
  ["atoms dict.npz -o OUT.png --count 0", "atoms: --count must be an integer of at least 1, got 0"],
  ["atoms dict.npz -o OUT.png --columns -1", "atoms: --columns must be an integer of at least 1, got -1"],
  ["atoms dict.npz -o OUT.png --sort size", 'atoms: unknown order "size"; known: entropy, variance, use'],
  ["encode small.png -d dict.npz -o OUT.npz", "encode: small.png: 7x7 is smaller than the patch 8x8"],
  [
    "encode sound.npy -d dict.npz -o OUT.npz",
    "encode: sound.npy has 1 axis (100): a patch of 8x8 needs 2 axes (one signal) or 3 (the first counts signals)",
  ],
  [
    "encode photos -d dict.npz -o OUT.npz --sparsity 0",
    "encode: --sparsity must be an integer from 1 to 256, got 0",
  ],
  [
    "encode photos -d dict.npz -o OUT.npz --stride 9",
    "encode: --stride must be steps of at most 8x8, the patch, got 9",
  ],
  [
    "decode codes.npz -d dict100.npz -o OUT.npy",
    "decode: the codes use a dictionary of 256 atoms, but dict100.npz has 100",
  ],
  [
    "decode codes.npz -d dict16x4.npz -o OUT.npy",
    "decode: the codes are of 8x8 windows, the dictionary of 16x4",
  ],
  [
    "decode codes.npz -d dict.npz -o OUT.png",
    "decode: a .png holds one picture; write several signals, or signals that are not pictures, to a .npy",
  ],
]);

const reproduce = (more: string): string => `reproduce universal32 --quick -o OUT ${more}`;

refuses("experiments", [
  [
    "reproduce fig99 -o OUT",
    'reproduce: unknown experiment "fig99"; known: fig1, fig2, fig3, fig4, complexity, remarks, fig5, fig6, fig7, fig8, fig11, universal32, universal64, all',
  ],
  ["reproduce fig2 --data photos -o OUT", "reproduce: --data is not an option of fig2"],
  ["reproduce fig2 --only fig3 -o OUT", "reproduce: --only is not an option of fig2"],
  ["reproduce all --images photos -o OUT", "reproduce: --images is not an option of all"],
  ["reproduce all --seed 2 -o OUT", "reproduce: --seed is not an option of all"],
  ["reproduce all --data nowhere -o OUT", "reproduce: --data must be a folder, got nowhere"],
  [
    "reproduce all --data photos -o OUT",
    "reproduce: --data must have lena.png, photos/train, photos/test, denoise or faces in it, got photos",
  ],
  ["reproduce fig2 --images photos -o OUT", "reproduce: --images is not an option of fig2, which needs none"],
  [
    "reproduce fig4 --test photos -o OUT",
    "reproduce: --test is not an option of fig4: it takes no separate test images",
  ],
  ["reproduce fig4 --epochs 2 -o OUT", "reproduce: --epochs is not an option of fig4"],
  ["reproduce fig2 --examples 0 -o OUT", "reproduce: --examples must be an integer of at least 1, got 0"],
  ["reproduce fig1 --seed -1 -o OUT", "reproduce: --seed must be an integer of at least 0, got -1"],
  [reproduce("--examples 0"), "reproduce: --examples must be an integer of at least 1, got 0"],
  [reproduce("--examples many"), 'reproduce: --examples must be an integer of at least 1, got "many"'],
  [reproduce("--epochs 1.5"), "reproduce: --epochs must be an integer of at least 1, got 1.5"],
  [reproduce("--batch 0"), "reproduce: --batch must be an integer of at least 1, got 0"],
  [reproduce("--seed -1"), "reproduce: --seed must be an integer of at least 0, got -1"],
  [reproduce("--threads 0"), "reproduce: --threads must be an integer from 1 to 256, got 0"],
  [reproduce("--images nowhere"), "reproduce: no such file or folder: nowhere"],
  [reproduce("--test empty"), "reproduce: no images, arrays or sounds in folder empty"],
  [reproduce("--images small.png"), "reproduce: small.png: 7x7 is smaller than the patch 32x32"],
  [
    reproduce("--images photos/0.png"),
    "reproduce: --images must be at least two unless --test is given, got 1",
  ],
  [
    reproduce("--images photos --test photos/1.png"),
    "reproduce: --test must be images that are not learned from, got photos/1.png in both",
  ],
  [
    "reproduce universal32 --quick --images photos -o text.png",
    "reproduce: --output must be a folder, got the file text.png",
  ],
  [
    "reproduce universal32 more",
    "reproduce: too many arguments for 'reproduce'. Expected 1 argument but got 2.",
  ],
]);

it("names a damaged dictionary", async () => {
  const { code, stderr } = await trainlets(folder, "atoms damaged.npz -o out/x.png");
  expect({ code, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 2, lines: 1 });
  expect(stderr).toMatch(/^atoms: damaged\.npz/);
});

describe.skipIf(process.platform !== "linux")("a full disk, which Linux has at /dev/full", () => {
  it("is a failure, not a mistake of the user", async () => {
    const { code, stderr } = await trainlets(
      folder,
      "train one.png --patch 8 --holdout 0 --atoms 4 -o /dev/full",
    );
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe(
      "train: /dev/full: cannot be written (no space left on the disk)",
    );
  });
});

it.skipIf(process.getuid?.() === 0)("rejects a folder without permission (root has all)", async () => {
  chmodSync(path("empty"), 0o500);
  const { code, stderr } = await trainlets(folder, "atoms dict.npz -o empty/x.png");
  chmodSync(path("empty"), 0o700);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "atoms: empty/x.png cannot be written (permission denied)\n",
  });
});
