/**
 * The package in a browser: bundled into a page, it learns the same model as in Node, bit
 * for bit; on several threads if the page may share memory, otherwise on one.
 */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gpu, launchChromium, requireChromium } from "./browser/chromium.js";
import type { Outcome, Place } from "./browser/page.js";
import { openSite, type Site, type Variant } from "./browser/site.js";
import { type Learned, learn, type Task } from "./browser/task.js";
import { firstFence } from "./markdown.js";
import { read } from "./sources.js";

const chromium = requireChromium();

/** Milliseconds for a test or a hook: seconds on a usual machine, and far more on a slow one. */
const timeout = 600_000;

describe.skipIf(chromium.path === undefined)(`in a browser${chromium.note}`, { timeout }, () => {
  let site: Site;
  let inNode: Learned;
  const browsers = new Map<Gpu, Browser>();
  beforeAll(async () => {
    const example = firstFence(read("docs/how-to/browser.md"), "js");
    if (example === undefined) throw new Error("docs/how-to/browser.md has no example in js");
    site = await openSite(example);
    for (const gpu of ["none", "software"] as const)
      browsers.set(gpu, await launchChromium(chromium.path!, gpu));
    inNode = await learn({ device: "cpu", threads: 1 });
  }, timeout);
  afterAll(async () => {
    for (const browser of browsers.values()) await browser.close();
    await site?.close();
  }, timeout);

  /** A page that waits as long as the test may take. */
  async function openPage(gpu: Gpu): Promise<Page> {
    const page = await browsers.get(gpu)!.newPage();
    page.setDefaultTimeout(0);
    return page;
  }

  /** Run a task in a new page. */
  async function run(variant: Variant, task: Task, place: Place = "page", gpu: Gpu = "none") {
    const page = await openPage(gpu);
    try {
      await page.goto(site.url(variant));
      return await page.evaluate<Outcome, [Task, Place]>(
        (args) => globalThis.runTask(...args),
        [task, place],
      );
    } finally {
      await page.close();
    }
  }

  const places = ["page", "worker"] as const;

  it("the training that is compared reduces the test error", () => {
    const [before, after] = inNode.testRmse;
    expect(after).toBeLessThan(before);
  });

  describe.each(places)("a %s that may share memory", (place) => {
    it("learns the same model on two threads", async () => {
      // On a busy machine the second thread may come too late for every job of a run.
      for (let shared = false; !shared; ) {
        const outcome = await run("isolated", { device: "cpu", threads: 2 }, place);
        shared = "shared" in outcome;
        const expected = { ...inNode, kernels: "WebAssembly SIMD, 2 threads" };
        expect(outcome).toEqual(shared ? { ...expected, shared } : expected);
      }
    });
  });

  describe.each(places)("a %s that may not share memory", (place) => {
    const reason = "shared memory is not allowed here (the page is not cross-origin isolated)";

    it("learns the same model on one thread", async () => {
      const outcome = await run("plain", { device: "cpu" }, place);
      expect(outcome).toEqual({ ...inNode, kernels: expect.stringMatching(/^WebAssembly SIMD, 1 thread\b/) });
    });

    it("rejects two threads, with the reason", async () => {
      const message = `createCpuKernels: threads must be 1, since ${reason}, got 2`;
      expect(await run("plain", { device: "cpu", threads: 2 }, place)).toEqual({
        error: `InputError: ${message}`,
      });
    });
  });

  it.each(["odct:1.3", "separable:db4"])("a page learns the same model over %s as Node", async (base) => {
    const task = { device: "cpu", threads: 1, base } as const;
    expect(await run("plain", task)).toEqual(await learn(task));
  });

  describe("a page with a Content-Security-Policy", () => {
    const blocked =
      "threads do not start here (the page's Content-Security-Policy must allow worker-src blob:)";

    it("without worker-src blob: learns the same model on one thread", async () => {
      const outcome = await run("no-blobs", { device: "cpu" });
      expect(outcome).toEqual({ ...inNode, kernels: expect.stringMatching(/^WebAssembly SIMD, 1 thread\b/) });
    });

    it("without worker-src blob: rejects two threads, with the reason", async () => {
      const message = `createCpuKernels: threads must be 1, since ${blocked}, got 2`;
      expect(await run("no-blobs", { device: "cpu", threads: 2 })).toEqual({
        error: `InputError: ${message}`,
      });
    });

    it("without 'wasm-unsafe-eval' rejects the cpu kernels, with the reason", async () => {
      const reason = "cpu: the page's Content-Security-Policy must allow 'wasm-unsafe-eval'";
      const message = `chooseKernels: device cpu is not available here (${reason})`;
      expect(await run("no-wasm", { device: "cpu" })).toEqual({ error: `InputError: ${message}` });
    });

    it("without 'wasm-unsafe-eval' learns the same model as Node with the reference kernels", async () => {
      expect(await run("no-wasm", { device: "auto" })).toEqual(await learn({ device: "reference" }));
    });
  });

  it("a page runs the example of docs/how-to/browser.md, which shows the atoms of a picture", async () => {
    const page = await openPage("none");
    await page.goto(`${site.url("isolated")}example.html`);
    await page.evaluate(() => {
      const canvas = document.querySelector("canvas")!;
      const context = canvas.getContext("2d")!;
      const gradient = context.createLinearGradient(0, 0, canvas.width, canvas.height);
      for (let i = 0; i <= 40; i++)
        gradient.addColorStop(i / 40, `hsl(${137 * i} 60% ${30 + 40 * (i % 2)}%)`);
      context.fillStyle = gradient;
      context.fillRect(0, 0, canvas.width, canvas.height);
    });
    await page.addScriptTag({ type: "module", url: "example.js" });
    await page.waitForFunction(() => (document.querySelector("img")?.naturalWidth ?? 0) > 100);
    await page.close();
  });

  describe("WebGPU", () => {
    /** The adapter that a page gets, or null. */
    async function requestAdapter(gpu: Gpu) {
      const page = await openPage(gpu);
      try {
        await page.goto(site.url("plain"));
        return await page.evaluate(async () => {
          const adapter = await navigator.gpu.requestAdapter();
          const device = await adapter?.requestDevice();
          device?.destroy();
          if (!adapter) return null;
          const { architecture, isFallbackAdapter } = adapter.info;
          return { architecture, isFallbackAdapter };
        });
      } finally {
        await page.close();
      }
    }

    it("has no adapter in a browser without a GPU", async () => {
      expect(await requestAdapter("none")).toBeNull();
    });

    it("has an adapter in a browser with the software GPU", async () => {
      expect(await requestAdapter("software")).toEqual({
        architecture: "swiftshader",
        isFallbackAdapter: true,
      });
    });

    it.each(places)("learns in a %s the same model as Node, up to rounding", async (place) => {
      const short = { examples: place === "page" ? 384 : 128, pushes: false }; // a software GPU is slow
      const outcome = await run("plain", { device: "gpu", ...short }, place, "software");
      expect(outcome).toMatchObject({ kernels: expect.stringMatching(/^WebGPU, .*\(software\)$/) });
      const rmse = (outcome as Learned).testRmse.at(-1)!;
      const expected = await learn({ device: "cpu", threads: 1, ...short });
      expect(Math.abs(rmse / expected.testRmse.at(-1)! - 1)).toBeLessThan(0.01);
    });

    it.each(["none", "software"] as const)("is not chosen by device auto if the GPU is: %s", async (gpu) => {
      const outcome = await run("plain", { device: "auto" }, "page", gpu);
      expect(outcome).toEqual({ ...inNode, kernels: expect.stringMatching(/^WebAssembly SIMD, 1 thread\b/) });
    });

    it("is rejected with the reason if there is no adapter", async () => {
      const reason = "gpu: WebGPU finds no graphics adapter";
      expect(await run("plain", { device: "gpu" })).toEqual({
        error: `InputError: chooseKernels: device gpu is not available here (${reason})`,
      });
    });
  });
});
