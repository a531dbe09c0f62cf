import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { createBase } from "../../dictionaries/base.js";
import { atomCareDefaults } from "../atoms/atomCare.js";
import { defaultAtomSparsity, resolveTraining, type TrainOptions, trainDefaults } from "./trainOptions.js";

const patch = [8, 8] as const; // cropped:sym8 has 16 × 16 base atoms for it

describe("resolveTraining", () => {
  test("fills in the defaults, some of which depend on the patch", () => {
    const resolved = resolveTraining({ patch: [12, 12] });
    expect(resolved).toMatchObject({
      atoms: 900,
      atomSparsity: 24,
      coding: { sparsity: 4 },
      learner: "osdl",
      batch: 512,
      epochs: 1,
      examples: 200_000,
      momentum: 0.9,
      seed: 1,
      holdout: 5000,
      patience: Infinity,
      minutes: Infinity,
      atomCare: atomCareDefaults,
      removeMean: true,
    });
    expect(resolved.base.name).toBe("cropped:sym8");
    expect(resolved.base.shape).toEqual([12, 12]);
    expect(resolveTraining({ patch: [8, 8, 3] }).base.name).toBe("cropped:sym8,cropped:sym8,odct:1");
    expect(resolved).toMatchObject({ ...trainDefaults, init: "base", base: resolved.base });
  });

  test("keeps the options that are given", () => {
    const given = {
      atomSparsity: 9,
      coding: { sparsity: 5, error: 1.5 },
      batch: 7,
      epochs: 3,
      examples: 100,
      momentum: 0,
      seed: 0,
      holdout: 30,
      testEvery: 50,
      keep: "last",
      patience: 2,
      minutes: 0.5,
      reportEvery: 10,
      removeMean: false,
    } as const;
    expect(resolveTraining({ patch, ...given })).toMatchObject(given);
    expect(resolveTraining({ patch, atoms: 33 }).atoms).toBe(33);
    expect(resolveTraining({ patch, atomSparsity: "10%" }).atomSparsity).toBe(6);
    expect(resolveTraining({ patch, atomSparsity: "0.1%" }).atomSparsity).toBe(1);
    expect(resolveTraining({ patch, redundancy: 1.5 }).atoms).toBe(384);
    expect(resolveTraining({ patch, redundancy: 1e-9 }).atoms).toBe(1);
    expect(resolveTraining({ patch, atomCare: false }).atomCare).toBe(null);
    expect(resolveTraining({ patch, atomCare: { every: 5 } }).atomCare).toEqual({
      ...atomCareDefaults,
      every: 5,
    });
    expect(resolveTraining({ patch, coding: { error: 3 } }).coding).toEqual({ error: 3 });
    expect(resolveTraining({ patch, learner: "odl", init: "base" }).init).toBe("base");
    expect(resolveTraining({ patch, average: true }).average).toBe(true);
    expect(resolveTraining({ patch, holdout: 0 })).toMatchObject({ holdout: 0, keep: "best" });
    expect(resolveTraining({ patch, holdout: 0, keep: "last" }).keep).toBe("last");
    expect(() => resolveTraining({ patch, learner: "odl", init: "zeros" as never })).toThrow(
      new InputError('train: unknown init "zeros"; known: base, examples, both'),
    );
  });

  test("treats undefined as not given", () => {
    const names = Object.keys(resolveTraining({ patch })) as (keyof TrainOptions)[];
    const undefinedOptions = Object.fromEntries(names.map((name) => [name, undefined]));
    const { base: _, ...others } = resolveTraining({ ...undefinedOptions, patch, coding: {} });
    expect(resolveTraining({ patch })).toMatchObject(others);
  });

  test("takes a base by name or as an object, but only for this patch", () => {
    const base = createBase("odct:2", patch);
    expect(resolveTraining({ patch, base }).base).toBe(base);
    expect(resolveTraining({ patch, base: "odct:2" }).base).toEqual(base);
    expect(resolveTraining({ patch, base: "identity" }).atoms).toBe(64);
    expect(() => resolveTraining({ patch: [8, 9], base })).toThrow(
      new InputError("train: base must have shape 8x9, got 8x8"),
    );
  });

  test("uses no more atoms per code than there are", () => {
    expect(resolveTraining({ patch: [40, 40], base: "identity", atoms: 10 }).coding).toEqual({
      sparsity: 10,
    });
  });

  const integer = (name: string, least: number, value: unknown) =>
    `${name} must be an integer of at least ${least}, got ${value}`;

  test.each<[Record<string, unknown>, string]>([
    [{ patch: [] }, "patch must be one or more positive integer sizes, got []"],
    [{ patch: [8, 0] }, "patch must be one or more positive integer sizes, got [8, 0]"],
    [{ patch: 8 }, "patch must be one or more positive integer sizes, got 8"],
    [{ patch: undefined }, "patch must be one or more positive integer sizes, got undefined"],
    [
      { base: "nonsense" },
      'unknown base "nonsense"; known: cropped:WAVELET, separable:WAVELET, wavelet:WAVELET[:BORDER], contourlet[:DIRECTIONS], cropped-contourlet[:DIRECTIONS], odct:REDUNDANCY, identity',
    ],
    [{ atoms: 0 }, integer("atoms", 1, 0)],
    [{ atoms: 2.5 }, integer("atoms", 1, 2.5)],
    [{ redundancy: 0 }, "redundancy must be a number above 0, got 0"],
    [{ redundancy: Infinity }, "redundancy must be a number above 0, got Infinity"],
    [{ atoms: 256, redundancy: 1 }, "atoms and redundancy must not both be given"],
    [{ atomSparsity: 0 }, "atomSparsity must be an integer from 1 to 256, got 0"],
    [{ atomSparsity: 257 }, "atomSparsity must be an integer from 1 to 256, got 257"],
    [{ atomSparsity: "0%" }, 'atomSparsity must be a number, or a percentage above 0, got "0%"'],
    [{ atomSparsity: "500%" }, "atomSparsity must be an integer from 1 to 256, got 320"],
    [{ atomSparsity: "few" }, 'atomSparsity must be an integer from 1 to 256, got "few"'],
    [{ coding: { sparsity: 0 } }, "sparsity must be an integer from 1 to 256, got 0"],
    [{ coding: { sparsity: 257 } }, "sparsity must be an integer from 1 to 256, got 257"],
    [{ coding: { sparsity: "4" } }, 'sparsity must be an integer from 1 to 256, got "4"'],
    [{ coding: { error: -1 } }, "error must be a number of at least 0, got -1"],
    [{ coding: { error: Number.NaN } }, "error must be a number of at least 0, got NaN"],
    [
      { learner: "magic" },
      'unknown learner "magic"; known: osdl, niht, niht-batch, sparse-ksvd, sparse-odl, odl, ksvd, pca, sedil',
    ],
    [{ batch: 0 }, integer("batch", 1, 0)],
    [{ epochs: 0 }, integer("epochs", 1, 0)],
    [{ examples: 0 }, integer("examples", 1, 0)],
    [{ momentum: 1 }, "momentum must be a number of at least 0 and below 1, got 1"],
    [{ momentum: -0.5 }, "momentum must be a number of at least 0 and below 1, got -0.5"],
    [{ seed: -1 }, integer("seed", 0, -1)],
    [{ seed: 0.5 }, integer("seed", 0, 0.5)],
    [{ holdout: -1 }, integer("holdout", 0, -1)],
    [{ testEvery: 0 }, integer("testEvery", 1, 0)],
    [{ keep: "first" }, 'unknown keep "first"; known: best, last'],
    [{ patience: 0 }, integer("patience", 1, 0)],
    [{ minutes: 0 }, "minutes must be a number above 0, got 0"],
    [{ minutes: Number.NaN }, "minutes must be a number above 0, got NaN"],
    [{ reportEvery: 0 }, integer("reportEvery", 1, 0)],
    [{ holdout: 0, test: [] }, "holdout must be at least 1 with test, got 0"],
    [{ holdout: 0, patience: 2 }, "holdout must be at least 1 with patience, got 0"],
    [{ holdout: 0, testEvery: 50 }, "holdout must be at least 1 with testEvery, got 0"],
    [{ holdout: 0, keep: "best" }, "holdout must be at least 1 with keep best, got 0"],
    [
      { learner: "pca", redundancy: 0.5 },
      "redundancy: the number of atoms must be at most 64 for pca, the number of samples in a patch, got 128",
    ],
    [
      { learner: "sedil", redundancy: 0.5 },
      "redundancy: the number of atoms must be 256 for sedil, the number of base atoms, got 128",
    ],
    [{ atomCare: { every: 0 } }, integer("atomCare.every", 1, 0)],
    [{ atomCare: { minUse: 1 } }, "atomCare.minUse must be a number of at least 0 and below 1, got 1"],
    [{ atomCare: { maxCoherence: 0 } }, "atomCare.maxCoherence must be a number above 0, got 0"],
  ])("rejects %j", (options, message) => {
    const all = { patch, ...options } as unknown as TrainOptions;
    expect(() => resolveTraining(all)).toThrow(new InputError(`train: ${message}`));
  });

  test.each([
    [{ atomSparsity: 0 }, "--atom-sparsity must be an integer from 1 to 256, got 0"],
    [{ atoms: 1, redundancy: 1 }, "--atoms and --redundancy must not both be given"],
    [{ coding: { sparsity: 0 } }, "--sparsity must be an integer from 1 to 256, got 0"],
    [{ holdout: 0, testEvery: 5 }, "--holdout must be at least 1 with --test-every, got 0"],
  ])("rejects %j in a program's own names of options", (options, message) => {
    const flag = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const inFlags = () => {
      try {
        resolveTraining({ patch, ...options });
      } catch (error) {
        throw error instanceof InputError ? new Error(error.describe(flag)) : error;
      }
    };
    expect(inFlags).toThrow(new Error(message));
  });
});

test("the default number of non-zeros per atom is 2√n, and at most L", () => {
  expect([1, 64, 144, 1024].map((n) => defaultAtomSparsity(n, 2 * n))).toEqual([2, 16, 24, 64]);
  expect(defaultAtomSparsity(1000, 20)).toBe(20);
});
