/**
 * Conformance: what no kernels may accept. Handles that were freed, handles of another kind or
 * of other kernels, sizes that do not fit, and numbers that are no sizes are errors on every
 * device, for every operation, and change nothing.
 */

import { expect } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { makeSignal } from "../../core/signal.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { type OperationName, signatures } from "../checked.js";
import type { Kernels } from "../contract.js";
import type { ConformanceCase } from "./caseHandles.case.js";

/** The size behind each letter of a signature. */
const sizes: Readonly<Record<string, number>> = { n: 6, L: 7, m: 8, N: 5, "1": 1, "*": 8 };

const windows = { signal: new Uint32Array(5), start: new Uint32Array(5) };

/** The arguments that are not handles, by their place. */
function otherArguments(kernels: Kernels): Partial<Record<OperationName, Readonly<Record<number, unknown>>>> {
  const scalars = kernels.matrix(4, 1);
  const step = { gamma: 0.5, scalars, eta: 0, grad: kernels.matrix(7, 8) };
  return {
    copyColumns: { 1: 0 },
    copySparse: { 2: 0 },
    writeMatrix: { 1: new DenseMatrix(8, 8) },
    writeSparse: { 1: new SparseColumns(8, 8, 2) },
    writeColumns: { 1: Uint32Array.of(4, 1), 2: new SparseColumns(8, 2, 2) },
    writeSet: { 1: Uint32Array.of(1, 3) },
    batchOmp: { 3: { sparsity: 2, residualEnergy: 0 } },
    ompNear: { 5: { first: 2, choices: 3 }, 6: { sparsity: 2, residualEnergy: 0 } },
    ompFromAtoms: { 5: { sparsity: 2, residualEnergy: 0 } },
    gradient: { 4: { scalars, slot: 1 } },
    movedEnergy: { 5: 0 },
    addSquaredNorm: { 2: 0 },
    normRatio: { 1: 0, 2: 1, 3: 2 },
    moveAtoms: { 0: 2, 4: step },
    thresholdAtoms: { 1: { first: 1 }, 2: 0.5 },
    acceptAtoms: { 5: 1 },
    exchangeAtoms: { 5: false },
    addMoments: { 0: 0.5 },
    extract: { 1: windows, 2: [2, 3] },
    addWindows: { 2: Uint32Array.of(0, 1, 2, 3, 4), 3: [2, 3], 4: [2, 8] },
  };
}

interface Parameter {
  readonly place: number;
  readonly kind: string;
  readonly make: () => object;
}

/** The handles that an operation takes, and how to make each. */
function handlesOf(name: OperationName, kernels: Kernels): Parameter[] {
  return signatures[name].flatMap((text, place) => {
    const [, kind, letters] = /: (\w+) ?(.*)$/.exec(text) ?? [];
    if (kind === undefined) return [];
    const [rows, cols] = letters.split(" ").map((letter) => sizes[letter]);
    const rowsOf = name === "addWindows" && text.startsWith("sum") ? 16 : rows;
    const pathRows = text.startsWith("path") ? 2 : rowsOf;
    return { place, kind, make: () => makeHandle(kernels, kind, pathRows, cols) };
  });
}

function makeHandle(kernels: Kernels, kind: string, rows: number, cols: number): object {
  if (kind === "matrix") return kernels.matrix(rows, cols);
  if (kind === "sparse") return kernels.sparse(rows, cols, 2);
  if (kind === "set") return kernels.set(rows);
  if (kind === "base") return kernels.base([new Matrix64(rows, cols)]);
  return kernels.signals([makeSignal("s", [4, 4], new Float32Array(16))]);
}

const noHandles = [
  undefined,
  null,
  5,
  "Y",
  {},
  [],
  () => {},
  new DenseMatrix(6, 5),
  new SparseColumns(8, 5, 2),
];

/** An operation must reject with an `InputError`, at once or in its promise. */
async function expectRefused(call: () => unknown, what: string): Promise<void> {
  const outcome = await Promise.resolve()
    .then(call)
    .then(
      () => "accepted",
      (error) => error,
    );
  expect(outcome, what).toBeInstanceOf(InputError);
}

type Operations = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** Every argument of an operation that is a handle, replaced by things it must refuse. */
async function expectGuarded(kernels: Kernels, name: OperationName): Promise<void> {
  const operation = (kernels as unknown as Operations)[name];
  const parameters = handlesOf(name, kernels);
  const made = parameters.map(({ make }) => make());
  const others = otherArguments(kernels)[name] ?? {};
  const length = 1 + Math.max(...parameters.map(({ place }) => place), ...Object.keys(others).map(Number));
  const good: unknown[] = Array.from({ length }, (_, place) => others[place]);
  for (const [i, { place }] of parameters.entries()) good[place] = made[i];
  await operation(...good);
  for (const { place, kind, make } of parameters) {
    const refuses = (wrong: unknown, what: string) =>
      expectRefused(() => operation(...good.with(place, wrong)), `${name}: ${what} as argument ${place + 1}`);
    const freed = make();
    const head = headOf(kernels, kind, freed);
    kernels.free(freed);
    await refuses(freed, "a freed handle");
    if (head) await refuses(head, "the head of a freed handle");
    await refuses(kind === "set" ? kernels.matrix(8, 1) : kernels.set(3), "another kind");
    const optional = signatures[name][place].includes("?");
    for (const wrong of optional ? noHandles.slice(2) : noHandles) await refuses(wrong, String(wrong));
    if (kind === "matrix" || kind === "sparse") await expectSizesChecked(kernels, name, place, refuses);
  }
  kernels.free(...made);
}

/** Sizes with a letter are checked, unless the letter has no other place to be compared with. */
async function expectSizesChecked(
  kernels: Kernels,
  name: OperationName,
  place: number,
  refuses: (wrong: unknown, what: string) => Promise<void>,
): Promise<void> {
  const [, kind, letters] = /: (\w+) ?(.*)$/.exec(signatures[name][place])!;
  const all = signatures[name].join(" ").split(" ");
  const compared = letters
    .split(" ")
    .every((letter) => letter === "1" || all.filter((one) => one === letter).length > 1);
  if (!compared || letters.includes("*")) return;
  const wrong = makeHandle(kernels, kind, 31, 29);
  await refuses(wrong, "sizes that do not fit");
  kernels.free(wrong);
}

function headOf(kernels: Kernels, kind: string, whole: object): object | undefined {
  if (kind === "matrix") return kernels.head(whole as never, 1);
  return kind === "sparse" ? kernels.headSparse(whole as never, 1) : undefined;
}

const badSizes = [-1, 1.5, Number.NaN, Infinity, 2 ** 53, "8", null, undefined, [8], {}];

export const misuseCases: readonly ConformanceCase[] = [
  ...(Object.keys(signatures) as OperationName[]).map((name) => ({
    title: `${name} refuses handles that are freed, foreign, of another kind or of the wrong size`,
    once: true,
    check: ({ kernels }: { readonly kernels: Kernels }) => expectGuarded(kernels, name),
  })),
  {
    title: "sizes that are no sizes, or larger than any memory, are refused",
    once: true,
    async check({ kernels }) {
      const before = kernels.memory.used;
      for (const bad of badSizes as number[]) {
        await expectRefused(() => kernels.matrix(bad, 8), `matrix(${bad}, 8)`);
        await expectRefused(() => kernels.matrix(8, bad), `matrix(8, ${bad})`);
        await expectRefused(() => kernels.sparse(bad, 8, 2), `sparse(${bad}, 8, 2)`);
        await expectRefused(() => kernels.sparse(8, bad, 2), `sparse(8, ${bad}, 2)`);
        await expectRefused(() => kernels.sparse(8, 8, bad), `sparse(8, 8, ${bad})`);
        await expectRefused(() => kernels.set(bad), `set(${bad})`);
        const whole = kernels.matrix(2, 2);
        await expectRefused(() => kernels.head(whole, bad), `head(M, ${bad})`);
        kernels.free(whole);
      }
      await expectRefused(() => kernels.matrix(2 ** 30, 2 ** 30), "2^60 entries");
      await expectRefused(() => kernels.base([]), "base([])");
      await expectRefused(() => kernels.base([new DenseMatrix(2, 2)] as never), "base of a DenseMatrix");
      await expectRefused(
        () => kernels.signals([{ shape: [9], data: new Float32Array(8) }] as never),
        "signals",
      );
      await expectRefused(() => kernels.signals([], Number.NaN), "a scale of NaN");
      expect(kernels.memory.used).toBe(before);
    },
  },
  {
    title: "a head, a read and a write reach no further than their matrix",
    once: true,
    async check(bench) {
      const { kernels } = bench;
      const M = bench.keep(kernels.matrix(3, 4));
      const S = bench.keep(kernels.set(4));
      const X = bench.keep(kernels.sparse(3, 4, 2));
      await expectRefused(() => kernels.head(M, 5), "a head of more columns");
      await expectRefused(() => kernels.headSparse(X, 5), "a head of more sparse columns");
      await expectRefused(() => kernels.copyColumns(M, 2, M), "columns after the last");
      const wider = bench.keep(kernels.sparse(3, 4, 3));
      await expectRefused(() => kernels.copySparse(X, wider, 0), "sparse columns of another width");
      await expectRefused(
        () => kernels.copySparse(kernels.headSparse(X, 2), X, 3),
        "sparse columns after the last",
      );
      for (const source of [new DenseMatrix(3, 5), new DenseMatrix(4, 4), new DenseMatrix(3, 3), {}, null])
        await expectRefused(() => kernels.writeMatrix(M, source as never), "a source of other sizes");
      for (const source of [new SparseColumns(3, 5, 2), new SparseColumns(3, 4, 3), new DenseMatrix(3, 4)])
        await expectRefused(() => kernels.writeSparse(X, source as never), "sparse columns of other sizes");
      for (const members of [Uint32Array.of(4), new Uint32Array(5), [1, 2], null])
        await expectRefused(() => kernels.writeSet(S, members as never), "members that are not atoms");
    },
  },
  {
    title: "freeing twice is an error, and frees nothing else; heads are freed with their whole",
    once: true,
    async check({ kernels }) {
      const before = kernels.memory.used;
      const [M, other] = [kernels.matrix(30, 30), kernels.matrix(4, 4)];
      const head = kernels.head(M, 2);
      await expectRefused(() => kernels.free(head), "a head");
      await expectRefused(() => kernels.free(other, M, M), "the same handle twice in a call");
      await expectRefused(() => kernels.free(new DenseMatrix(2, 2)), "a matrix of the host");
      await expectRefused(() => kernels.free(undefined as never), "nothing");
      expect(kernels.memory.used, "nothing was freed").toBeGreaterThan(before);
      expect((await kernels.readMatrix(other)).data).toHaveLength(16);
      kernels.free(M, other);
      expect(kernels.memory.used).toBe(before);
      await expectRefused(() => kernels.free(M), "a freed handle");
      await expectRefused(() => kernels.head(M, 1), "a head of a freed handle");
      expect(kernels.memory.used).toBe(before);
    },
  },
  {
    title: "what a freed handle held is not reached by writing to it",
    once: true,
    async check(bench) {
      const { kernels } = bench;
      const gone = kernels.matrix(16, 16);
      kernels.free(gone);
      const next = await bench.hold(DenseMatrix.build(16, 16, () => 7)); // in the same place, on the cpu
      await expectRefused(() => kernels.writeMatrix(gone, new DenseMatrix(16, 16)), "a write");
      expect((await kernels.readMatrix(next)).data.every((value) => value === 7)).toBe(true);
    },
  },
];
