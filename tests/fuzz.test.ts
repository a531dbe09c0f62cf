/**
 * Untrusted files: a damaged file is read, or rejected in one line, within a limit of memory. `npm run fuzz` tries
 * many more files.
 */

import { describe, expect, it } from "vitest";
import { InputError } from "../src/core/errors.js";
import { Rng } from "../src/core/random/rng.js";
import { makeNpy, writeNpy } from "../src/data/formats/npy.js";
import { readNpz, writeZip } from "../src/data/formats/npz.js";
import { decodeImage } from "../src/data/node/images.js";
import { modelFromBytes } from "../src/model/files.js";
import { fuzz } from "./fuzz/fuzz.js";
import { deflatedNpz, parsers } from "./fuzz/parsers.js";

const files = Number(process.env.TRAINLETS_FUZZ ?? 200);

/** How many bytes the process may grow by. */
const maxGrowth = 512 * 2 ** 20;

/** Milliseconds for one parser: a few on a usual machine, and far more on a slow one. */
const timeout = 600_000 + 300 * files;

describe("damaged files", () => {
  it.each(parsers)("are read or rejected: $name", { timeout }, async (parser) => {
    const { faults, growth, read, rejected, seconds, slowest } = await fuzz(parser, files, 1);
    if (files > 200) {
      const mib = Math.round(growth / 2 ** 20);
      console.log(
        `${parser.name}: ${files} files, ${read} read, ${rejected} rejected, ${faults.length} faults, ` +
          `grew by ${mib} MiB, ${seconds.toFixed(1)} s, slowest ${slowest.toFixed(3)} s`,
      );
    }
    expect(faults).toEqual([]);
    expect(read + rejected).toBe(files);
    expect(growth).toBeLessThan(maxGrowth);
  });
});

describe("malicious files", () => {
  const refusal = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      return (error as Error).message;
    }
    return undefined;
  };

  it("that would inflate to very many bytes are rejected before they are inflated", () => {
    const rng = Rng.from(1);
    const noise = Uint8Array.from({ length: 400_000 }, () => rng.below(256));
    const bomb = deflatedNpz(noise, 300 * 2 ** 20);
    expect(refusal(() => readNpz(bomb, "x.npz"))).toBe(
      "x.npz: holds 314572800 bytes when inflated, more than the limit of 268435456",
    );
  });

  it("whose members overlap are rejected", () => {
    const archive = writeZip(["a.npy", "b.npy"].map((name) => ({ name, parts: [new Uint8Array(100)] })));
    const second = 2 * (30 + 5 + 100) + 46 + 5;
    new DataView(archive.buffer).setUint32(second + 42, 20, true);
    expect(refusal(() => readNpz(archive, "x.npz"))).toBe(
      'x.npz: damaged zip file: "a.npy" overlaps "b.npy"',
    );
  });

  it("with names such as __proto__ are read like any other", () => {
    const text =
      '{"format": "trainlets-model", "__proto__": {"x": 1}, "formatVersion": {"valueOf": 1, "toString": 1}}';
    const meta = new TextEncoder().encode(text);
    const parts = [writeNpy(makeNpy([meta.length], meta))];
    const archive = writeZip([
      { name: "__proto__.npy", parts },
      { name: "constructor.npy", parts },
      { name: "meta.npy", parts },
    ]);
    expect([...readNpz(archive, "x.npz").keys()]).toEqual(["__proto__", "constructor", "meta"]);
    expect(refusal(() => modelFromBytes(archive, "x.npz"))).toBe(
      "x.npz: written by a newer trainlets (format an Object); this version reads format 1",
    );
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it("that claim to be pictures of 32,768 by 32,768 pixels are rejected", async () => {
    const header = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13);
    const chunk = [0x49, 0x48, 0x44, 0x52, 0, 0, 0x80, 0, 0, 0, 0x80, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0];
    const bytes = Uint8Array.from([...header, ...chunk]);
    await expect(decodeImage(bytes, "x.png")).rejects.toThrow(/^x\.png: cannot be read as an image \(.+\)$/);
  });
});
