/**
 * A GPU for tests on machines without one: SwiftShader, the software GPU that comes with
 * Chromium, as WebGPU in Node (the package `webgpu`) finds it through Vulkan.
 *
 * Two parts are needed, at different times:
 * - the Vulkan loader, `libvulkan.so.1`, for the dynamic linker. The linker reads
 *   LD_LIBRARY_PATH when a process starts, so vitest.config.ts sets it for the processes
 *   that run tests. By itself the loader adds no GPU.
 * - the driver, which the loader looks up when WebGPU is first asked for an adapter. It is
 *   available after `enable`, in that test file only, beside the GPUs of the machine:
 *   `requestAdapter({ forceFallbackAdapter: true })` chooses it among them.
 *
 * @example
 * const software = requireSoftwareGpu();
 * describe.skipIf(!software.enable)(`gpu kernels${software.note}`, () => {
 *   beforeAll(() => software.enable!());
 * });
 */

import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { findChromium } from "./browser/chromiumPath.js";
import { skippedBecause } from "./missing.js";

const loader = "libvulkan.so.1";
const driver = "vk_swiftshader_icd.json";
/** Folders of the browser in Debian and Ubuntu, where its command is only a start script. */
const knownFolders = ["/usr/lib/chromium", "/usr/lib/chromium-browser"];

/** The folder with both parts, if there is one. */
function findFolder(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const browser = findChromium();
  const folders = browser ? [dirname(realpathSync(browser)), ...knownFolders] : knownFolders;
  return folders.find((folder) => [loader, driver].every((name) => existsSync(join(folder, name))));
}

/** Environment variables that a process needs when it starts. */
export function softwareGpuEnv(): Record<string, string> {
  const folder = findFolder();
  if (folder === undefined) return {};
  const others = process.env.LD_LIBRARY_PATH;
  return { LD_LIBRARY_PATH: others ? `${others}:${folder}` : folder };
}

export interface SoftwareGpu {
  /** Makes the GPU available to this process, before WebGPU is first asked for an adapter; undefined if it was not found. */
  readonly enable: (() => void) | undefined;
  /** For the title of a test: empty, or why it is skipped. */
  readonly note: string;
}

/** Throws if it was not found and `CI` is "true". */
export function requireSoftwareGpu(): SoftwareGpu {
  const folder = findFolder();
  if (folder === undefined) {
    const reason = `no software GPU: no ${loader} and ${driver} beside a Chromium or in ${knownFolders.join(", ")}`;
    return { enable: undefined, note: skippedBecause(reason) };
  }
  const enable = (): void => {
    process.env.VK_ADD_DRIVER_FILES = join(folder, driver);
  };
  return { enable, note: "" };
}
