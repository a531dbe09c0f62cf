import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../core/errors.js";
import { AtomSetModel } from "./atomSetModel.js";
import { IntegerModel, SignedIntegerModel } from "./integerModel.js";
import { BitModels, BitReader, BitWriter, certainty } from "./rangeCoder.js";

const bits = fc.array(fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 1, max: certainty - 1 })), {
  maxLength: 400,
});

describe("arithmetic coding", () => {
  test("returns the bits that were written, to the last byte", () => {
    fc.assert(
      fc.property(bits, (list) => {
        const writer = new BitWriter();
        for (const [bit, p] of list) writer.code(bit, p);
        const reader = new BitReader(writer.finish());
        expect(list.map(([, p]) => reader.code(0, p))).toEqual(list.map(([bit]) => bit));
        expect(reader.atEnd).toBe(true);
      }),
    );
  });

  test("takes as many bits as there is information, and at most a few bytes more", () => {
    fc.assert(
      fc.property(bits, (list) => {
        const writer = new BitWriter();
        let information = 0;
        for (const [bit, p] of list) {
          writer.code(bit, p);
          information -= Math.log2((bit === 1 ? p : certainty - p) / certainty);
        }
        // intervals are cut at whole numbers: on rare occasions a narrow one loses a few bits
        expect(writer.finish().length * 8).toBeLessThanOrEqual(information * 1.02 + 40);
        expect(writer.finish().length * 8).toBeGreaterThanOrEqual(information - 8);
      }),
    );
  });

  test("notices missing and extra bytes", () => {
    const writer = new BitWriter();
    for (let i = 0; i < 800; i++) writer.code(i % 3 === 0 ? 1 : 0, certainty / 2);
    const bytes = writer.finish();
    const readAll = (given: Uint8Array) => {
      const reader = new BitReader(given);
      for (let i = 0; i < 800; i++) reader.code(0, certainty / 2);
      return reader.atEnd;
    };
    expect(readAll(bytes)).toBe(true);
    expect(readAll(bytes.subarray(0, 90))).toBe(false);
    expect(readAll(Uint8Array.from([...bytes, 1, 2, 3, 4, 5]))).toBe(false);
  });

  test("learns the probability of a bit", () => {
    const models = new BitModels(1);
    const writer = new BitWriter();
    for (let i = 0; i < 8000; i++) models.code(writer, 0, i % 16 === 0 ? 1 : 0);
    const entropy = -(Math.log2(1 / 16) / 16 + (15 / 16) * Math.log2(15 / 16));
    expect(writer.finish().length).toBeLessThan((8000 * entropy * 1.06) / 8);
  });
});

describe("integer models", () => {
  test("return the integers that were written, of either sign", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5000, max: 5000 })), (values) => {
        const writer = new BitWriter();
        const models = () => ({ signed: new SignedIntegerModel(), unsigned: new IntegerModel() });
        const write = models();
        for (const value of values) {
          write.signed.code(writer, value, 5000);
          write.unsigned.code(writer, Math.abs(value), 5000);
        }
        const reader = new BitReader(writer.finish());
        const read = models();
        for (const value of values) {
          expect(read.signed.code(reader, 0, 5000)).toBe(value);
          expect(read.unsigned.code(reader, 0, 5000)).toBe(Math.abs(value));
        }
      }),
    );
  });

  test("reject integers above the limit, whatever their length", () => {
    for (const [value, limit] of [
      [8, 7],
      [6, 5],
      [2 ** 30, 100],
    ] as const) {
      const writer = new BitWriter();
      new IntegerModel().code(writer, value, 2 ** 31);
      const reader = new BitReader(writer.finish());
      expect(() => new IntegerModel().code(reader, 0, limit)).toThrow(
        new InputError(`a number must be at most ${limit}`),
      );
    }
  });
});

describe("atom set models", () => {
  const sets = fc.uniqueArray(fc.integer({ min: 0, max: 39 }), { maxLength: 40 });
  const sorted = (set: readonly number[]) => [...set].sort((a, b) => a - b);

  test("return the sets that were written, also empty and full ones", () => {
    fc.assert(
      fc.property(
        fc.array(sets, { maxLength: 6 }),
        fc.array(fc.nat(50), { minLength: 40, maxLength: 40 }),
        (list, uses) => {
          const writer = new BitWriter();
          const write = new AtomSetModel(40, Uint32Array.from(uses));
          for (const set of list) write.code(writer, sorted(set), set.length);
          const reader = new BitReader(writer.finish());
          const read = new AtomSetModel(40, Uint32Array.from(uses));
          for (const set of list) expect([...read.code(reader, [], set.length)]).toEqual(sorted(set));
        },
      ),
    );
  });

  test("take log₂ of the number of sets if all atoms are equally likely", () => {
    const choose = (m: number, k: number): number =>
      Array.from({ length: k }, (_, i) => Math.log2((m - i) / (i + 1))).reduce((a, b) => a + b, 0);
    const writer = new BitWriter();
    new AtomSetModel(1000, undefined).code(
      writer,
      Array.from({ length: 50 }, (_, i) => 19 * i + (i % 7)),
      50,
    );
    expect(writer.finish().length * 8).toBeLessThan(choose(1000, 50) * 1.01 + 16);
  });

  test("rank atoms by their uses, then by index", () => {
    const { atoms, ranks } = new AtomSetModel(4, Uint32Array.of(1, 9, 1, 3));
    expect([...atoms]).toEqual([1, 3, 0, 2]);
    expect([...ranks]).toEqual([2, 0, 3, 1]);
  });

  test("take fewer bits for frequently used atoms", () => {
    const uses = Uint32Array.from({ length: 500 }, (_, j) => (j < 20 ? 1000 : 1));
    const size = (counts: Uint32Array | undefined) => {
      const writer = new BitWriter();
      new AtomSetModel(500, counts).code(writer, [0, 2, 5, 7, 11, 13, 17, 19], 8);
      return writer.finish().length;
    };
    expect(size(uses)).toBeLessThan(size(undefined) / 2);
  });
});
