import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { crc32 } from "../../data/formats/checksums.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { DivergedError } from "../learners/learner.js";
import { type Checkpoint, checkpointFromBytes, checkpointToBytes, draftCheckpoint } from "./checkpoint.js";
import {
  hostPart,
  readPart,
  type Savable,
  savableMatrix,
  savableNumbers,
  savableSparse,
  savableSymmetric,
  savableTogether,
  savedExamples,
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
const data = { "the data": { limit: 4096, digests: "0123abcd", times: "00000000" } };
const header = {
  library: "0",
  settings: { batch: 64, base: "odct:2" },
  data,
  scale: 2 ** -9,
  position,
  report,
};
const parts = () => [
  hostPart("counters", Float64Array.of(0.1, 2 ** 60)),
  hostPart("A.indices", Uint32Array.of(5, 4_294_967_295, 0)),
  hostPart("U", Float32Array.of(1, -0, 3e-45)),
  hostPart("empty", new Float32Array()),
];
const written = () => checkpointToBytes(draftCheckpoint(header, parts()));

/** A file with another header, and correct checksums. */
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

const rejection = (bytes: Uint8Array) =>
  checkpointFromBytes(bytes, "a.tlc").then(
    () => "none",
    (error) => (error instanceof InputError ? error.message : `not an InputError: ${error.stack}`),
  );

describe("a checkpoint as bytes", () => {
  test("comes back to the bit", async () => {
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

  test("is rejected with the kind of damage", async () => {
    const bytes = await written();
    const flipped = (at: number) => bytes.with(at, bytes[at] ^ 4);
    expect(await rejection(bytes)).toBe("none");
    expect(await rejection(bytes.subarray(0, 12))).toBe("a.tlc: damaged (only 12 bytes)");
    expect(await rejection(bytes.subarray(0, 60))).toBe("a.tlc: damaged (the header is cut off)");
    expect(await rejection(bytes.subarray(0, -3))).toBe(
      `a.tlc: damaged (${bytes.length - 3} bytes instead of ${bytes.length})`,
    );
    expect(await rejection(flipped(0))).toBe("a.tlc: not a trainlets checkpoint");
    expect(await rejection(flipped(8))).toBe(
      "a.tlc: format version must be 2, got 6: written by another version of trainlets",
    );
    expect(await rejection(flipped(30))).toBe("a.tlc: damaged (wrong checksum of the header)");
    expect(await rejection(flipped(bytes.length - 12))).toBe("a.tlc: damaged (wrong checksum of U)");
    expect(await rejection(flipped(bytes.length - 1))).toBe("a.tlc: damaged (wrong checksum of empty)");
  });

  test("is rejected for any flipped bit and any other length", async () => {
    const bytes = await written();
    for (let at = 0; at < bytes.length; at++) {
      expect(await rejection(bytes.with(at, bytes[at] ^ (1 << (at % 8))))).not.toBe("none");
      expect(await rejection(bytes.subarray(0, at))).toMatch(/^a\.tlc: /);
    }
    expect(await rejection(Uint8Array.of(...bytes, 0))).toMatch(/^a\.tlc: damaged \(/);
  });

  test.each([
    ["{", "damaged checkpoint: invalid header, got undefined"],
    ["[]", "damaged checkpoint: invalid header, got []"],
    ['{"position":{}}', "damaged checkpoint: invalid step, got undefined"],
  ])("with the header %s is rejected", async (text, message) => {
    expect(await rejection(withHeader(await written(), () => text))).toBe(`a.tlc: ${message}`);
  });

  test.each([
    ['"step":7', '"step":-7', "damaged checkpoint: invalid step, got -7"],
    ['"scale":', '"scale":-', `damaged checkpoint: invalid scale, got ${-(2 ** -9)}`],
    ['"type":"u32"', '"type":"__proto__"', 'damaged checkpoint: invalid part, got "A.indices"'],
    ['"name":"U"', '"name":"empty"', 'damaged checkpoint: invalid part, got "empty"'],
    ['"length":2', '"length":1e15', /^a\.tlc: damaged \(\d+ bytes instead of 80000000000\d+\)$/],
    ['"seconds":1.5', '"seconds":"1"', 'damaged checkpoint: invalid seconds, got "1"'],
    ['"rmse":null', '"testRmse":[]', "damaged checkpoint: invalid testRmse, got []"],
    ['"batch":64', '"batch":{}', "damaged checkpoint: invalid batch, got an Object"],
    ['"limit":4096', '"limit":5000', "damaged checkpoint: invalid record of the data, got an Object"],
    ['"0123abcd"', '"0123ABC"', "damaged checkpoint: invalid record of the data, got an Object"],
    ['"0123abcd"', '""', "damaged checkpoint: invalid record of the data, got an Object"],
  ])("with %s replaced by %s in its header is rejected", async (from, to, message) => {
    const changed = withHeader(await written(), (text) => text.replace(from, to));
    const found = await rejection(changed);
    if (typeof message === "string") expect(found).toBe(`a.tlc: ${message}`);
    else expect(found).toMatch(message);
  });

  test("is never made of NaN or infinity", async () => {
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      const draft = draftCheckpoint(header, [hostPart("U", Float32Array.of(0, value))]);
      await expect(checkpointToBytes(draft)).rejects.toThrow(
        new DivergedError("train: U is not finite at step 7"),
      );
    }
  });
});

describe("savable state", () => {
  const kernels = createReferenceKernels();
  const rng = Rng.from(3);
  const random = (rows: number, cols: number) => DenseMatrix.build(rows, cols, () => rng.normal());
  const through = async (state: Savable): Promise<Checkpoint> =>
    checkpointFromBytes(await checkpointToBytes(draftCheckpoint(header, state.parts())), "a.tlc");

  test("matrices come back, also those saved in several pieces, and no device memory is left allocated", async () => {
    const size = 1100; // more than one piece
    const G = random(size, size);
    for (let j = 0; j < size; j++) for (let i = 0; i < j; i++) G.data[i * size + j] = G.data[j * size + i];
    const U = random(size, 2 * size);
    const [g, u] = [kernels.matrix(size, size), kernels.matrix(size, 2 * size)];
    await kernels.writeMatrix(g, G);
    await kernels.writeMatrix(u, U);
    const { used } = kernels.memory;
    const state = savableTogether(savableSymmetric("G", g, kernels), savableMatrix("U", u, kernels));
    const saved = await through(state);
    expect(kernels.memory.used).toBe(used);
    expect(saved.header.parts.map(({ length }) => length)).toEqual([
      (size * (size + 1)) / 2,
      2 * size * size,
    ]);
    await kernels.writeMatrix(g, new DenseMatrix(size, size));
    await kernels.writeMatrix(u, new DenseMatrix(size, 2 * size));
    await state.restore(saved);
    const same = (a: Float32Array, b: Float32Array) => a.every((value, i) => Object.is(value, b[i]));
    expect(same((await kernels.readMatrix(g)).data, G.data)).toBe(true);
    expect(same((await kernels.readMatrix(u)).data, U.data)).toBe(true);
    kernels.free(g, u);
  });

  test("sparse columns keep the order of their entries", async () => {
    const a = kernels.sparse(5, 2, 3);
    const A = SparseColumns.fromEntries(5, 3, [[[4, 1], [0, -2]], [[1, 3], [3, 4], [2, 5]]] as [number, number][][]); // biome-ignore format: columns
    await kernels.writeSparse(a, A);
    const saved = await through(savableSparse("A", a, kernels));
    await kernels.writeSparse(a, new SparseColumns(5, 2, 3));
    await savableSparse("A", a, kernels).restore(saved);
    expect(await kernels.readSparse(a)).toEqual(A);
    const narrow = kernels.sparse(4, 2, 3);
    await expect(savableSparse("A", narrow, kernels).restore(saved)).rejects.toThrow(
      new InputError("checkpoint: A must fit 4 rows and 3 non-zeros per column"),
    );
    kernels.free(a, narrow);
  });

  test("a part may have numbers of fewer examples than the run takes, but not of more, and not of half a one", () => {
    const count = (length: number) => savedExamples("R", new Float32Array(length), 4, 5);
    expect([20, 12, 4].map(count)).toEqual([5, 3, 1]);
    for (const length of [24, 10])
      expect(() => count(length)).toThrow(
        new InputError(
          `checkpoint: R must have 4 numbers for each of at most 5 examples, got ${length}; another version of trainlets may have written it`,
        ),
      );
  });

  test("a part that does not fit is rejected by name", async () => {
    let numbers: readonly number[] = [1, 2];
    const state = savableNumbers("counters", () => numbers, (values) => (numbers = values)); // biome-ignore format: short
    const saved = await through(state);
    numbers = [0, 0];
    await state.restore(saved);
    expect(numbers).toEqual([1, 2]);
    const read = (...args: ["f32" | "f64", number?]) => readPart(saved, "counters", ...args);
    await expect(read("f64", 3)).rejects.toThrow(
      new InputError(
        "checkpoint: counters must have 3 numbers of type f64, got 2 of type f64; another version of trainlets may have written it",
      ),
    );
    await expect(read("f32")).rejects.toThrow(
      "checkpoint: counters must have numbers of type f32, got 2 of type f64",
    );
    await expect(readPart(saved, "U", "f32", 1)).rejects.toThrow(
      "checkpoint: U is missing; another version of trainlets may have written it",
    );
  });
});
