import { zlibSync } from "fflate";
import { describe, expect, test } from "vitest";
import { SparseColumns } from "../../../core/matrix.js";
import { type MatVariable, matMatrix, readMat, writeMat } from "./matFile.js";

const A = SparseColumns.fromEntries(4, 2, [
  [
    [0, 1.5],
    [3, -2],
  ],
  [],
  [[2, 0.25]],
]);
const variables: [string, MatVariable][] = [
  ["A", { kind: "sparse", matrix: A }],
  ["D", { kind: "full", shape: [2, 3], data: Float64Array.of(1, 2, 3, 4, 5, 6) }],
  ["s", { kind: "full", shape: [3, 1], data: Float32Array.of(1, 2, 3) }],
  ["meta", { kind: "text", text: '{"Φ":1}' }],
];
const bytes = writeMat(variables);

/** The same file with every variable compressed, as Matlab does by default. */
function compressed(file: Uint8Array): Uint8Array {
  const parts = [file.subarray(0, 128)];
  const view = new DataView(file.buffer, file.byteOffset);
  for (let at = 128; at < file.length; ) {
    const size = 8 + view.getUint32(at + 4, true);
    const packed = zlibSync(file.subarray(at, at + size));
    const tag = new Uint8Array(Uint32Array.of(15, packed.length).buffer);
    parts.push(tag, packed);
    at += size;
  }
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

describe("a Matlab 5 file", () => {
  test.each([
    ["as it is written", bytes],
    ["with compressed variables", compressed(bytes)],
  ])("gives back its variables, %s", (_, file) => {
    const found = readMat(file, "x.mat");
    expect([...found.keys()]).toEqual(["A", "D", "s", "meta"]);
    expect(found.get("meta")).toEqual({ kind: "text", text: '{"Φ":1}' });
    expect(found.get("D")).toEqual(variables[1][1]);
    expect(found.get("s")).toEqual(variables[2][1]);
    const sparse = found.get("A");
    expect(sparse && matMatrix(sparse)).toEqual(A.toDense());
  });

  test("is laid out in elements of 8 bytes", () => {
    expect(bytes.length % 8).toBe(0);
    expect(new TextDecoder().decode(bytes.subarray(0, 10))).toBe("MATLAB 5.0");
    expect(new TextDecoder().decode(bytes.subarray(126, 128))).toBe("IM");
  });

  test.each([
    [new Uint8Array(200), /not a Matlab 5 file/],
    [bytes.subarray(0, bytes.length - 16), /damaged/],
    [Uint8Array.from([0x89, 0x48, 0x44, 0x46, ...new Uint8Array(200)]), /HDF5: save it again with save -v7/],
    [bytes.map((byte, i) => (i === 136 + 4 ? 0xff : byte)), /damaged/],
  ])("that is damaged is refused, %#", (damaged, message) => {
    expect(() => readMat(damaged, "x.mat")).toThrow(message);
  });
});
