/** The kernels that a command computes with, and the memory they take. */

import { memoryUsage } from "node:process";
import type { Command } from "commander";
import { requireInteger } from "../../core/require.js";
import { chooseKernels, type DeviceName, deviceNames } from "../../kernels/chooseDevice.js";
import type { Kernels } from "../../kernels/contract.js";
import { maxThreads } from "../../kernels/cpu/pool.js";
import { optionWords } from "../../learn/optionWords.js";
import type { MemoryUse } from "../../report/followRun.js";
import { clusterSession } from "../cluster/joined.js";
import { choice, count, option } from "./flags.js";

export interface DeviceFlags {
  readonly device?: DeviceName;
  readonly threads?: number;
}

/** Adds `--device` and `--threads`. */
export function withDeviceOptions(command: Command): Command {
  return command
    .addOption(choice("--device <name>", optionWords.device, deviceNames, deviceNames[0]))
    .addOption(option("--threads <n>", "threads of the cpu device", count, "all cores"));
}

/** Run with the kernels that were asked for; `computingOn` says which, and why. They are closed in the end. */
export async function onDevice<T>(
  { device, threads }: DeviceFlags,
  run: (kernels: Kernels, computingOn: string) => Promise<T>,
): Promise<T> {
  if (threads !== undefined) requireInteger("onDevice", "threads", threads, 1, maxThreads);
  const cluster = clusterSession();
  const chosen = await chooseKernels(device, { threads: threads ?? cluster?.threads });
  const kernels = cluster ? await cluster.lead(chosen.kernels, threads) : chosen.kernels;
  const reasons = [chosen.reason, cluster?.sharedGpu(kernels.name)].filter(Boolean).join("; ");
  try {
    return await run(kernels, `computing on ${kernels.name}: ${kernels.description} (${reasons})`);
  } finally {
    await kernels.close();
  }
}

/** The memory in use now, by the process and on a GPU. */
export function memoryNow({ name, memory }: Pick<Kernels, "name" | "memory">): MemoryUse {
  return { process: memoryUsage.rss(), ...(name === "gpu" ? { device: memory.used } : {}) };
}
