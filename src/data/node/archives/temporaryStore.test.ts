/** Compressed members of archives: one temporary file, planned and checked before it is written. */

import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InputError } from "../../../core/errors.js";
import { crc32 } from "../../formats/checksums.js";
import { makeNpy, writeNpy } from "../../formats/npy.js";
import { inspectInputs } from "../inputs.js";
import { openSource } from "../openSource.js";
import { temporaryBytes } from "./temporaryStore.js";

const free = vi.hoisted(() => ({ bytes: undefined as number | undefined }));
vi.mock("../outputs.js", () => ({ freeSpace: async () => free.bytes }));

let folder: string;
const inFolder = (name: string) => join(folder, name);
const options = { patch: [4, 4], onSkip: () => {} };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-store-"));
  free.bytes = undefined;
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** A zip archive of deflated members; the directory may declare other sizes. */
function deflated(members: Record<string, Uint8Array>, declare = (size: number) => size): Uint8Array {
  const u16 = (...values: number[]) => values.flatMap((v) => [v & 255, v >>> 8]);
  const u32 = (...values: number[]) => values.flatMap((v) => [...u16(v & 0xffff), ...u16(v >>> 16)]);
  const parts: number[][] = [];
  const entries: number[][] = [];
  let offset = 0;
  for (const [key, bytes] of Object.entries(members)) {
    const name = [...new TextEncoder().encode(`${key}.npy`)];
    const packed = [...deflateRawSync(bytes)];
    const sizes = u32(crc32(bytes), packed.length, declare(bytes.length));
    const common = [...u16(20, 0, 8, 0, 0x21), ...sizes, ...u16(name.length, 0)];
    parts.push([...u32(0x04034b50), ...common, ...name, ...packed]);
    entries.push([...u32(0x02014b50), ...u16(20), ...common, ...u16(0, 0, 0), ...u32(0, offset), ...name]);
    offset += parts.at(-1)!.length;
  }
  const directory = entries.flat();
  const count = entries.length;
  const end = [...u32(0x06054b50), ...u16(0, 0, count, count), ...u32(directory.length, offset), 0, 0];
  return Uint8Array.from([...parts.flat(), ...directory, ...end]);
}

const array = (value: number) => writeNpy(makeNpy([8, 8], new Float32Array(64).fill(value)));

describe("compressed members", () => {
  it("are read, however many there are, from one file that nobody sees", async () => {
    const count = 300;
    const members = Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, array(i)]));
    await writeFile(inFolder("many.npz"), deflated(members));
    vi.stubEnv("TMPDIR", folder);
    const inputs = await inspectInputs(inFolder("many.npz"));
    expect(temporaryBytes(inputs)).toBe(count * array(0).length);
    const source = await openSource(inputs, options);
    expect(await readdir(folder)).toEqual(["many.npz"]);
    for (const i of [0, 1, 150, count - 1]) {
      const into = new Float32Array(64);
      await source.read(i, into);
      expect(into).toEqual(new Float32Array(64).fill(i));
    }
    await source.close();
  });

  it("are refused if they need more room than there is", async () => {
    await writeFile(inFolder("x.npz"), deflated({ x: array(1), y: array(2) }));
    free.bytes = 700;
    await expect(openSource(inFolder("x.npz"), options)).rejects.toThrow(
      new InputError(
        `TMPDIR: compressed arrays and tables take 0.8 KiB in ${tmpdir()} when unpacked, but only 0.7 KiB is free`,
      ),
    );
    free.bytes = 768;
    await (await openSource(inFolder("x.npz"), options)).close();
  });

  it.each([-1, 1])("are refused if they inflate to another size: %i byte", async (more) => {
    await writeFile(
      inFolder("x.npz"),
      deflated({ x: array(1) }, (size) => size + more),
    );
    await expect(openSource(inFolder("x.npz"), options)).rejects.toThrow(
      `${inFolder("x.npz[x]")}: damaged zip file: its size or CRC-32 differs after inflating`,
    );
  });

  it("need a temporary folder; the message names TMPDIR", async () => {
    await writeFile(inFolder("x.npz"), deflated({ x: array(1) }));
    vi.stubEnv("TMPDIR", inFolder("nowhere"));
    await expect(openSource(inFolder("x.npz"), options)).rejects.toThrow(
      new InputError(`TMPDIR: temporary files in ${inFolder("nowhere")} cannot be written (no such folder)`),
    );
    vi.stubEnv("TMPDIR", inFolder("x.npz"));
    await expect(openSource(inFolder("x.npz"), options)).rejects.toThrow(
      `TMPDIR: temporary files in ${inFolder("x.npz")} cannot be written (a part of its path is not a folder)`,
    );
  });
});
