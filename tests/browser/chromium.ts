/**
 * A Chromium for tests, found where Linux and the variable CHROME_PATH have one, driven
 * by playwright-core. Headless, in one of two ways: without any GPU, or with the software
 * GPU that comes with it (SwiftShader).
 */

import { type Browser, chromium } from "playwright-core";
import { skippedBecause } from "../missing.js";
import { chromiumNames, findChromium } from "./chromiumPath.js";

export interface Chromium {
  /** The program, or undefined where there is none. */
  readonly path: string | undefined;
  /** For the title of a test: empty, or why it is skipped. */
  readonly note: string;
}

/** Throws where there is none and `CI` is "true". */
export function requireChromium(): Chromium {
  const path = findChromium();
  if (path !== undefined) return { path, note: "" };
  const tried = process.env.CHROME_PATH ? `CHROME_PATH=${process.env.CHROME_PATH}` : chromiumNames.join(", ");
  return { path, note: skippedBecause(`no browser: tried ${tried}`) };
}

/**
 * How WebGPU is offered. `none`: `navigator.gpu` is there, but no adapter. `software`: the
 * adapter is SwiftShader, whatever the machine has; browsers hide it as too slow unless asked.
 */
export type Gpu = "none" | "software";

const flags: Record<Gpu, string[]> = {
  none: ["--disable-gpu"],
  software: ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"],
};

export async function launchChromium(path: string, gpu: Gpu): Promise<Browser> {
  const isRoot = process.getuid?.() === 0; // for whom the sandbox does not start
  const sandbox = isRoot ? ["--no-sandbox"] : [];
  return await chromium.launch({ executablePath: path, args: [...sandbox, ...flags[gpu]] });
}
