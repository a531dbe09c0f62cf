import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "./sha256.js";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

test("of nothing and of abc is as FIPS 180-4 says", () => {
  expect(hex(sha256())).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(hex(sha256(new TextEncoder().encode("abc")))).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

test("is Node's own, for every length around the size of a block", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 255);
    expect(hex(sha256(bytes))).toBe(createHash("sha256").update(bytes).digest("hex"));
  }
});

test("does not depend on how the bytes are cut into pieces", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 90 }), { maxLength: 5 }), (pieces) => {
      expect(hex(sha256(...pieces))).toBe(
        hex(sha256(Uint8Array.from(pieces.flatMap((piece) => [...piece])))),
      );
    }),
  );
});
