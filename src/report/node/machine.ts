/** The machine a run is on, and the memory it takes: for the record of the run. */

import { arch, availableParallelism, cpus, release, totalmem, type } from "node:os";
import { memoryUsage, version as nodeVersion } from "node:process";
import type { Kernels } from "../../kernels/contract.js";

export interface Machine {
  /** What computes: the name of the kernels, and what they run on. */
  readonly device: string;
  readonly description: string;
  readonly processor: string;
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
  readonly system: string;
  readonly node: string;
}

export function describeMachine({ name, description }: Pick<Kernels, "name" | "description">): Machine {
  return {
    device: name,
    description,
    processor: cpus()[0]?.model.trim() || arch(),
    cores: availableParallelism(),
    memory: totalmem(),
    system: `${type()} ${release()}`,
    node: nodeVersion,
  };
}

/** Bytes taken now. */
export interface MemoryUse {
  /** By the process, with all that the cpu kernels hold. */
  readonly process: number;
  /** By what was put on a device of its own. */
  readonly device?: number;
}

export function memoryNow({ name, memory }: Pick<Kernels, "name" | "memory">): MemoryUse {
  return { process: memoryUsage.rss(), ...(name === "gpu" ? { device: memory.used } : {}) };
}

/** `312 MiB`, `1.8 GiB`; with the GPU's own: `312 MiB + 1.8 GiB on the GPU`. */
export function describeUse({ process, device }: MemoryUse): string {
  return device === undefined ? bytes(process) : `${bytes(process)} + ${bytes(device)} on the GPU`;
}

/** `0.5 KiB`, `640 KiB`, `1.8 GiB`. */
export function bytes(size: number): string {
  const units = ["KiB", "MiB", "GiB", "TiB"] as const;
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log2(Math.max(1, size)) / 10)));
  const value = size / 1024 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[power - 1]}`;
}
