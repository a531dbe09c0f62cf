import { describe, expect, test } from "vitest";
import { InputError } from "../../../core/errors.js";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import { train } from "../train.js";
import type { TrainOptions } from "../trainOptions.js";
import { testOptionOf } from "./testSet.js";

describe("an option that needs test examples", () => {
  test("is a test set, the patience, the examples between tests, or to keep the best", () => {
    expect(testOptionOf({ test: [], patience: 1, testEvery: 1, keep: "best" })).toBe("test");
    expect(testOptionOf({ patience: 1, testEvery: 1, keep: "best" })).toBe("patience");
    expect(testOptionOf({ testEvery: 1, keep: "best" })).toBe("testEvery");
    expect(testOptionOf({ keep: "best" })).toBe("keep");
    expect(testOptionOf({ keep: "last" })).toBeUndefined();
    expect(testOptionOf({})).toBeUndefined();
  });

  const data = syntheticPictures(3, 2, 24);
  const usual = { patch: [5, 5], examples: 50, kernels: createReferenceKernels() } as const;

  const heldOut = async (options: TrainOptions) => {
    const run = train(data, options);
    const { holdout } = await run.plan();
    await run.close();
    return holdout;
  };

  test("is refused if nothing is held out, also beside signals to test on", () => {
    expect(() => train(data, { ...usual, test: data, holdout: 0 })).toThrow(
      new InputError("train: holdout must be at least 1 with test, got 0"),
    );
    expect(() => train(data, { ...usual, keep: "best", holdout: 0 })).toThrow(
      new InputError("train: holdout must be at least 1 with keep best, got 0"),
    );
  });

  test.each<[Partial<TrainOptions>, string]>([
    [{ patience: 2 }, "patience"],
    [{ testEvery: 10 }, "testEvery"],
    [{ keep: "best" }, "keep best"],
  ])("is refused if the data are too few to hold any out: %j", async (more, name) => {
    const one = { ...usual, patch: [24, 24], base: "identity" } as const; // one window in each picture
    await expect(train(data, { ...one, ...more }).plan()).rejects.toThrow(
      new InputError(
        `train: ${name} needs a test set, but the data are too few to hold any out: give test data by test`,
      ),
    );
    expect(await heldOut(one)).toBe(0); // by default, nothing asks for a test
    expect(await heldOut({ ...one, ...more, test: data })).toBe(2);
  });
});
