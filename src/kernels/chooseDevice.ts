/**
 * Choosing kernels: `auto` takes the best device that works here; a device asked
 * for by name is used, or it is an error. The choice comes with its reason, and with
 * the reason why each better device was not available.
 */

import { byRule, requireOptions } from "../core/arguments/argumentTypes.js";
import { InputError } from "../core/errors.js";
import { requireInteger, requireOneOf } from "../core/require.js";
import type { Kernels } from "./contract.js";
import { AddressSpaceError } from "./cpu/addressSpace.js";
import { createCpuKernels, notCompiledBecause } from "./cpu/index.js";
import { maxThreads } from "./cpu/pool.js";
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
    if (error instanceof AddressSpaceError) return { unavailable: error.message };
    throw error;
  }
}

/** Kernels on a device, and why this one was chosen. */
export async function chooseKernels(
  device: DeviceName = "auto",
  options: DeviceOptions = {},
): Promise<DeviceChoice> {
  requireOneOf("chooseKernels", "device", device, deviceNames);
  requireOptions("chooseKernels", options, { threads: byRule });
  if (options.threads !== undefined)
    requireInteger("chooseKernels", "threads", options.threads, 1, maxThreads);
  const rejected: { name: string; reason: string }[] = [];
  for (const candidate of candidates) {
    if (device !== "auto" && device !== candidate.name) continue;
    const result = await candidate.create(options, device !== "auto");
    if ("name" in result) {
      return {
        kernels: result,
        reason: device === "auto" ? fastest(result, rejected) : "asked for",
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

/** Why `auto` takes these kernels; the reference is so slow that it needs a reason. */
function fastest({ name }: Kernels, rejected: DeviceChoice["rejected"]): string {
  const why = name === "reference" ? rejected.find((one) => one.name === "cpu")?.reason : undefined;
  return `the fastest that works here${why ? `; cpu: ${why}` : ""}`;
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
