/**
 * Files from strangers: damaged ones are read or refused in one line, never anything else, and never
 * with more memory than a bound. `npm run fuzz` does so with many more of them.
 */

import { describe, expect, it } from "vitest";
import { InputError } from "../src/core/errors.js";
import { Rng } from "../src/core/rng.js";
import { makeNpy, writeNpy } from "../src/data/formats/npy.js";
import { readNpz } from "../src/data/formats/npz.js";
import { writeZip } from "../src/data/formats/zip.js";
import { decodeImage } from "../src/data/node/images.js";
import { modelFromBytes } from "../src/model/files.js";
import { fuzz } from "./fuzz/fuzz.js";
import { deflatedNpz, parsers } from "./fuzz/parsers.js";

const files = Number(process.env.TRAINLETS_FUZZ ?? 200);

/** Bytes that the process may grow by. */
const most = 512 * 2 ** 20;

describe("damaged files", () => {
  it.each(parsers)("are read or refused: $name", { timeout: 60_000 + 30 * files }, async (parser) => {
    const { faults, growth, read, refused, seconds, slowest } = await fuzz(parser, files, 1);
    if (files > 200) {
      const mib = Math.round(growth / 2 ** 20);
      console.log(
        `${parser.name}: ${files} files, ${read} read, ${refused} refused, ${faults.length} faults, ` +
          `grew by ${mib} MiB, ${seconds.toFixed(1)} s, slowest ${slowest.toFixed(3)} s`,
      );
    }
    expect(faults).toEqual([]);
    expect(read + refused).toBe(files);
    expect(growth).toBeLessThan(most);
  });
});

describe("files made to harm", () => {
  const refusal = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      return (error as Error).message;
    }
    return undefined;
  };

  it("of few bytes that inflate to many are refused before they do", () => {
    const rng = Rng.from(1);
    const noise = Uint8Array.from({ length: 400_000 }, () => rng.below(256));
    const bomb = deflatedNpz(noise, 300 * 2 ** 20);
    expect(refusal(() => readNpz(bomb, "x.npz"))).toBe(
      "x.npz: holds 314572800 bytes when inflated, more than the limit of 268435456",
    );
  });

  it("whose members share bytes are refused", () => {
    const archive = writeZip(["a.npy", "b.npy"].map((name) => ({ name, parts: [new Uint8Array(100)] })));
    const second = 2 * (30 + 5 + 100) + 46 + 5;
    new DataView(archive.buffer).setUint32(second + 42, 20, true);
    expect(refusal(() => readNpz(archive, "x.npz"))).toBe(
      'x.npz: damaged zip file: "a.npy" overlaps "b.npy"',
    );
  });

  it("with names and values that mean something to the language are just that", () => {
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

  it("that say they are pictures of 32,768 by 32,768 pixels are refused", async () => {
    const header = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13);
    const chunk = [0x49, 0x48, 0x44, 0x52, 0, 0, 0x80, 0, 0, 0, 0x80, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0];
    const bytes = Uint8Array.from([...header, ...chunk]);
    await expect(decodeImage(bytes, "x.png")).rejects.toThrow(/^x\.png: cannot be read as an image \(.+\)$/);
  });
});
