import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { InputError } from "../../core/errors.js";
import { crc32 } from "./checksums.js";
import { makeNpy, npyFromText, writeNpy } from "./npy.js";
import { readNpz, writeNpz, writeZip } from "./npz.js";

const small = makeNpy([2], Float32Array.of(1, 2));

/** Change a little-endian field of the first directory entry, at its offset of APPNOTE §4.3.12. */
function edit(archive: Uint8Array, offset: number, value: number, bytes: 2 | 4): Uint8Array {
  const at = new TextDecoder("latin1").decode(archive).indexOf("PK\x01\x02");
  return put(archive, at + offset, value, bytes);
}

/** The same field in the directory and in the local header, which has the same fields two bytes earlier. */
function editBoth(archive: Uint8Array, offset: number, value: number, bytes: 2 | 4): Uint8Array {
  return put(edit(archive, offset, value, bytes), offset - 2, value, bytes);
}

function put(archive: Uint8Array, at: number, value: number, bytes: 2 | 4): Uint8Array {
  const copy = archive.slice();
  const view = new DataView(copy.buffer);
  if (bytes === 2) view.setUint16(at, value, true);
  else view.setUint32(at, value, true);
  return copy;
}

/** A stored archive of one array "a", its member deflated and its declared sizes as given. */
function deflated(data: Uint8Array, declared = data.length): Uint8Array {
  const packed = deflateRawSync(data);
  const stored = writeNpz([["a", makeNpy([1], Uint8Array.of(0))]]);
  const directory = new TextDecoder("latin1").decode(stored).indexOf("PK\x01\x02");
  const whole = new Uint8Array(35 + packed.length + stored.length - directory);
  whole.set(stored.subarray(0, 35));
  whole.set(packed, 35);
  whole.set(stored.subarray(directory), 35 + packed.length);
  const end = new DataView(whole.buffer, whole.length - 22);
  end.setUint32(16, 35 + packed.length, true);
  let archive = editBoth(whole, 10, 8, 2);
  archive = editBoth(archive, 16, crc32(data), 4);
  archive = editBoth(archive, 20, packed.length, 4);
  return editBoth(archive, 24, declared, 4);
}

const names = fc
  .string({ unit: "binary", maxLength: 8 })
  .filter((s) => !s.includes("\0") && !/\p{Cs}/u.test(s));
const values = fc
  .array(fc.float(), { maxLength: 5 })
  .map((list) => makeNpy([list.length], Float32Array.from(list)));

describe("writeNpz and readNpz", () => {
  it("return arrays of any names, in order", () => {
    const entries = fc.uniqueArray(fc.tuple(fc.oneof(names, fc.constant("__proto__")), values), {
      selector: ([name]) => name,
      maxLength: 5,
    });
    fc.assert(
      fc.property(entries, (list) => {
        expect([...readNpz(writeNpz(list), "a.npz")]).toEqual(list);
      }),
    );
  });

  it("treat __proto__ as an entry like any other", () => {
    const arrays = readNpz(
      writeNpz([
        ["__proto__", small],
        ["constructor", small],
      ]),
      "a.npz",
    );
    expect([...arrays.keys()]).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(arrays)).toBe(Map.prototype);
  });

  it("write the same bytes at any time, in any time zone", () => {
    vi.useFakeTimers();
    const checksums = ["Pacific/Kiritimati", "America/Los_Angeles"].map((zone, year) => {
      vi.stubEnv("TZ", zone);
      vi.setSystemTime(new Date(2001 + 30 * year, 5, 1));
      return crc32(
        writeNpz([
          ["a", small],
          ["format", npyFromText("csc")],
        ]),
      );
    });
    expect(checksums).toEqual([0xd65babe8, 0xd65babe8]);
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

describe("writeNpz", () => {
  it("rejects names that a reader could not return", () => {
    expect(() =>
      writeNpz([
        ["a", small],
        ["a", small],
      ]),
    ).toThrow('writeZip: member names must differ, got "a.npy" twice');
    expect(() => writeNpz([["a\0", small]])).toThrow("writeZip: member name must be up to 65535 bytes");
    expect(() => writeNpz([["\ud800", small]])).toThrow("writeZip: member name must be up to 65535 bytes");
  });
});

describe("readNpz", () => {
  const archive = writeNpz([["a", small]]);

  it("reads deflated members", () => {
    const array = makeNpy([1000], new Float64Array(1000).fill(0.1));
    expect(readNpz(deflated(writeNpy(array)), "a.npz")).toEqual(new Map([["a", array]]));
  });

  it("skips members that are not arrays, and reads an empty archive", () => {
    expect(readNpz(writeZip([{ name: "notes.txt", parts: [Uint8Array.of(1)] }]), "a.npz").size).toBe(0);
    expect(readNpz(writeNpz([]), "a.npz").size).toBe(0);
  });

  it("names the damage", () => {
    const text = (bytes: Uint8Array, limit?: number) => {
      try {
        readNpz(bytes, "a.npz", limit);
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
        return (error as Error).message;
      }
      return "no error";
    };
    const flipped = archive.slice();
    flipped[35 + 128 + 3] ^= 1; // a sample of the array
    expect(text(flipped)).toBe('a.npz: damaged zip file: "a.npy" (CRC-32 differs)');
    expect(text(new Uint8Array(100))).toBe("a.npz: not a zip file");
    expect(text(new Uint8Array())).toBe("a.npz: not a zip file");
    expect(text(archive.subarray(0, 150))).toBe("a.npz: truncated: its directory is missing");
    expect(text(edit(archive, 8, 1, 2))).toBe('a.npz: "a.npy" is encrypted');
    expect(text(edit(archive, 10, 12, 2))).toBe(
      'a.npz: "a.npy" is compressed by method 12; known: 0 (stored), 8 (deflated)',
    );
    expect(text(edit(archive, 42, 1, 4))).toBe("a.npz: damaged zip file: byte 0 belongs to nothing");
    expect(text(editBoth(editBoth(archive, 20, 5000, 4), 24, 5000, 4))).toBe(
      'a.npz: damaged zip file: "a.npy" overlaps the directory',
    );
    expect(text(archive, 100)).toBe("a.npz: holds 136 bytes when inflated, more than the limit of 100");
    const member = { name: "a.npy", parts: [writeNpy(small)] };
    const twice = writeZip([member, { ...member, name: "b.npy" }]);
    const letters = new TextDecoder("latin1").decode(twice);
    twice[letters.lastIndexOf("b.npy")] = 0x61;
    expect(text(twice)).toBe('a.npz: damaged zip file: "a.npy" (its header and the directory differ)');
    twice[letters.indexOf("b.npy")] = 0x61;
    expect(text(twice)).toBe('a.npz: array "a" appears twice');
    const short = writeZip([{ name: "a.npy", parts: [writeNpy(small).subarray(0, 130)] }]);
    expect(text(short)).toBe("a.npz[a]: truncated .npy: header says 8 bytes, 2 left");
  });

  it("rejects wrong sizes, before allocating memory where it can", () => {
    const file = writeNpy(makeNpy([1000], new Uint8Array(1000)));
    const wrongSize = 'damaged zip file: "a.npy" (wrong size)';
    expect(() => readNpz(deflated(file, file.length - 1), "a.npz")).toThrow(wrongSize);
    expect(() => readNpz(deflated(file, file.length + 1), "a.npz")).toThrow(wrongSize);
    expect(() => readNpz(deflated(file, 0), "a.npz")).toThrow(wrongSize);
    expect(() => readNpz(deflated(file, 0xfffffffe), "a.npz")).toThrow(
      /damaged zip file: "a.npy" \(4294967294 bytes from \d+\)/,
    );
    expect(() => readNpz(edit(writeNpz([["a", small]]), 24, 5, 4), "a.npz")).toThrow(
      'a.npz: damaged zip file: "a.npy" (5 bytes from 136)',
    );
  });

  const data = writeNpy(makeNpy([3], Float32Array.of(1, 2, 3)));
  const streams = [
    ["sizes after the data, signed", zipStream(data, { signed: true })],
    ["sizes after the data, not signed", zipStream(data, { signed: false })],
    ["sizes of 64 bits after the data", zipStream(data, { signed: true, wide: true })],
    ["sizes of 64 bits in the header", zipStream(data, { wide: true })],
    ["extra fields in the header", zipStream(data, { extra: 28 })],
    ["a comment at the end", zipStream(data, { comment: "made by hand" })],
  ] as const;

  it.each(streams)("reads what other programs write: %s", (_, bytes) => {
    expect([...readNpz(bytes, "a.npz").get("a")!.data]).toEqual([1, 2, 3]);
  });

  it.each([
    ["before the first member", () => zipStream(data, { before: 4 }), 0],
    ["after the data", () => zipStream(data, { after: 4 }), 35 + data.length],
    ["before the end", () => zipStream(data, { beforeEnd: 3 }), 35 + data.length + 51],
  ])("rejects bytes that belong to nothing: %s", (_, bytes, at) => {
    expect(() => readNpz(bytes(), "a.npz")).toThrow(`a.npz: damaged zip file: byte ${at} belongs to nothing`);
  });

  it.each([
    ["method", 8, 8],
    ["CRC-32", 14, 1],
    ["packed size", 18, 1],
    ["size", 22, 1],
    ["length of the name", 26, 4],
    ["name", 30, 98],
  ])("rejects a header with another %s than the directory", (_, at, value) => {
    expect(() => readNpz(put(archive, at, value, 2), "a.npz")).toThrow(
      'a.npz: damaged zip file: "a.npy" (its header and the directory differ)',
    );
  });

  it.each([
    ["stored", archive],
    [
      "deflated",
      deflated(
        writeNpy(
          makeNpy(
            [100],
            Float32Array.from({ length: 100 }, (_, i) => i % 7),
          ),
        ),
      ),
    ],
  ])("fails with nothing but an InputError on mutated bytes (%s)", (_, file) => {
    const edits = fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(edits, fc.integer({ min: -20, max: 20 }), (changes, cut) => {
        const bytes = file.slice(0, file.length - Math.max(0, cut));
        for (const [at, value] of changes) bytes[at] = value;
        try {
          readNpz(bytes, "a.npz");
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
          expect((error as Error).message).toMatch(/^a\.npz[^\n]*: [^\n]+$/);
        }
      }),
      { numRuns: 500 },
    );
  });
});

interface StreamShape {
  /** Sizes and CRC-32 follow the data, with or without a signature. */
  readonly signed?: boolean;
  /** Sizes of 64 bits: after the data, or in an extra field of the header. */
  readonly wide?: boolean;
  /** Bytes of another extra field. */
  readonly extra?: number;
  readonly comment?: string;
  /** Bytes that belong to nothing. */
  readonly before?: number;
  readonly after?: number;
  readonly beforeEnd?: number;
}

/** An archive of one stored array "a", as programs write it that do not know its size before. */
function zipStream(data: Uint8Array, shape: StreamShape): Uint8Array {
  const { signed, wide = false, extra = 0, comment = "", before = 0, after = 0, beforeEnd = 0 } = shape;
  const later = signed !== undefined;
  const [crc, size] = [crc32(data), data.length];
  const u16 = (...values: number[]) => values.flatMap((v) => [v & 255, v >>> 8]);
  const u32 = (...values: number[]) => values.flatMap((v) => [...u16(v & 0xffff), ...u16(v >>> 16)]);
  const name = [...new TextEncoder().encode("a.npy")];
  const inHeader = wide && !later;
  const fields = inHeader ? [...u16(1, 16), ...u32(size, 0, size, 0)] : [];
  const other = extra > 0 ? [...u16(0x5455, extra), ...new Array<number>(extra).fill(0)] : [];
  const sizes = later ? u32(0, 0, 0) : inHeader ? u32(crc, 0xffffffff, 0xffffffff) : u32(crc, size, size);
  const start = [...u16(20, later ? 8 : 0, 0, 0, 0x21)];
  const local = [...u32(0x04034b50), ...start, ...sizes, ...u16(5, fields.length + other.length)];
  const following = wide ? u32(crc, size, 0, size, 0) : u32(crc, size, size);
  const descriptor = later ? [...(signed ? u32(0x08074b50) : []), ...following] : [];
  const member = [...local, ...name, ...fields, ...other, ...data, ...descriptor];
  const entry = [...u32(0x02014b50), ...u16(20), ...start, ...u32(crc, size, size), ...u16(5, 0, 0, 0, 0)];
  const directory = [...entry, ...u32(0, before), ...name];
  const first = before + member.length + after;
  const end = [
    ...u32(0x06054b50),
    ...u16(0, 0, 1, 1),
    ...u32(directory.length, first),
    ...u16(comment.length),
  ];
  const none = (bytes: number) => new Array<number>(bytes).fill(0);
  const text = [...new TextEncoder().encode(comment)];
  return Uint8Array.from([none(before), member, none(after), directory, none(beforeEnd), end, text].flat());
}
