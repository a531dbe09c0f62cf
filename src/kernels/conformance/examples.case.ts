/** Conformance: windows of signals as columns, and back. */

import { expect } from "vitest";
import type { Rng } from "../../core/random/rng.js";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.js";
import { makeSignal } from "../../core/signal.js";
import type { Bench, ConformanceCase } from "./caseHandles.case.js";
import { dot, expectSame, quotient, randomDense } from "./oracle.case.js";
import { sumTolerance, unitRoundoff } from "./tolerance.js";

export const exampleCases: readonly ConformanceCase[] = [
  {
    title: "extract cuts windows of one to three axes and removes their means",
    async check(bench, rng) {
      const patch: Shape = Array.from({ length: 1 + rng.below(3) }, () => 1 + rng.below(4));
      await expectWindows(bench, rng, patch, 5, rng.below(8));
    },
  },
  {
    title: "extract cuts windows at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      await expectWindows(bench, rng, [37, 31], 40, 70);
      await expectWindows(bench, rng, [1100], 3000, 5);
    },
  },
  {
    title: "addWindows adds windows of one to three axes to their places",
    async check(bench, rng) {
      const patch: Shape = Array.from({ length: 1 + rng.below(3) }, () => 1 + rng.below(4));
      await expectSums(bench, rng, patch, 5, rng.below(8));
    },
  },
  {
    title: "addWindows is correct at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      await expectSums(bench, rng, [21, 19], 60, 200);
      await expectSums(bench, rng, [300], 9000, 40);
    },
  },
];

/** Windows at different places of one signal, added up by a plain loop over all pairs of windows and samples. */
async function expectSums(bench: Bench, rng: Rng, patch: Shape, more: number, N: number): Promise<void> {
  const { kernels } = bench;
  const shape = patch.map((size) => size + rng.below(more));
  const free = patch.map((size, axis) => shape[axis] - size + 1);
  const numbers = [...new Set(Array.from({ length: N }, () => rng.below(sizeOf(free))))];
  const origins = numbers.map((number) => {
    const inner = stridesOf(free);
    return free.map((size, axis) => Math.floor(number / inner[axis]) % size);
  });
  const [Y, means] = [randomDense(rng, sizeOf(patch), numbers.length), randomDense(rng, 1, numbers.length)];
  const before = randomDense(rng, sizeOf(shape), 1);
  const start = Uint32Array.from(origins, (origin) => dot(origin, stridesOf(shape)));
  for (const removed of [null, await bench.put(means)]) {
    const sum = await bench.hold(before);
    await kernels.addWindows(await bench.put(Y), removed, start, patch, shape, sum);
    const found = (await kernels.readMatrix(sum)).data;
    const exact = Float64Array.from(before.data);
    const sizes = exact.map(Math.abs);
    const terms = new Float64Array(exact.length).fill(1);
    const inside = stridesOf(patch);
    origins.forEach((_, i) => {
      for (let r = 0; r < Y.rows; r++) {
        const place = patch.map((size, axis) => origins[i][axis] + (Math.floor(r / inside[axis]) % size));
        const at = dot(place, stridesOf(shape));
        const mean = removed ? means.data[i] : 0;
        exact[at] += Y.at(r, i) + mean;
        sizes[at] += Math.abs(Y.at(r, i)) + Math.abs(mean);
        terms[at] += 2;
      }
    });
    found.forEach((value, at) => {
      if (!(Math.abs(value - exact[at]) <= sumTolerance(terms[at], sizes[at]))) expect.fail(`sample ${at}`);
    });
  }
}

/** N windows of three signals that are up to `more` larger than the patch. */
async function expectWindows(bench: Bench, rng: Rng, patch: Shape, more: number, N: number): Promise<void> {
  const { kernels } = bench;
  const signals = [0, 1, 2].map((s) => {
    const shape = patch.map((size) => size + rng.below(more));
    return makeSignal(`signal ${s}`, shape, randomDense(rng, sizeOf(shape), 1, 100).data);
  });
  const places = Array.from({ length: N }, () => {
    const { shape } = signals[rng.below(3)];
    const signal = signals.findIndex((candidate) => candidate.shape === shape);
    return { signal, origin: shape.map((size, axis) => rng.below(size - patch[axis] + 1)) };
  });
  const windows = {
    signal: Uint32Array.from(places, ({ signal }) => signal),
    start: Uint32Array.from(places, ({ signal, origin }) => dot(origin, stridesOf(signals[signal].shape))),
  };
  const factor = rng.uniform() < 0.5 ? 1 : 0.25;
  const given = signals.map((signal) => ({ ...signal, data: signal.data.slice() }));
  const store = bench.keep(kernels.signals(given, factor));
  for (const { data } of given) data.fill(Number.NaN); // they were copied
  expect(store.count).toBe(3);
  const n = sizeOf(patch);
  const [whole, centred, means] = [await bench.room(n, N), await bench.room(n, N), await bench.room(1, N)];
  await kernels.extract(store, windows, patch, whole.handle, null);
  await kernels.extract(store, windows, patch, centred.handle, means.handle);
  const [raw, rest, hostMeans] = [await whole.read(), await centred.read(), (await means.read()).data];
  const inside = stridesOf(patch);
  for (let i = 0; i < N; i++) {
    const { signal, origin } = places[i];
    const strides = stridesOf(signals[signal].shape);
    const exact = Float32Array.from({ length: n }, (_, r) => {
      const place = patch.map((size, axis) => origin[axis] + (Math.floor(r / inside[axis]) % size));
      return signals[signal].data[dot(place, strides)] * factor;
    });
    expectSame(raw.column(i), exact, `window ${i}`);
    const mean = exact.reduce((sum, value) => sum + value, 0) / n;
    const size = exact.reduce((sum, value) => sum + Math.abs(value), 0) / n;
    expect(Math.abs(hostMeans[i] - mean)).toBeLessThanOrEqual(sumTolerance(n + quotient, size));
    rest.column(i).forEach((value, r) => {
      const bound = 2 * unitRoundoff * (Math.abs(exact[r]) + Math.abs(hostMeans[i]));
      if (!(Math.abs(value + hostMeans[i] - exact[r]) <= bound)) expect.fail(`window ${i}, sample ${r}`);
    });
  }
}
