/** The kernels a command works on. */

import { Option } from "commander";
import { chooseKernels, type DeviceName, deviceNames } from "../kernels/choose.js";
import type { Kernels } from "../kernels/contract.js";

export function deviceOption(): Option {
  return new Option("--device <name>", "where to compute").choices(deviceNames).default("auto");
}

/** Run with kernels, and give them back whatever happens. */
export async function onDevice<T>(
  device: DeviceName,
  caller: string,
  run: (kernels: Kernels) => Promise<T>,
): Promise<T> {
  const { kernels } = await chooseKernels(device, caller);
  try {
    return await run(kernels);
  } finally {
    await kernels.dispose();
  }
}
