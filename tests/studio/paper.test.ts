/** The view "The paper": what it shows is what the library computes in Node, and all of it can be touched. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  chooseKernels,
  createBase,
  DenseMatrix,
  Model,
  makeNpy,
  modelToBytes,
  writeNpy,
} from "../../src/index.js";
import {
  approximateBorders,
  type Kernels,
  largestRows,
  Rng,
  randomCubic,
  SparseColumns,
} from "../../src/parts.js";
import { launchChromium, requireChromium } from "../browser/chromium.js";
import { openStudio, type StudioSite, serveStudio } from "./studioSite.js";

const chromium = requireChromium();
const treatments = ["periodic", "symmetric", "zero", "cropped"] as const;
/** On a busy machine, soon may be later. */
const soon = { timeout: 30_000 };
const meta = { learner: "none", options: {}, seed: 0, examplesSeen: 0, removeMean: true };

describe.skipIf(chromium.path === undefined)(`the paper in the studio${chromium.note}`, () => {
  let browser: Browser;
  let site: StudioSite;
  let page: Page;
  let problems: readonly string[];
  let kernels: Kernels;
  beforeAll(async () => {
    site = await serveStudio();
    browser = await launchChromium(chromium.path!, "none");
    ({ kernels } = await chooseKernels("cpu"));
    const state = "terms=6&column=30:0.5,45:-0.25,100:0.1&k=2&top=9&left-edge=20&step=0";
    const race = "learners=osdl,odl&race-patch=8&race-examples=1000&race-seconds=60";
    ({ page, problems } = await openStudio(browser, `${site.url()}#/paper?${state}&${race}`));
    page.setDefaultTimeout(30_000);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await kernels?.close();
  });

  /** Errors at the borders, as they are shown. */
  const borderErrors = (signal: Float64Array) =>
    Promise.all(
      treatments.map(async (border) => {
        const found = await approximateBorders(signal, { border, wavelet: "sym8", terms: 6 }, kernels);
        const squares = Array.from(signal, (value, i) => (value - found.values[found.first + i]) ** 2);
        const atBorder = squares.filter((_, i) => i < 8 || i >= 56);
        return Math.sqrt(atBorder.reduce((sum, value) => sum + value, 0) / 16).toFixed(4);
      }),
    );
  /** The signal that the view starts with: the cubic of figure 1, without its mean, its largest sample 1. */
  const smooth = () => {
    const cubic = randomCubic(64, Rng.from(2));
    const mean = cubic.reduce((sum, value) => sum + value, 0) / 64;
    const centred = cubic.map((value) => value - mean);
    const largest = centred.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    return centred.map((value) => value / largest);
  };

  it("shows the errors of the library at the borders, and follows an end that the keyboard moves", async () => {
    const shown = () => page.locator("[data-error$='-border']").allTextContents();
    await expect.poll(shown, soon).toEqual(await borderErrors(smooth()));
    const end = page.getByRole("slider", { name: "The right end of the signal" });
    await end.focus();
    for (let i = 0; i < 2; i++) {
      const before = await end.getAttribute("aria-valuenow");
      await page.keyboard.press("ArrowDown");
      await expect.poll(() => end.getAttribute("aria-valuenow"), soon).not.toBe(before);
    }
    await expect.poll(() => end.getAttribute("aria-valuenow")).toBe((smooth()[63] - 0.1).toFixed(2));
    const bent = smooth().map((value, i) => value - 0.1 * Math.max(0, 1 - (63 - i) / 16) ** 2);
    await expect.poll(shown, soon).toEqual(await borderErrors(bent));
    await page.waitForURL(/right=-10/);
  });

  it("follows an end that the pointer drags", async () => {
    const end = page.getByRole("slider", { name: "The left end of the signal" });
    await end.scrollIntoViewIfNeeded();
    const before = Number(await end.getAttribute("aria-valuenow"));
    const box = (await end.locator(".knob").boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y + 60, { steps: 4 });
    await page.mouse.up();
    await expect
      .poll(async () => Number(await end.getAttribute("aria-valuenow")), soon)
      .toBeLessThan(before - 0.5);
  });

  it("makes the atom Φa of the coefficients that P_k keeps", async () => {
    const base = createBase("cropped:db2", [8, 8]);
    const coefficient = page.getByRole("slider", { name: "atom 30" });
    await coefficient.focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    await page.getByText("0.53", { exact: true }).waitFor();
    await page.getByText("atom 100, dropped").waitFor();
    const column = new Float32Array(196);
    column.set([0.53], 30);
    column.set([-0.25], 45);
    column.set([0.1], 100);
    const kept = largestRows(column, 2);
    const A = SparseColumns.fromEntries(196, 2, [kept.map((row) => [row, column[row]] as [number, number])]);
    const { data } = await new Model(base, A, { ...meta, coding: { sparsity: 1 } }).atoms(kernels);
    const largest = data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const expected = Array.from(data, (value) => 127.5 + (127.5 * value) / largest);
    const shades = () =>
      page.getByRole("img", { name: "The atom that the column of A makes" }).evaluate((element) => {
        const canvas = element as HTMLCanvasElement;
        const pixels = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data;
        return [...pixels].filter((_, i) => i % 4 === 0);
      });
    const difference = async () => {
      const found = await shades();
      return Math.max(...expected.map((shade, i) => Math.abs(shade - found[i])));
    };
    await expect.poll(difference, soon).toBeLessThan(0.51); // pixels are whole numbers
  });

  it("takes the atoms of the library's OMP one after the other, and goes back", async () => {
    const rng = Rng.from(5);
    const picture = Float32Array.from({ length: 40 * 50 }, (_, i) => 100 + 40 * rng.normal() + (i % 50));
    const base = createBase("odct:2", [6, 6]);
    const model = new Model(base, SparseColumns.identity(144, 1), { ...meta, coding: { sparsity: 3 } });
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles([
        { name: "noise.npy", mimeType: "", buffer: Buffer.from(writeNpy(makeNpy([40, 50], picture))) },
        { name: "small.npz", mimeType: "", buffer: Buffer.from(modelToBytes(model)) },
      ]);
    await page.getByText("Dictionary: small.npz.").waitFor();
    const patch = DenseMatrix.build(36, 1, (i) => picture[(9 + Math.floor(i / 6)) * 50 + 20 + (i % 6)]);
    const { X } = await model.encode(patch, { sparsity: 4 }, kernels);
    const norms = await Promise.all(
      [1, 2, 3].map(async (sparsity) => {
        const codes = await model.encode(patch, { sparsity }, kernels);
        const made = await model.decode(codes, kernels);
        return Math.hypot(...patch.data.map((value, i) => value - made.data[i]));
      }),
    );
    for (const [i, norm] of norms.entries()) {
      await expect
        .poll(() => page.locator("[data-next]").getAttribute("data-next"), soon)
        .toBe(`${X.indices[i]}`);
      await page.getByRole("button", { name: "Step", exact: true }).click();
      await expect.poll(() => page.locator("[data-taken]").count(), soon).toBe(i + 1);
      expect(Number(await page.locator("[data-norm]").textContent())).toBeCloseTo(norm, 1);
    }
    const taken = await page
      .locator("[data-taken]")
      .evaluateAll((list) => list.map((one) => Number((one as HTMLElement).dataset.taken)));
    expect(taken).toEqual([...X.indices.subarray(0, 3)]);
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await expect.poll(() => page.locator("[data-taken]").count(), soon).toBe(2);
    await page.getByRole("button", { name: "The patch in the picture" }).press("ArrowLeft");
    await page.waitForURL(/left-edge=19/);
  });

  it("lets learners race from the same start; their errors fall; it stops", async () => {
    await page.getByRole("button", { name: "Start the race" }).click();
    const tests = (learner: string) => page.locator(`[data-lane="${learner}"]`).getAttribute("data-tests");
    for (const learner of ["osdl", "odl"])
      await expect.poll(async () => Number(await tests(learner)), soon).toBeGreaterThan(3);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Ended.").waitFor();
    const curve = (learner: string) =>
      page.locator(`.race-result .line-${learner} .curve`).evaluate((path) => {
        const points = path.getAttribute("d")!.slice(1).split("L");
        return points.map((point) => point.split(" ").map(Number));
      });
    const [osdl, odl] = [await curve("osdl"), await curve("odl")];
    expect(osdl[0]).toEqual(odl[0]);
    for (const points of [osdl, odl]) expect(points[points.length - 1][1]).toBeGreaterThan(points[0][1]); // downwards
    await page.getByRole("img", { name: "The most used atoms of OSDL" }).waitFor();
    expect(problems).toEqual([]);
  });
});
