/**
 * A GPU for tests on machines without one: SwiftShader, the software GPU that comes with
 * Chromium, as WebGPU in Node (the package `webgpu`) finds it through Vulkan.
 *
 * Two parts are needed, at different times:
 * - the Vulkan loader, `libvulkan.so.1`, where the dynamic linker looks. It reads
 *   LD_LIBRARY_PATH when a process starts, so vitest.config.ts sets it for the processes
 *   that run tests. By itself it offers no GPU that the machine does not have.
 * - the driver, which the loader looks up when WebGPU is first asked for an adapter. It is
 *   offered after `enable`, to that test file alone, beside the GPUs of the machine:
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
/** Beside the browser itself, or where Debian's and Ubuntu's start scripts find it. */
const knownFolders = ["/usr/lib/chromium", "/usr/lib/chromium-browser"];

/** The folder that has both parts, or undefined where there is none. */
function findFolder(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const browser = findChromium();
  const folders = browser ? [dirname(realpathSync(browser)), ...knownFolders] : knownFolders;
  return folders.find((folder) => [loader, driver].every((name) => existsSync(join(folder, name))));
}

/** What the environment of a process must hold when it starts. */
export function softwareGpuEnv(): Record<string, string> {
  const folder = findFolder();
  if (folder === undefined) return {};
  const others = process.env.LD_LIBRARY_PATH;
  return { LD_LIBRARY_PATH: others ? `${others}:${folder}` : folder };
}

export interface SoftwareGpu {
  /** Offer the GPU to this process; undefined where there is none. Before WebGPU is asked for an adapter. */
  readonly enable: (() => void) | undefined;
  /** For the title of a test: empty, or why it is skipped. */
  readonly note: string;
}

/** Throws where there is none and `CI` is "true". */
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
