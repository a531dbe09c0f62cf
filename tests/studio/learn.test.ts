/**
 * The view Learn: atoms that change, a run that is paused, stepped, stopped, continued and changed, and files with the bytes
 * of the command line.
 */

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeNpy, modelFromBytes, writeNpy } from "../../src/index.js";
import { Curve } from "../../studio/src/views/learn/curve.js";
import { dataFile, shellWord } from "../../studio/src/views/learn/shellWords.js";
import { launchChromium, requireChromium } from "../browser/chromium.js";
import { thorough } from "../missing.js";
import { openStudio, type StudioSite, serveStudio } from "./studioSite.js";

const chromium = requireChromium();
const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A run that takes a second, and one that takes as long as the test wants. */
const brief = "patch=8&atoms=32&examples=2000&epochs=2&batch=50&device=cpu";
const long = "patch=8&atoms=32&examples=2000&epochs=5000&batch=50&device=cpu";

it("quotes names of files for a shell", () => {
  const names = ["a.npy", "my photo.png", "it's.jpg", "-x.png", "$(rm).png", "ä.png", "Leaves 1"];
  expect(names.map(dataFile).map(shellWord)).toEqual([
    ...["a.npy", "'my photo.png'", "'it'\\''s.jpg'", "./-x.png", "'$(rm).png'", "'ä.png'", "leaves-1.npy"],
  ]);
});

describe("a curve", () => {
  it("has a bounded number of points, whose x rise and whose mean is that of the values", () => {
    const curve = new Curve(100);
    for (let i = 1; i <= 6400; i++) curve.add(i, i % 2);
    const { points } = curve;
    expect(points.length).toBeGreaterThan(40);
    expect(points.length).toBeLessThanOrEqual(100);
    expect(points.every(({ x }, i) => i === 0 || x > points[i - 1].x)).toBe(true);
    expect(points.reduce((sum, { y }) => sum + y, 0) / points.length).toBeCloseTo(0.5, 2);
    curve.cut(3000);
    expect(Math.max(...curve.points.map(({ x }) => x))).toBeLessThanOrEqual(3000);
  });
});

describe.skipIf(chromium.path === undefined)(`the view Learn${chromium.note}`, { timeout: 120_000 }, () => {
  let browser: Browser;
  let site: StudioSite;
  let folder: string;
  beforeAll(async () => {
    site = await serveStudio();
    browser = await launchChromium(chromium.path!, "none");
    folder = await mkdtemp(join(tmpdir(), "studio-learn-"));
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  /** With the keyboard, once the button can be pressed. */
  const press = async (page: Page, name: string): Promise<void> => {
    await button(page, name).and(page.locator(":enabled")).focus();
    await page.keyboard.press("Enter");
  };
  const state = (page: Page, name: string) =>
    page.locator(".transport-state strong", { hasText: name }).waitFor();
  const galleries = async (page: Page): Promise<number> =>
    Number(await page.locator("[data-galleries]").getAttribute("data-galleries"));
  const patches = async (page: Page): Promise<number> =>
    page.locator("progress").evaluate((bar) => (bar as HTMLProgressElement).value);
  const moreGalleries = async (page: Page, count: number): Promise<void> => {
    await page.waitForSelector("[data-galleries]");
    const target = (await galleries(page)) + count;
    await page.waitForFunction(
      (target) =>
        Number(document.querySelector<HTMLElement>("[data-galleries]")?.dataset.galleries) >= target,
      target,
    );
  };
  const pixels = (page: Page): Promise<string> =>
    page.locator("canvas.atoms-picture").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  const download = async (page: Page, name: string): Promise<string> => {
    const [file] = await Promise.all([page.waitForEvent("download"), button(page, name).click()]);
    const path = join(folder, file.suggestedFilename());
    await file.saveAs(path);
    return path;
  };
  const drop = async (page: Page, name: string, bytes: Uint8Array): Promise<void> => {
    const data = await page.evaluateHandle(
      ([name, text]) => {
        const data = new DataTransfer();
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        data.items.add(new File([bytes], name));
        return data;
      },
      [name, Buffer.from(bytes).toString("base64")] as const,
    );
    await page.dispatchEvent(".page", "drop", { dataTransfer: data });
  };
  /** Run commands of the page in a shell, and read what they wrote. */
  const inShell = async (commands: string, output: string): Promise<Buffer> => {
    const script = `trainlets() { '${process.execPath}' '${program}' "$@"; }\n${commands}`;
    await promisify(execFile)("sh", ["-c", script], { cwd: folder });
    return readFile(join(folder, output));
  };

  it("learns by itself on a first visit: atoms change", async () => {
    const { page, problems } = await openStudio(browser, site.url());
    await moreGalleries(page, 1);
    const before = await pixels(page);
    await moreGalleries(page, 3);
    expect(await pixels(page)).not.toBe(before);
    await page.getByText(/Computes on WebAssembly SIMD, \d+ threads?\. No gpu: /).waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("writes the bytes of the command line, which it shows and copies; learns on from a file", async () => {
    const { page, problems } = await openStudio(browser, `${site.url()}#/learn?${brief}`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await press(page, "Learn");
    await state(page, "Finished");
    const npz = await download(page, "Save .npz");
    expect((await readFile(await download(page, "Save PNG"))).subarray(1, 4).toString()).toBe("PNG");
    await download(page, "Save the samples (.npy)");
    await button(page, "Copy").click();
    await button(page, "Copied").waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect((await page.locator(".command code").textContent())?.trim()).toBe(command.trim());
    const saved = await readFile(npz);
    expect((await inShell(command, "dict.npz")).equals(saved)).toBe(true);
    await page.getByRole("link", { name: "Explore its atoms" }).waitFor();

    await drop(page, "brought.npz", saved);
    const opened = page.locator(".earlier-run", { hasText: "brought.npz: 32 atoms of 8×8" });
    await opened.getByRole("button", { name: "Continue learning from it" }).click();
    await page.locator(".command code", { hasText: "--start brought.npz" }).waitFor();
    await state(page, "Finished");
    const { meta } = modelFromBytes(await readFile(await download(page, "Save .npz")), "the second");
    expect(meta.options.start).toMatchObject({ learner: "osdl", examplesSeen: 4000 });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("pauses, steps, stops, continues and changes the sparsity, with the keyboard alone", async () => {
    const { page, problems } = await openStudio(browser, `${site.url()}#/learn?${long}`);
    await press(page, "Learn");
    await moreGalleries(page, 2);
    await press(page, "Pause");
    await page.getByRole("link", { name: "Explore its atoms" }).waitFor(); // it is a dictionary by now
    const at = await patches(page);
    await press(page, "Step");
    await page.waitForFunction((at) => document.querySelector("progress")!.value > at, at);
    expect(await patches(page)).toBe(at + 50);
    await press(page, "Continue");
    await moreGalleries(page, 2);
    await press(page, "Stop");
    await state(page, "Stopped");
    const stopped = await patches(page);
    await press(page, "Continue");
    await moreGalleries(page, 2);
    expect(await patches(page)).toBeGreaterThan(stopped);

    await page.getByLabel("Sparsity: atoms per patch").focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(".command code", { hasText: "--start dict.partial.npz --sparsity 3" }).waitFor();
    await page.getByText("This run continues from the atoms of the one before").waitFor();
    await moreGalleries(page, 2);
    expect(page.url()).toContain("sparsity=3");
    const { meta } = modelFromBytes(await readFile(await download(page, "Save .npz")), "the file");
    expect(meta).toMatchObject({ coding: { sparsity: 3 }, options: { start: { coding: { sparsity: 2 } } } });
    expect(meta.partial?.of).toBe(10_000_000);
    await press(page, "Stop");
    await state(page, "Stopped");
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("offers to continue after a reload, and ends with the bytes of a run without it", async () => {
    const { page, problems } = await openStudio(browser, `${site.url()}#/learn?${brief}&picture=Leaves+2`);
    await button(page, "Step").click();
    await page.waitForFunction(() => document.querySelector("progress")!.value > 0);
    await button(page, "Stop").click();
    await state(page, "Stopped");
    const seen = await patches(page);
    await page.goto(site.url());
    await page.reload();
    await page
      .getByText(`Continue where you stopped: ${new Intl.NumberFormat("en-GB").format(seen)} of 4,000`)
      .waitFor();
    await button(page, "Continue").click();
    await state(page, "Finished");
    expect(page.url()).toContain("picture=Leaves+2");
    const saved = await readFile(await download(page, "Save .npz"));
    await download(page, "Save the samples (.npy)");
    const command = await page.locator(".command code").textContent();
    expect((await inShell(command!.replace("dict.npz", "second.npz"), "second.npz")).equals(saved)).toBe(
      true,
    );
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("learns from signals and volumes, on one thread without isolation, and without storage", async () => {
    const { page, problems } = await openStudio(
      browser,
      `${site.url("plain")}#/learn?atoms=16&examples=1000&epochs=1&batch=50`,
    );
    await page.locator(".device", { hasText: /WebAssembly SIMD, 1 thread\b/ }).waitFor();
    await page.waitForFunction(() => document.querySelector("select")?.options.length === 2);
    for (const worker of page.workers())
      await worker.evaluate(() => {
        IDBFactory.prototype.open = () => {
          throw new Error("no storage here");
        };
      });
    const wave = (length: number) =>
      Float32Array.from({ length }, (_, i) => Math.sin(i * i * 1e-3) + (i % 7));
    await drop(page, "signal.npy", writeNpy(makeNpy([3000], wave(3000))));
    await page.getByText("3,000 samples").waitFor();
    await button(page, "Learn").click();
    await page
      .getByText(/Progress cannot be kept in the storage of the browser \(no storage here\)/)
      .waitFor();
    await state(page, "Finished");
    await page.getByText("16 atoms of 64,").waitFor();
    await page.getByText("One thread: the host does not send the headers").waitFor();
    await drop(page, "volume.npy", writeNpy(makeNpy([12, 12, 12], wave(1728))));
    await page.getByText("12 × 12 × 12 samples").waitFor();
    await page.getByLabel("Patch", { exact: true }).fill("4x4x4");
    await page.keyboard.press("Enter");
    await button(page, "Learn again").click();
    await page.getByText("16 atoms of 4×4×4").waitFor();
    await state(page, "Finished");
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("says what is wrong with a picture that is too small, or the same everywhere", async () => {
    const { page, problems } = await openStudio(browser, `${site.url()}#/learn?patch=16`);
    await drop(
      page,
      "small.npy",
      writeNpy(
        makeNpy(
          [8, 8],
          new Float32Array(64).map((_, i) => i),
        ),
      ),
    );
    await page.getByText("8 × 8 samples").waitFor();
    await button(page, "Learn").click();
    await page.locator(".notice.error", { hasText: "data must be at least 16x16, got 8x8" }).waitFor();
    await state(page, "Ready");
    await drop(page, "flat.npy", writeNpy(makeNpy([40, 40], new Float32Array(1600).fill(7))));
    await page.getByText("40 × 40 samples").waitFor();
    await button(page, "Learn").click();
    await page.locator(".notice.error", { hasText: "flat.npy: all samples are the same" }).waitFor();
    await state(page, "Ready");
    expect(problems).toEqual([]);
    await page.context().close();
  });

  const onGpu = `learns on WebGPU, and on the CPU when the GPU is lost${thorough.note}`;
  it.skipIf(!thorough.runs)(onGpu, { timeout: 300_000 }, async () => {
    const software = await launchChromium(chromium.path!, "software");
    try {
      const settings = "patch=4&atoms=8&nonzeros=2&sparsity=1&examples=200&epochs=50000&batch=8&device=gpu";
      const { page, problems } = await openStudio(software, `${site.url("plain")}#/learn?${settings}`);
      await press(page, "Learn");
      await moreGalleries(page, 2);
      await page.getByText(/Computes on (?!WebAssembly).*\./).waitFor();
      const inWorkers = (work: () => void) =>
        Promise.all(page.workers().map((worker) => worker.evaluate(work)));
      await inWorkers(() => {
        const { createCommandEncoder } = GPUDevice.prototype;
        GPUDevice.prototype.createCommandEncoder = function (...input) {
          (globalThis as { used?: GPUDevice }).used = this;
          return createCommandEncoder.apply(this, input);
        };
      });
      await moreGalleries(page, 1);
      await inWorkers(() => (globalThis as { used?: GPUDevice }).used?.destroy());
      await page.getByText(/the device was lost \(.*\)\. Learning continues on the CPU from the/).waitFor();
      await page.getByText(/Computes on WebAssembly SIMD/).waitFor();
      await moreGalleries(page, 2);
      await press(page, "Stop");
      await state(page, "Stopped");
      expect(problems).toEqual([]);
    } finally {
      await software.close();
    }
  });
});
