import os from "node:os";
import { afterEach, describe, expect, test, vi } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { train } from "../../learn/run/train.js";
import { modelToBytes } from "../../model/files.js";
import type { Kernels } from "../contract.js";
import { kernels as layouts } from "./binary.js";
import { Arena } from "./handles.js";
import { createCpuKernels } from "./index.js";
import { argumentBytes } from "./pool.js";

const pictures = syntheticPictures(1, 2, 64);
const options = {
  patch: [6, 6],
  coding: { sparsity: 3 },
  examples: 1500,
  epochs: 1,
  batch: 128,
  holdout: 100,
} as const;

let kernels: Kernels | undefined;
afterEach(async () => {
  await kernels?.close();
  kernels = undefined;
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("threads", () => {
  test("train a model of the same bytes, whether 1, 2, 4 or many more than cores", async () => {
    const models: Uint8Array[] = [];
    for (const threads of [1, 2, 4, 64]) {
      kernels = await createCpuKernels({ threads });
      models.push(modelToBytes(await train(pictures, { ...options, kernels }).model()));
      await kernels.close();
    }
    for (const model of models) expect(model).toEqual(models[0]);
  });

  test.each([0, 2.5, 257])("are rejected if there are %d", async (threads) => {
    const message = `createCpuKernels: threads must be an integer from 1 to 256, got ${threads}`;
    await expect(createCpuKernels({ threads })).rejects.toThrow(new InputError(message));
  });

  test("fall back to one without shared memory, and say why, unless more were asked for", async () => {
    vi.spyOn(os, "availableParallelism").mockReturnValue(4);
    vi.stubGlobal("SharedArrayBuffer", undefined);
    const reason = "shared memory is not allowed here (the page is not cross-origin isolated)";
    kernels = await createCpuKernels();
    expect(kernels.description).toBe(`WebAssembly SIMD, 1 thread, since ${reason}`);
    const message = `createCpuKernels: threads must be 1, since ${reason}, got 2`;
    await expect(createCpuKernels({ threads: 2 })).rejects.toThrow(new InputError(message));
  });

  test("fail with an error, instead of waiting, if one is killed", async () => {
    const { Worker } = await import("node:worker_threads");
    const workers: InstanceType<typeof Worker>[] = [];
    const unref = Worker.prototype.unref;
    Worker.prototype.unref = function (this: InstanceType<typeof Worker>) {
      workers.push(this);
      unref.call(this);
    };
    try {
      kernels = await createCpuKernels({ threads: 2 });
    } finally {
      Worker.prototype.unref = unref;
    }
    expect(workers).toHaveLength(1);
    const run = train(pictures, { ...options, examples: 100_000, epochs: 1000, kernels });
    const killed = (async () => {
      for await (const { step } of run) if (step === 3) void workers[0].terminate();
    })();
    await expect(killed).rejects.toThrow(/^cpu kernels: a thread ended \(exit code 1\)/);
  });

  test("cannot be used after close", async () => {
    const gone = await createCpuKernels({ threads: 2 });
    const M = gone.matrix(300, 300);
    await gone.close();
    await expect(gone.columnEnergies(M, M)).rejects.toThrow(/^cpu kernels: closed/);
  });
});

describe("arguments", () => {
  test.each(Object.entries(layouts))("of %s fit the memory reserved for them", (_, layout) => {
    for (const [offset, type] of Object.values(layout)) {
      const bytes = type === "f64" ? 8 : 4;
      expect(offset % bytes).toBe(0);
      expect(offset + bytes).toBeLessThanOrEqual(argumentBytes);
    }
  });

  test("that are missing, or that a kernel does not have, do not compile", () => {
    const arena = new Arena(false);
    const [missing, complete, unknown] = [
      { G: 3, m: 1, first: 5 },
      { m: 1, coherence: 2, G: 3, first: 5 },
      { m: 1, coherence: 2, G: 3, first: 5, n: 4 },
    ];
    // @ts-expect-error `coherence` is missing
    arena.write(0, layouts.coherence, missing);
    arena.write(0, layouts.coherence, complete);
    // @ts-expect-error there is no `n`
    arena.write(0, layouts.coherence, unknown);
    expect([...arena.u32(0, 4)]).toEqual([3, 1, 5, 2]);
  });
});

describe("memory", () => {
  test("is freed after training, and training twice needs no more", async () => {
    kernels = await createCpuKernels({ threads: 2 });
    await train(pictures, { ...options, kernels }).model();
    const once = kernels.memory.used; // scratch and staging stay
    await train(pictures, { ...options, kernels }).model();
    expect(kernels.memory.used).toBe(once);
  });

  test("beyond 4 GiB is refused with a clear message", async () => {
    kernels = await createCpuKernels({ threads: 1 });
    expect(() => kernels!.matrix(40_000, 40_000)).toThrow(
      new InputError("cpu kernels: 5.96 GiB of memory is needed, but at most 4 GiB is available"),
    );
    const huge = { ...options, patch: [64, 64], atoms: 60_000, kernels } as const;
    await expect(train(pictures, huge).plan()).rejects.toThrow(/^train: the run needs \d/);
  });

  test("is as much as the machine reserves: half of 4 GiB, a quarter, or less", () => {
    const { Memory } = WebAssembly;
    vi.stubGlobal("WebAssembly", {
      ...WebAssembly,
      Memory: class extends Memory {
        constructor(descriptor: WebAssembly.MemoryDescriptor) {
          if (descriptor.maximum! > 20_000) throw new RangeError("could not allocate memory");
          super(descriptor);
        }
      },
    });
    const arena = new Arena(true);
    expect(arena.bytesMost).toBe(2 ** 30 - 4096);
    expect(() => arena.take(2 ** 31)).toThrow(
      new InputError("cpu kernels: 2.00 GiB of memory is needed, but at most 1 GiB is available"),
    );
  });

  test("is handed out in pieces that never overlap, and is joined again", () => {
    const arena = new Arena(false);
    const rng = Rng.from(1);
    const held = new Map<number, number>();
    for (let turn = 0; turn < 2000; turn++) {
      if (rng.uniform() < 0.55 || held.size === 0) {
        const bytes = 1 + rng.below(5000);
        const at = arena.take(bytes);
        expect(at % 64).toBe(0);
        for (const [other, size] of held) expect(at >= other + size || at + bytes <= other).toBe(true);
        expect(arena.u8(at, bytes).every((byte) => byte === 0)).toBe(true);
        arena.u8(at, bytes).fill(255);
        held.set(at, bytes);
      } else {
        const at = [...held.keys()][rng.below(held.size)];
        arena.give(at);
        held.delete(at);
      }
    }
    const grown = arena.memory.buffer.byteLength;
    for (const at of held.keys()) arena.give(at);
    expect(arena.bytesUsed).toBe(0);
    arena.give(arena.take(grown - 8192)); // one piece again
    expect(arena.memory.buffer.byteLength).toBe(grown);
    expect(() => arena.give(64 * 1000)).toThrow(TypeError);
  });

  test("of other kernels is not touched", async () => {
    kernels = await createCpuKernels({ threads: 1 });
    const foreign = new DenseMatrix(2, 2);
    await expect(kernels.columnEnergies(foreign, kernels.matrix(1, 2))).rejects.toThrow(InputError);
    expect(() => kernels!.free(new SparseColumns(2, 2, 1))).toThrow(InputError);
  });
});
