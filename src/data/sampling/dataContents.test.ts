import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeSignal } from "../../core/signal.js";
import { comparedRanges, compareLimit, contentsOf, digestOf, isCompareLimit } from "./dataContents.js";

const gibi = 2 ** 30;

describe("how much is compared", () => {
  test("is everything, as long as that is little", () => {
    const limit = compareLimit([5, 3000, gibi / 2]);
    expect(comparedRanges(gibi / 2, limit)).toEqual([{ offset: 0, length: gibi / 2 }]);
  });

  test.each([
    ["one array of 100 GB", [1e11]],
    ["many photos", new Array(20_000).fill(3e6)],
    ["a million small pictures", new Array(1e6).fill(20_000)],
    ["arrays and pictures", [4e10, 1e10, ...new Array(1000).fill(1e6)]],
  ])("is bounded: %s", (_, sizes: number[]) => {
    const limit = compareLimit(sizes);
    expect(isCompareLimit(limit)).toBe(true);
    const bytes = new Map<number, number>();
    for (const size of new Set(sizes)) {
      const ranges = comparedRanges(size, limit);
      bytes.set(
        size,
        ranges.reduce((sum, { length }) => sum + length, 0),
      );
    }
    const total = sizes.reduce((sum, size) => sum + bytes.get(size)!, 0);
    expect(total).toBeLessThanOrEqual(Math.max(gibi, 4096 * sizes.length));
    expect(total).toBeGreaterThan(gibi / 4);
  });

  test("of a large item is its start, its end, and blocks between, which do not overlap", () => {
    const powers = fc.integer({ min: 12, max: 30 }).map((power) => 2 ** power);
    fc.assert(
      fc.property(powers, fc.integer({ min: 1, max: 2 ** 40 }), (limit, more) => {
        const size = limit + more;
        const ranges = comparedRanges(size, limit);
        expect(ranges[0].offset).toBe(0);
        expect(ranges.at(-1)!.offset + ranges.at(-1)!.length).toBe(size);
        expect(ranges.reduce((sum, { length }) => sum + length, 0)).toBe(limit);
        const gaps = ranges.slice(1).map(({ offset }, i) => offset - ranges[i].offset - ranges[i].length);
        expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
  });
});

describe("contentsOf", () => {
  const signal = (name: string, change = -1) =>
    makeSignal(
      name,
      [300],
      Float32Array.from({ length: 300 }, (_, i) => (i === change ? 1 : 0)),
    );

  test("differs if any sample does, the name, or the shape; not for another folder", () => {
    const digest = digestOf(contentsOf([signal("a.png")]));
    const digests = Array.from({ length: 300 }, (_, i) => digestOf(contentsOf([signal("a.png", i)])));
    expect(new Set([digest, ...digests]).size).toBe(301);
    expect(digestOf(contentsOf([signal("b.png")]))).not.toBe(digest);
    expect(digestOf(contentsOf([makeSignal("a.png", [30, 10], signal("a").data)]))).not.toBe(digest);
    expect(digestOf(contentsOf([signal("x/y/a.png")]))).toBe(digest);
  });

  test("sees only its own samples of memory that it shares", () => {
    const shared = Float32Array.from({ length: 600 }, (_, i) => i);
    const half = makeSignal("a", [300], shared.subarray(300));
    const before = digestOf(contentsOf([half]));
    shared[0] = 99;
    expect(digestOf(contentsOf([half]))).toBe(before);
    shared[599] = 99;
    expect(digestOf(contentsOf([half]))).not.toBe(before);
  });
});
