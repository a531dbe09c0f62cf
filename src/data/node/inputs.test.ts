import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tarOf } from "../../../tests/fuzz/tarOf.js";
import { InputError } from "../../core/errors.js";
import type { Shape } from "../../core/shape.js";
import { makeNpy, writeNpy } from "../formats/npy.js";
import { writeNpz } from "../formats/npz.js";
import { wavOf } from "../formats/wav.case.js";
import { expandInputs, inspectInputs, resolvePatch } from "./inputs.js";
import { readSignals } from "./readSignals.js";

let folder: string;
const inFolder = (name: string) => join(folder, name);
const short = (text: string) => text.replaceAll(`${folder}/`, "").replaceAll(folder, ".");

async function save(name: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(inFolder(name)), { recursive: true });
  await writeFile(inFolder(name), content);
}

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#808080" } })
    .png()
    .toBuffer();

const counting = (shape: number[]) =>
  writeNpy(
    makeNpy(
      shape,
      Int16Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => i),
    ),
  );

const stereo = { channels: 2, samples: "int16", values: [1, 2, 3, 4, 5, 6] } as const;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-inputs-"));
  await save("photos/b.PNG", await picture(20, 16));
  await save("photos/a.png", await picture(12, 12));
  await save("photos/deep/c.png", await picture(30, 12));
  await save("photos/notes.txt", "not a picture");
  await save("photos/.hidden.png", "");
  await save("small.png", await picture(10, 10));
  await save("broken.png", "not a picture");
  await save("ecg.npy", counting([2, 50]));
  await save("cube.npy", counting([2, 3, 4]));
  await save("scalar.npy", counting([]));
  await save("none.npy", counting([0, 50]));
  await save("nan.npy", writeNpy(makeNpy([2, 3], Float32Array.of(1, 2, 3, 4, Number.NaN, 6))));
  await save("odd{name}.png", await picture(12, 12));
  await save("empty/notes.txt", "");
  await symlink(inFolder("photos"), inFolder("photos/deep/loop"));
});

afterAll(() => rm(folder, { recursive: true }));

/** The message of an InputError, with the folder's name taken out. */
async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InputError);
  return short((error as Error).message);
}

describe("expandInputs", () => {
  const expand = async (...args: string[]) =>
    (await expandInputs(args.map(inFolder))).map(({ path }) => short(path));

  it("takes files as they are, and lists folders, sorted", async () => {
    expect(await expand("small.png", "photos")).toEqual([
      "small.png",
      "photos/a.png",
      "photos/b.PNG",
      "photos/deep/c.png",
    ]);
    expect(await expand("photos/notes.txt")).toEqual(["photos/notes.txt"]);
  });

  it("expands globs, to files and to folders", async () => {
    expect(await expand("*.npy")).toEqual(["cube.npy", "ecg.npy", "nan.npy", "none.npy", "scalar.npy"]);
    expect(await expand("photo?")).toEqual(["photos/a.png", "photos/b.PNG", "photos/deep/c.png"]);
    expect(await expand("photos/**/*.{png,PNG}")).toHaveLength(3);
    expect(await expand("photos/**")).toHaveLength(3); // the folder in it, and the files in that
    expect(await expand("odd{name}.png")).toEqual(["odd{name}.png"]);
  });

  it("counts a file once", async () => {
    expect(await expand("photos", "photos/a.png", "photos/../photos/*.png")).toHaveLength(3);
    await symlink(inFolder("photos"), inFolder("album"));
    expect(await expand("photos", "album", "album/a.png")).toHaveLength(3);
    await rm(inFolder("album"));
  });

  it("names what it cannot find", async () => {
    expect(await refusal(expand("nowhere.png"))).toBe("no such file or folder: nowhere.png");
    expect(await refusal(expand("small.png/x"))).toBe("no such file or folder: small.png/x");
    expect(await refusal(expandInputs([""]))).toBe('no such file or folder: ""');
    expect(await refusal(expand("empty"))).toBe("no images, arrays or sounds in folder empty");
    expect(await refusal(expand("empty/*"))).toBe("no images, arrays or sounds match empty/*");
    expect(await refusal(expandInputs([]))).toBe("DATA must name a file, a folder or a glob, got nothing");
  });
});

describe("inspectInputs and resolvePatch", () => {
  const inspect = (...args: string[]) => inspectInputs(args.map(inFolder));

  it("distinguish images from arrays, and read the shapes of arrays", async () => {
    expect(await inspect("small.png", "ecg.npy")).toEqual([
      { kind: "image", path: inFolder("small.png") },
      { kind: "npy", path: inFolder("ecg.npy"), shape: [2, 50] },
    ]);
  });

  it("take one number as a square for images and as a window for other signals", async () => {
    expect(resolvePatch(32, await inspect("small.png", "ecg.npy"))).toEqual([32, 32]);
    expect(resolvePatch(32, await inspect("ecg.npy"))).toEqual([32]);
    expect(resolvePatch([32], await inspect("small.png"))).toEqual([32]); // a shape is taken as it is
    expect(resolvePatch([8, 4], await inspect("small.png"))).toEqual([8, 4]);
  });

  it("take a member of an archive by its name, and list the names if there is no such member", async () => {
    const X = makeNpy([3, 20], new Float32Array(60));
    await save(
      "set.npz",
      writeNpz([
        ["X", X],
        ["y", makeNpy([3], new Float32Array(3))],
        ["a.b", X],
      ]),
    );
    await save(
      "set.tar",
      tarOf({ "deep/x.npy": writeNpy(X), "x.wav": wavOf(stereo), "notes.txt": new Uint8Array(5) }),
    );
    const paths = async (...args: string[]) => (await inspect(...args)).map(({ path }) => short(path));
    expect(await paths("set.npz[X]")).toEqual(["set.npz[X]"]);
    expect(await paths("set.npz[a.b]", "set.npz[X]", "set.npz[X]")).toEqual(["set.npz[a.b]", "set.npz[X]"]);
    expect(await paths("set.tar[deep/x.npy]")).toEqual(["set.tar[deep/x.npy]"]);
    expect(await inspect("set.tar[x.wav]")).toMatchObject([{ kind: "wav", shape: [2, 3] }]);
    expect(await refusal(inspect("set.npz[Z]"))).toBe('set.npz has no member "Z"; it has X, y, a.b');
    expect(await refusal(inspect("set.tar[notes.txt]"))).toBe(
      'set.tar has no member "notes.txt"; it has deep/x.npy, x.wav',
    );
    expect(await refusal(inspect("nowhere.npz[X]"))).toBe("no such file or folder: nowhere.npz[X]");
    await save("odd.npz[X]", writeNpy(X)); // a file of that name comes first, and is no image
    expect(await inspect("odd.npz[X]")).toMatchObject([{ kind: "image" }]);
  });

  it("take sounds from folders, and read their shapes", async () => {
    await save("sounds/a.wav", wavOf(stereo));
    await save("sounds/B.WAV", wavOf({ ...stereo, channels: 1 }));
    expect(
      (await inspect("sounds")).map(({ kind, ...rest }) => [kind, "shape" in rest && rest.shape]),
    ).toEqual([
      ["wav", [6]],
      ["wav", [2, 3]],
    ]);
    await save("fake.wav", "hello");
    expect(await refusal(inspect("fake.wav"))).toBe("fake.wav: not a .wav file");
    await rm(inFolder("fake.wav"));
  });

  it("reject an array without a header", async () => {
    await save("fake.npy", "hello");
    expect(await refusal(inspect("fake.npy"))).toBe("fake.npy: not a .npy file");
    await rm(inFolder("fake.npy"));
  });
});

describe("readSignals", () => {
  async function read(patch: Shape, ...names: string[]) {
    const skipped: string[] = [];
    const onSkip = (message: string) => skipped.push(short(message));
    const signals = await readSignals(names.map(inFolder), { patch, onSkip });
    return { skipped, signals: signals.map(({ name, shape, data }) => ({ name: short(name), shape, data })) };
  }

  it("reads images in order, and skips and names those that cannot be used", async () => {
    const { signals, skipped } = await read(
      [12, 12],
      "photos/b.PNG",
      "small.png",
      "broken.png",
      "photos/a.png",
    );
    expect(signals.map(({ name, shape }) => [name, shape])).toEqual([
      ["photos/b.PNG", [16, 20]],
      ["photos/a.png", [12, 12]],
    ]);
    expect(skipped).toEqual([
      "small.png: 10x10 is smaller than the patch 12x12, skipped",
      "broken.png: cannot be read as an image (unsupported image format), skipped",
    ]);
  });

  it("fails if no input can be used", async () => {
    expect(await refusal(read([12, 12], "small.png"))).toBe(
      "small.png: 10x10 is smaller than the patch 12x12",
    );
    expect(await refusal(read([12, 12], "broken.png"))).toBe(
      "broken.png: cannot be read as an image (unsupported image format)",
    );
    expect(await refusal(read([12, 12], "small.png", "broken.png"))).toBe(
      "nothing to read: no input is large enough for a patch of 12x12",
    );
  });

  it("takes an array with as many axes as the patch as one signal", async () => {
    const { signals } = await read([2, 10], "ecg.npy");
    expect(signals).toEqual([
      { name: "ecg.npy", shape: [2, 50], data: Float32Array.from({ length: 100 }, (_, i) => i) },
    ]);
  });

  it("takes the first axis of an array with one axis more than the patch as a count of signals", async () => {
    const { signals } = await read([10], "ecg.npy");
    expect(signals).toEqual([
      { name: "ecg.npy[0]", shape: [50], data: Float32Array.from({ length: 50 }, (_, i) => i) },
      { name: "ecg.npy[1]", shape: [50], data: Float32Array.from({ length: 50 }, (_, i) => 50 + i) },
    ]);
    expect((await read([3, 4], "cube.npy")).signals.map(({ name }) => name)).toEqual([
      "cube.npy[0]",
      "cube.npy[1]",
    ]);
  });

  it("reports which numbers of axes an array may have", async () => {
    expect(await refusal(read([2], "cube.npy"))).toBe(
      "cube.npy has 3 axes (2x3x4): a patch of 2 needs 1 axis (one signal) or 2 (the first counts signals)",
    );
    expect(await refusal(read([1, 1, 1, 1], "cube.npy"))).toBe(
      "cube.npy has 3 axes (2x3x4): a patch of 1x1x1x1 needs 4 axes (one signal) or 5 (the first counts signals)",
    );
    expect(await refusal(read([2], "scalar.npy"))).toBe(
      "scalar.npy has 0 axes (a single value): a patch of 2 needs 1 axis (one signal) or 2 (the first counts signals)",
    );
    expect(await refusal(read([4, 4, 4], "photos/a.png"))).toBe(
      "photos/a.png is an image: the patch must have 2 axes, or 3 channels as in 8x8x3, got 4x4x4",
    );
  });

  it("skips arrays that are empty or smaller than the patch", async () => {
    const { signals, skipped } = await read([50], "ecg.npy", "none.npy", "nan.npy");
    expect(signals).toHaveLength(2);
    expect(skipped).toEqual([
      "none.npy: 0x50 holds no samples, skipped",
      "nan.npy: 3 is smaller than the patch 50, skipped",
    ]);
    expect(await refusal(read([50], "none.npy"))).toBe("none.npy: 0x50 holds no samples");
  });

  it("takes each channel of a sound as a signal", async () => {
    await save("stereo.wav", wavOf(stereo));
    const { signals } = await read([2], "stereo.wav");
    expect(signals).toEqual([
      { name: "stereo.wav[0]", shape: [3], data: Float32Array.of(1, 3, 5) },
      { name: "stereo.wav[1]", shape: [3], data: Float32Array.of(2, 4, 6) },
    ]);
    expect(await refusal(read([2, 2], "stereo.wav"))).toBe(
      "stereo.wav is sound: the patch must have 1 axis, got 2x2",
    );
  });

  it("names the place of a sample that is not finite", async () => {
    expect(await refusal(read([2, 2], "nan.npy"))).toBe(
      "nan.npy: samples must be finite, got NaN at [1, 1]; if it marks missing samples, name it by nodata",
    );
    expect(await refusal(read([2], "nan.npy", "ecg.npy"))).toBe(
      "nan.npy[1]: samples must be finite, got NaN at [1]; if it marks missing samples, name it by nodata",
    );
  });

  it("rejects a patch that is not a shape", async () => {
    expect(await refusal(read([0], "ecg.npy"))).toBe(
      "openSource: patch must be one or more positive integer sizes, got [0]",
    );
  });
});
