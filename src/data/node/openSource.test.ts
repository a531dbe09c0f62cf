/** Files as a source: pieces of arrays, archives, skipped inputs, and files that change during a run. */

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { deflateSync } from "fflate";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.js";
import { Rng } from "../../core/random/rng.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import { crc32 } from "../formats/checksums.js";
import { makeNpy, writeNpy } from "../formats/npy.js";
import { writeNpz } from "../formats/npz.js";
import { wavOf } from "../formats/wav.case.js";
import { copyWindow } from "../sampling/gatheredWindows.js";
import { PatchSampler } from "../sampling/patchSampler.js";
import { type SignalSource, samplesOf, unitSignals } from "../sampling/signalSource.js";
import { inspectInputs, resolvePatch } from "./inputs.js";
import { openSource } from "./openSource.js";
import { readSignals } from "./readSignals.js";

let folder: string;
const inFolder = (name: string) => join(folder, name);
const short = (text: string) => text.replaceAll(`${folder}/`, "");

async function save(name: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(inFolder(name)), { recursive: true });
  await writeFile(inFolder(name), content);
}

const counting = (shape: number[]) => Float32Array.from({ length: sizeOf(shape) }, (_, i) => i);
const picture = (width: number, height: number) =>
  sharp(Buffer.from(Uint8Array.from({ length: width * height }, (_, i) => (i * 37) % 251)), {
    raw: { width, height, channels: 1 },
  })
    .png()
    .toBuffer();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-source-"));
  await save("a/one.png", await picture(12, 10));
  await save("a/two.png", await picture(9, 14));
  await save("a/._one.png", "resource fork");
  await save("a/notes.txt", "not a picture");
  await save("a/stack.npy", writeNpy(makeNpy([3, 8, 8], counting([3, 8, 8]))));
  await save(`a/${"long".repeat(40)}/deep.png`, await picture(8, 8));
  execFileSync("tar", ["-C", folder, "-cf", inFolder("gnu.tar"), "a"]);
  execFileSync("tar", ["-C", folder, "--format=pax", "-cf", inFolder("pax.tar"), "a"]);
});

afterAll(() => rm(folder, { recursive: true }));

const options = (patch: Shape, skipped: string[] = []) => ({
  patch,

  onSkip: (message: string) => void skipped.push(short(message)),
});

async function open(args: string[], patch: Shape, unitSamples?: number): Promise<SignalSource> {
  const inputs = await inspectInputs(args.map(inFolder));
  return openSource(inputs, {
    ...options(resolvePatch(patch, inputs)),
    ...(unitSamples ? { unitSamples } : {}),
  });
}

/** Every window of a source, in the order of their numbers. */
async function readWindows(source: SignalSource, patch: Shape): Promise<string[]> {
  const { numbers } = new PatchSampler(source.units, { patch, holdout: 0, examples: 1 }, Rng.from(1));
  const windows: string[] = [];
  for (let number = 0; number < numbers.total; number++) {
    const unit = numbers.unitOf(number);
    const room = new Float32Array(samplesOf(source.units[unit]));
    await source.read(unit, room);
    const signal = unitSignals(source.units[unit], room)[numbers.signalIn(unit, number)];
    const window = new Float32Array(sizeOf(patch));
    copyWindow(signal, numbers.startIn(unit, number), patch, window, 0);
    windows.push(window.join());
  }
  return windows;
}

describe("pieces of an array", () => {
  const arrays = fc.record({
    patch: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 }),
    more: fc.array(fc.nat(5), { minLength: 2, maxLength: 2 }),
    stack: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    unitSamples: fc.integer({ min: 1, max: 60 }),
    type: fc.constantFrom(Float32Array, Float64Array, Int16Array, BigInt64Array, Uint8Array),
    fortran: fc.boolean(),
  });

  it("have every window once, with the number that it has in the whole array", async () => {
    await fc.assert(
      fc.asyncProperty(arrays, async ({ patch, more, stack, unitSamples, type, fortran }) => {
        const signal = patch.map((size, axis) => size + more[axis]);
        const shape = stack === undefined ? signal : [stack, ...signal];
        const values = Array.from(counting(shape), (value) => value % 200);
        const data =
          type === BigInt64Array
            ? BigInt64Array.from(values, BigInt)
            : (type as typeof Float32Array).from(values);
        const bytes = writeNpy(makeNpy(shape, data));
        const text = new TextDecoder("latin1").decode(bytes);
        const at = text.indexOf("False");
        if (fortran) bytes.set(new TextEncoder().encode("True "), at);
        await save("piece.npy", bytes);
        const whole = await open(["piece.npy"], patch);
        const cut = await open(["piece.npy"], patch, unitSamples);
        expect(await readWindows(cut, patch)).toEqual(await readWindows(whole, patch));
        const smallest = stack === undefined ? patch[0] * sizeOf(signal.slice(1)) : sizeOf(signal);
        for (const unit of cut.units)
          expect(samplesOf(unit)).toBeLessThanOrEqual(Math.max(unitSamples, smallest));
        await Promise.all([whole.close(), cut.close()]);
      }),
      { numRuns: 40 },
    );
  });

  it("of a sound have every window of each channel once", async () => {
    const sounds = fc.record({
      channels: fc.integer({ min: 1, max: 3 }),
      frames: fc.integer({ min: 4, max: 20 }),
      unitSamples: fc.integer({ min: 1, max: 30 }),
    });
    const property = fc.asyncProperty(sounds, async ({ channels, frames, unitSamples }) => {
      const values = [...counting([frames * channels])];
      const apart = Array.from({ length: channels }, (_, c) => values.filter((_, i) => i % channels === c));
      await save("piece.wav", wavOf({ channels, samples: "int24", values }));
      await save("piece.npy", writeNpy(makeNpy([channels, frames], Float32Array.from(apart.flat()))));
      const [sound, array] = [await open(["piece.wav"], [4], unitSamples), await open(["piece.npy"], [4])];
      expect(await readWindows(sound, [4])).toEqual(await readWindows(array, [4]));
      for (const unit of sound.units) expect(samplesOf(unit)).toBeLessThanOrEqual(Math.max(unitSamples, 4));
      await Promise.all([sound.close(), array.close()]);
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it("are opened and read for an array larger than any memory", async () => {
    const header = writeNpy(makeNpy([0], new Float32Array())).slice();
    const text = new TextDecoder("latin1").decode(header).replace("(0,), }        ", "(3000000, 512), }");
    const bytes = new TextEncoder().encode(text.slice(6));
    await save(
      "huge.npy",
      Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, ...bytes.subarray(0, header.length - 6)),
    );
    await truncate(inFolder("huge.npy"), header.length + 3_000_000 * 512 * 4);
    const source = await open(["huge.npy"], [16, 16], 2 ** 20);
    expect(source.units.length).toBeGreaterThan(1000);
    const last = source.units.length - 1;
    const room = new Float32Array(samplesOf(source.units[last])).fill(1);
    await source.read(last, room);
    expect(room.every((value) => value === 0)).toBe(true);
    await source.close();
  });
});

describe("archives", () => {
  it("that are gzipped have the signals of those that are not", async () => {
    await save("gnu.tar.gz", gzipSync(await readFile(inFolder("gnu.tar"))));
    const signals = async (name: string) => {
      const read = await readSignals(inFolder(name), options([8, 8]));
      return read.map(({ name: own, shape, data }) => [short(own).replace(".gz", ""), shape, [...data]]);
    };
    expect(await signals("gnu.tar.gz")).toEqual(await signals("gnu.tar"));
    expect(await signals("gnu.tar.gz[a/stack.npy]")).toEqual(await signals("gnu.tar[a/stack.npy]"));
    const source = await open(["gnu.tar.gz"], [8, 8]);
    const { names } = (await source.contents?.())!;
    expect(names.map(short)).toEqual(["gnu.tar.gz"]);
    await source.close();
    await save("cut.tar.gz", gzipSync(await readFile(inFolder("gnu.tar"))).subarray(0, 900));
    await expect(readSignals(inFolder("cut.tar.gz"), options([8, 8]))).rejects.toThrow(
      "cut.tar.gz: cannot be inflated (unexpected end of file)",
    );
  });

  it.each(["gnu.tar", "pax.tar"])("list the images and arrays of a folder: %s", async (name) => {
    const inputs = await inspectInputs([inFolder(name)]);
    expect(inputs.map(({ kind, path }) => [kind, short(path)]).toSorted()).toEqual([
      ["image", `${name}[a/${"long".repeat(40)}/deep.png]`],
      ["image", `${name}[a/one.png]`],
      ["image", `${name}[a/two.png]`],
      ["npy", `${name}[a/stack.npy]`],
    ]);
    const packed = await readSignals(inputs, options([8, 8]));
    const plain = await readSignals(await inspectInputs([inFolder("a")]), options([8, 8]));
    const samples = (signals: typeof packed) =>
      signals.map(({ shape, data }) => `${shape}:${data}`).toSorted();
    expect(samples(packed)).toEqual(samples(plain));
  });

  it("of numpy are read in pieces, stored or deflated", async () => {
    const array = makeNpy([40, 9], counting([40, 9]));
    const stored = writeNpz([
      ["x", array],
      ["__proto__", array],
    ]);
    await save("stored.npz", stored);
    await save("deflated.npz", deflated(writeNpy(array)));
    for (const name of ["stored.npz", "deflated.npz"]) {
      const source = await open([name], [3, 3], 60);
      expect(source.units.length).toBeGreaterThan(5);
      const all = await readWindows(source, [3, 3]);
      expect(all.length).toBe(38 * 7 * (name === "stored.npz" ? 2 : 1));
      expect(all[8]).toBe("10,11,12,19,20,21,28,29,30");
      await source.close();
    }
  });

  it("have printable names of one line, whatever their members are called", async () => {
    await save(
      "odd.npz",
      writeNpz([
        ["a\nb\u001b[2J", makeNpy([1], new Uint8Array(1))],
        ["c".repeat(300), makeNpy([1], new Uint8Array(1))],
      ]),
    );
    const inputs = await inspectInputs([inFolder("odd.npz")]);
    expect(inputs.map(({ path }) => short(path))).toEqual([
      "odd.npz[a?b?[2J]",
      `odd.npz[${"c".repeat(200)}…]`,
    ]);
  });

  it("are rejected if they hold nothing to read, are truncated or are not archives", async () => {
    await save("b/notes.txt", "nothing");
    execFileSync("tar", ["-C", folder, "-cf", inFolder("none.tar"), "b"]);
    const refusal = (name: string) => inspectInputs([inFolder(name)]).then(String, (e) => short(e.message));
    expect(await refusal("none.tar")).toBe("no images, arrays or sounds in none.tar");
    await save("fake.tar", "hello");
    expect(await refusal("fake.tar")).toBe("fake.tar: not a tar archive");
    await save("fake.npz", "hello");
    expect(await refusal("fake.npz")).toBe("fake.npz: not a zip file");
    await save("cut.tar", "");
    execFileSync("cp", [inFolder("gnu.tar"), inFolder("cut.tar")]);
    await truncate(inFolder("cut.tar"), 2000);
    expect(await refusal("cut.tar")).toMatch(
      /^cut\.tar: truncated: ("a\/.*" takes \d+ bytes, \d+ left|its end is missing)$/,
    );
  });
});

/** A zip archive of one deflated member, `x.npy`. */
function deflated(bytes: Uint8Array): Uint8Array {
  const packed = deflateSync(bytes);
  const name = new TextEncoder().encode("x.npy");
  const sizes = [crc32(bytes), packed.length, bytes.length].flatMap(u32);
  const common = [20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0, ...sizes, name.length, 0, 0, 0];
  const local = [0x50, 0x4b, 3, 4, ...common, ...name, ...packed];
  const entry = [0x50, 0x4b, 1, 2, 20, 0, ...common, ...new Array(10).fill(0), ...u32(0), ...name];
  const end = [0x50, 0x4b, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, ...u32(entry.length), ...u32(local.length), 0, 0];
  return Uint8Array.from([...local, ...entry, ...end]);
}

const u32 = (value: number) => [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24];

describe("files that change during a run", () => {
  it("are named if they vanished, changed their size or became shorter", async () => {
    await save("v/one.png", await picture(12, 10));
    await save("v/two.png", await picture(12, 10));
    await save("v/x.npy", writeNpy(makeNpy([50, 50], counting([50, 50]))));
    const source = await open(["v"], [8, 8]);
    await rm(inFolder("v/one.png"));
    await save("v/two.png", await picture(13, 10));
    await truncate(inFolder("v/x.npy"), 1000);
    const problem = (unit: number) =>
      source.read(unit, new Float32Array(samplesOf(source.units[unit]))).then(String, (error) => {
        expect(error).toBeInstanceOf(InputError);
        return short(error.message);
      });
    expect(await problem(0)).toBe("v/one.png: cannot be read (no such file)");
    expect(await problem(1)).toBe("v/two.png: became 10x13, was 10x12");
    expect(await problem(2)).toBe("v/x.npy: truncated: it became shorter");
    await source.close();
  });

  it("have another fingerprint, as far as is known without reading them", async () => {
    const fingerprint = async (...args: string[]) => {
      const source = await open(args, [8, 8]);
      await source.close();
      return source.fingerprint;
    };
    expect(await fingerprint("a/one.png")).toMatch(/^[0-9a-f]{8}$/);
    expect(await fingerprint("a/one.png")).toBe(await fingerprint("a/one.png"));
    expect(await fingerprint("a/one.png")).not.toBe(await fingerprint("a/two.png"));
  });
});
