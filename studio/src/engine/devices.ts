/** Where the worker computes: one set of kernels for all its tasks, opened when it is first needed. */

import { chooseKernels, type DeviceName } from "trainlets";
import type { DeviceChoice } from "trainlets/parts";
import type { Task } from "./protocol";

let opened: { readonly device: DeviceName; readonly choice: Promise<DeviceChoice> } | undefined;

/** The kernels of the worker; of another device than before, if it is asked for. */
export async function kernelsFor(device: DeviceName = opened?.device ?? "auto"): Promise<DeviceChoice> {
  if (opened?.device !== device) {
    const former = opened;
    opened = { device, choice: chooseKernels(device) };
    await former?.choice.then(({ kernels }) => kernels.close()).catch(() => {});
  }
  return opened.choice;
}

/** Forget kernels whose device was lost; the next task opens others. */
export function forgetKernels(): void {
  opened = undefined;
}

export interface DeviceFacts {
  /** The kernels in words, such as "WebAssembly SIMD, 2 threads". */
  readonly description: string;
  /** Better devices that are not available, and why. */
  readonly rejected: readonly { readonly name: string; readonly reason: string }[];
}

const openDevice: Task<{ readonly device: DeviceName }, DeviceFacts> = async ({ device }) => {
  const { kernels, rejected } = await kernelsFor(device);
  return { description: kernels.description, rejected };
};

export const deviceTasks = { openDevice };
