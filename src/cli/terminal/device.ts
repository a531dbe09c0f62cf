/** The kernels a command works on. */

import type { Command } from "commander";
import { requireInteger } from "../../core/require.js";
import { chooseKernels, type DeviceName, deviceNames } from "../../kernels/choose.js";
import type { Kernels } from "../../kernels/contract.js";
import { maxThreads } from "../../kernels/cpu/pool.js";
import { choice, count, option } from "./flags.js";

export interface DeviceFlags {
  readonly device?: DeviceName;
  readonly threads?: number;
}

/** `--device` and `--threads`. */
export function withDeviceOptions(command: Command): Command {
  return command
    .addOption(choice("--device <name>", "where to compute", deviceNames, deviceNames[0]))
    .addOption(option("--threads <n>", "threads of the cpu kernels", count, "all cores"));
}

/** Run with kernels, told why these, and give them back whatever happens. */
export async function onDevice<T>(
  { device, threads }: DeviceFlags,
  caller: string,
  run: (kernels: Kernels, reason: string) => Promise<T>,
): Promise<T> {
  if (threads !== undefined) requireInteger(caller, "--threads", threads, 1, maxThreads);
  const { kernels, reason } = await chooseKernels(device, { threads });
  try {
    return await run(kernels, reason);
  } finally {
    await kernels.dispose();
  }
}
