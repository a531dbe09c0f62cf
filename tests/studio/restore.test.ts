/** Denoising, filling and compressing in Chromium; results are compared with the library in Node. */

import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { chooseKernels, decompress, denoise, inpaint, makeSignal } from "trainlets";
import { type Kernels, Rng } from "trainlets/parts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { maskOf } from "../../studio/src/engine/restore/restoreMask.js";
import { withoutProfile } from "../../studio/src/engine/restore/withoutProfile.js";
import { launchChromium, requireChromium } from "../browser/chromium.js";
import {
  baseModel,
  bringModel,
  bringPicture,
  expectText,
  pixelsOf,
  psnrShown,
  smallPicture,
} from "./studioFiles.js";
import { openStudio, type StudioPage, type StudioSite, serveStudio } from "./studioSite.js";

const chromium = requireChromium();
const picture = smallPicture();
const { width, height, data } = picture;

it("takes colour profiles out of files of the browser, and nothing else", async () => {
  const given = sharp(Buffer.from(data), { raw: { width, height, channels: 1 } }).toColourspace("srgb");
  for (const type of ["webp", "jpeg"] as const) {
    const plain = await given.clone()[type]().toBuffer();
    const profiled = await given.clone().withIccProfile("srgb")[type]().toBuffer();
    expect(profiled.length).toBeGreaterThan(plain.length + 300);
    expect(withoutProfile(new Uint8Array(plain), `image/${type}`)).toEqual(new Uint8Array(plain));
    const stripped = withoutProfile(new Uint8Array(profiled), `image/${type}`);
    expect(stripped.length).toBeLessThanOrEqual(plain.length);
    expect(await sharp(stripped).raw().toBuffer()).toEqual(await sharp(profiled).raw().toBuffer());
  }
});

describe.skipIf(chromium.path === undefined)(`the view Restore${chromium.note}`, () => {
  let browser: Browser;
  let site: StudioSite;
  let kernels: Kernels;
  let studio: StudioPage;
  let page: Page;
  const haar = baseModel("cropped:haar", [8, 8]);
  const fact = (name: string) => page.locator(`[data-fact=${name}]`);
  const go = (hash: string) =>
    page.evaluate((next) => {
      location.hash = next;
    }, hash);
  const action = (name: string) => page.locator(".restore-task").getByRole("button", { name });

  beforeAll(async () => {
    site = await serveStudio();
    browser = await launchChromium(chromium.path!, "none");
    ({ kernels } = await chooseKernels("cpu"));
    studio = await openStudio(browser, `${site.url()}#/restore?sigma=25&level=known&step=2`);
    ({ page } = studio);
    await page.locator(".restore-picture canvas").waitFor(); // the built-in dictionary is there
    await bringModel(page, "haar.npz", haar);
    await bringPicture(page, picture);
    await page.locator(".restore-picture canvas[width='64']").waitFor();
  });
  afterAll(async () => {
    await kernels?.close();
    await browser?.close();
    await site?.close();
  });

  const rng = Rng.from(1).split("noise");
  const noisy = makeSignal(
    "noisy",
    [height, width],
    data.map((value) => value + 25 * rng.normal()),
  );

  it("denoises as the library does, with a dictionary that is given", async () => {
    await expectText(fact("before"), psnrShown(noisy.data, data));
    await action("Denoise").click();
    await page.locator(".wipe").waitFor();
    const { signals } = await denoise(noisy, { sigma: 25, dictionary: haar, stride: 2, kernels });
    await expectText(fact("after"), psnrShown(signals[0].data, data));
    expect(decibels(await fact("after").innerText())).toBeGreaterThan(
      decibels(await fact("before").innerText()) + 3,
    );
    const saved = await download(page, "Save as PNG");
    expect(saved.name).toBe("small-denoised.png");
    const pixels = await sharp(saved.bytes).greyscale().raw().toBuffer();
    const worst = signals[0].data.reduce(
      (most, value, i) => Math.max(most, Math.abs(Math.min(255, Math.max(0, value)) - pixels[i])),
      0,
    );
    expect(worst).toBeLessThan(0.51);
  });

  it("denoises with a dictionary that is learned from the noisy picture", async () => {
    await page.getByLabel("With").selectOption("one learned from this picture");
    await expectText(fact("after"), "–");
    await action("Denoise").click();
    await page.locator(".wipe").waitFor();
    const training = { examples: 40_000, epochs: 2, seed: 1 };
    const { signals } = await denoise(noisy, { sigma: 25, patch: [8, 8], stride: 2, training, kernels });
    await expectText(fact("after"), psnrShown(signals[0].data, data));
  });

  it("fills a hole that is painted, and keeps it in the address", async () => {
    await go("#/restore?mode=fill&scratches=0&brush=3");
    await expectText(fact("missing"), "0.0 %");
    await expect.poll(() => action("Fill").isDisabled()).toBe(true);
    const canvas = (await page.locator(".restore-painter").boundingBox())!;
    const at = (x: number, y: number) =>
      [
        canvas.x + ((x + 0.5) / width) * canvas.width,
        canvas.y + ((y + 0.5) / height) * canvas.height,
      ] as const;
    await page.mouse.move(...at(20, 30));
    await page.mouse.down();
    await page.mouse.move(...at(40, 30), { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.url()).toContain("holes=3-20.30-");
    const [, points] = /holes=3-([^&]*)/.exec(page.url())!;
    const stroke = { radius: 3, points: points.split(/[-.]/).map(Number) };
    const missing = maskOf(width, height, { strokes: [stroke], scratches: 0, drop: 0 }, Rng.from(1));
    const count = missing.reduce((sum, value) => sum + value, 0);
    expect(count).toBeGreaterThan(100);
    await expectText(fact("missing"), `${((100 * count) / missing.length).toFixed(1)} %`);
    await action("Fill").click();
    await page.locator(".wipe").waitFor();
    const signal = makeSignal("small", [height, width], data);
    const [filled] = await inpaint([{ signal, missing }], { dictionary: haar, stride: 4, kernels });
    await expectText(fact("after"), psnrShown(filled.data, data, missing));
    expect(decibels(await fact("after").innerText())).toBeGreaterThan(
      decibels(await fact("before").innerText()),
    );
    const border = page.getByRole("slider", { name: "Border between With holes and Filled" });
    await border.press("End");
    await expect.poll(() => page.locator(".wipe").getAttribute("style")).toContain("100%");
  });

  it("makes holes without a pointer, and refuses a picture of holes alone", async () => {
    await go("#/restore?mode=fill&scratches=0&drop=30&holes=4-10.10-20.20_2-50.50");
    const strokes = [
      { radius: 4, points: [10, 10, 20, 20] },
      { radius: 2, points: [50, 50] },
    ];
    const missing = maskOf(width, height, { strokes, scratches: 0, drop: 30 }, Rng.from(1));
    const share = (100 * missing.reduce((sum, value) => sum + value, 0)) / missing.length;
    await expectText(fact("missing"), `${share.toFixed(1)} %`);
    await page.getByRole("button", { name: "Add a hole" }).click();
    await expect.poll(() => page.url()).toMatch(/holes=4-10\.10-20\.20_2-50\.50_6-\d+\.\d+/);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("slider", { name: "Scratches" }).press("End");
    await page.getByRole("slider", { name: "Missing pixels" }).press("End");
    await expectText(fact("missing"), "100.0 %");
    await action("Fill").click();
    await expectText(
      page.locator(".restore-failure"),
      await inpaint([{ signal: makeSignal("the picture", [64, 64], data), missing: missing.fill(1) }]).catch(
        ({ message }) => message,
      ),
    );
  });

  it("compresses into a file that Node reads, beside files of the browser that are not larger", async () => {
    await go("#/restore?mode=compress&bytes=600");
    const row = (name: string) => page.locator(`tr[data-file=${name}] td`).allInnerTexts();
    await page.locator("tr[data-file=trainlets]").waitFor();
    const [own, psnr] = await row("trainlets");
    const saved = await download(page, "Save as .tlt");
    expect(saved.name).toBe("small.tlt");
    expect(saved.bytes.length).toBe(Number(own));
    expect(saved.bytes.length).toBeLessThanOrEqual(600);
    const opened = decompress(saved.bytes, haar, "small.tlt");
    expect(opened.shape).toEqual([64, 64]);
    await expect.poll(() => pixelsOf(page.locator(".wipe > canvas"))).toEqual([...opened.data]);
    expect(psnr).toBe(psnrShown(opened.data, data));
    for (const name of ["WebP", "JPEG"]) {
      const [bytes, quality] = await row(name);
      if (quality === "does not get this small") expect(Number(bytes)).toBeGreaterThan(Number(own));
      else expect(Number(bytes)).toBeLessThanOrEqual(Number(own));
    }
    await expect.poll(() => row("WebP")).toEqual([expect.any(String), expect.stringMatching(/ dB$/)]);
    await page.getByRole("slider", { name: "Bytes, at most" }).press("Home");
    await expectText(page.locator("tr[data-file=WebP] td").last(), "does not get this small");
    await go("#/restore?mode=compress&bytes=5");
    await page.locator(".restore-failure", { hasText: /^compress: bytes must be at least \d+/ }).waitFor();
  });

  it("cancels, and works again after", async () => {
    await go("#/restore?sigma=25&use=learn&patch=16&step=1");
    await page.getByLabel("Picture", { exact: true }).selectOption("Leaves 1");
    await page.locator(".restore-picture canvas[width='256']").waitFor();
    await action("Denoise").click();
    await page.getByText(/learning a dictionary · [1-9]/).waitFor();
    await action("Cancel").click();
    await action("Denoise").waitFor();
    await page.getByLabel("Picture", { exact: true }).selectOption("small.png");
    await page.getByLabel("Patches", { exact: true }).selectOption("8×8");
    await action("Denoise").click();
    await page.locator(".wipe").waitFor();
    expect(studio.problems).toEqual([]);
  });
});

function decibels(text: string): number {
  return Number(text.replace(" dB", ""));
}

async function download(page: Page, button: string): Promise<{ name: string; bytes: Uint8Array }> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button }).click(),
  ]);
  return { name: file.suggestedFilename(), bytes: new Uint8Array(readFileSync(await file.path())) };
}
