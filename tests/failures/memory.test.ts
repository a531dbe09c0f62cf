/**
 * The memory of the cpu kernels runs out at the n-th request, for every n of small runs: one clear line, nothing written,
 * and kernels that are shared give everything back and compute the same as before.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { syntheticPictures } from "../../src/data/syntheticPictures.js";
import type { Kernels } from "../../src/kernels/contract.js";
import { Arena } from "../../src/kernels/cpu/handles.js";
import { createCpuKernels } from "../../src/kernels/cpu/index.js";
import { learnerNames } from "../../src/learn/learners/registry.js";
import { train } from "../../src/learn/run/train.js";
import { modelToBytes } from "../../src/model/files.js";
import type { Model } from "../../src/model/model.js";
import { encodeSignals } from "../../src/tasks/encode/encodeSignals.js";
import { denoise } from "../../src/tasks/restore/denoise.js";
import { Disk, useDisk } from "./failingFiles.js";
import { runHere } from "./runHere.js";
import {
  differences,
  leaveFolder,
  prepare,
  putBack,
  quick,
  type Snapshot,
  takeSnapshot,
  workInNewFolder,
} from "./workFolder.js";

vi.mock("node:fs", async () => (await import("./failingFiles.js")).failingFs);
vi.mock("node:fs/promises", async () => (await import("./failingFiles.js")).failingPromises);

/** Let the n-th request for memory fail; counts the requests. */
function failRequest(n: number): { readonly requests: number } {
  const take = Arena.prototype.take;
  const counter = { requests: 0 };
  vi.spyOn(Arena.prototype, "take").mockImplementation(function (this: Arena, bytes: number) {
    if (counter.requests++ === n)
      throw new Error("cpu kernels: 0.01 GiB of memory is needed, but the system gives no more");
    return take.call(this, bytes);
  });
  return counter;
}

let points = 0;
afterEach(() => vi.restoreAllMocks());
afterAll(() => {
  console.info(`memory: ${points} failure points`);
});

describe("shared kernels that run out of memory", () => {
  const pictures = syntheticPictures(3, 1, 16);
  let kernels: Kernels;
  let model: Model;
  beforeAll(async () => {
    kernels = await createCpuKernels({ threads: 2 });
    model = await train(pictures, {
      patch: 4,
      base: "odct:1",
      examples: 40,
      epochs: 1,
      batch: 20,
      kernels,
    }).model();
  });
  afterAll(() => kernels.close());

  const tasks: [string, () => Promise<unknown>][] = [
    ...learnerNames.map((learner): [string, () => Promise<unknown>] => [
      `train, ${learner}`,
      async () => {
        const options = {
          patch: 4,
          base: "odct:1",
          examples: 40,
          batch: 20,
          epochs: 2,
          holdout: 10,
          learner,
          kernels,
        };
        return modelToBytes(await train(pictures, options).model());
      },
    ]),
    ["encodeSignals", async () => encodeSignals(model, pictures, { stride: [4, 4], kernels })],
    ["denoise", async () => denoise(pictures, { sigma: 5, patch: [4, 4], kernels })],
  ];

  it.each(tasks)("%s", async (_, task) => {
    await task(); // scratch memory stays for the next call
    const whole = await task();
    const { used } = kernels.memory;
    const { requests } = await counting(task);
    expect(requests).toBeGreaterThan(3);
    for (let n = 0; n < requests; n++) {
      failRequest(n);
      await expect(task(), `request ${n}`).rejects.toThrow(/^cpu kernels: .* memory/);
      vi.restoreAllMocks();
      expect(kernels.memory.used, `after request ${n}`).toBeLessThanOrEqual(used);
      expect(await task()).toEqual(whole);
      points++;
    }
  });

  it("a larger task after a smaller one, which has left its scratch memory", async () => {
    const learn = (patch: number, on: Kernels) =>
      train(pictures, {
        patch,
        base: "odct:1",
        coding: { sparsity: patch },
        examples: 40,
        epochs: 1,
        batch: 20,
        kernels: on,
      }).model();
    const small = modelToBytes(await learn(3, kernels));
    const large = modelToBytes(await learn(8, kernels));
    for (let n = 0, failed = true; failed; n++) {
      const fresh = await createCpuKernels({ threads: 2 });
      await learn(3, fresh);
      const counter = failRequest(n);
      await learn(8, fresh).catch(() => {});
      vi.restoreAllMocks();
      failed = counter.requests > n;
      expect(modelToBytes(await learn(3, fresh)), `request ${n}`).toEqual(small);
      expect(modelToBytes(await learn(8, fresh)), `request ${n}`).toEqual(large);
      await fresh.close();
      points++;
    }
  });

  async function counting(task: () => Promise<unknown>) {
    const counter = failRequest(Infinity);
    await task();
    vi.restoreAllMocks();
    return counter;
  }
});

describe("a command that runs out of memory", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await workInNewFolder();
    await prepare("encode photos/0.png -d dict.npz -o codes.npz --device reference");
  });
  afterAll(() => leaveFolder(folder));

  const learn = "--patch 4 --examples 40 --epochs 1 --batch 20 --base odct:1";

  it.each([
    `train photos --patch 4 ${quick.replace("--device reference", "")} -o new.npz`,
    "atoms dict.npz -o new.png",
    "approximate photos -d dict.npz --count 5 -o new.svg",
    "encode photos -d dict.npz -o new.npz",
    "decode codes.npz -d dict.npz -o new.png",
    "compress photos/0.png -d dict.npz -o new.tlt --psnr 20",
    `denoise photos/0.png --sigma 10 ${learn} -o new.png`,
    `inpaint photos/0.png --mask photos/1.png --rounds 1 ${learn} -o new.png`,
  ])("%s", async (line) => {
    const command = `${line} --device cpu --threads 1`;
    const before = takeSnapshot();
    const counter = failRequest(Infinity);
    await prepare(command);
    putBack(before);
    for (let n = 0; n < counter.requests; n++) {
      vi.restoreAllMocks();
      failRequest(n);
      await expectFailure(command, before);
      points++;
    }
  });

  it("because the system gives no more", async () => {
    const grow = WebAssembly.Memory.prototype.grow;
    for (let n = 0; n < 3; n++) {
      let calls = 0;
      vi.spyOn(WebAssembly.Memory.prototype, "grow").mockImplementation(function (
        this: WebAssembly.Memory,
        pages,
      ) {
        if (calls++ === n) throw new RangeError("WebAssembly.Memory.grow(): Unable to grow instance memory");
        return grow.call(this, pages);
      });
      const line = `train photos --patch 8 --atoms 400 ${learn.replace("--patch 4", "")} -o new.npz`;
      await expectFailure(`${line} --device cpu --threads 1`, takeSnapshot());
      vi.restoreAllMocks();
      points++;
    }
  });

  /** One line, exit code 1, the folder as it was, no file open. */
  async function expectFailure(line: string, before: Snapshot): Promise<void> {
    const disk = useDisk(new Disk());
    const { code, stdout, stderr } = await runHere(line);
    expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: "" });
    const notes = /^train: (a short run|tested on|the run )/; // about its length and its tests
    const lines = stderr
      .split("\n")
      .filter((text) => text.startsWith(`${line.split(" ")[0]}: `) && !notes.test(text));
    expect(lines).toEqual([
      expect.stringMatching(/: cpu kernels: [\d.]+ GiB of memory is needed, but the system gives no more$/),
    ]);
    expect(differences(before, takeSnapshot())).toEqual([]);
    expect(disk.stillOpen).toEqual([]);
  }
});
