import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { sizeOf } from "../../core/shape.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createBase } from "../../dictionaries/base.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { Model } from "../../model/model.js";
import { grids } from "../encode/tiling.case.js";
import { cutWindows, gridOrigins } from "../encode/tiling.js";
import { pictureOf, planesOf } from "./colour.js";
import { denoise } from "./denoise.js";
import type { DenoiseOptions } from "./denoiseOptions.js";
import { denoisePass } from "./denoisePass.js";
import { estimateNoise } from "./estimateNoise.js";
import { OverlapSum, WindowGrid } from "./overlap.js";
import { addNoise, rmseBetween } from "./trialDamage.js";

const kernels = createReferenceKernels();
const meta = {
  learner: "none",
  options: {},
  seed: 0,
  examplesSeen: 0,
  removeMean: true,
  coding: { sparsity: 2 },
};

/** A base as a model of its own. */
function modelOf(name: string, patch: readonly number[]): Model {
  const base = createBase(name, patch);
  const L = base.factors.reduce((product, { cols }) => product * cols, 1);
  return new Model(base, SparseColumns.identity(L, 1), meta);
}

function noise(shape: readonly number[], seed: number, sigma = 1): Signal {
  const rng = Rng.from(seed);
  return makeSignal(
    "noise",
    shape,
    Float32Array.from({ length: sizeOf(shape) }, () => sigma * rng.normal()),
  );
}

const plus = (a: Signal, b: Signal): Signal => ({ ...a, data: a.data.map((value, i) => value + b.data[i]) });

function distance(a: Signal, b: Signal): number {
  return Math.sqrt(a.data.reduce((sum, value, i) => sum + (value - b.data[i]) ** 2, 0) / a.data.length);
}

describe("overlapping windows", () => {
  test("are those of the grid, whatever the parts they are asked for in", () => {
    fc.assert(
      fc.property(grids, fc.integer({ min: 1, max: 7 }), ({ patch, shape, stride }, step) => {
        const grid = new WindowGrid(shape, patch, stride);
        const signal = makeSignal(
          "ramp",
          shape,
          Float32Array.from({ length: sizeOf(shape) }, (_, i) => i),
        );
        const expected = cutWindows(signal, patch, gridOrigins(shape, patch, stride));
        const starts: number[] = [];
        for (let from = 0; from < grid.count; from += step)
          starts.push(...grid.windows(from, Math.min(from + step, grid.count)).start);
        expect(starts).toEqual(Array.from({ length: expected.cols }, (_, i) => expected.at(0, i)));
      }),
      { numRuns: 60 },
    );
  });

  test("of a signal average to the signal, for any size, stride and weight", () => {
    fc.assert(
      fc.property(grids, fc.nat(1000), ({ patch, shape, stride }, seed) => {
        const signal = noise(shape, seed);
        const origins = gridOrigins(shape, patch, stride);
        const Y = cutWindows(signal, patch, origins);
        const rng = Rng.from(seed);
        const means = Float32Array.from(origins, () => rng.normal());
        const weights = Float32Array.from(origins, () => 0.5 + rng.uniform());
        const centred = DenseMatrix.build(Y.rows, Y.cols, (i, j) => Y.at(i, j) - means[j]);
        const sums = new OverlapSum(shape, patch);
        sums.add(
          new WindowGrid(shape, patch, stride).windows(0, origins.length).start,
          centred,
          means,
          weights,
        );
        signal.data.forEach((value, i) => {
          expect(Math.abs(sums.sum[i] / sums.weight[i] - value)).toBeLessThan(1e-5);
        });
      }),
      { numRuns: 60 },
    );
  });

  test("cover each sample as often as the grid says", () => {
    fc.assert(
      fc.property(grids, ({ patch, shape, stride }) => {
        const grid = new WindowGrid(shape, patch, stride);
        const sums = new OverlapSum(shape, patch);
        sums.add(grid.windows(0, grid.count).start, new DenseMatrix(sizeOf(patch), grid.count));
        expect(grid.coverage()).toEqual(sums.weight);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the noise level", () => {
  test.each([[[4096]], [[96, 80]], [[128, 128]], [[30, 31, 32]], [[64, 64, 3]]])(
    "of white noise over %j is found within a few per cent",
    (shape) => {
      // of N normal numbers the median magnitude deviates by 1.17/√N; a fourth of the samples along two long axes
      const N = sizeOf(shape) / 2 ** Math.min(3, shape.filter((size) => size >= 8).length) / 2;
      expect(Math.abs(estimateNoise(noise(shape, 3, 7)) / 7 - 1)).toBeLessThan((3 * 1.17) / Math.sqrt(N));
    },
  );

  test.each([20, 30, 40])("of a picture with noise %d is found within 5 in a hundred", (sigma) => {
    const [picture] = syntheticPictures(3, 1, 256);
    const level = estimateNoise(plus(picture, noise([256, 256], 4, sigma)));
    expect(Math.abs(level / sigma - 1)).toBeLessThan(0.05);
  });

  test("scales with the samples, and does not see a constant or a ramp", () => {
    const signal = noise([64, 64], 5);
    const scaled = { ...signal, data: signal.data.map((value) => 8 * value) };
    expect(estimateNoise(scaled)).toBeCloseTo(8 * estimateNoise(signal), 5);
    const ramp = { ...signal, data: signal.data.map((value, i) => value + (i % 64) / 8 + 100) };
    expect(estimateNoise(ramp)).toBeCloseTo(estimateNoise(signal), 3);
  });

  test("of a single sample cannot be known", () => {
    expect(() => estimateNoise(makeSignal("dot", [1, 1], Float32Array.of(3)))).toThrow(
      "estimateNoise: the noise of dot cannot be estimated from 1x1 samples: sigma must be given",
    );
  });
});

describe("one pass", () => {
  const [picture] = syntheticPictures(1, 1, 24);
  const options = { stride: [1, 1], noise: [1], lambda: 0, kernels, onProgress: () => {} };

  test("that codes exactly gives the signal back", async () => {
    const model = modelOf("odct:1", [4, 5]);
    const [z] = await denoisePass([picture], {
      ...options,
      model,
      residualEnergy: () => 1e-6,
      maxAtoms: () => 20,
    });
    expect(distance(z, picture)).toBeLessThan(1e-2);
  });

  test("that codes nothing is the mean of the means over a sample", async () => {
    const model = modelOf("identity", [3, 3]);
    const [z] = await denoisePass([picture], {
      ...options,
      model,
      residualEnergy: () => 1e12,
      maxAtoms: () => 9,
    });
    const origins = gridOrigins([24, 24], [3, 3], [1, 1]);
    const means = cutWindows(picture, [3, 3], origins);
    const over = origins.flatMap(([r, c], i) =>
      r <= 10 && r + 3 > 10 && c <= 7 && c + 3 > 7
        ? [means.column(i).reduce((sum, v) => sum + v, 0) / 9]
        : [],
    );
    expect(over.length).toBe(9);
    expect(z.data[10 * 24 + 7]).toBeCloseTo(over.reduce((sum, v) => sum + v, 0) / 9, 3);
  });

  test("minimises (14) over the image: its gradient λ(z − y) + 2 Σᵢ Pᵢᵀ(Pᵢz − Dxᵢ) is zero", async () => {
    const pass = (lambda: number) =>
      denoisePass([picture], {
        ...options,
        lambda,
        model: modelOf("identity", [3, 3]),
        residualEnergy: () => 1e12,
        maxAtoms: () => 1,
      });
    const [[free], [held]] = [await pass(0), await pass(5)];
    const windowsOver = (i: number) =>
      [Math.floor(i / 24), i % 24].reduce((p, x) => p * Math.min(3, x + 1, 24 - x), 1);
    held.data.forEach((z, i) => {
      const gradient = 5 * (z - picture.data[i]) + 2 * windowsOver(i) * (z - free.data[i]);
      expect(Math.abs(gradient)).toBeLessThan(1e-2);
    });
  });
});

describe("denoising", () => {
  const [clean] = syntheticPictures(2, 1, 64);
  const sigma = 25;
  const noisy = plus(clean, noise([64, 64], 6, sigma));
  const quick: DenoiseOptions = {
    sigma,
    patch: [8, 8],
    stride: 2,
    training: { examples: 1000, epochs: 1 },
    kernels,
  };

  test("brings a picture nearer to the clean one, by its own dictionary or by a given one", async () => {
    const learned = await denoise([noisy], quick);
    const given = await denoise([noisy], {
      sigma,
      stride: 2,
      dictionary: modelOf("odct:2", [8, 8]),
      kernels,
    });
    expect(learned.sigma).toEqual([sigma]);
    expect(distance(learned.signals[0], clean)).toBeLessThan(0.6 * distance(noisy, clean));
    expect(distance(given.signals[0], clean)).toBeLessThan(0.6 * distance(noisy, clean));
  });

  test("estimates the noise if none is given", async () => {
    const { signals, sigma: found } = await denoise([noisy], { ...quick, sigma: undefined });
    expect(Math.abs(found[0] / sigma - 1)).toBeLessThan(0.1);
    expect(distance(signals[0], clean)).toBeLessThan(0.6 * distance(noisy, clean));
  });

  test("with no noise gives the signal back", async () => {
    const { signals } = await denoise([clean], { ...quick, sigma: 0 });
    expect(signals[0]).toEqual(clean);
  });

  test("leaves a constant constant", async () => {
    const flat = makeSignal("flat", [20, 21], new Float32Array(420).fill(77));
    for (const level of [undefined, 10]) {
      const { signals } = await denoise([flat], { ...quick, sigma: level });
      signals[0].data.forEach((value) => void expect(value).toBeCloseTo(77, 3));
    }
  });

  test("does not depend on the units of the samples", async () => {
    const larger = { ...noisy, data: noisy.data.map((value) => 256 * value) };
    const [here, there] = [
      await denoise([noisy], quick),
      await denoise([larger], { ...quick, sigma: 256 * sigma }),
    ];
    const back = { ...there.signals[0], data: there.signals[0].data.map((value) => value / 256) };
    expect(distance(here.signals[0], back)).toBe(0);
  });

  test("takes signals of different noise together, and leaves those without alone", async () => {
    const two = [noisy, clean, plus(clean, noise([64, 64], 7, 5))];
    const { signals } = await denoise(two, { ...quick, sigma: [sigma, 0, 5] });
    expect(signals[1]).toBe(clean);
    expect(distance(signals[0], clean)).toBeLessThan(0.6 * sigma);
    expect(distance(signals[2], clean)).toBeLessThan(0.9 * 5);
  });

  test.each([{ shape: [3000] }, { shape: [40, 41] }, { shape: [12, 13, 14] }])(
    "works on signals of shape $shape with the default patch",
    async ({ shape }) => {
      const smooth = makeSignal(
        "smooth",
        shape,
        Float32Array.from({ length: sizeOf(shape) }, (_, i) => 100 * Math.sin(i / sizeOf(shape) / 0.1)),
      );
      const signal = plus(smooth, noise(shape, 8, 20));
      const { signals } = await denoise([signal], {
        sigma: 20,
        stride: 2,
        training: { examples: 300, epochs: 1, atoms: 100 },
        kernels,
      });
      expect(distance(signals[0], smooth)).toBeLessThan(0.6 * distance(signal, smooth));
    },
    30_000,
  );

  test("works on channels together", async () => {
    const [a, b] = syntheticPictures(4, 2, 40);
    const colour = pictureOf([a, b, b], "colour");
    const signal = plus(colour, noise([40, 40, 3], 9, sigma));
    const options = { ...quick, colour: "joint", patch: [6, 6] } as const;
    const { signals } = await denoise([signal], options);
    expect(signals[0].shape).toEqual([40, 40, 3]);
    expect(distance(signals[0], colour)).toBeLessThan(0.7 * sigma);
  });

  test("averages several sizes of patches", async () => {
    const each = [
      [[8, 8]],
      [[6, 6]],
      [
        [8, 8],
        [6, 6],
      ],
    ].map((patch) => denoise([noisy], { ...quick, patch }));
    const [eight, six, both] = (await Promise.all(each)).map(({ signals }) => signals[0]);
    const mean = { ...eight, data: eight.data.map((value, i) => (value + six.data[i]) / 2) };
    expect(distance(mean, both)).toBeLessThan(1e-4);
  });

  test("iterates with a shrinking noise: y′ = z + δ(y − z), σ′ = δσ, δ = 0.9", async () => {
    const given = { dictionary: modelOf("odct:2", [8, 8]), stride: 2, kernels };
    const once = (await denoise([noisy], { ...given, sigma })).signals[0];
    const data = once.data.map((z, i) => z + 0.9 * (noisy.data[i] - z));
    const again = await denoise([{ ...noisy, data }], { ...given, sigma: 0.9 * sigma });
    const twice = await denoise([noisy], { ...given, sigma, iterations: 2 });
    expect(distance(twice.signals[0], again.signals[0])).toBeLessThan(1e-3);
    expect(distance(twice.signals[0], once)).toBeGreaterThan(0.1);
  });

  test("learns one dictionary per size, whatever the iterations", async () => {
    const passes = new Set<string>();
    const two = {
      patch: [
        [8, 8],
        [6, 6],
      ],
      iterations: 2,
      stride: 4,
    };
    const onProgress: DenoiseOptions["onProgress"] = ({ stage, pass }) => void passes.add(`${stage} ${pass}`);
    await denoise([noisy], { ...quick, ...two, onProgress });
    expect([...passes].sort()).toEqual([
      "coding 1",
      "coding 2",
      "coding 3",
      "coding 4",
      "learning 1",
      "learning 2",
    ]);
  });

  test("reports its progress, and stops when it is aborted", async () => {
    const stages: string[] = [];
    await denoise([noisy], {
      ...quick,
      onProgress: ({ stage, done }) => void stages.push(`${stage} ${done >= 0 && done <= 1}`),
    });
    expect(new Set(stages)).toEqual(new Set(["learning true", "coding true"]));
    const controller = new AbortController();
    const ended = denoise([noisy], {
      ...quick,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(ended).rejects.toThrow("aborted");
    expect(kernels.memory.used).toBe(0);
    const dictionary = modelOf("odct:2", [8, 8]);
    const late = { sigma, dictionary, kernels, signal: AbortSignal.abort() };
    await expect(denoise([noisy], late)).rejects.toThrow("aborted");
    expect(kernels.memory.used).toBe(0);
  });

  test("rejects what it cannot use", async () => {
    const dot = makeSignal("dot", [1, 1], Float32Array.of(9));
    const refused = (options: DenoiseOptions) => expect(denoise([noisy], { ...quick, ...options })).rejects;
    await refused({ sigma: -1 }).toThrow("denoise: sigma must be a number of at least 0, got -1");
    await refused({ sigma: Number.NaN }).toThrow("denoise: sigma must be a number of at least 0, got NaN");
    await refused({ sigma: [1, 2] }).toThrow(
      "denoise: sigma must be one number, or one for each of 1 signals, got 2",
    );
    await refused({ patch: [65, 8] }).toThrow(
      `denoise: ${noisy.name} must be at least 65x8, the patch, got 64x64`,
    );
    await refused({ patch: [] }).toThrow("denoise: patch must be at least one shape, got none");
    await refused({ colour: "joint", dictionary: modelOf("odct:2", [4, 4]) }).toThrow(
      "denoise: a dictionary of all channels must be for patches of 2 axes, the last of 64, got 4x4",
    );
    await refused({ stride: 9 }).toThrow("denoise: stride must be an integer from 1 to 8, got 9");
    await refused({ lambda: -1 }).toThrow("denoise: lambda must be a number of at least 0, got -1");
    await refused({ quantile: 1 }).toThrow("denoise: quantile must be a number between 0 and 1, got 1");
    await refused({ iterations: 0 }).toThrow("denoise: iterations must be an integer of at least 1, got 0");
    expect((await denoise([dot], { sigma: 5, kernels })).signals[0].data).toEqual(dot.data);
  });
});

describe("colour pictures", () => {
  const colourOf = (seed: number) => pictureOf(syntheticPictures(seed, 3, 24), `colour ${seed}`);
  const pictures = [4, 5].map((seed) => plus(colourOf(seed), noise([24, 24, 3], seed, 20)));
  const quick: DenoiseOptions = { sigma: 20, stride: 3, dictionary: modelOf("odct:2", [6, 6]), kernels };

  test("are denoised as planes of luma and chroma by default", async () => {
    const { signals, sigma } = await denoise(pictures, quick);
    const planes = await denoise(pictures.flatMap(planesOf), quick);
    expect(sigma).toEqual(Array(6).fill(20));
    expect(signals.map(({ name, shape }) => [name, shape])).toEqual(
      pictures.map(({ name, shape }) => [name, shape]),
    );
    for (const [i, signal] of signals.entries())
      expect(signal).toEqual(pictureOf(planes.signals.slice(3 * i, 3 * i + 3), signal.name));
  });

  test("have one noise level each, for all of their planes", async () => {
    const { signals, sigma } = await denoise(pictures, { ...quick, sigma: [20, 0] });
    expect(sigma).toEqual([20, 20, 20, 0, 0, 0]);
    expect(distance(signals[1], pictures[1])).toBeLessThan(1e-4);
    await expect(denoise(pictures, { ...quick, sigma: [1, 2, 3] })).rejects.toThrow(
      "denoise: sigma must be one number, or one for each of 2 signals, got 3",
    );
  });

  test("are denoised channel by channel on request", async () => {
    const { signals } = await denoise([pictures[0]], { ...quick, colour: "each" });
    const channel = (c: number) => ({
      ...pictures[0],
      shape: [24, 24],
      data: pictures[0].data.filter((_, i) => i % 3 === c),
    });
    const alone = await denoise([0, 1, 2].map(channel), quick);
    alone.signals.forEach(({ data }, c) => {
      expect(signals[0].data.filter((_, i) => i % 3 === c)).toEqual(data);
    });
  });

  test("are not split into planes for patches of three axes", async () => {
    await expect(
      denoise(pictures, { ...quick, dictionary: modelOf("odct:1", [6, 6, 3]), colour: "each" }),
    ).rejects.toThrow(new InputError('denoise: colour must be joint for patches of 6x6x3, got "each"'));
  });

  test("are one signal to a dictionary of three axes, and on request", async () => {
    const dictionary = modelOf("odct:1", [6, 6, 3]);
    const whole = await denoise([pictures[0]], { ...quick, dictionary });
    for (const colour of ["joint", "none"] as const)
      expect(await denoise([pictures[0]], { ...quick, dictionary, colour })).toEqual(whole);
    expect(whole.sigma).toEqual([20]);
    await expect(denoise([noise([9, 9], 1)], { ...quick, colour: "luma-chroma" })).rejects.toThrow(
      "planesOf: a picture must be height x width x 3, got 9x9",
    );
    await expect(denoise(pictures, { ...quick, colour: "red" as "none" })).rejects.toThrow(
      'denoise: unknown colour "red"; known: luma-chroma, joint, each, none',
    );
  });
});

describe("colour planes", () => {
  test("are an orthonormal transform: there and back, and noise keeps its level", () => {
    const picture = noise([7, 9, 3], 10, 3);
    const planes = planesOf(picture);
    expect(distance(pictureOf(planes, "again"), picture)).toBeLessThan(1e-6);
    const energy = (data: Float32Array) => data.reduce((sum, value) => sum + value * value, 0);
    expect(planes.reduce((sum, { data }) => sum + energy(data), 0)).toBeCloseTo(energy(picture.data), 2);
  });

  test("of a grey picture are brightness alone", () => {
    const grey = makeSignal(
      "grey",
      [2, 2, 3],
      Float32Array.from({ length: 12 }, (_, i) => Math.floor(i / 3)),
    );
    const [luma, ...others] = planesOf(grey);
    expect(luma.data[3]).toBeCloseTo(3 * Math.sqrt(3), 5);
    for (const { data } of others) data.forEach((value) => void expect(value).toBeCloseTo(0, 5));
  });
});

test("one signal is as good as a list of one, and option names are checked", async () => {
  const [picture] = syntheticPictures(2, 1, 32);
  const options = { sigma: 20, patch: [4, 4], stride: 4, training: { examples: 200, epochs: 1 } } as const;
  const alone = await denoise(picture, options);
  const list = await denoise([picture], options);
  expect(alone.signals[0].data).toEqual(list.signals[0].data);
  await expect(denoise(picture, { ...options, epochs: 2 } as never)).rejects.toThrow(
    new InputError("denoise: unknown option epochs; did you mean training: { epochs: … }?"),
  );
  await expect(denoise(picture, { ...options, model: {} } as never)).rejects.toThrow(
    new InputError("denoise: unknown option model; did you mean dictionary?"),
  );
  await expect(denoise(picture, { training: { epoch: 2 } } as never)).rejects.toThrow(
    new InputError("denoise: training: unknown option epoch; did you mean epochs?"),
  );
  await expect(denoise("noisy.png" as never)).rejects.toThrow(
    new InputError(
      'denoise: signals must be signals, as makeSignal and readImage return them, got "noisy.png"',
    ),
  );
});

describe("missing samples", () => {
  const [clean] = syntheticPictures(4, 1, 40);
  const noisy = addNoise(clean, 15, Rng.from(3));
  const isMissing = (i: number) => i % 41 === 7 || (i % 40 > 16 && i % 40 < 22 && i > 600 && i < 900);
  const marked = (value: number) => ({
    ...noisy,
    data: noisy.data.map((v, i) => (isMissing(i) ? value : v)),
  });
  const options = { sigma: 15, patch: [6, 6], training: { examples: 300, epochs: 1, batch: 100 }, kernels };

  test("stay as they are, and the others do not depend on what marks them", async () => {
    const { signals: plain } = await denoise(marked(-9999), { ...options, nodata: -9999 });
    for (const value of [Number.NaN, -3.4028234663852886e38, 65535]) {
      const [{ data }] = (await denoise(marked(value), { ...options, nodata: value })).signals;
      expect(data).toEqual(plain[0].data.map((v, i) => (isMissing(i) ? value : v)));
    }
    const known = clean.data.map((v, i) => (isMissing(i) ? Number.NaN : v));
    const before = rmseBetween([noisy], [{ ...clean, data: known }]);
    expect(rmseBetween(plain, [{ ...clean, data: known }])).toBeLessThan(0.7 * before);
    expect(kernels.memory.used).toBe(0);
  });

  test("leave windows that do not have them as they were, to the bit", async () => {
    const dictionary = modelOf("odct:2", [6, 6]);
    const [{ data }] = (await denoise(marked(-9999), { sigma: 15, dictionary, nodata: -9999, kernels }))
      .signals;
    const [{ data: whole }] = (await denoise(noisy, { sigma: 15, dictionary, kernels })).signals;
    const missing = Array.from(noisy.data.keys()).filter(isMissing);
    const near = (i: number, j: number) =>
      Math.abs(Math.floor(i / 40) - Math.floor(j / 40)) < 6 && Math.abs((i % 40) - (j % 40)) < 6;
    const far = Array.from(noisy.data.keys()).filter((i) => !missing.some((j) => near(i, j)));
    expect(far.length).toBeGreaterThan(0);
    for (const i of far) expect(data[i]).toBe(whole[i]);
  });

  test("are left out of the estimate of the noise", () => {
    const estimate = estimateNoise(marked(-9999), -9999);
    expect(Math.abs(estimate - estimateNoise(noisy))).toBeLessThan(2);
  });

  test("of colour pictures are whole pixels", async () => {
    const shape = [20, 20, 3];
    const rng = Rng.from(8);
    const data = Float32Array.from({ length: 1200 }, () => 100 + 10 * rng.normal());
    for (const at of [30, 31, 32, 601]) data[at] = -9999;
    const [result] = (
      await denoise(
        { name: "colour", shape, data },
        { sigma: 10, nodata: -9999, dictionary: modelOf("odct:2", [5, 5]), kernels },
      )
    ).signals;
    expect(Array.from([30, 31, 32, 601], (at) => result.data[at])).toEqual([-9999, -9999, -9999, -9999]);
    expect(result.data[600]).toBe(data[600]); // a pixel of which a channel is missing
    expect(result.data.every(Number.isFinite)).toBe(true);
  });
});

test("noise far below the samples leaves them as they are", async () => {
  const [clean] = syntheticPictures(4, 1, 20);
  for (const sigma of [1e-38, 1e-300, Number.MIN_VALUE, 0])
    expect((await denoise(clean, { sigma, patch: [4, 4], kernels })).signals[0].data).toEqual(clean.data);
});
