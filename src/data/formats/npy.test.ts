import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.js";
import { sizeOf } from "../../core/shape.js";
import {
  formatNpyHeader,
  makeNpy,
  type NpyArray,
  type NpyData,
  npyFromText,
  npyToText,
  readNpy,
  toFloat32,
  toFloat64,
  writeNpy,
} from "./npy.js";

/** A `.npy` file with this descr and these raw bytes. */
function npyBytes(descr: string, shape: number[], raw: Uint8Array, fortran = false): Uint8Array {
  const header = formatNpyHeader(descr, shape);
  const text = new TextDecoder("latin1")
    .decode(header)
    .replace("'fortran_order': False", "'fortran_order': True ");
  if (fortran) for (let i = 10; i < header.length; i++) header[i] = text.charCodeAt(i);
  return Uint8Array.from([...header, ...raw]);
}

/** The bytes of `data`, every item reversed. */
function bigEndian(data: NpyData): Uint8Array {
  const bytes = new Uint8Array(data.slice().buffer);
  for (let i = 0; i < bytes.length; i += data.BYTES_PER_ELEMENT) {
    bytes.subarray(i, i + data.BYTES_PER_ELEMENT).reverse();
  }
  return bytes;
}

const samples: readonly NpyData[] = [
  Int8Array.of(-128, 0, 1, 2, 3, 127),
  Uint8Array.of(0, 1, 2, 3, 4, 255),
  Int16Array.of(-32768, 0, 1, 2, 3, 32767),
  Uint16Array.of(0, 1, 2, 3, 256, 65535),
  Int32Array.of(-(2 ** 31), 0, 1, 2, 3, 2 ** 31 - 1),
  Uint32Array.of(0, 1, 2, 3, 4, 2 ** 32 - 1),
  BigInt64Array.of(-(2n ** 63n), 0n, 1n, 2n, 3n, 2n ** 63n - 1n),
  BigUint64Array.of(0n, 1n, 2n, 3n, 4n, 2n ** 64n - 1n),
  Float32Array.of(-0, Number.NaN, 1.5, Infinity, -3e38, 1e-45),
  Float64Array.of(-0, Number.NaN, 1.5, -Infinity, 1e308, 5e-324),
];

const shapes = fc.array(fc.nat(4), { maxLength: 4 });

const arrays: fc.Arbitrary<NpyArray> = fc
  .tuple(shapes, fc.nat(samples.length - 1), fc.uint8Array({ minLength: 2048, maxLength: 2048 }))
  .map(([shape, type, noise]) => {
    const Data = samples[type].constructor as new (
      buffer: ArrayBufferLike,
      offset: number,
      length: number,
    ) => NpyData;
    return makeNpy(shape, new Data(noise.buffer, noise.byteOffset, sizeOf(shape)).slice());
  });

describe("writeNpy and readNpy", () => {
  it("return every array of every type and shape, bit for bit", () => {
    fc.assert(
      fc.property(arrays, (array) => {
        const back = readNpy(writeNpy(array), "a.npy");
        expect(back.shape).toEqual(array.shape);
        expect(back.dtype).toBe(array.dtype);
        expect(new Uint8Array(back.data.buffer)).toEqual(new Uint8Array(array.data.buffer));
      }),
    );
  });

  it("keep bool apart from uint8", () => {
    const array: NpyArray = { shape: [3], dtype: "|b1", data: Uint8Array.of(1, 0, 1) };
    expect(readNpy(writeNpy(array), "a.npy")).toEqual(array);
  });

  it("do not share memory and do not need aligned bytes", () => {
    const file = writeNpy(makeNpy([2], Float64Array.of(1, 2)));
    const shifted = new Uint8Array(file.length + 1);
    shifted.set(file, 1);
    const { data } = readNpy(shifted.subarray(1), "a.npy");
    shifted.fill(0);
    expect(data).toEqual(Float64Array.of(1, 2));
  });
});

describe("readNpy", () => {
  it.each(samples)("reads big-endian numbers (%#)", (data) => {
    const { dtype } = makeNpy([6], data);
    expect(readNpy(npyBytes(dtype.replace("<", ">"), [6], bigEndian(data)), "a.npy")).toEqual({
      shape: [6],
      dtype,
      data,
    });
  });

  it.each(samples)("turns Fortran order into C order (%#)", (data) => {
    const raw = new Uint8Array(data.slice().buffer);
    const array = readNpy(npyBytes(makeNpy([6], data).dtype, [2, 3], raw, true), "a.npy");
    expect([...array.data]).toEqual([0, 2, 4, 1, 3, 5].map((i) => data[i]));
  });

  it("places entry (i, j, k) of a Fortran array at (i·J + j)·K + k", () => {
    const I = 2;
    const J = 3;
    const K = 4;
    const data = Int16Array.from({ length: I * J * K }, (_, flat) => {
      const i = flat % I;
      const j = Math.floor(flat / I) % J;
      const k = Math.floor(flat / (I * J));
      return 100 * i + 10 * j + k;
    });
    const { data: out } = readNpy(npyBytes("<i2", [I, J, K], new Uint8Array(data.buffer), true), "a.npy");
    for (let i = 0; i < I; i++)
      for (let j = 0; j < J; j++)
        for (let k = 0; k < K; k++) expect(out[(i * J + j) * K + k]).toBe(100 * i + 10 * j + k);
  });

  it("widens every half-precision number exactly", () => {
    const halves = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    const { dtype, data } = readNpy(npyBytes("<f2", [65536], new Uint8Array(halves.buffer)), "a.npy");
    expect(dtype).toBe("<f4");
    const expected = Float32Array.from(halves, (bits) => {
      const sign = bits >> 15 ? -1 : 1;
      const exponent = (bits >> 10) & 31;
      const fraction = bits & 1023;
      if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
      return exponent === 0
        ? sign * fraction * 2 ** -24
        : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
    });
    expect(data).toEqual(expected);
  });

  it("names a truncated file before allocating memory", () => {
    const file = writeNpy(makeNpy([3], Float32Array.of(1, 2, 3)));
    expect(() => readNpy(file.subarray(0, file.length - 5), "a.npy")).toThrow(
      "a.npy: truncated .npy: header says 12 bytes, 7 left",
    );
    expect(() => readNpy(npyBytes("<f8", [10 ** 6, 10 ** 6], Uint8Array.of(1)), "a.npy")).toThrow(
      "a.npy: truncated .npy: header says 8000000000000 bytes, 1 left",
    );
  });

  it("fails with nothing but an InputError on mutated bytes", () => {
    const file = writeNpy(makeNpy([2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)));
    const edits = fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(edits, fc.nat(file.length), (changes, length) => {
        const bytes = file.slice();
        for (const [at, value] of changes) bytes[at] = value;
        try {
          readNpy(bytes.subarray(0, file.length - (length % 7 === 0 ? length : 0)), "a.npy");
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
          expect((error as Error).message).toMatch(/^a\.npy: [^\n]+$/);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("toFloat32 and toFloat64", () => {
  it("convert every type", () => {
    for (const data of samples) {
      const numbers = Array.from(data as ArrayLike<number | bigint>, Number);
      const array = makeNpy([6], data);
      const small = numbers.map((value) => (Number.isFinite(value) && Math.abs(value) > 1e38 ? 1 : value));
      const within = data instanceof Float64Array ? makeNpy([6], Float64Array.from(small)) : array;
      expect(toFloat32(within, "a.npy")).toEqual(
        Float32Array.from(data instanceof Float64Array ? small : numbers),
      );
      expect(toFloat64(array, "a.npy")).toEqual(Float64Array.from(numbers));
    }
  });

  it("name a finite number beyond float32, unless it marks missing samples", () => {
    const array = makeNpy([2, 2], Float64Array.of(1, Infinity, -1.7976931348623157e308, 3.4e38));
    expect(() => toFloat32(array, "a.npy")).toThrow(
      "a.npy: sample -1.7976931348623157e+308 at [1, 0] is beyond float32 (3.4e38)",
    );
    expect(toFloat32(array, "a.npy", [-Infinity])).toEqual(
      Float32Array.of(1, Infinity, -Infinity, Math.fround(3.4e38)),
    );
  });

  it("do not copy an array that has the type already", () => {
    const data = Float32Array.of(1);
    expect(toFloat32(makeNpy([1], data), "a.npy")).toBe(data);
  });

  it("reject text", () => {
    expect(() => toFloat32(npyFromText("csc"), "a.npz[format]")).toThrow(
      "a.npz[format]: must hold numbers, got text (dtype |S3)",
    );
  });
});

describe("npyFromText and npyToText", () => {
  it("are each other's inverse", () => {
    const text = fc
      .string({ unit: "binary", minLength: 1 })
      .filter((s) => !s.endsWith("\0") && !/\p{Cs}/u.test(s));
    fc.assert(
      fc.property(text, (value) => {
        expect(npyToText(readNpy(writeNpy(npyFromText(value)), "a.npy"), "a.npy")).toBe(value);
      }),
    );
  });

  it("read str in either byte order, and uint8", () => {
    const codes = Uint32Array.of(0x63, 0x1f600, 0); // "c", a smile, padding
    const array: NpyArray = { shape: [], dtype: "<U3", data: codes };
    expect(readNpy(writeNpy(array), "a.npy")).toEqual(array);
    expect(npyToText(array, "a.npy")).toBe("c😀");
    expect(npyToText(readNpy(npyBytes(">U3", [], bigEndian(codes)), "a.npy"), "a.npy")).toBe("c😀");
    expect(npyToText(makeNpy([2], Uint8Array.of(0x7b, 0x7d)), "a.npy")).toBe("{}");
  });

  it("reject what is not a single text", () => {
    expect(() => npyToText(makeNpy([2], Float32Array.of(1, 2)), "a.npz[format]")).toThrow(
      "a.npz[format]: must be a single text, got dtype <f4 of shape (2)",
    );
    expect(() => npyToText(makeNpy([1], Uint8Array.of(0xff)), "a.npz[meta]")).toThrow(
      "a.npz[meta]: not valid Unicode text",
    );
    expect(() => npyToText({ shape: [], dtype: "<U1", data: Uint32Array.of(0x110000) }, "x")).toThrow(
      "x: not valid Unicode text",
    );
    expect(() => npyFromText("")).toThrow('npyFromText: text must not be empty or end in a zero, got ""');
  });
});

describe("writeNpy", () => {
  it("rejects dtype, shape and data that do not agree", () => {
    const data = Float32Array.of(1, 2, 3);
    expect(() => makeNpy([2, 2], data)).toThrow("makeNpy: data of shape 2x2 must have 4 items, got 3");
    expect(() => makeNpy([], data)).toThrow("makeNpy: data of shape () must have 1 items, got 3");
    expect(() => makeNpy([-3], data)).toThrow(
      "makeNpy: shape must be up to 32 sizes of at least 0, got [-3]",
    );
    expect(() => writeNpy({ shape: [3], dtype: "<f8", data })).toThrow(
      'writeNpy: data must have the type of dtype "<f8", got a Float32Array',
    );
    expect(() => writeNpy({ shape: [3], dtype: "toString", data })).toThrow(
      'writeNpy: data must have the type of dtype "toString", got a Float32Array',
    );
  });
});
