/**
 * The GPU is lost. For every n of small runs at the n-th operation, on a device that computes with the reference kernels: a
 * command ends with one line and writes nothing; a run with checkpoints continues on a new device to the same bytes. Then
 * the same on a software GPU, which is slow, at a few points.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { DeviceLostError, type Kernels } from "../../src/kernels/contract.js";
import { createReferenceKernels } from "../../src/kernels/reference/index.js";
import { thorough } from "../missing.js";
import { requireSoftwareGpu } from "../softwareGpu.js";
import { Disk, realFs, useDisk } from "./failingFiles.js";
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
vi.mock("../../src/learn/checkpoints/node/heartbeat.js", async () => ({
  Heartbeat: (await import("./runHere.js")).NoHeartbeat,
}));

/** Which GPUs there are: the one of the tests, or that of the machine. */
const gpu = vi.hoisted(() => ({
  create: undefined as (() => Kernels | { readonly unavailable: string }) | undefined,
  /** Called with a device of the machine when it is open. */
  onOpen: undefined as ((device: GPUDevice) => void) | undefined,
}));

vi.mock("../../src/kernels/gpu/index.js", async (original) => {
  const real = await original<typeof import("../../src/kernels/gpu/index.js")>();
  const createGpuKernels: typeof real.createGpuKernels = async (options) =>
    gpu.create ? gpu.create() : await real.createGpuKernels(options);
  return { ...real, createGpuKernels };
});

vi.mock("../../src/kernels/gpu/device.js", async (original) => {
  const real = await original<typeof import("../../src/kernels/gpu/device.js")>();
  const openGpu: typeof real.openGpu = async (software) => {
    const opened = await real.openGpu(software);
    if ("device" in opened) gpu.onOpen?.(opened.device);
    return opened;
  };
  return { ...real, openGpu };
});

let folder: string;
let start: Snapshot;
let points = 0;
beforeAll(async () => {
  folder = await workInNewFolder();
  await prepare("encode photos/0.png -d dict.npz -o codes.npz --device reference");
  start = takeSnapshot();
});
afterEach(() => {
  putBack(start);
  gpu.create = undefined;
  gpu.onOpen = undefined;
});
afterAll(() => {
  console.info(`gpu: ${points} failure points`);
  leaveFolder(folder);
});

const onGpu = quick.replace("reference", "gpu");
const long = `train array.npy --patch 4x4 ${onGpu} -o new.npz --checkpoint run --checkpoint-steps 1`;

/** Run a line; its outcome and the folder after it, which is then put back. */
async function run(line: string, before: Snapshot = takeSnapshot()) {
  const disk = useDisk(new Disk());
  const outcome = await runHere(line);
  expect(disk.stillOpen).toEqual([]);
  const after = takeSnapshot();
  const notes = /^train: (a short run|tested on|the run )/; // about its length and its tests
  const lines = outcome.stderr
    .split("\n")
    .filter((text) => text.startsWith(`${line.split(" ")[0]}: `) && !notes.test(text));
  return { ...outcome, lines, after, changed: differences(before, after) };
}

describe("a device that is lost at its n-th operation", () => {
  /** Operations of all devices so far. */
  let operations = 0;

  /** Devices that compute with the reference kernels; each operation asks `isLost` first. */
  function useDevices(isLost: (operation: number) => boolean): void {
    operations = 0;
    gpu.create = () => {
      const kernels = createReferenceKernels();
      let lost = false;
      const counted = Object.entries(kernels).map(([name, value]) => {
        if (typeof value !== "function" || !isOperation(name)) return [name, value];
        return [
          name,
          async (...args: unknown[]) => {
            lost ||= isLost(operations++);
            if (lost) throw new DeviceLostError("gpu: the device was lost (unplugged)");
            return (value as (...args: unknown[]) => unknown)(...args);
          },
        ];
      });
      return {
        ...(Object.fromEntries(counted) as Kernels),
        name: "gpu",
        description: "a device of the tests",
      };
    };
  }

  function isOperation(name: string): boolean {
    const others = [
      "close",
      "free",
      "head",
      "headSparse",
      "matrix",
      "sparse",
      "set",
      "base",
      "signals",
      "workspace",
    ];
    return !others.includes(name);
  }

  const learn = "--patch 4 --examples 40 --epochs 1 --batch 20 --base odct:1";

  it.each([
    `train photos --patch 4 ${onGpu} -o new.npz`,
    "atoms dict.npz -o new.png --device gpu",
    "approximate photos -d dict.npz --count 5 -o new.svg --device gpu",
    "encode photos -d dict.npz -o new.npz --device gpu",
    "decode codes.npz -d dict.npz -o new.png --device gpu",
    "compress photos/0.png -d dict.npz -o new.tlt --psnr 20 --device gpu",
    `denoise photos/0.png --sigma 10 ${learn} -o new.png --device gpu`,
    `inpaint photos/0.png --mask photos/1.png --rounds 1 ${learn} -o new.png --device gpu`,
  ])("ends %s", async (line) => {
    useDevices(() => false);
    const before = takeSnapshot();
    await prepare(line);
    const all = operations;
    putBack(before);
    for (let n = 0; n < all; n++) {
      useDevices((operation) => operation === n);
      const { code, stdout, lines, changed } = await run(line);
      expect({ code, stdout, changed }, `operation ${n}`).toEqual({ code: 1, stdout: "", changed: [] });
      expect(lines).toEqual([`${line.split(" ")[0]}: gpu: the device was lost (unplugged)`]);
      points++;
    }
  });

  it("is replaced by a new one in a run with checkpoints", async () => {
    const before = takeSnapshot();
    useDevices(() => false);
    const whole = await run(long, before);
    const all = operations;
    let fromBeginning = 0; // operations of a run that starts again
    for (let n = 0; n < all; n++) {
      putBack(before);
      useDevices((operation) => operation === n);
      const { code, lines, after } = await run(long, before);
      expect({ code, model: after.get("new.npz") }, `operation ${n}`).toEqual({
        code: 0,
        model: whole.after.get("new.npz"),
      });
      expect(reportsIn(after)).toEqual(reportsIn(whole.after));
      if (n === 0) fromBeginning = operations;
      if (lines[0].includes("from run/")) expect(operations - n).toBeLessThan(0.8 * fromBeginning);
      // after the model is saved, only the picture of the atoms is missing
      const said =
        /^train: (gpu: the device was lost \(unplugged\); continuing on a new device from (the beginning|run\/checkpoint-00000[12]\.tlc)|the report could not be updated.*)$/;
      expect(lines).toEqual([expect.stringMatching(said)]);
      points++;
    }
  });

  it("again and again ends a run with the line that resumes it", async () => {
    const before = takeSnapshot();
    useDevices(() => false);
    const whole = await run(long, before);
    const late = Math.floor(operations * 0.8);
    putBack(before);
    useDevices((operation) => operation >= late);
    const { code, stdout, lines, changed } = await run(long, before);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(changed).not.toContain("new.npz");
    expect(lines.at(-1)).toBe(
      "train: gpu: the device was lost (unplugged); the run is in run/checkpoint-000001.tlc: add --resume to continue it",
    );
    useDevices(() => false);
    const resumed = await run(`${long} --resume`, before);
    expect({ code: resumed.code, lines: resumed.lines }).toEqual({ code: 0, lines: [] });
    expect(resumed.after.get("new.npz")).toEqual(whole.after.get("new.npz"));
  });

  it.each([
    [
      "cpu",
      "auto",
      / and no new one could be opened \(there is only WebAssembly SIMD, 1 thread\); the run is in /,
    ],
    [
      "none",
      "gpu",
      / and no new one could be opened \(device gpu is not available here \(gpu: broken\)\); the run is in /,
    ],
  ])("with no other GPU ends a run: %s", async (_, device, end) => {
    const before = takeSnapshot();
    useDevices(() => false);
    await run(long, before);
    const late = Math.floor(operations * 0.8);
    putBack(before);
    useDevices((operation) => operation === late);
    const create = gpu.create!;
    let made = 0;
    gpu.create = () => (made++ === 0 ? create() : { unavailable: "broken" });
    const line = `${long.replace("--device gpu", `--device ${device}`)} --threads 1`;
    const { code, lines } = await run(line, before);
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatch(end);
  });
});

/** The reports of a run in its metrics. */
function reportsIn(snapshot: Snapshot): unknown[] {
  const lines = Buffer.from(snapshot.get("run/metrics.jsonl") ?? []).toString();
  const reports = lines.split("\n").filter((line) => line.startsWith('{"kind":"report"'));
  return reports.map((line) => JSON.parse(line));
}

const software = requireSoftwareGpu();

describe.skipIf(!software.enable)(`a software GPU${software.note}`, () => {
  const brief = long
    .replace(/--base.*--sparsity 2/, "--learner pca --atoms 8 --epochs 3")
    .replace("--holdout 10", "--holdout 0");
  beforeAll(() => {
    software.enable!();
    vi.useRealTimers();
    realFs.rmSync("run", { recursive: true, force: true });
  });

  /** Lose the first device of a run at its n-th submission. */
  function loseAt(n: number): { submissions: number } {
    const counter = { submissions: 0 };
    gpu.onOpen = (device) => {
      const { queue } = device;
      const submit = queue.submit.bind(queue);
      Object.defineProperty(queue, "submit", {
        configurable: true,
        value(buffers: Iterable<GPUCommandBuffer>) {
          if (counter.submissions++ === n) device.destroy();
          submit(buffers);
        },
      });
    };
    return counter;
  }

  const title = `is replaced by a new one late in a run with checkpoints; without them it ends the run${thorough.note}`;
  it.skipIf(!thorough.runs)(title, async () => {
    const before = takeSnapshot();
    const counter = loseAt(Infinity);
    const whole = await run(brief, before);
    expect(whole.code, whole.stderr).toBe(0);
    const late = Math.floor(counter.submissions * 0.8);
    putBack(before);

    loseAt(late);
    const continued = await run(brief, before);
    expect({ code: continued.code, model: continued.after.get("new.npz") }).toEqual({
      code: 0,
      model: whole.after.get("new.npz"),
    });
    const lost = "train: gpu: the device was lost (device was destroyed)";
    expect(continued.lines).toEqual([
      expect.stringContaining(`${lost}; continuing on a new device from run/`),
    ]);
    putBack(before);

    loseAt(1);
    const { code, lines, changed } = await run(`train photos --patch 4 ${onGpu} -o new.npz`, before);
    expect({ code, lines, changed }).toEqual({ code: 1, lines: [lost], changed: [] });
    points += 2;
  });

  it("whose shaders do not compile, or that has no memory left, ends a command", async () => {
    const before = takeSnapshot();
    gpu.onOpen = (device) => {
      const create = device.createShaderModule.bind(device);
      vi.spyOn(device, "createShaderModule").mockImplementation((wanted) =>
        create({ ...wanted, code: "nonsense" }),
      );
    };
    const broken = await run("atoms dict.npz -o new.png --device gpu", before);
    expect({ code: broken.code, changed: broken.changed }).toEqual({ code: 1, changed: [] });
    expect(broken.lines).toEqual([expect.stringMatching(/^atoms: gpu: \S/)]);
    gpu.onOpen = (device) => {
      const create = device.createBuffer.bind(device);
      vi.spyOn(device, "createBuffer").mockImplementation((wanted) => create({ ...wanted, size: 2 ** 50 }));
    };
    const full = await run("atoms dict.npz -o new.png --device gpu", before);
    expect({ code: full.code, changed: full.changed }).toEqual({ code: 1, changed: [] });
    expect(full.lines).toEqual([expect.stringMatching(/^atoms: gpu: \S/)]);
    points += 2;
  });
});
