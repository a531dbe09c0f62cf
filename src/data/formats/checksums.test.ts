import { createHash } from "node:crypto";
import * as zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32, sha256 } from "./checksums.js";

describe("crc32", () => {
  it("has the check value of the standard", () => {
    expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array())).toBe(0);
  });

  it("of two pieces is the CRC of the second, continued from that of the first", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(40), (bytes, cut) => {
        expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(crc32(bytes));
      }),
    );
  });

  it.skipIf(zlib.crc32 === undefined)("agrees with zlib (Node 20.15 or newer)", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(crc32(bytes)).toBe(zlib.crc32(bytes));
      }),
    );
  });
});

describe("sha256", () => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

  it("has the values that FIPS 180-4 gives for no bytes and for abc", () => {
    expect(hex(sha256())).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(hex(sha256(new TextEncoder().encode("abc")))).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });

  it("agrees with Node's for every length around the size of a block", () => {
    for (let length = 0; length < 200; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 255);
      expect(hex(sha256(bytes))).toBe(createHash("sha256").update(bytes).digest("hex"));
    }
  });

  it("does not depend on how the bytes are cut into pieces", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 90 }), { maxLength: 5 }), (pieces) => {
        expect(hex(sha256(...pieces))).toBe(
          hex(sha256(Uint8Array.from(pieces.flatMap((piece) => [...piece])))),
        );
      }),
    );
  });
});
