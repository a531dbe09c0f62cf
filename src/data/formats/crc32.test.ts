import * as zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32 } from "./crc32.js";

describe("crc32", () => {
  it("has the check value of the standard", () => {
    expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array())).toBe(0);
  });

  it("of a followed by b continues that of a", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(40), (bytes, cut) => {
        const [a, b] = [bytes.subarray(0, cut), bytes.subarray(cut)];
        expect(crc32(b, crc32(a))).toBe(crc32(bytes));
      }),
    );
  });

  it.skipIf(zlib.crc32 === undefined)("agrees with zlib (Node from 20.15 on)", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(crc32(bytes)).toBe(zlib.crc32(bytes));
      }),
    );
  });
});
