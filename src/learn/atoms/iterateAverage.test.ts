import { expect, test } from "vitest";
import { SparseColumns } from "../../core/matrix.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { train } from "../run/train.js";
import { IterateAverage } from "./iterateAverage.js";

function columns(...given: Record<number, number>[]): SparseColumns {
  const A = new SparseColumns(4, given.length, 2);
  given.forEach((column, j) => {
    A.setColumn(j, Object.keys(column).map(Number), Object.values(column));
  });
  return A;
}

const updates = { perEpoch: 2, total: 6 };

test("takes the updates of the last epoch or of the second half of a single one, about fifty of a long one", () => {
  const takenOf = (perEpoch: number, total: number) => {
    const average = new IterateAverage(4, 1, { perEpoch, total });
    return Array.from({ length: total + 1 }, (_, step) => step).filter((step) => average.takes(step));
  };
  expect(takenOf(2, 6)).toEqual([5, 6]);
  expect(takenOf(5, 5)).toEqual([3, 4, 5]);
  expect(takenOf(400, 800).length).toBe(50);
  expect(takenOf(400, 800).at(-1)).toBe(800);
});

test("is the mean of the iterates with the largest entries of each column kept", () => {
  const average = new IterateAverage(4, 2, updates);
  average.add(columns({ 0: 1, 1: 4 }, { 2: 1 }));
  average.add(columns({ 1: 2, 3: -3 }, { 2: 3 }));
  expect(average.mean(columns({}, {}), 2)).toEqual(columns({ 1: 3, 3: -1.5 }, { 2: 2 }));
});

test("forgets atoms that are replaced, and leaves those without a past alone", () => {
  const average = new IterateAverage(4, 2, updates);
  average.add(columns({ 0: 1 }, { 2: 1 }));
  average.forget([0, 1]);
  average.add(columns({ 1: 5 }, { 3: 7 }));
  average.forget([1]);
  expect(average.mean(columns({ 0: 9 }, { 1: 8 }), 2)).toEqual(columns({ 1: 5 }, { 1: 8 }));
});

test("a run with it is the same until its last update, which leaves the mean", async () => {
  const kernels = createReferenceKernels();
  const options = {
    ...{ patch: [4, 4], base: "odct:1.5", coding: { sparsity: 2 }, atomSparsity: 3, kernels },
    ...{ examples: 200, epochs: 3, batch: 20, holdout: 60 },
  } as const;
  const errors = async (average: boolean) => {
    const found: (number | undefined)[] = [];
    for await (const { testRmse } of train(syntheticPictures(1, 1, 40), { ...options, average }))
      if (testRmse !== undefined) found.push(testRmse);
    return found;
  };
  const [plain, averaged] = [await errors(false), await errors(true)];
  expect(averaged.slice(0, -1)).toEqual(plain.slice(0, -1));
  expect(averaged.at(-1)).not.toBe(plain.at(-1));
});
