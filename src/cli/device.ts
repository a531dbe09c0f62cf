/** The kernels a command works on. */

import { type Command, Option } from "commander";
import { chooseKernels, type DeviceChoice, type DeviceName, deviceNames } from "../kernels/choose.js";
import type { Kernels } from "../kernels/contract.js";
import { count, option } from "./flags.js";

export interface DeviceFlags {
  readonly device: DeviceName;
  readonly threads?: number;
}

/** `--device` and `--threads`. */
export function withDeviceOptions(command: Command): Command {
  return command
    .addOption(new Option("--device <name>", "where to compute").choices(deviceNames).default("auto"))
    .addOption(option("--threads <n>", "threads of the cpu kernels", count, "as many as there are cores"));
}

export function chooseDevice({ device, threads }: DeviceFlags, caller: string): Promise<DeviceChoice> {
  return chooseKernels(device, { threads, caller });
}

/** Run with kernels, and give them back whatever happens. */
export async function onDevice<T>(
  flags: DeviceFlags,
  caller: string,
  run: (kernels: Kernels) => Promise<T>,
): Promise<T> {
  const { kernels } = await chooseDevice(flags, caller);
  try {
    return await run(kernels);
  } finally {
    await kernels.dispose();
  }
}
