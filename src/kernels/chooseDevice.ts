/**
 * Choosing kernels: `auto` takes the best device that works here; a device asked
 * for by name is used, or it is an error. The choice comes with its reason, and with
 * the reason why each better device was not available.
 */

import { InputError } from "../core/errors.js";
import { requireOneOf } from "../core/require.js";
import type { Kernels } from "./contract.js";
import { createCpuKernels, notCompiledBecause } from "./cpu/index.js";
import { createGpuKernels } from "./gpu/index.js";
import { createReferenceKernels } from "./reference/index.js";

/** The names of devices, best first after `auto`. */
export const deviceNames = ["auto", "gpu", "cpu", "reference"] as const;
export type DeviceName = (typeof deviceNames)[number];

export interface DeviceOptions {
  /** Threads of the cpu kernels; by default, as many as there are cores. */
  readonly threads?: number | undefined;
}

export interface DeviceChoice {
  readonly kernels: Kernels;
  /** Why these kernels. */
  readonly reason: string;
  readonly rejected: readonly { readonly name: string; readonly reason: string }[];
}

/** A device that may be available: its kernels, or the reason why it is not. */
interface Candidate {
  readonly name: Kernels["name"];
  /** `asked`: whether it was asked for by name. */
  create(options: DeviceOptions, asked: boolean): Promise<Kernels | { readonly unavailable: string }>;
}

/** Best first: `auto` takes the first that works. */
const candidates: readonly Candidate[] = [
  { name: "gpu", create: (_, asked) => createGpuKernels({ software: asked }) }, // in software only if asked for
  { name: "cpu", create: createCpu },
  { name: "reference", create: async () => createReferenceKernels() },
];

async function createCpu({ threads }: DeviceOptions): Promise<Kernels | { readonly unavailable: string }> {
  if (typeof WebAssembly === "undefined") return { unavailable: "this runtime has no WebAssembly" };
  try {
    return await createCpuKernels({ threads });
  } catch (error) {
    if (error instanceof WebAssembly.CompileError) return { unavailable: notCompiledBecause() };
    throw error;
  }
}

/** Kernels on a device, and why this one was chosen. */
export async function chooseKernels(
  device: DeviceName = "auto",
  options: DeviceOptions = {},
): Promise<DeviceChoice> {
  requireOneOf("chooseKernels", "device", device, deviceNames);
  const rejected: { name: string; reason: string }[] = [];
  for (const candidate of candidates) {
    if (device !== "auto" && device !== candidate.name) continue;
    const result = await candidate.create(options, device !== "auto");
    if ("name" in result) {
      return {
        kernels: result,
        reason: device === "auto" ? "the fastest that works here" : "asked for",
        rejected,
      };
    }
    rejected.push({ name: candidate.name, reason: result.unavailable });
  }
  const why = rejected.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
  throw new InputError(`device ${device} is not available here (${why})`, {
    where: "chooseKernels",
    argument: "device",
    value: device,
  });
}

/** A device: its description, or why it is not available here. */
export interface DeviceReport {
  readonly name: string;
  readonly available: boolean;
  readonly detail: string;
}

/** All devices, best first. */
export async function listDevices(): Promise<DeviceReport[]> {
  const reports: DeviceReport[] = [];
  for (const { name, create } of candidates) {
    const result = await create({}, false);
    const available = "name" in result;
    reports.push({ name, available, detail: available ? result.description : result.unavailable });
    if (available) await result.close();
  }
  return reports;
}
