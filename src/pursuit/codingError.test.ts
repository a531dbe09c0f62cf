import { expect, test } from "vitest";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/rng.js";
import { makeSignal } from "../core/signal.js";
import { createBase } from "../dictionaries/base.js";
import { SparseDictionary } from "../dictionaries/sparseDictionary.js";
import { dot, randomDense } from "../kernels/conformance/oracle.case.js";
import { unitRoundoff } from "../kernels/conformance/tolerance.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { codingError } from "./codingError.js";
import { Encoder } from "./encoder.js";

const kernels = createReferenceKernels();
const shape = [3, 4];
const n = 12;
const dictionary = await SparseDictionary.ofBase(createBase("odct:1.5", shape), kernels);
const encoderOf = (capacity: number, sparsity = 3) =>
  new Encoder(dictionary, { sparsity, residualEnergy: 0 }, capacity, kernels);

/** A picture of 5 × 14 and 11 windows, side by side in its first row. */
const picture = makeSignal("picture", [5, 14], randomDense(Rng.from(1), 70, 1, 50).data);
const windows = { signal: new Uint32Array(11), start: Uint32Array.from({ length: 11 }, (_, i) => i) };
const store = kernels.signals([picture]);

/** ‖Y − DX‖_F / √(nN), a batch at once. */
async function explicitError(removeMean: boolean): Promise<number> {
  const Y = new DenseMatrix(n, 11);
  await kernels.extract(store, windows, shape, Y, removeMean ? new DenseMatrix(1, 11) : null);
  const encoder = encoderOf(11);
  const R = new DenseMatrix(n, 11);
  await encoder.residual(Y, await encoder.encode(Y), R);
  return Math.sqrt(dot(R.data, R.data) / (n * 11));
}

test.each([true, false])(
  "is the root-mean-square residual a sample (means removed: %o)",
  async (removeMean) => {
    const exact = await explicitError(removeMean);
    for (const capacity of [1, 4, 11, 100]) {
      const error = await codingError(encoderOf(capacity), { store, windows }, removeMean, kernels);
      // one rounding to f32 a batch, of a sum of squares
      expect(Math.abs(error - exact)).toBeLessThanOrEqual((11 / capacity + 2) * unitRoundoff * exact);
    }
  },
);

test("falls with the number of atoms, to nothing", async () => {
  const errors: number[] = [];
  for (const p of [1, 2, 4, 8, 12])
    errors.push(await codingError(encoderOf(5, p), { store, windows }, true, kernels));
  for (let i = 1; i < errors.length; i++) expect(errors[i]).toBeLessThan(errors[i - 1]);
  // the pursuit ends where ‖r‖² is lost in the rounding of ‖y‖²
  expect(errors.at(-1)!).toBeLessThanOrEqual(Math.sqrt(20 * unitRoundoff) * 50);
});

test("is zero for constant examples once their means are gone", async () => {
  const flat = kernels.signals([makeSignal("flat", [3, 14], new Float32Array(42).fill(0.1))]);
  expect(await codingError(encoderOf(4), { store: flat, windows }, true, kernels)).toBe(0);
});

test("is NaN where there are no examples", async () => {
  const none = { signal: new Uint32Array(), start: new Uint32Array() };
  expect(await codingError(encoderOf(4), { store, windows: none }, true, kernels)).toBeNaN();
});

test("follows the unit of the data", async () => {
  const quarter = kernels.signals([picture], 0.25);
  const one = await codingError(encoderOf(4), { store, windows }, true, kernels);
  expect(await codingError(encoderOf(4), { store: quarter, windows }, true, kernels)).toBe(one / 4);
});

test("gives back all that it held", async () => {
  const own = createReferenceKernels();
  const small = await SparseDictionary.create(createBase("identity", [4]), SparseColumns.identity(4, 1), own);
  const encoder = new Encoder(small, { sparsity: 1, residualEnergy: 0 }, 3, own);
  const signal = own.signals([
    makeSignal(
      "s",
      [9],
      Float32Array.from({ length: 9 }, (_, i) => i * i),
    ),
  ]);
  const before = own.memory.used;
  const five = { signal: new Uint32Array(5), start: Uint32Array.of(0, 1, 2, 3, 4) };
  await codingError(encoder, { store: signal, windows: five }, false, own);
  expect(own.memory.used).toBe(before);
});
