import { describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.js";
import { formatNpyHeader, readNpyHeader } from "./npy.js";

/** A header of a given version around a given text. */
function headerOf(text: string, major = 1, minor = 0): Uint8Array {
  const body = new TextEncoder().encode(text);
  const length =
    major === 1 ? [body.length & 255, body.length >> 8] : [body.length & 255, body.length >> 8, 0, 0];
  return Uint8Array.from([0x93, ...new TextEncoder().encode("NUMPY"), major, minor, ...length, ...body]);
}

const message = (text: string, major = 1, minor = 0) => {
  try {
    readNpyHeader(headerOf(text, major, minor), "a.npy");
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as Error).message;
  }
  return "no error";
};

const shapeOf = (tuple: string) =>
  readNpyHeader(headerOf(`{'descr': '|u1', 'fortran_order': False, 'shape': ${tuple}, }\n`), "a.npy").shape;

describe("readNpyHeader", () => {
  it("reads what numpy writes, in every version", () => {
    const text = "{'descr': '>f8', 'fortran_order': True, 'shape': (3, 4), }           \n";
    for (const major of [1, 2, 3]) {
      const start = major === 1 ? 10 : 12;
      expect(readNpyHeader(headerOf(text, major), "a.npy")).toEqual({
        shape: [3, 4],
        kind: "f",
        size: 8,
        bigEndian: true,
        fortranOrder: true,
        dataOffset: start + text.length,
        byteLength: 96,
      });
    }
  });

  it("takes keys in any order, either quote, with or without the last comma", () => {
    const header = readNpyHeader(headerOf(`{"shape":(2,),'fortran_order' : False,"descr":'<i4'}`), "a.npy");
    expect(header).toMatchObject({ shape: [2], kind: "i", size: 4, byteLength: 8 });
  });

  it("reads tuples as Python does", () => {
    expect(shapeOf("()")).toEqual([]);
    expect(shapeOf("(5,)")).toEqual([5]);
    expect(shapeOf("(5, 6)")).toEqual([5, 6]);
    expect(shapeOf("(5L, 6L)")).toEqual([5, 6]);
    expect(shapeOf("(0, 6)")).toEqual([0, 6]);
  });

  it("counts four bytes per character of text", () => {
    const header = (descr: string) =>
      readNpyHeader(headerOf(`{'descr': '${descr}', 'fortran_order': False, 'shape': (2,)}`), "a.npy");
    expect(header("<U3").byteLength).toBe(24);
    expect(header("|S3").byteLength).toBe(6);
  });

  it("rejects other files and versions", () => {
    expect(() => readNpyHeader(new TextEncoder().encode("PNG, say"), "a.npy")).toThrow(
      "a.npy: not a .npy file",
    );
    expect(() => readNpyHeader(new Uint8Array(), "a.npy")).toThrow("a.npy: not a .npy file");
    expect(message("{}", 4)).toBe("a.npy: unknown .npy version 4.0; known: 1.0, 2.0, 3.0");
    expect(message("{}", 1, 7)).toBe("a.npy: unknown .npy version 1.7; known: 1.0, 2.0, 3.0");
  });

  it("rejects a header that is truncated or too long", () => {
    const whole = headerOf("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
    expect(() => readNpyHeader(whole.subarray(0, 8), "a.npy")).toThrow(
      "a.npy: truncated .npy: ends inside its header",
    );
    expect(() => readNpyHeader(whole.subarray(0, 30), "a.npy")).toThrow(
      "a.npy: truncated .npy: header takes 57 bytes, 20 left",
    );
    const long = Uint8Array.from([...headerOf("", 2).subarray(0, 8), 0, 0, 0, 64]);
    expect(() => readNpyHeader(long, "a.npy")).toThrow("a.npy: .npy header of 1073741824 bytes is too long");
  });

  it("names what is malformed", () => {
    const rest = "'fortran_order': False, 'shape': (3,)";
    expect(message("import os")).toBe("a.npy: malformed .npy header: not a dictionary");
    expect(message("{}")).toBe("a.npy: malformed .npy header: no usable descr");
    expect(message(`{'descr': True, ${rest}}`)).toBe("a.npy: malformed .npy header: no usable descr");
    expect(message(`{'descr': '<f4', ${rest}, ${rest}}`)).toBe(
      "a.npy: malformed .npy header: fortran_order appears twice",
    );
    expect(message(`{'descr': '<f4', ${rest}, 'more': True}`)).toBe(
      'a.npy: malformed .npy header: unknown key in ["descr", "fortran_order", "shape", "more"]',
    );
    expect(message("{'descr': '<f4', 'fortran_order': False, 'shape': (3)}")).toBe(
      'a.npy: malformed .npy header: shape "(3)"',
    );
    expect(message("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}")).toBe(
      "a.npy: malformed .npy header: cannot read \"'shape': (-3,)\"",
    );
    expect(message("{'descr': f(), 'shape': (3,)}")).toBe(
      "a.npy: malformed .npy header: cannot read \"'descr': f(), 'shape': (3,)\"",
    );
  });

  it("names types that it cannot read", () => {
    const of = (descr: string) => message(`{'descr': ${descr}, 'fortran_order': False, 'shape': (3,)}`);
    expect(of("'|O'")).toBe(
      "a.npy: object arrays (dtype |O) are not supported: they hold pickled Python code",
    );
    expect(of("'<c8'")).toBe(
      'a.npy: unsupported dtype "<c8"; supported: b1, i1–i8, u1–u8, f2, f4, f8, S and U',
    );
    expect(of("'<M8[ns]'")).toMatch('unsupported dtype "<M8[ns]"');
    expect(of("'<f3'")).toMatch('unsupported dtype "<f3"');
    expect(of("[('x', '<f4'), ('y', '<f4')]")).toBe("a.npy: structured arrays are not supported");
  });

  it("rejects shapes that no memory could hold, even empty ones", () => {
    expect(() => shapeOf("(9999999999, 9999999999)")).toThrow(
      "a.npy: impossible .npy shape [9999999999, 9999999999]",
    );
    expect(() => shapeOf("(0, 9999999999999999999999)")).toThrow("a.npy: impossible .npy shape");
    expect(() => shapeOf(`(${"1, ".repeat(65)})`)).toThrow("a.npy: impossible .npy shape");
  });
});

describe("formatNpyHeader", () => {
  it("puts the data at a multiple of 64 bytes", () => {
    for (const shape of [[], [7], [123456, 7, 8], new Array(32).fill(10 ** 9)]) {
      const header = formatNpyHeader("<f4", shape);
      expect(header.length % 64).toBe(0);
      expect(header.at(-1)).toBe(10);
    }
  });
});
