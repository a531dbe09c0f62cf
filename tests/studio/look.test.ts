/** Looking at a picture through a dictionary, in Chromium; numbers are compared with the library in Node. */

import type { Browser, Page } from "playwright-core";
import { chooseKernels, type Model, Model as ModelClass } from "trainlets";
import type { Kernels } from "trainlets/parts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lookPath, pathCoefficients } from "../../studio/src/engine/look/lookPath.js";
import { middleOf, nearestPatch, patchGrid } from "../../studio/src/engine/look/patchGrid.js";
import { launchChromium, requireChromium } from "../browser/chromium.js";
import {
  baseModel,
  bringModel,
  bringPicture,
  expectText,
  patchesOf,
  pixelsOf,
  psnrShown,
  type SmallPicture,
  smallPicture,
} from "./studioFiles.js";
import { openStudio, type StudioPage, type StudioSite, serveStudio } from "./studioSite.js";

describe("one pursuit holds the codes of every number of atoms", () => {
  it("has the coefficients that least squares give for the first k atoms", () => {
    const atoms = [Float32Array.of(1, 0, 0), Float32Array.of(0.6, 0.8, 0), Float32Array.of(0, 0.6, 0.8)];
    const path = lookPath([3, 4, 8], atoms);
    expect([...pathCoefficients(path, 1)]).toEqual([3]);
    const [a, b] = pathCoefficients(path, 2); // 3 = a + 0.6 b, 4 = 0.8 b
    expect(a).toBeCloseTo(0, 6);
    expect(b).toBeCloseTo(5, 6);
    const x = pathCoefficients(path, 3); // all of it
    for (let i = 0; i < 3; i++)
      expect(x.reduce((sum, value, j) => sum + value * atoms[j][i], 0)).toBeCloseTo([3, 4, 8][i], 5);
  });

  it("leaves out an atom that depends on those before it", () => {
    const twice = [Float32Array.of(0.6, 0.8), Float32Array.of(0.6, 0.8)];
    expect(pathCoefficients(lookPath([3, 4], twice), 2)[1]).toBe(0);
  });

  it("covers a picture with patches, the last one moved back", () => {
    const grid = patchGrid([20, 9], [8, 8], 2);
    expect(grid.tops).toEqual([0, 4, 8, 12]);
    expect(grid.lefts).toEqual([0, 1]);
    for (const row of [0, 1, 2, 3])
      for (const column of [0, 1])
        expect(nearestPatch(grid, middleOf(grid, row, column))).toEqual([row, column]);
  });
});

const chromium = requireChromium();
const picture = smallPicture();

describe.skipIf(chromium.path === undefined)(`the view Look${chromium.note}`, () => {
  let browser: Browser;
  let site: StudioSite;
  let kernels: Kernels;
  let studio: StudioPage;
  let page: Page;
  const haar = baseModel("cropped:haar", [8, 8]);
  const fact = (kind: "first" | "second", name: string) =>
    page.locator(`.look-facts.${kind} [data-fact=${name}]`);
  const slider = () => page.getByRole("slider", { name: "Atoms per patch" });

  beforeAll(async () => {
    site = await serveStudio();
    browser = await launchChromium(chromium.path!, "none");
    ({ kernels } = await chooseKernels("cpu"));
    studio = await openStudio(browser, `${site.url()}#/look?atoms=5`);
    ({ page } = studio);
    await page.locator(".look-facts").waitFor(); // the built-in dictionary is there
    await bringModel(page, "haar.npz", haar);
    await bringPicture(page, picture);
    await page.locator(".look-facts.first", { hasText: "haar.npz" }).waitFor();
    await page.getByRole("img", { name: "small.png through haar.npz" }).waitFor();
  });
  afterAll(async () => {
    await kernels?.close();
    await browser?.close();
    await site?.close();
  });

  it("shows the PSNR that the library has at the same number of atoms; at 0 the means", async () => {
    await expect
      .poll(() => fact("first", "psnr").innerText())
      .toBe(psnrShown(await rebuilt(haar, picture, 8, 5), picture.data));
    const places = Array.from({ length: 64 }, (_, i) => [8 * (i >> 3), 8 * (i & 7)] as const);
    const { X } = await haar.encode(patchesOf(picture, 8, places), { sparsity: 5 }, kernels);
    await expect
      .poll(() => fact("first", "atoms").innerText())
      .toBe(String(X.counts.reduce((a, b) => a + b)));
    await slider().press("Home");
    const means = await rebuilt(haar, picture, 8, 0);
    await expectText(fact("first", "psnr"), psnrShown(means, picture.data));
    const shown = () => pixelsOf(page.locator(".look-alone canvas").first());
    await expect.poll(shown).toEqual(Array.from(means, Math.round));
    await slider().press("End");
    const most = Number(await slider().getAttribute("max"));
    await expectText(fact("first", "psnr"), psnrShown(await rebuilt(haar, picture, 8, most), picture.data));
  });

  it("averages patches that overlap", async () => {
    for (let i = 0; i < 3; i++)
      await slider()
        .press("Home")
        .then(() => slider().press("ArrowRight"));
    await page.getByLabel("Patches").selectOption("overlapping by half");
    await expectText(fact("first", "psnr"), psnrShown(await rebuilt(haar, picture, 4, 1), picture.data));
    await page.getByLabel("Patches").selectOption("side by side");
    await page.getByRole("button", { name: /^Patch in row \d of 8, column \d of 8/ }).waitFor();
  });

  it("shows the atoms of a patch with their coefficients; arrow keys move it", async () => {
    const marker = page.getByRole("button", { name: /^Patch in row/ });
    await marker.focus();
    for (const key of ["ArrowUp", "ArrowLeft", "ArrowLeft"]) await marker.press(key);
    await page.getByRole("button", { name: "Patch in row 4 of 8, column 3 of 8." }).waitFor();
    await slider().press("Home");
    for (let k = 0; k < 4; k++) await slider().press("ArrowRight");
    const { X } = await haar.encode(patchesOf(picture, 8, [[24, 16]]), { sparsity: 4 }, kernels);
    const numbers = Array.from(X.values.subarray(0, 4), (value) => value.toFixed(1).replace("-", "−"));
    const names = Array.from(X.indices.subarray(0, 4), (atom) => `atom ${atom}`);
    await page.locator(".look-atoms li").nth(3).waitFor();
    await expect.poll(() => page.locator(".look-atoms .name").allInnerTexts()).toEqual(names);
    await expect.poll(() => page.locator(".look-atoms .number").allInnerTexts()).toEqual(numbers);
    await expect.poll(() => page.url()).toContain("at=27%2C19");
    await page.mouse.move(0, 0);
    await page
      .locator(".look-alone canvas")
      .first()
      .hover({ position: { x: 3, y: 3 } });
    await page.getByRole("button", { name: "Patch in row 1 of 8, column 1 of 8." }).waitFor();
  });

  it("compares with another dictionary; the border moves with the keys", async () => {
    await page.getByLabel("Compare with").selectOption("odct:2, 8×8");
    const other = baseModel("odct:2", [8, 8]);
    await expectText(fact("second", "psnr"), psnrShown(await rebuilt(other, picture, 8, 4), picture.data));
    await expect
      .poll(() => page.getByLabel("Dictionary").inputValue())
      .toBe(await page.getByRole("option", { name: "haar.npz" }).first().getAttribute("value"));
    const border = page.getByRole("slider", { name: "Border between haar.npz and odct:2, 8×8" });
    await border.press("ArrowLeft");
    await border.press("ArrowLeft");
    await expect.poll(() => page.locator(".wipe").getAttribute("style")).toContain("49%");
    await expect.poll(() => page.url()).toContain("wipe=49");
    await page.getByLabel("Compare with").selectOption("nothing");
  });

  it("says why a picture and a dictionary do not fit, and offers those that do", async () => {
    const traces = ModelClass.from([[1, 1, 1, 1], [1, -1, 1, -1]], [4]); // biome-ignore format: two atoms
    await bringModel(page, "traces.npz", traces);
    await page.getByText("traces.npz has atoms of one axis (4); a picture has two.").waitFor();
    await page.getByRole("button", { name: "Use haar.npz" }).click();
    await page.locator(".look-facts.first", { hasText: "haar.npz" }).waitFor();
    await bringPicture(page, { ...smallPicture(8), name: "tiny.png", width: 4, height: 4, data: tiny });
    await page.getByText("(8×8) are larger than the picture (4×4)").waitFor();
    await page.getByRole("button", { name: "Make cropped wavelets of 4×4" }).click();
    await page.getByRole("img", { name: /^tiny.png through/ }).waitFor();
    await bringPicture(page, {
      name: "flat.png",
      width: 16,
      height: 16,
      data: new Float32Array(256).fill(90),
    });
    await page.getByRole("img", { name: /^flat.png through/ }).waitFor();
    await expectText(fact("first", "psnr"), "exact");
    expect(studio.problems).toEqual([]);
  });

  it("shows what an address asks for", async () => {
    const address = "#/look?atoms=7&overlap=2&part=128&with=odct%3A2%2C+16%C3%9716&wipe=30&at=100%2C60";
    const linked = await openStudio(browser, `${site.url()}${address}`);
    await linked.page.locator(".look-facts.second").waitFor();
    await expect
      .poll(() => linked.page.getByRole("slider", { name: "Atoms per patch" }).inputValue())
      .toBe("7");
    await expect.poll(() => linked.page.getByLabel("Patches").inputValue()).toBe("2");
    await expect.poll(() => linked.page.getByLabel("Part of the picture").inputValue()).toBe("128");
    await expect.poll(() => linked.page.locator(".wipe").getAttribute("style")).toContain("30%");
    await linked.page.getByRole("button", { name: "Patch in row 13 of 15, column 8 of 15." }).waitFor();
    expect(linked.problems).toEqual([]);
    await linked.page.context().close();
  });

  const tiny = Float32Array.from({ length: 16 }, (_, i) => 16 * i);

  /** A picture rebuilt in Node: means and k atoms per patch, overlaps averaged. */
  async function rebuilt(model: Model, small: SmallPicture, step: number, k: number): Promise<Float64Array> {
    const { width, height } = small;
    const places: [number, number][] = [];
    for (let y = 0; y <= height - 8; y += step)
      for (let x = 0; x <= width - 8; x += step) places.push([y, x]);
    const codes = await model.encode(patchesOf(small, 8, places), { sparsity: Math.max(1, k) }, kernels);
    if (k === 0) codes.X.values.fill(0);
    const Y = await model.decode(codes, kernels);
    const sum = new Float64Array(width * height);
    const count = new Float64Array(width * height);
    places.forEach(([y, x], j) => {
      for (let i = 0; i < 64; i++) {
        const at = (y + (i >> 3)) * width + x + (i & 7);
        sum[at] += Y.column(j)[i];
        count[at]++;
      }
    });
    return sum.map((value, i) => value / count[i]);
  }
});
