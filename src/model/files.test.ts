import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/random/rng.js";
import type { Shape } from "../core/shape.js";
import { makeNpy, type NpyArray, npyFromText, npyToText, writeNpy } from "../data/formats/npy.js";
import { readNpz, writeNpz, writeZip } from "../data/formats/npz.js";
import { type BaseDictionary, baseCols, createBase } from "../dictionaries/base.js";
import { explicitBase, randomSparse, randomUnitDictionary } from "../kernels/conformance/oracle.case.js";
import type { Codes } from "./coder.js";
import {
  codesFromBytes,
  codesToBytes,
  fingerprint,
  fromScipy,
  modelFromBytes,
  modelToBytes,
  toScipy,
} from "./files.js";
import { Model, type ModelMeta } from "./model.js";
import { version } from "./version.js";

const meta: ModelMeta = {
  learner: "osdl",
  options: { atomSparsity: 3, batch: 512, momentum: 0.9 },
  seed: 7,
  examplesSeen: 1000,
  removeMean: false,
  coding: { sparsity: 4, error: 0.5 },
};

function someModel(name = "cropped:haar", shape: Shape = [4, 5], uses?: Uint32Array): Model {
  const base = createBase(name, shape);
  return new Model(base, randomSparse(Rng.from(1), baseCols(base), 30, 3), meta, { uses });
}

const model = someModel(
  "cropped:haar",
  [4, 5],
  Uint32Array.from({ length: 30 }, (_, j) => 3 * j),
);
const modelBytes = modelToBytes(model);
const codes: Codes = {
  X: randomSparse(Rng.from(2), 30, 9, 4),
  means: Float32Array.from({ length: 9 }, (_, i) => i - 4.5),
};
const coded = { dictionary: "00000000", patch: [4, 5], stride: [4, 5], shapes: [[12, 15]] };
const codeBytes = codesToBytes(codes, coded);

test("numbers that are not finite are never written", () => {
  for (const value of [Number.NaN, Infinity, -Infinity]) {
    const X = codes.X.copy();
    X.values.fill(value);
    expect(() => codesToBytes({ ...codes, X }, coded, "c.npz")).toThrow(
      new Error(`c.npz: not written: the result has ${value} at index 0`),
    );
    const means = codes.means.map(() => value);
    expect(() => codesToBytes({ ...codes, means }, coded)).toThrow(/^the codes: not written/);
    const A = model.A.copy();
    A.values.fill(value);
    expect(() => modelToBytes(new Model(model.base, A, model.meta), "d.npz")).toThrow(
      `d.npz: not written: the result has ${value} at index 0`,
    );
  }
});

/** An archive with some arrays replaced, or left out where undefined. */
function edited(bytes: Uint8Array, changes: Record<string, NpyArray | undefined>): Uint8Array {
  const arrays: Map<string, NpyArray | undefined> = readNpz(bytes, "edited");
  for (const [key, array] of Object.entries(changes)) arrays.set(key, array);
  return writeNpz([...arrays].filter((entry): entry is [string, NpyArray] => entry[1] !== undefined));
}

/** An archive with some fields of meta replaced, or left out where undefined. */
function withMeta(bytes: Uint8Array, changes: Record<string, unknown>): Uint8Array {
  const before = JSON.parse(npyToText(readNpz(bytes, "edited").get("meta")!, "meta"));
  const text = new TextEncoder().encode(JSON.stringify({ ...before, ...changes }));
  return edited(bytes, { meta: makeNpy([text.length], text) });
}

const refusal = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
};

describe("model files", () => {
  test.each<[string, Shape]>([
    ["cropped:sym8", [12]],
    ["cropped:haar", [4, 5]],
    ["odct:1.5", [3, 2, 4]],
    ["identity", [1]],
    ["cropped:haar,odct:2,identity", [5, 4, 3]],
  ])("return the model: %s of shape %o", (name, shape) => {
    const written = someModel(name, shape);
    const read = modelFromBytes(modelToBytes(written), "dict.npz");
    expect(read.base).toEqual(written.base);
    expect(read.shape).toEqual(shape);
    expect(read.A.toDense()).toEqual(written.A.toDense());
    expect(read.meta).toEqual(meta);
    expect(read.uses).toBeUndefined();
  });

  test("keep how often atoms were used, if it is known", () => {
    expect(modelFromBytes(modelBytes, "dict.npz").uses).toEqual(model.uses);
  });

  test("hold a base that is not separable as one matrix phi", () => {
    const base: BaseDictionary = { name: "mine", shape: [4, 5], factors: [explicitBase(model.base.factors)] };
    const bytes = modelToBytes(new Model(base, model.A, meta));
    expect(readNpz(bytes, "dict.npz").get("phi")!.shape).toEqual([20, base.factors[0].cols]);
    expect(modelFromBytes(bytes, "dict.npz").base).toEqual(base);
  });

  test("have the arrays that numpy and scipy expect", () => {
    const arrays = readNpz(modelBytes, "dict.npz");
    expect([...arrays].map(([key, { dtype, shape }]) => [key, dtype, shape.length])).toEqual([
      ["data", "<f4", 1],
      ["indices", "<i4", 1],
      ["indptr", "<i4", 1],
      ["shape", "<i8", 1],
      ["format", "|S3", 0],
      ["phi_0", "<f8", 2],
      ["phi_1", "<f8", 2],
      ["uses", "<u4", 1],
      ["meta", "|u1", 1],
    ]);
    const phi = arrays.get("phi_1")!;
    expect(phi.shape).toEqual([5, model.base.factors[1].cols]);
    expect(phi.data[1]).toBe(model.base.factors[1].at(0, 1)); // row-major
    expect(JSON.parse(npyToText(arrays.get("meta")!, "meta"))).toEqual({
      format: "trainlets-model",
      formatVersion: 1,
      version,
      patch: [4, 5],
      base: "cropped:haar",
      ...meta,
    });
  });

  test("have the same bytes each time, also after reading, and for any order of entries in memory", () => {
    expect(modelToBytes(model)).toEqual(modelBytes);
    expect(modelToBytes(modelFromBytes(modelBytes, "dict.npz"))).toEqual(modelBytes);
    const turned = model.A.copy();
    for (let j = 0; j < turned.cols; j++) {
      const start = j * turned.width;
      const end = j * turned.width + turned.counts[j];
      turned.setColumn(
        j,
        turned.indices.slice(start, end).reverse(),
        turned.values.slice(start, end).reverse(),
      );
    }
    expect(modelToBytes(new Model(model.base, turned, meta, model))).toEqual(modelBytes);
  });

  test("are rejected if they are not models", () => {
    expect(
      refusal(() => modelFromBytes(new TextEncoder().encode("hello, this is no archive"), "a.npz")),
    ).toBe("a.npz: not a zip file");
    expect(refusal(() => modelFromBytes(new Uint8Array(), "a.npz"))).toMatch(/^a\.npz: /);
    expect(refusal(() => modelFromBytes(writeNpz([["x", makeNpy([1], Float32Array.of(1))]]), "a.npz"))).toBe(
      "a.npz: not a trainlets model: it has no meta",
    );
    expect(refusal(() => modelFromBytes(codeBytes, "codes.npz"))).toBe("codes.npz: not a trainlets model");
    expect(
      refusal(() => modelFromBytes(edited(modelBytes, { meta: makeNpy([1], Uint8Array.of(0x7b)) }), "a")),
    ).toBe("a: damaged meta: not JSON");
    for (const value of [null, 3, [], "model"]) {
      const text = new TextEncoder().encode(JSON.stringify(value));
      expect(
        refusal(() => modelFromBytes(edited(modelBytes, { meta: makeNpy([text.length], text) }), "a")),
      ).toBe("a: not a trainlets model");
    }
  });

  test("are rejected if their format is newer than this version reads", () => {
    expect(refusal(() => modelFromBytes(withMeta(modelBytes, { formatVersion: 2 }), "a.npz"))).toBe(
      "a.npz: written by a newer trainlets (format 2); this version reads format 1",
    );
    expect(
      refusal(() => modelFromBytes(withMeta(modelBytes, { formatVersion: undefined }), "a.npz")),
    ).toMatch(/^a\.npz: written by a newer trainlets/);
  });

  test.each<[string, Record<string, NpyArray | undefined>]>([
    ["a.npz: no sparse matrix in the layout of scipy.sparse.save_npz", { data: undefined }],
    ["a.npz: damaged model: phi_1 is missing", { phi_1: undefined }],
    [
      "a.npz: damaged model: phi_0 must have 4 rows, got shape (3, 2)",
      { phi_0: makeNpy([3, 2], new Float64Array(6)) },
    ],
    [
      "a.npz: damaged model: phi_0 must have 4 rows, got shape (8)",
      { phi_0: makeNpy([8], new Float64Array(8)) },
    ],
    [
      "a.npz: damaged model: phi_0 must be finite",
      { phi_0: makeNpy([4, 1], Float64Array.of(1, 0, Number.NaN, 0)) },
    ],
    ["a.npz: damaged model: uses must hold 30 counts, got 2", { uses: makeNpy([2], Uint32Array.of(1, 2)) }],
    ["a.npz: damaged model: norms must hold 30 norms, got 1", { norms: makeNpy([1], Float32Array.of(1)) }],
    [
      "a.npz: damaged model: norms must be finite, and at least 0",
      { norms: makeNpy([30], new Float32Array(30).fill(-1)) },
    ],
  ])("are rejected if damaged: %s", (message, changes) => {
    expect(refusal(() => modelFromBytes(edited(modelBytes, changes), "a.npz"))).toBe(message);
  });

  test("are rejected if the patch does not fit the factors, or the factors do not fit A", () => {
    expect(
      refusal(() => modelFromBytes(withMeta(modelBytes, { dictionary: "00000000", patch: [5, 4] }), "a.npz")),
    ).toMatch(/^a\.npz: damaged model: phi_0 must have 5 rows/);
    for (const patch of [undefined, [], [4, 0], "4x5", [4, "5"]]) {
      expect(refusal(() => modelFromBytes(withMeta(modelBytes, { patch }), "a.npz"))).toMatch(
        /^a\.npz: patch in meta must be/,
      );
    }
    const wider = makeNpy([4, 20], new Float64Array(80).fill(1));
    const rows = 20 * model.base.factors[1].cols;
    expect(refusal(() => modelFromBytes(edited(modelBytes, { phi_0: wider }), "a.npz"))).toBe(
      `a.npz: damaged model: A has ${model.A.rows} rows for ${rows} base atoms`,
    );
  });
});

describe("code files", () => {
  test("return codes, means and the signals that were coded", () => {
    const read = codesFromBytes(codeBytes, "codes.npz");
    expect(read.codes.X.toDense()).toEqual(codes.X.toDense());
    expect(read.codes.means).toEqual(codes.means);
    expect(read.signals).toEqual(coded);
    expect(codesToBytes(read.codes, read.signals)).toEqual(codeBytes);
  });

  test("may hold no codes, or empty ones", () => {
    for (const X of [new SparseColumns(30, 0, 4), new SparseColumns(30, 5, 4), new SparseColumns(30, 5, 0)]) {
      const bytes = codesToBytes({ X, means: new Float32Array(X.cols) }, coded);
      expect(codesFromBytes(bytes, "codes.npz").codes.X.toDense()).toEqual(X.toDense());
    }
  });

  test("without means have means of zero", () => {
    const read = codesFromBytes(edited(codeBytes, { mean: undefined }), "codes.npz");
    expect([...read.codes.means]).toEqual(new Array(9).fill(0));
  });

  test("are rejected if their arrays do not fit", () => {
    expect(refusal(() => codesFromBytes(modelBytes, "dict.npz"))).toBe("dict.npz: not trainlets codes");
    const short = { mean: makeNpy([8], new Float32Array(8)) };
    expect(refusal(() => codesFromBytes(edited(codeBytes, short), "a"))).toBe(
      "a: damaged codes: mean must hold 9 finite values",
    );
    const infinite = { mean: makeNpy([9], new Float32Array(9).fill(Infinity)) };
    expect(refusal(() => codesFromBytes(edited(codeBytes, infinite), "a"))).toBe(
      "a: damaged codes: mean must hold 9 finite values",
    );
    expect(refusal(() => codesFromBytes(withMeta(codeBytes, { stride: [4] }), "a"))).toBe(
      "a: damaged codes: patch, stride and shapes in meta must have the same axes",
    );
    expect(refusal(() => codesFromBytes(withMeta(codeBytes, { formatVersion: 9 }), "a"))).toBe(
      "a: written by a newer trainlets (format 9); this version reads format 1",
    );
  });
});

describe.each([
  ["model", modelBytes, modelFromBytes],
  ["code", codeBytes, codesFromBytes],
] as const)("a damaged %s file", (_, bytes, read) => {
  /** Whether the file can be read. If not, the error must be one line that names the file. */
  function isReadable(damaged: Uint8Array): boolean {
    try {
      read(damaged, "dict.npz");
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      expect((error as Error).message).toMatch(/^dict\.npz(\[[^\]]*\])?: [^\n]+$/);
      return false;
    }
  }

  test("is rejected if it is truncated, at any length", () => {
    const ends = new Set([
      ...Array(64).keys(),
      ...Array.from({ length: 150 }, (_, i) => Math.floor((bytes.length * i) / 150)),
    ]);
    for (const end of ends) expect(isReadable(bytes.slice(0, end)), `${end} bytes`).toBe(false);
  });

  test("is read or rejected if bytes are changed, and causes no other error", () => {
    const rng = Rng.from(3);
    let refused = 0;
    for (let turn = 0; turn < 300; turn++) {
      const damaged = bytes.slice();
      for (let i = 0; i <= rng.below(3); i++) damaged[rng.below(damaged.length)] = rng.below(256);
      if (!isReadable(damaged)) refused++;
    }
    expect(refused).toBeGreaterThan(250); // a CRC-32 guards all but a few fields of the directory
  });

  test("is read or rejected if the archive is intact and an array is damaged", () => {
    const rng = Rng.from(4);
    const members = [...readNpz(bytes, "dict.npz")].map(([key, array]) => ({ key, npy: writeNpy(array) }));
    for (let turn = 0; turn < 600; turn++) {
      const victim = rng.below(members.length);
      const inputs = members.map(({ key, npy }, i) => {
        if (i !== victim) return { name: `${key}.npy`, parts: [npy] };
        const damaged = npy.slice(0, rng.uniform() < 0.1 ? rng.below(npy.length) : npy.length);
        // half in the header, half anywhere
        const range = rng.uniform() < 0.5 ? 80 : damaged.length;
        for (let b = 0; b <= rng.below(4); b++) damaged[rng.below(range)] = rng.below(256);
        return { name: `${key}.npy`, parts: [damaged] };
      });
      isReadable(writeZip(inputs));
    }
  });

  test("is read or rejected if the text of its meta is changed", () => {
    const rng = Rng.from(5);
    const text = npyToText(readNpz(bytes, "dict.npz").get("meta")!, "meta");
    const pieces = ["null", "-1", "1e400", "{}", "[]", '""', "[1]", "9".repeat(30), "true", "0.5"];
    for (let turn = 0; turn < 300; turn++) {
      const values = [...text.matchAll(/:(\[[^\]]*\]|\d+|"[^"]*"|true|false)/g)];
      const { index, 0: match } = values[rng.below(values.length)];
      const changed = `${text.slice(0, index)}:${pieces[rng.below(pieces.length)]}${text.slice(index + match.length)}`;
      const encoded = new TextEncoder().encode(changed);
      isReadable(edited(bytes, { meta: makeNpy([encoded.length], encoded) }));
    }
  });
});

describe("a file with a flipped bit", () => {
  const base = createBase("odct:1.5", [3, 2]);
  const atoms = randomSparse(Rng.from(5), baseCols(base), 6, 2);
  const history = { uses: Uint32Array.from({ length: 6 }, (_, j) => j), norms: new Float32Array(6).fill(2) };
  const sparse = modelToBytes(new Model(base, atoms, meta, history));
  const { D } = randomUnitDictionary(Rng.from(3), 6, 7);
  const explicit = modelToBytes(
    Model.explicit([3, 2], D, meta, { uses: new Uint32Array(7), norms: new Float32Array(7).fill(1) }),
  );
  const written = (bytes: Uint8Array) => modelToBytes(modelFromBytes(bytes, "a.npz"));
  const coding = (bytes: Uint8Array) => {
    const { codes, signals } = codesFromBytes(bytes, "a.npz");
    return codesToBytes(codes, signals);
  };

  test.each([
    ["sparse model", sparse, written],
    ["explicit model", explicit, written],
    ["codes", codeBytes, coding],
  ])("is rejected or means the same, for every byte: %s", (_, bytes, again) => {
    const original = again(bytes);
    let rejected = 0;
    for (let at = 0; at < bytes.length; at++) {
      for (const bit of [at % 8, (at + 3) % 8]) {
        const flipped = bytes.slice();
        flipped[at] ^= 1 << bit;
        try {
          if (!isSame(again(flipped), original)) throw new Error(`byte ${at}, bit ${bit}: another file`);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          rejected++;
        }
      }
    }
    expect(rejected).toBeGreaterThan(1.5 * bytes.length); // only times and attributes mean nothing
  });

  function isSame(a: Uint8Array, b: Uint8Array): boolean {
    return a.length === b.length && a.every((byte, i) => byte === b[i]);
  }
});

describe("an explicit dictionary", () => {
  const { D } = randomUnitDictionary(Rng.from(3), 20, 33);
  const uses = Uint32Array.from({ length: 33 }, (_, j) => j);
  const explicit = Model.explicit([4, 5], D, { ...meta, learner: "odl" }, { uses });
  const bytes = modelToBytes(explicit);

  test("is stored row-major as `dictionary`, without A and phi, and read back", async () => {
    const arrays = readNpz(bytes, "a model");
    expect([...arrays.keys()]).toEqual(["dictionary", "uses", "meta"]);
    expect(arrays.get("dictionary")!.shape).toEqual([20, 33]);
    expect(arrays.get("dictionary")!.data[1]).toBe(D.at(0, 1));
    const back = modelFromBytes(bytes, "a model");
    expect(back.dictionary).toEqual(D);
    expect(back.meta).toEqual(explicit.meta);
    expect(back.uses).toEqual(uses);
    expect([back.shape, back.A.cols, back.base.name]).toEqual([[4, 5], 33, "explicit"]);
    expect(modelToBytes(back)).toEqual(bytes);
  });

  test("has a fingerprint of its own", () => {
    const other = Model.explicit([4, 5], randomUnitDictionary(Rng.from(4), 20, 33).D, meta);
    expect(fingerprint(other)).not.toBe(fingerprint(explicit));
    expect(fingerprint(modelFromBytes(bytes, "a model"))).toBe(fingerprint(explicit));
  });

  test("is rejected if it is damaged", () => {
    const short = edited(bytes, { dictionary: makeNpy([19, 33], new Float32Array(19 * 33)) });
    expect(refusal(() => modelFromBytes(short, "a model"))).toBe(
      "a model: damaged model: dictionary must have 20 rows, got shape (19, 33)",
    );
    const bad = edited(bytes, { dictionary: makeNpy([20, 1], new Float32Array(20).fill(Number.NaN)) });
    expect(refusal(() => modelFromBytes(bad, "a model"))).toBe(
      "a model: damaged model: dictionary must be finite",
    );
    expect(refusal(() => Model.explicit([4, 4], D, meta))).toBe("Model: atoms must have 16 samples, got 20");
  });
});

test("toScipy stores compressed sparse columns with ascending rows", () => {
  const X = SparseColumns.fromEntries(4, 3, [
    [
      [2, 5],
      [0, 6],
    ],
    [],
    [[3, 7]],
  ]);
  const stored = toScipy(X).map(([key, { dtype, shape, data }]) => [
    key,
    dtype,
    shape,
    Array.from(data, Number),
  ]);
  expect(stored).toEqual([
    ["data", "<f4", [3], [6, 5, 7]],
    ["indices", "<i4", [3], [0, 2, 3]],
    ["indptr", "<i4", [4], [0, 2, 2, 3]],
    ["shape", "<i8", [2], [4, 3]],
    ["format", "|S3", [], [0x63, 0x73, 0x63]],
  ]);
});

test("fromScipy returns the same matrix, in columns no wider than necessary", () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(6), fc.nat(6), fc.nat(5), (seed, rows, cols, width) => {
      const X = randomSparse(Rng.from(seed), rows, cols, width);
      const back = fromScipy(new Map(toScipy(X)), "a.npz");
      expect(back.toDense()).toEqual(X.toDense());
      expect(back.width).toBe(Math.max(0, ...X.counts));
      expect(toScipy(back)).toEqual(toScipy(X));
    }),
  );
});

test("fromScipy accepts indices of any integer type and values of any float type", () => {
  const X = randomSparse(Rng.from(1), 5, 4, 3);
  const arrays = new Map(toScipy(X));
  for (const key of ["indices", "indptr"]) {
    const { shape, data } = arrays.get(key)!;
    arrays.set(key, makeNpy(shape, BigInt64Array.from(data as Int32Array, BigInt)));
  }
  arrays.set(
    "data",
    makeNpy(arrays.get("data")!.shape, Float64Array.from(arrays.get("data")!.data as Float32Array)),
  );
  expect(fromScipy(arrays, "a.npz").toDense()).toEqual(X.toDense());
});

/** The arrays of a 3 × 2 matrix with [1, 5] and [0, 6], [2, 7] in its columns, some of them changed. */
function arraysWith(changes: Record<string, NpyArray | undefined>): Map<string, NpyArray> {
  const X = SparseColumns.fromEntries(3, 2, [
    [[1, 5]],
    [
      [0, 6],
      [2, 7],
    ],
  ]);
  const arrays = new Map<string, NpyArray | undefined>(toScipy(X));
  for (const [key, array] of Object.entries(changes)) arrays.set(key, array);
  return new Map([...arrays].filter((entry): entry is [string, NpyArray] => entry[1] !== undefined));
}
const ints = (...values: number[]) => makeNpy([values.length], Int32Array.from(values));
const floats = (...values: number[]) => makeNpy([values.length], Float32Array.from(values));

test.each<[string, Record<string, NpyArray | undefined>]>([
  ["no sparse matrix in the layout of scipy.sparse.save_npz", { indptr: undefined }],
  ["no sparse matrix in the layout of scipy.sparse.save_npz", { format: undefined }],
  ['the sparse matrix must be in csc format, got "csr"', { format: npyFromText("csr") }],
  ["damaged sparse matrix: shape", { shape: ints(3, 2, 1) }],
  ["damaged sparse matrix: shape", { shape: ints(3) }],
  ["damaged sparse matrix: shape", { shape: ints(-3, 2) }],
  ["damaged sparse matrix: shape must be integers, got 2.5", { shape: floats(2.5, 2) }],
  ["damaged sparse matrix: indptr does not fit the shape", { indptr: ints(0, 3) }],
  ["damaged sparse matrix: indptr does not fit the shape", { indptr: ints(1, 1, 3) }],
  ["damaged sparse matrix: lengths differ", { indptr: ints(0, 1, 2) }],
  ["damaged sparse matrix: lengths differ", { indices: ints(1, 0) }],
  ["damaged sparse matrix: lengths differ", { data: floats(5, 6) }],
  ["damaged sparse matrix: indptr does not ascend", { indptr: ints(0, 4, 3) }],
  ["damaged sparse matrix: indptr does not ascend", { indptr: ints(0, -1, 3) }],
  ["damaged sparse matrix: rows of column 1 must ascend below 3", { indices: ints(1, 2, 0) }],
  ["damaged sparse matrix: rows of column 1 must ascend below 3", { indices: ints(1, 0, 0) }],
  ["damaged sparse matrix: rows of column 1 must ascend below 3", { indices: ints(1, 0, 3) }],
  ["damaged sparse matrix: rows of column 0 must ascend below 3", { indices: ints(-1, 0, 2) }],
  ["damaged sparse matrix: value NaN in column 1", { data: floats(5, 6, Number.NaN) }],
  ["damaged sparse matrix: indices must be integers, got NaN", { indices: floats(1, Number.NaN, 2) }],
])("a sparse matrix is rejected if damaged: %s (%#)", (message, changes) => {
  expect(() => fromScipy(arraysWith(changes), "a.npz")).toThrow(new InputError(`a.npz: ${message}`));
});

test("a sparse matrix is read if all five arrays are there", () => {
  expect(fromScipy(arraysWith({}), "a.npz").cols).toBe(2);
});
