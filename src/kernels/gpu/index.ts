/**
 * The GPU kernels: the contract on WebGPU. The shaders are in shaders/, about one per
 * operation. The files beside this one, one per section of the contract, say which
 * parameters and buffers each is given.
 *
 * Only operations that read from the device wait for it. Every sum has one order,
 * so the same device gives the same bits again.
 */

import { checked } from "../checked.js";
import type { Kernels } from "../contract.js";
import { atomPursuitBytes } from "./atomPursuit.js";
import { CodeLists } from "./codes.js";
import { chunkBytes } from "./denseProducts.js";
import { closeGpu, type OpenGpu, openGpu } from "./device.js";
import { exampleOperations } from "./examples.js";
import { explicitOperations } from "./explicit.js";
import { mostBoundAtoms, pursuitBytes } from "./gramPursuit.js";
import { sparse } from "./handles.js";
import { GpuMemory, memoryOperations } from "./memory.js";
import { nearBytes } from "./nearPursuit.js";
import { dictionaryOperations, GpuProducts } from "./products.js";
import { pursuitOperations } from "./pursuit.js";
import { GpuQueue } from "./queue.js";
import { moveBytes, updateOperations } from "./update.js";

export interface GpuOptions {
  /** Whether an adapter that computes in software is acceptable. */
  readonly software?: boolean;
  /** The most bytes of one buffer, if less than the device allows. Larger matrices are split into panels. */
  readonly panelBytes?: number;
  /** The most bytes of workgroup memory, if less than the device allows. */
  readonly workgroupBytes?: number;
  /** Whether pursuits look at a copy of G in half precision first; by default, where it pays. The result is the same. */
  readonly halves?: boolean;
  /** The most atoms that a Gram matrix is kept for, if less than a pursuit can bind. */
  readonly mostGramAtoms?: number;
  /** The most rows that a dense product adds up in one piece, if it has few tiles. */
  readonly sliceRows?: number;
}

/** Kernels on a GPU, or why no GPU is available. */
export async function createGpuKernels(
  options: GpuOptions = {},
): Promise<Kernels | { readonly unavailable: string }> {
  const opened = await openGpu(options.software ?? false);
  return "unavailable" in opened ? opened : gpuKernelsOn(opened, options);
}

/** Kernels on an open device, which they close in the end. */
export function gpuKernelsOn(gpu: OpenGpu, options: GpuOptions = {}): Kernels {
  const { panelBytes = Infinity, workgroupBytes = Infinity, halves, sliceRows = 1024 } = options;
  const { limits } = gpu.device;
  const most = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize, panelBytes);
  const pursuit = {
    groupBytes: Math.min(limits.maxComputeWorkgroupStorageSize, workgroupBytes),
    threads: limits.maxComputeInvocationsPerWorkgroup,
    panelBytes: most,
    halves,
  };
  const queue = new GpuQueue(gpu.device);
  const memory = new GpuMemory(queue, most - (most % 16));
  const products = new GpuProducts(memory, sliceRows);
  const codes = new CodeLists(queue);
  const mostGramAtoms = Math.min(mostBoundAtoms(most), options.mostGramAtoms ?? Infinity);
  return checked({
    name: "gpu",
    mostGramAtoms,
    description: gpu.description,
    /** WebGPU does not say how much memory a device has. */
    get memory() {
      return { used: queue.bytes, limit: Infinity };
    },
    /** D and Φ as dense matrices, a copy of G and columns on their way to it, slices, what lies between two axes, lists of codes, correlations of OLS, few atoms. */
    workspace({ n, L, m, p, N }) {
      const dense = 4 * n * (m + L);
      const passing = (bytes: number) => Math.min(chunkBytes, bytes);
      const gram = m > mostGramAtoms ? 0 : 2 * m * m + passing(4 * m * m);
      const largest = Math.max(...[0, m, L].filter((atoms) => atoms > mostGramAtoms));
      const fromAtoms = largest > 0 ? atomPursuitBytes(most, { n, m: largest, p }, N) : 0;
      const axes = 2 * passing(4 * Math.max(n, L) * Math.max(N, m)) + passing(4 * L * m);
      const lists = (m * N) / 8 + 8 * N * p + 20 * m;
      const slices = n > sliceRows ? passing((4 * m * Math.max(N, m) * n) / sliceRows) : 0;
      const moved = 2 * passing(4 * Math.max(n, L) * N) + passing(4 * n * m);
      return (
        dense +
        gram +
        slices +
        axes +
        lists +
        moved +
        moveBytes(L) +
        pursuitBytes(Math.max(m, L), N) +
        nearBytes(L, p) +
        fromAtoms
      );
    },
    async close() {
      queue.close();
      closeGpu(gpu);
    },
    ...memoryOperations(memory),
    readRows: (source) => codes.rows(sparse(source)),
    ...dictionaryOperations(products),
    ...pursuitOperations(memory, products, pursuit),
    ...updateOperations(memory, products, codes, pursuit.groupBytes),
    ...explicitOperations(memory, products, codes),
    ...exampleOperations(queue),
  });
}
