import { describe, expect, test } from "vitest";
import { learnerNames, learners } from "../../learners/registry.js";
import {
  defaultLength,
  defaultTestEvery,
  describeFewTests,
  describeLength,
  describeShortRun,
  enoughUpdates,
  followsSize,
  type RunSize,
} from "./runLength.js";

const ecg = { examples: 759, atoms: 320, sparsity: 6 };
const patches = { examples: 10_000, atoms: 256, sparsity: 4 };
const sizes = [
  ecg,
  patches,
  { examples: 0, atoms: 900, sparsity: 4 },
  { examples: 0, atoms: 10_000, sparsity: 102 },
];
const counts = Array.from({ length: 120 }, (_, i) => Math.ceil(1.16 ** i));

const updatesOf = (size: RunSize) => {
  const { batch, epochs } = defaultLength(size);
  return epochs * Math.ceil(size.examples / batch);
};

describe("the length of a run by default", () => {
  test("is one epoch in batches of 512 for 200,000 examples and more, whatever the atoms", () => {
    for (const examples of [199_680, 200_000, 10_000_000])
      for (const size of sizes)
        expect(defaultLength({ ...size, examples })).toEqual({ batch: 512, epochs: 1 });
  });

  test("makes at least 390 updates, and never codes many more examples than a large set has", () => {
    for (const size of sizes)
      for (const examples of counts) {
        const of = { ...size, examples };
        expect(updatesOf(of)).toBeGreaterThanOrEqual(enoughUpdates);
        const { epochs, batch } = defaultLength(of);
        expect(epochs * examples).toBeLessThanOrEqual(Math.max(enoughUpdates * batch, examples) + examples);
      }
  });

  test("has batches that grow and epochs that fall with the number of examples", () => {
    for (const size of sizes) {
      const lengths = counts.map((examples) => defaultLength({ ...size, examples }));
      lengths.slice(1).forEach(({ batch, epochs }, i) => {
        expect(batch).toBeGreaterThanOrEqual(lengths[i].batch);
        expect(epochs).toBeLessThanOrEqual(lengths[i].epochs);
      });
    }
  });

  test("has batches of a power of two from 32 to 512, which use an atom about twice or more often", () => {
    for (const size of sizes)
      for (const examples of counts) {
        const { batch } = defaultLength({ ...size, examples });
        expect([32, 64, 128, 256, 512]).toContain(batch);
        const uses = (batch * size.sparsity) / size.atoms;
        if (batch < 512) expect(uses).toBeGreaterThanOrEqual(Math.SQRT2);
      }
  });

  test("is 65 epochs of batches of 128 for 759 windows, and 5 for 10,000 patches of 8×8", () => {
    expect(defaultLength(ecg)).toEqual({ batch: 128, epochs: 65 });
    expect(defaultLength(patches)).toEqual({ batch: 128, epochs: 5 });
  });

  test("takes what is given, and the other follows; a batch above 512 brings no more epochs", () => {
    expect(defaultLength(ecg, { batch: 32 })).toEqual({ batch: 32, epochs: 17 });
    expect(defaultLength(ecg, { epochs: 3 })).toEqual({ batch: 128, epochs: 3 });
    expect(defaultLength(ecg, { batch: 512, epochs: 1 })).toEqual({ batch: 512, epochs: 1 });
    expect(defaultLength({ ...patches, examples: 1e6 }, { batch: 4096 })).toEqual({ batch: 4096, epochs: 1 });
  });

  test("is for learners of mini-batches without epochs of their own", () => {
    expect(learnerNames.filter((name) => followsSize(learners[name]))).toEqual([
      "osdl",
      "niht",
      "sparse-odl",
      "odl",
    ]);
  });
});

test("tests come after every epoch, at most a hundred times, and five times in the only epoch of a small set", () => {
  expect(defaultTestEvery(759, 65)).toBe(759);
  expect(defaultTestEvery(45, 390)).toBe(4 * 45);
  expect(defaultTestEvery(100_001, 1)).toBe(20_001);
  expect(defaultTestEvery(200_000, 1)).toBe(200_000);
});

describe("the words about a length", () => {
  test("name what was chosen, and what it brings", () => {
    expect(describeLength(ecg, {})).toBe(
      "batches of 128 and 65 epochs for a small set: 390 updates, each atom used about 925 times",
    );
    expect(describeLength(ecg, { batch: 512 })).toBe(
      "195 epochs for a small set: 390 updates, each atom used about 2,775 times",
    );
    expect(describeLength({ ...ecg, examples: 20 }, {})).toBe(
      "all in one batch and 390 epochs for a small set: 390 updates, each atom used about 146 times",
    );
    expect(describeLength(ecg, { batch: 512, epochs: 1 })).toBeUndefined();
    expect(describeLength({ ...ecg, examples: 200_000 }, {})).toBeUndefined();
  });

  test("warn of few updates, and of atoms that are hardly used", () => {
    expect(describeShortRun(ecg, { batch: 512, epochs: 1 })).toEqual([
      "a short run: only 2 updates, each atom used about 14 times; 195 epochs would make 390 updates",
    ]);
    expect(describeShortRun({ examples: 3000, atoms: 8000, sparsity: 2 }, { batch: 10, epochs: 2 })).toEqual([
      "a short run: only 600 updates, each atom used about 1.5 times; 27 epochs would make 8,100 updates",
    ]);
    expect(describeShortRun(ecg, { batch: 128, epochs: 65 })).toEqual([]);
    expect(describeShortRun({ ...patches, examples: 200_000 }, { batch: 512, epochs: 1 })).toEqual([]);
  });

  test("warn of a test set that is too small to say much", () => {
    expect(describeFewTests(12)).toEqual(["tested on 12 examples only: the test error is a rough guide"]);
    expect([describeFewTests(0), describeFewTests(50)]).toEqual([[], []]);
  });
});
