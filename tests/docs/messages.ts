/**
 * Commands that end with a message, and what to do about it: the table of docs/reference/messages.md. The
 * messages are what the commands print.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeNpy, writeNpy } from "../../src/data/formats/npy.js";
import { CheckpointFolder } from "../../src/learn/checkpoints/node/checkpointFolder.js";
import { trainlets } from "../cliHere.js";
import { trainlets as ownProcess, words } from "../cliProcess.js";
import { writeFixture } from "./fixture.js";
import { table } from "./regions.js";

/**
 * A command line without `trainlets`, and what to do about the last line it prints; or about the line that
 * matches, where the command succeeds.
 */
type Row = readonly [line: string, advice: string, pattern?: RegExp];

/** A training that would work but for what is added. */
const train = (more: string): string =>
  `train photos --patch 8 --examples 64 --epochs 1 --device cpu --force -o made.npz ${more}`;

const sections: Readonly<Record<string, readonly Row[]>> = {
  Options: [
    ["train photos -o d.npz", "give the shape of a patch: there is no default"],
    [train("--sparsty 3"), "check the spelling; `--help` lists all options"],
    ["train photos --patch-size 8 -o d.npz", "the same; it is named before options that are missing"],
    [
      train("--sparsity 0"),
      "every option states its range like this; the upper end here is the number of atoms",
    ],
    [train("--atoms 100 --redundancy 2"), "they say the same thing: keep one"],
    [train("--learner niht --momentum 0.5"), "leave it out, or choose another `--learner`"],
    [train("--learner pca --atoms 65"), "there are no more principal components than samples"],
    [
      train("--learner sedil --atoms 65"),
      "choose another `--base`: its factors are what `sedil` starts from",
    ],
    [
      train("--start dictionary.npz --base odct:2"),
      "the same for `--atoms` and `--redundancy`: a model to start from has its own",
    ],
    [
      train("--start dictionary.npz --learner sedil"),
      "`sedil` learns the factors of a base alone: start from a dictionary of its own, or give the base of this one by `--base`",
    ],
    [
      "train photo.png --patch 48 --learner sedil -o d.npz",
      "give the base that it names: two atoms of this one are equal",
    ],
    [
      train("--test photo.png --holdout 0"),
      "with `--test`, `--holdout` is the number of patches to test on: leave it out, or give a larger one",
    ],
    [
      train("--holdout 0 --patience 1"),
      "there is nothing to test on without held-out patches: leave one of the two out; the same for `--test-every` and `--keep best`",
    ],
    [train("--learner pca --atom-care 5"), "leave it out: `pca` and `sedil` have no atom care"],
    [
      "prune dictionary.npz -o p.npz --count 100",
      "without `--on`, no data are read; the same for `--seed`, `--signals`, `--raw`, `--device` and `--threads`",
    ],
    [
      train("--base cropped:sym9x"),
      "use one of the names listed; unknown bases, devices and learners get the same kind of message",
    ],
    ["train photos --patch 31x32 --base contourlet -o d.npz", "an even patch, or `cropped-contourlet`"],
    [
      train("--base contourlet --refine-base"),
      "only separable bases can be refined: choose another `--base`, or leave `--refine-base` out",
    ],
    [
      "train photos --patch 8 -o nowhere/d.npz",
      "create the folder first: outputs are checked before the work begins, and the folder of an output file is not created for you",
    ],
    [
      "denoise photo.png --patch 8 -o photo.png",
      "write to another file: no command replaces what it reads, links included",
    ],
    [
      "train photos --patch 8 -o dictionary.npz",
      "a dictionary may have taken hours: it is replaced only on request, or by `--resume` of its run",
    ],
    ["studio --port 70000", "leave `--port` out: a free port is used"],
    ["train photos --patch 8 -o -", "a run may take hours and be resumed, so that it needs a file"],
  ],
  Data: [
    ["train pictures --patch 8 -o d.npz", "check the path; it is relative to the current folder"],
    [
      "train photos/*.bmp --patch 8 -o d.npz",
      "none of the matching files has the name of an image, an array or a sound",
    ],
    ["train photo.png --patch 300 -o d.npz", "a smaller patch, or larger data"],
    ["train photo.png noisy.png --patch 300 -o d.npz", "the same, for all the inputs"],
    [
      "train ecg.npy --patch 8x8x8 -o d.npz",
      "see [the rule about axes](../how-to/learn-from-your-data.md#what-can-be-read); reshape the array or the patch",
    ],
    [
      "train ecg.npy --patch 64x64 -o d.npz",
      "often a patch with one axis too many: `--patch 64` reads the two rows as two signals",
    ],
    ["train photo.png --patch 8x8x3 -o d.npz", "16x16 for grey pictures, or colour pictures"],
    [
      "train photo.png --patch 8x8x8 -o d.npz",
      "16x16 for grey, 8x8x3 for colour; for volumes, give a `.npy`",
    ],
    [
      "train stack.tif --patch 2x2x8x8 -o d.npz",
      "`--patch 8x8` takes every page as a picture, `--patch 4x8x8` cuts windows out of 4 pages",
    ],
    [
      "train columns.npy --patch 64 -o d.npz",
      "rows and columns are exchanged: do what it says, or give the array transposed",
    ],
    [
      "train set.mat[Y] --patch 64 -o d.npz",
      "name one of the arrays that are listed; of an HDF5 file, with its groups: `set.h5[group/X]`",
    ],
    [
      "train words.csv --patch 2 -o d.npz",
      "correct the field; empty fields, `NA` and `nan` are gaps, and lines that begin with `#` are left out",
    ],
    [
      "train numbers.bin --raw float32:20x100 --patch 8 -o d.npz",
      "give the sizes that the file has; `*` as the first size is found out, and `@512` at the end skips a header of 512 bytes",
    ],
    [
      "train data.fits --patch 8 -o d.npz",
      'any file of another name is read as an image; save the array with `np.save("data.npy", X)`',
    ],
    [
      "train drawing.png --patch 8 -o d.npz",
      "give the file its own ending, or convert it to PNG: an SVG can take any time to draw",
    ],
    ["train /dev/null --patch 8 -o d.npz", "give a regular file; pipes are read only from `/dev/stdin`"],
    [
      "train spike.npy --patch 8x8 -o d.npz",
      "a mark of missing data, mostly: [name it](../how-to/learn-from-your-data.md#missing-samples) with `--nodata`; or correct the sample",
    ],
    [
      "train doubles.npy --patch 8x8 -o d.npz",
      "samples are float32: multiply the data by a constant, or name the value with `--nodata`",
    ],
    [
      "train scan.npy --patch 8x8 -o d.npz",
      "[name it](../how-to/learn-from-your-data.md#missing-samples), fill it with [`inpaint`](../how-to/inpaint.md), or cut it off",
    ],
  ],
  "Dictionaries, codes and compressed files": [
    [
      "encode colour.npy -d dictionary.npz -o c.npz",
      "a dictionary of [colour patches](../how-to/learn-from-your-data.md#colour), or a grey picture",
    ],
    [
      "encode photo.png -d codes.npz -o c.npz",
      "the dictionary and the codes are swapped, or it is another program's file",
    ],
    ["encode photo.png -d photo.png -o c.npz", "the dictionary is the file that `train -o` wrote"],
    ["prune matrix.npy -o p.npz", "a matrix does not say which of its atoms are used"],
    ["atoms cut.npz -o a.png", "the file was cut off, in a copy or a download: get it again"],
    ["decode codes.npz -d small.npz -o back.npy", "decode with the dictionary that was used for encoding"],
    ["decode stack.npz -d dictionary.npz -o back.png", "`-o back.npy`"],
    ["decode mixed.npz -d dictionary.npz -o back.npy", "one code file for each shape"],
    [
      "approximate photos -d dictionary.npz -d wide.npz",
      "all curves use the same patches: compare dictionaries with the same patch",
    ],
    [
      "decompress photo.tlt -d small.npz -o back.png",
      "use exactly the dictionary it was compressed with; training again with the same data, options, seed and device recreates it",
    ],
    [
      "compress photo.png -d dictionary.npz -o p.tlt --bytes 20 --device cpu",
      "the means of the blocks alone take this much; larger patches have fewer blocks",
    ],
    [
      "compress noise.npy -d small.npz -o p.tlt --psnr 60 --device cpu",
      "this dictionary cannot reach that PSNR (without a target, `compress` aims at 32 dB): give a lower `--psnr`, or `--bytes`; or train with more atoms or smaller patches",
    ],
  ],
  "Checkpoints and reports": [
    [train("--checkpoint run"), "add `--resume` to continue, or choose another folder"],
    [
      train("--checkpoint run --resume --seed 2"),
      "give the same options as the run you are resuming, or choose another folder for a new run",
    ],
    [
      "train photo.png --patch 8 --examples 64 --epochs 1 -o d.npz --checkpoint run --resume",
      "give the same files in the same order; the digest in brackets is made from their names and contents, and a file that differs is named",
    ],
    [
      train("--checkpoint damaged --resume"),
      "choose another folder, or remove what is damaged and start again",
    ],
    [
      train("--batch 16 --checkpoint-steps 1 --checkpoint half --resume"),
      "nothing: the run continues from the checkpoint before it",
      /damaged/,
    ],
    [train("--checkpoint taken"), "wait for that run, end it, or choose another folder"],
    [
      train("--report unwritable"),
      "free disk space, or restore the folder: the report is written again later",
      /report\.html.*folder/,
    ],
    [
      train("--report photos"),
      "choose another folder: the pictures of the report would be data the next time",
    ],
    ["report photos", "name the folder given to `train --report`"],
    ["report broken", "the file was changed: remove the line"],
  ],
};

const setup = [
  "train photos --patch 8 --examples 64 --epochs 1 --device cpu -o dictionary.npz",
  "train photos --patch 8 --examples 64 --epochs 1 --atoms 100 --device cpu -o small.npz",
  "train photos --patch 16x4 --examples 64 --epochs 1 -o wide.npz",
  "encode photo.png -d dictionary.npz -o codes.npz",
  "encode photos -d dictionary.npz -o stack.npz",
  "encode photo.png scan40.npy -d dictionary.npz -o mixed.npz",
  "compress photo.png -d dictionary.npz -o photo.tlt --bytes 900",
  train("--checkpoint run"),
  train("--checkpoint damaged"),
  train("--batch 16 --checkpoint-steps 1 --checkpoint half"),
  train("--report broken"),
  train("--report unwritable"),
];

/** The tables of messages, from commands run in an empty folder. */
export async function messageTables(folder: string): Promise<string> {
  await prepare(folder);
  const taken = await CheckpointFolder.open(join(folder, "taken")); // by this process
  const parts = Object.entries(sections).map(async ([title, rows]) => {
    const cells: string[][] = [];
    for (const [line, advice, pattern] of rows) {
      cells.push([`\`${await messageOf(line, folder, pattern)}\``, advice]);
    }
    return `## ${title}\n\n${table(["message", "what to do"], cells)}`;
  });
  const tables = (await Promise.all(parts)).join("\n\n");
  await taken.close();
  return tables;
}

async function prepare(folder: string): Promise<void> {
  const path = (name: string): string => join(folder, name);
  const array = (shape: readonly number[], value: (i: number) => number): Uint8Array =>
    writeNpy(
      makeNpy(
        shape,
        Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => value(i)),
      ),
    );
  writeFixture(folder);
  writeFileSync(path("data.fits"), "not an image");
  writeFileSync(path("words.csv"), "a,b,c\n1,2,3\n4,five,6\n");
  writeFileSync(
    path("matrix.npy"),
    array([64, 80], (i) => Math.sin(i * i)),
  );
  writeFileSync(path("drawing.png"), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(
    path("scan.npy"),
    array([40, 40], (i) => (i === 75 ? Number.NaN : i)),
  );
  writeFileSync(
    path("spike.npy"),
    array([40, 40], (i) => (i === 75 ? 1e37 : i)),
  );
  const doubles = Float64Array.from({ length: 1600 }, (_, i) => (i === 75 ? 1e302 : i));
  writeFileSync(path("doubles.npy"), writeNpy(makeNpy([40, 40], doubles)));
  writeFileSync(
    path("scan40.npy"),
    array([40, 40], (i) => i),
  );
  writeFileSync(
    path("colour.npy"),
    array([40, 40, 3], (i) => i % 256),
  );
  writeFileSync(
    path("noise.npy"),
    array([40, 40], (i) => Math.sin(i * i)),
  );
  for (const line of setup) {
    const { code, stderr } = await trainlets(folder, words(line));
    if (code !== 0) throw new Error(`${line}\n${stderr}`);
  }
  writeFileSync(path("cut.npz"), readFileSync(path("dictionary.npz")).subarray(0, 4000));
  for (const name of ["damaged/checkpoint-000001.tlc", "half/checkpoint-000004.tlc"]) {
    writeFileSync(path(name), readFileSync(path(name)).fill(0, 3000, 3100));
  }
  rmSync(path("unwritable/report.html"));
  mkdirSync(path("unwritable/report.html"));
  const metrics = readFileSync(path("broken/metrics.jsonl"), "utf8").split("\n");
  writeFileSync(path("broken/metrics.jsonl"), [metrics[0], "{", ...metrics.slice(1)].join("\n"));
}

/** The last line that a command prints to say why it ended, or the one that matches. */
async function messageOf(line: string, folder: string, pattern?: RegExp): Promise<string> {
  const run = / taken\b/.test(line) ? ownProcess : trainlets; // what this process has locked is free to itself
  const { code, stderr } = await run(folder, words(line));
  const lines = stderr.trimEnd().split("\n");
  const message = pattern ? lines.find((text) => pattern.test(text)) : lines.at(-1);
  if (code !== (pattern ? 0 : 2) || message === undefined)
    throw new Error(`${line}: exit code ${code}\n${stderr}`);
  return message.replace(/\b[0-9a-f]{8,}\b/g, "…").replace(/process \d+/, "process 4711"); // digests, numbers
}
