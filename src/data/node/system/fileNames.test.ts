import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameFromBytes, shownPath, systemPath } from "./fileNames.js";

const bytesOf = (path: string) => Buffer.from(systemPath(path));

describe("names of files", () => {
  it("are text where they are valid UTF-8", () => {
    for (const name of ["a.png", "Żółć 𝄞.png", "\ufeffmark", "\ufffd"]) {
      expect(nameFromBytes(Buffer.from(name))).toBe(name);
      expect(systemPath(name)).toBe(name);
      expect(shownPath(name)).toBe(name);
    }
  });

  it("keep bytes that are not, and show them", () => {
    const name = nameFromBytes(Buffer.from("caf\xe9.png", "latin1"));
    expect(name).toBe("caf\udce9.png");
    expect(shownPath(`photos/${name}`)).toBe("photos/caf\\xe9.png");
    expect(bytesOf(name)).toEqual(Buffer.from("caf\xe9.png", "latin1"));
  });

  it.each([
    ["a sequence that is cut off", [0x61, 0xe2, 0x82]],
    ["a byte too many", [0x61, 0x80, 0x62]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["an encoded low surrogate, as of an escaped byte", [0xed, 0xb2, 0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a letter beyond Unicode", [0xf5, 0x80, 0x80, 0x80]],
  ])("%s comes back as it was", (_, bytes) => {
    expect([...bytesOf(nameFromBytes(Uint8Array.from(bytes)))]).toEqual(bytes);
  });

  it("come back as they were, whatever their bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect([...bytesOf(nameFromBytes(bytes))]).toEqual([...bytes]);
      }),
    );
  });

  it("stand for one name each: no two names give the same text", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 6 }), fc.uint8Array({ maxLength: 6 }), (a, b) => {
        expect(nameFromBytes(a) === nameFromBytes(b)).toBe(Buffer.compare(a, b) === 0);
      }),
    );
  });
});
