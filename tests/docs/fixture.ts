/** The files that commands and programs of the pages work on: pictures and arrays that the project makes itself. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Rng } from "../../src/core/random/rng.js";
import { tiffOf } from "../../src/data/formats/images/tiff.case.js";
import { mat5Of } from "../../src/data/formats/matlab/mat5.case.js";
import { makeNpy, writeNpy } from "../../src/data/formats/npy.js";
import { writeNpz } from "../../src/data/formats/npz.js";
import { wavOf } from "../../src/data/formats/wav.case.js";
import { syntheticPictures } from "../../src/data/syntheticPictures.js";
import { encodePng } from "../../src/figures/png.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const size = 64;

/** `photos/1.png` … `photos/4.png`. */
export function writePhotos(folder: string): void {
  mkdirSync(join(folder, "photos"), { recursive: true });
  for (const [i, { data }] of syntheticPictures(1, 4, size).entries())
    writeGrey(join(folder, "photos", `${i + 1}.png`), data);
}

/** The photos, and what else the pages name; `trainlets` can be imported there. */
export function writeFixture(folder: string): void {
  writePhotos(folder);
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/trainlets"), "junction");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const { data: photo } = syntheticPictures(1, 5, size)[4];
  const rng = Rng.from(1);
  writeGrey(join(folder, "photo.png"), photo);
  writeGrey(
    join(folder, "noisy.png"),
    photo.map((value) => value + 30 * rng.normal()),
  );
  const scratch = (i: number): boolean => Math.floor(i / size) === 30 && i % size < 40;
  writeGrey(
    join(folder, "scratches.png"),
    photo.map((_, i) => (scratch(i) ? 255 : 0)),
  );
  writeArray(join(folder, "ecg.npy"), [2, 4000], (i) => 50 * Math.sin(i / 9) ** 15 + 3 * rng.normal());
  const tone = (i: number) => Math.round(8000 * Math.sin(i / (5 + i / 900)));
  const speech = Array.from({ length: 3000 }, (_, i) => tone(i));
  writeFileSync(join(folder, "speech.wav"), wavOf({ channels: 1, samples: "int16", values: speech }));
  const [X, y] = [new Float32Array(20 * 128).map((_, i) => 50 * Math.sin(i / 7)), new Float32Array(20)];
  writeFileSync(
    join(folder, "set.npz"),
    writeNpz([
      ["X", makeNpy([20, 128], X)],
      ["y", makeNpy([20], y)],
    ]),
  );
  const pages = syntheticPictures(2, 6, 32).map(({ data }) => data.map(Math.round));
  const page = (samples: Float32Array) => ({ width: 32, height: 32, samples });
  writeFileSync(join(folder, "stack.tif"), tiffOf(pages.map(page)));
  const columns = Array.from({ length: 20 * 128 }, (_, i) => X[i]); // each signal is a column
  writeFileSync(join(folder, "set.mat"), mat5Of([{ name: "X", sizes: [128, 20], values: columns }]));
  writeArray(join(folder, "columns.npy"), [128, 20], (i) => X[(i % 20) * 128 + Math.floor(i / 20)]);
  writeFileSync(join(folder, "numbers.bin"), Buffer.from(X.buffer));
  const lines = Array.from({ length: 20 }, (_, r) => [...X.subarray(r * 128, (r + 1) * 128)].join(","));
  writeFileSync(join(folder, "set.csv"), `${lines.join("\n")}\n`);
  writeArray(join(folder, "gaps.npy"), [2000], (i) => (i % 40 < 8 ? Number.NaN : 100 * Math.sin(i / 25)));
  const lake = (i: number): boolean => Math.hypot((i % size) - 40, Math.floor(i / size) - 30) < 6;
  writeArray(join(folder, "heights.npy"), [size, size], (i) => (lake(i) ? -9999 : 300 + 2 * photo[i]));
  writeArray(
    join(folder, "volumes.npy"),
    [2, 20, 20, 20],
    (i) => 40 * Math.sin(i / 7) + 40 * Math.sin(i / 170) + rng.normal(),
  );
}

function writeGrey(path: string, samples: Float32Array): void {
  const data = Uint8Array.from(samples, (value) => Math.min(255, Math.max(0, Math.round(value))));
  writeFileSync(path, encodePng({ width: size, height: size, channels: 1, data }));
}

function writeArray(path: string, shape: readonly number[], value: (i: number) => number): void {
  const length = shape.reduce((product, axis) => product * axis, 1);
  writeFileSync(
    path,
    writeNpy(
      makeNpy(
        shape,
        Float32Array.from({ length }, (_, i) => value(i)),
      ),
    ),
  );
}
