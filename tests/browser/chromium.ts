/**
 * Chromium for tests, from CHROME_PATH or the PATH, driven by playwright-core. Headless,
 * and either without a GPU or with its own software GPU (SwiftShader).
 */

import { type Browser, chromium } from "playwright-core";
import { skippedBecause } from "../missing.js";
import { chromiumNames, findChromium } from "./chromiumPath.js";

export interface Chromium {
  /** The program; undefined if it was not found. */
  readonly path: string | undefined;
  /** For the title of a test: empty, or why it is skipped. */
  readonly note: string;
}

/** Throws if Chromium was not found and `CI` is "true". */
export function requireChromium(): Chromium {
  const path = findChromium();
  if (path !== undefined) return { path, note: "" };
  const tried = process.env.CHROME_PATH ? `CHROME_PATH=${process.env.CHROME_PATH}` : chromiumNames.join(", ");
  return { path, note: skippedBecause(`no browser: tried ${tried}`) };
}

/**
 * What WebGPU has. `none`: `navigator.gpu` without an adapter. `software`: SwiftShader as the
 * adapter, whatever the machine has; browsers hide it by default, because it is slow.
 */
export type Gpu = "none" | "software";

const flags: Record<Gpu, string[]> = {
  none: ["--disable-gpu"],
  software: ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"],
};

export async function launchChromium(path: string, gpu: Gpu): Promise<Browser> {
  const isRoot = process.getuid?.() === 0; // the sandbox does not start for root
  const sandbox = isRoot ? ["--no-sandbox"] : [];
  return await chromium.launch({ executablePath: path, args: [...sandbox, ...flags[gpu]], timeout: 0 });
}
