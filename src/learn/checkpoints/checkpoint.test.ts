import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/rng.js";
import { crc32 } from "../../data/formats/crc32.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { UnhealthyError } from "../learners/finite.js";
import { type Checkpoint, checkpointFromBytes, checkpointToBytes, draftCheckpoint } from "./checkpoint.js";
import {
  heldPart,
  keptMatrix,
  keptNumbers,
  keptSparse,
  keptSymmetric,
  keptTogether,
  readPart,
} from "./checkpointParts.js";

const position = {
  step: 7,
  epoch: 2,
  examples: 700,
  nextTest: 800,
  atomsReplaced: 3,
  best: Infinity,
  sinceBest: 0,
  seconds: 1.5,
};
const report = {
  step: 6,
  epoch: 1,
  examples: 600,
  rmse: Number.NaN,
  stepSize: 0.1,
  atomsUsed: 5,
  atomsReplaced: 0,
};
const header = { library: "0", settings: { batch: 64, base: "odct:2" }, scale: 2 ** -9, position, report };
const parts = () => [
  heldPart("counters", Float64Array.of(0.1, 2 ** 60)),
  heldPart("A.indices", Uint32Array.of(5, 4_294_967_295, 0)),
  heldPart("U", Float32Array.of(1, -0, 3e-45)),
  heldPart("none", new Float32Array()),
];
const written = () => checkpointToBytes(draftCheckpoint(header, parts()));

/** A file whose header says something else, with checksums that are right. */
function withHeader(bytes: Uint8Array, change: (text: string) => string): Uint8Array {
  const view = new DataView(bytes.buffer);
  const length = view.getUint32(12, true);
  const text = new TextEncoder().encode(change(new TextDecoder().decode(bytes.subarray(20, 20 + length))));
  const changed = new Uint8Array(20 + text.length + bytes.length - 20 - length);
  changed.set(bytes.subarray(0, 20));
  changed.set(text, 20);
  changed.set(bytes.subarray(20 + length), 20 + text.length);
  new DataView(changed.buffer).setUint32(12, text.length, true);
  new DataView(changed.buffer).setUint32(16, crc32(text), true);
  return changed;
}

const refusal = (bytes: Uint8Array) =>
  checkpointFromBytes(bytes, "a.tlc").then(
    () => "none",
    (error) => (error instanceof InputError ? error.message : `not an InputError: ${error.stack}`),
  );

describe("a checkpoint as bytes", () => {
  test("comes back as it was, to the bit", async () => {
    const checkpoint = await checkpointFromBytes(await written(), "a.tlc");
    expect(checkpoint.header).toEqual({
      ...header,
      parts: parts().map(({ name, type, length }) => ({ name, type, length })),
    });
    for (const { name, pieces } of parts()) {
      for await (const values of pieces()) expect(await checkpoint.read(name)).toEqual(values);
    }
    expect(checkpoint.has("U")).toBe(true);
    expect(checkpoint.has("toString")).toBe(false);
  });

  test("is refused by the name of its damage", async () => {
    const bytes = await written();
    const flipped = (at: number) => bytes.with(at, bytes[at] ^ 4);
    expect(await refusal(bytes)).toBe("none");
    expect(await refusal(bytes.subarray(0, 12))).toBe("a.tlc: damaged (12 bytes are too few)");
    expect(await refusal(bytes.subarray(0, 60))).toBe("a.tlc: damaged (the header is cut off)");
    expect(await refusal(bytes.subarray(0, -3))).toBe(
      `a.tlc: damaged (${bytes.length - 3} bytes, where there must be ${bytes.length})`,
    );
    expect(await refusal(flipped(0))).toBe("a.tlc: must be a checkpoint, got something else");
    expect(await refusal(flipped(8))).toBe("a.tlc: version must be 1, got 5: another trainlets");
    expect(await refusal(flipped(30))).toBe("a.tlc: damaged (checksum of the header)");
    expect(await refusal(flipped(bytes.length - 12))).toBe("a.tlc: damaged (checksum of U)");
    expect(await refusal(flipped(bytes.length - 1))).toBe("a.tlc: damaged (checksum of none)");
  });

  test("is refused by any flipped bit and any other length", async () => {
    const bytes = await written();
    for (let at = 0; at < bytes.length; at++) {
      expect(await refusal(bytes.with(at, bytes[at] ^ (1 << (at % 8))))).not.toBe("none");
      expect(await refusal(bytes.subarray(0, at))).toMatch(/^a\.tlc: /);
    }
    expect(await refusal(Uint8Array.of(...bytes, 0))).toMatch(/^a\.tlc: damaged \(/);
  });

  test.each([
    ["{", "the header must be that of a checkpoint, got undefined"],
    ["[]", "the header must be that of a checkpoint, got []"],
    ['{"position":{}}', "step must be that of a checkpoint, got undefined"],
  ])("with the header %s is refused", async (text, message) => {
    expect(await refusal(withHeader(await written(), () => text))).toBe(`a.tlc: ${message}`);
  });

  test.each([
    ['"step":7', '"step":-7', "step must be that of a checkpoint, got -7"],
    ['"scale":', '"scale":-', `scale must be that of a checkpoint, got ${-(2 ** -9)}`],
    ['"type":"u32"', '"type":"__proto__"', 'a part must be that of a checkpoint, got "A.indices"'],
    ['"name":"U"', '"name":"none"', 'a part must be that of a checkpoint, got "none"'],
    ['"length":2', '"length":1e15', /^a\.tlc: damaged \(\d+ bytes, where there must be 80000000000\d+\)$/],
    ['"seconds":1.5', '"seconds":"1"', 'seconds must be that of a checkpoint, got "1"'],
    ['"rmse":null', '"testRmse":[]', "testRmse must be that of a checkpoint, got []"],
    ['"batch":64', '"batch":{}', "batch must be that of a checkpoint, got an Object"],
  ])("of a stranger who says %s as %s is refused", async (from, to, message) => {
    const changed = withHeader(await written(), (text) => text.replace(from, to));
    const said = await refusal(changed);
    if (typeof message === "string") expect(said).toBe(`a.tlc: ${message}`);
    else expect(said).toMatch(message);
  });

  test("is never made of numbers that are none", async () => {
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      const draft = draftCheckpoint(header, [heldPart("U", Float32Array.of(0, value))]);
      await expect(checkpointToBytes(draft)).rejects.toThrow(
        new UnhealthyError("train: U holds numbers that are not finite at step 7"),
      );
    }
  });
});

describe("what is kept", () => {
  const kernels = createReferenceKernels();
  const rng = Rng.from(3);
  const random = (rows: number, cols: number) => DenseMatrix.build(rows, cols, () => rng.normal());
  const through = async (kept: ReturnType<typeof keptTogether>): Promise<Checkpoint> =>
    checkpointFromBytes(await checkpointToBytes(draftCheckpoint(header, kept.parts())), "a.tlc");

  test("matrices come back, those that leave in several pieces too, and take no memory", async () => {
    const size = 1100; // more than one piece
    const G = random(size, size);
    for (let j = 0; j < size; j++) for (let i = 0; i < j; i++) G.data[i * size + j] = G.data[j * size + i];
    const U = random(size, 2 * size);
    const [g, u] = [kernels.matrix(size, size), kernels.matrix(size, 2 * size)];
    await kernels.writeMatrix(g, G);
    await kernels.writeMatrix(u, U);
    const { used } = kernels.memory;
    const kept = keptTogether(keptSymmetric("G", g, kernels), keptMatrix("U", u, kernels));
    const saved = await through(kept);
    expect(kernels.memory.used).toBe(used);
    expect(saved.header.parts.map(({ length }) => length)).toEqual([
      (size * (size + 1)) / 2,
      2 * size * size,
    ]);
    await kernels.writeMatrix(g, new DenseMatrix(size, size));
    await kernels.writeMatrix(u, new DenseMatrix(size, 2 * size));
    await kept.restore(saved);
    const same = (a: Float32Array, b: Float32Array) => a.every((value, i) => Object.is(value, b[i]));
    expect(same((await kernels.readMatrix(g)).data, G.data)).toBe(true);
    expect(same((await kernels.readMatrix(u)).data, U.data)).toBe(true);
    kernels.free(g, u);
  });

  test("sparse columns keep the order of their entries", async () => {
    const a = kernels.sparse(5, 2, 3);
    const A = SparseColumns.fromEntries(5, 3, [[[4, 1], [0, -2]], [[1, 3], [3, 4], [2, 5]]] as [number, number][][]); // biome-ignore format: columns
    await kernels.writeSparse(a, A);
    const saved = await through(keptSparse("A", a, kernels));
    await kernels.writeSparse(a, new SparseColumns(5, 2, 3));
    await keptSparse("A", a, kernels).restore(saved);
    expect(await kernels.readSparse(a)).toEqual(A);
    const narrow = kernels.sparse(4, 2, 3);
    await expect(keptSparse("A", narrow, kernels).restore(saved)).rejects.toThrow(
      new InputError("checkpoint: A must fit 4 rows and 3 non-zeros a column"),
    );
    kernels.free(a, narrow);
  });

  test("what does not fit is refused by name", async () => {
    let numbers: readonly number[] = [1, 2];
    const kept = keptNumbers("counters", () => numbers, (values) => (numbers = values)); // biome-ignore format: short
    const saved = await through(kept);
    numbers = [0, 0];
    await kept.restore(saved);
    expect(numbers).toEqual([1, 2]);
    const read = (...args: ["f32" | "f64", number?]) => readPart(saved, "counters", ...args);
    await expect(read("f64", 3)).rejects.toThrow(
      new InputError("checkpoint: counters must be 3 of f64, got 2 of Float64Array"),
    );
    await expect(read("f32")).rejects.toThrow(
      "checkpoint: counters must be an array of f32, got 2 of Float64Array",
    );
    await expect(readPart(saved, "U", "f32", 1)).rejects.toThrow("checkpoint: U must be 1 of f32, got none");
  });
});
