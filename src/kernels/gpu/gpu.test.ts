import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { thorough } from "../../../tests/missing.js";
import { requireSoftwareGpu } from "../../../tests/softwareGpu.js";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { checkpointFromBytes } from "../../learn/checkpoints/checkpoint.js";
import { collect, keepEvery } from "../../learn/learners/learner.case.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import { modelToBytes } from "../../model/files.js";
import { chooseKernels } from "../chooseDevice.js";
import { conformance } from "../conformance/conformance.case.js";
import { gramOf, randomDense, randomUnitDictionary } from "../conformance/oracle.case.js";
import type { Kernels, PursuitName } from "../contract.js";
import { createCpuKernels } from "../cpu/index.js";
import { type OpenGpu, openGpu } from "./device.js";
import { type GpuOptions, gpuKernelsOn } from "./index.js";

const software = requireSoftwareGpu();

/** A device of its own. */
async function openDevice(): Promise<OpenGpu> {
  software.enable!();
  const opened = await openGpu(true);
  if ("unavailable" in opened) throw new Error(opened.unavailable);
  return opened;
}

let shared: Promise<OpenGpu> | undefined;
const used: Kernels[] = [];

/** Kernels on a device that all of them share, and whose shaders stay: a software GPU takes seconds to compile one. */
async function open(options: GpuOptions): Promise<Kernels> {
  shared ??= openDevice();
  const gpu = await shared;
  gpu.device.destroy = () => undefined; // closing kernels leaves it open
  const kernels = gpuKernelsOn(gpu, options);
  used.push(kernels);
  return kernels;
}

/** A device that computed something and was closed. */
async function usedAndClosed(): Promise<WeakRef<GPUDevice>> {
  const opened = await openDevice();
  const kernels = gpuKernelsOn(opened);
  const [large, energies] = [kernels.matrix(1024, 300), kernels.matrix(1, 300)];
  await kernels.writeMatrix(large, new DenseMatrix(1024, 300));
  await kernels.columnEnergies(large, energies);
  await kernels.readMatrix(energies);
  await kernels.close();
  return new WeakRef(opened.device);
}

describe.skipIf(!software.enable)(`on a software GPU${software.note}`, () => {
  // a slow device: one draw at each scale; where only the room differs, one, and only sizes at which it does
  const few = { draws: 1, misuse: false };
  conformance("gpu", () => open({ halves: false }), { draws: 3 });
  conformance("gpu, half precision first,", () => open({ halves: true }), { ...few, only: "batchOmp" });
  const small = { panelBytes: 4_823_040, workgroupBytes: 0, sliceRows: 8 }; // panels, slices, and pursuits that spill
  describe.skipIf(!thorough.runs)(`kernels in parts${thorough.note}`, () => {
    conformance("gpu, with little room,", () => open(small), { ...few, large: "alone" });
  });

  describe("a pursuit of many turns", () => {
    const [n, m, N, p] = [160, 400, 12, 120] as const;
    let problem: { G: DenseMatrix; P: DenseMatrix; energies: DenseMatrix };
    let cpu: Kernels;
    beforeAll(async () => {
      const rng = Rng.from(5);
      const { D, G } = randomUnitDictionary(rng, n, m);
      const Y = randomDense(rng, n, N);
      const dots = (A: DenseMatrix, B: DenseMatrix) =>
        DenseMatrix.build(A.cols, B.cols, (i, j) =>
          A.column(i).reduce((sum, value, r) => sum + value * B.at(r, j), 0),
        );
      const own = gramOf(Y);
      problem = { G, P: dots(D, Y), energies: DenseMatrix.build(1, N, (_, i) => own.at(i, i)) };
      cpu = await createCpuKernels({ threads: 1 });
    });
    afterAll(() => cpu.close());

    async function residuals(kernels: Kernels, pursuit: PursuitName): Promise<Float32Array> {
      const hold = async (M: DenseMatrix) => {
        const handle = kernels.matrix(M.rows, M.cols);
        await kernels.writeMatrix(handle, M);
        return handle;
      };
      const [G, P, e] = [await hold(problem.G), await hold(problem.P), await hold(problem.energies)];
      const [X, path] = [kernels.sparse(m, N, p), kernels.matrix(p, N)];
      await kernels.batchOmp(G, P, e, { sparsity: p, residualEnergy: 0, pursuit }, X, path);
      return (await kernels.readMatrix(path)).data;
    }

    test.each([
      ["in workgroup memory", "omp", {}],
      ["whose factor spills", "omp", { workgroupBytes: 16384 }],
      ["whose factor spills, half precision first,", "omp", { workgroupBytes: 16384, halves: true }],
      ["by OLS, whose factor spills,", "ols", { workgroupBytes: 16384 }],
      ["that spills", "omp", { workgroupBytes: 0 }],
      ["by OLS, that spills,", "ols", { workgroupBytes: 0 }],
    ] as const)("%s follows the residuals of the cpu", async (_, pursuit, options) => {
      const kernels = await open(options);
      const [ours, theirs] = [await residuals(kernels, pursuit), await residuals(cpu, pursuit)];
      await kernels.close();
      // late turns of a long pursuit may differ at a tie; the energies left agree to a few per cent of the first
      ours.forEach((left, i) => {
        const whole = problem.energies.data[Math.floor(i / p)];
        expect(Math.abs(left - theirs[i])).toBeLessThan(0.02 * whole);
      });
    });
  });

  test("an epoch of OSDL ends within 1 % of the cpu, and resumes from a checkpoint to the same bytes", async () => {
    const data = syntheticPictures(1, 2, 96);
    const learn = async (kernels: Kernels, more: Partial<TrainOptions> = {}) => {
      const coding = { sparsity: 3 };
      const options = { patch: [6, 6], base: "odct:1.5", atomSparsity: 6, coding, batch: 128 };
      const { reports, model } = await collect(data, {
        ...options,
        examples: 512,
        epochs: 1,
        holdout: 200,
        atomCare: { every: 2 },
        kernels,
        ...more,
      });
      return { rmse: reports.at(-1)!.testRmse!, model };
    };
    const [gpu, cpu] = [await open({}), await createCpuKernels()];
    const saved: Uint8Array[] = [];
    const whole = await learn(gpu, { checkpoints: keepEvery(3, saved) });
    expect(Math.abs(whole.rmse / (await learn(cpu)).rmse - 1)).toBeLessThan(0.01);
    const resumed = await learn(gpu, { resume: await checkpointFromBytes(saved[0], "step 3 of 4") });
    expect(modelToBytes(resumed.model)).toEqual(modelToBytes(whole.model));
    await gpu.close();
    await cpu.close();
  });

  test("is used if asked for, and never chosen by itself", async () => {
    software.enable!();
    const { kernels } = await chooseKernels("gpu");
    expect(kernels.description).toMatch(/^WebGPU, /);
    await kernels.close();
    const { kernels: best } = await chooseKernels("auto");
    expect(best.description).not.toMatch(/software/);
    await best.close();
  });

  test("a closed device is collected, with all that was made on it", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const device = await usedAndClosed();
    for (let i = 0; i < 100 && device.deref(); i++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collectGarbage();
    }
    expect(device.deref()).toBeUndefined();
  });
});
