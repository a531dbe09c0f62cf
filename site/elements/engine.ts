/**
 * The script that computes for the pages of the site, in a worker: runs the programs of the documentation, and
 * measures. For programs that need a page, it is the script of a frame, with a picture on a canvas.
 */

import { examples } from "site-examples";
import { chooseKernels, syntheticPictures } from "trainlets";
import type { Kernels } from "trainlets/parts";
import { jobs } from "../measure/jobs.js";
import { measure } from "../measure/measure.js";
import { lineOf } from "./lineOf.js";
import type { Call, Report } from "./protocol.js";

const inFrame = typeof document !== "undefined";

function report(message: Report): void {
  if (inFrame) parent.postMessage(message, location.origin === "null" ? "*" : location.origin);
  else self.postMessage(message);
}

async function runExample(name: string): Promise<void> {
  for (const method of ["log", "info", "warn", "error"] as const)
    console[method] = (...values: unknown[]) => report({ line: values.map(lineOf).join(" ") });
  try {
    await examples[name]();
    report({ done: true });
  } catch (error) {
    report({ failed: String(error) });
  }
}

async function measureAll(names: readonly string[]): Promise<void> {
  for (const device of ["gpu", "cpu"] as const) {
    try {
      const { kernels } = await chooseKernels(device);
      if (kernels.description.endsWith("(software)"))
        report({ device, missing: `${kernels.description} is not a GPU` });
      else await measureDevice(device, kernels, names);
      await kernels.close();
    } catch (error) {
      report({ device, missing: (error as Error).message });
    }
  }
  report({ done: true });
}

async function measureDevice(
  device: "gpu" | "cpu",
  kernels: Kernels,
  names: readonly string[],
): Promise<void> {
  report({ device, description: kernels.description });
  for (const job of jobs.filter(({ name }) => names.includes(name))) {
    report({ device, job: job.name });
    try {
      report({ device, job: job.name, patchesPerSecond: await measure(job, kernels) });
    } catch (error) {
      report({ device, job: job.name, failed: (error as Error).message });
    }
  }
}

/** A grey picture on the canvas of the frame, for the program to learn from. */
function drawPicture(canvas: HTMLCanvasElement): void {
  const [{ data, shape }] = syntheticPictures(1, 1, 256);
  const [height, width] = shape;
  Object.assign(canvas, { width, height });
  const pixels = new ImageData(width, height);
  for (let i = 0; i < data.length; i++) pixels.data.set([data[i], data[i], data[i], 255], 4 * i);
  canvas.getContext("2d")?.putImageData(pixels, 0, 0);
}

if (inFrame) {
  const canvas = document.querySelector("canvas");
  const name = document.documentElement.dataset.example;
  if (canvas && name) {
    drawPicture(canvas);
    void runExample(name);
  }
} else {
  self.addEventListener("message", ({ data }: MessageEvent<Call>) => {
    if ("example" in data) void runExample(data.example);
    else void measureAll(data.jobs);
  });
}
