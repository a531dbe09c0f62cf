/** Exploring a dictionary, in Chromium: orders, terms, neighbours, families and places are those of the library in Node. */

import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import {
  atomGallery,
  chooseKernels,
  createBase,
  type DenseMatrix,
  encodePng,
  encodeSignals,
  Model,
  orderAtoms,
  syntheticPictures,
} from "trainlets";
import { atomFamilies, Fourier, type Kernels, Rng, SparseColumns } from "trainlets/parts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spectrumMeasures } from "../../studio/src/engine/explore/exploreSpectra.js";
import { seriousFindings } from "../browser/axe.js";
import { launchChromium, requireChromium } from "../browser/chromium.js";
import { bringModel } from "./studioFiles.js";
import { openStudio, type StudioPage, type StudioSite, serveStudio } from "./studioSite.js";

const meta = {
  learner: "none",
  options: {},
  seed: 0,
  examplesSeen: 0,
  removeMean: true,
  coding: { sparsity: 3 },
};

/** Random atoms of `k` base atoms each, of unit norm. */
async function mixedModel(
  base: string,
  shape: readonly number[],
  count: number,
  k: number,
  kernels: Kernels,
) {
  const phi = createBase(base, shape);
  const L = phi.factors.reduce((product, { cols }) => product * cols, 1);
  const rng = Rng.from(7);
  const columns = Array.from({ length: count }, () =>
    rng.distinct(k, L).map((row) => [row, rng.normal()] as const),
  );
  const A = SparseColumns.fromEntries(L, k, columns);
  const atoms = await new Model(phi, A, meta).atoms(kernels);
  for (let s = 0; s < A.values.length; s++)
    A.values[s] /= Math.hypot(...atoms.column(Math.floor(s / A.width)));
  const uses = Uint32Array.from({ length: count }, (_, j) => (j % 5 === 0 ? 0 : rng.below(2000)));
  return new Model(phi, A, meta, { uses });
}

/** One blob at nine places: a family. */
function blobs(): Model {
  const atoms = Array.from({ length: 9 }, (_, j) => {
    const [top, left] = [4 + 4 * Math.floor(j / 3), 4 + 4 * (j % 3)];
    return Array.from({ length: 256 }, (_, i) => {
      const [y, x] = [Math.floor(i / 16) - top, (i % 16) - left];
      return Math.exp(-(y * y + x * x) / 3) * (1 + 0.5 * Math.sign(x));
    });
  });
  return Model.from(atoms, [16, 16]);
}

function spectrumOf(atom: Float32Array, height: number, width: number) {
  const re = Float64Array.from(atom);
  const im = new Float64Array(re.length);
  new Fourier([height, width]).forward({ re, im });
  return { height, width, energies: re.map((value, i) => value ** 2 + im[i] ** 2) };
}

const waveAt = (size: number, fx: number, fy: number) =>
  Float32Array.from({ length: size * size }, (_, i) =>
    Math.cos(2 * Math.PI * (fx * (i % size) + fy * Math.floor(i / size))),
  );

describe("what a spectrum says of an atom", () => {
  it.each([
    { fx: 4, fy: 0, angle: 90 },
    { fx: 0, fy: 4, angle: 0 },
    { fx: 4, fy: 4, angle: 45 }, // crests run up to the right: y grows downwards
    { fx: 4, fy: -4, angle: 135 },
  ])("is the frequency and the direction of a wave ($fx, $fy)", ({ fx, fy, angle }) => {
    const { frequency, orientation } = spectrumMeasures(spectrumOf(waveAt(32, fx / 32, fy / 32), 32, 32));
    expect(frequency).toBeCloseTo(Math.hypot(fx, fy) / 32, 6);
    expect(orientation).toBeCloseTo(angle, 6);
  });

  it("is nothing of a constant, and no direction of a spike", () => {
    const nothing = { frequency: 0, orientation: undefined };
    expect(spectrumMeasures(spectrumOf(new Float32Array(64).fill(3), 8, 8))).toEqual(nothing);
    expect(spectrumMeasures(spectrumOf(new Float32Array(64), 8, 8))).toEqual(nothing);
    const spike = Float32Array.from({ length: 64 }, (_, i) => (i === 27 ? 1 : 0));
    expect(spectrumMeasures(spectrumOf(spike, 8, 8)).orientation).toBeUndefined();
  });
});

const chromium = requireChromium();

describe.skipIf(chromium.path === undefined)(`the view Explore${chromium.note}`, () => {
  let browser: Browser;
  let site: StudioSite;
  let kernels: Kernels;
  let studio: StudioPage;
  let page: Page;
  let model: Model;
  let atoms: DenseMatrix;
  const [count, k] = [16, 5];
  beforeAll(async () => {
    ({ kernels } = await chooseKernels("cpu"));
    model = await mixedModel("odct:2", [8, 8], count, k, kernels);
    atoms = await model.atoms(kernels);
    site = await serveStudio();
    browser = await launchChromium(chromium.path!, "none");
    studio = await openStudio(browser, `${site.url()}#/explore?sort=entropy&atom=5&size=60&terms=0`);
    page = studio.page;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await kernels?.close();
  });

  /** Bring a dictionary and wait until its atoms are shown. */
  async function bring(name: string, one: Model): Promise<void> {
    await bringModel(page, name, one);
    await page.locator(".explore-tools option", { hasText: name }).waitFor({ state: "attached" });
    await ready(one.A.cols);
  }
  const ready = (atoms: number) => page.locator(`.gallery-mark[aria-setsize="${atoms}"]`).waitFor();
  const selected = () => page.locator(".gallery").getAttribute("aria-activedescendant");
  const closeUpOf = (atom: number) =>
    page.getByRole("heading", { level: 2, name: new RegExp(`^Atom ${atom + 1} of`) }).waitFor();
  const terms = () => page.getByLabel("Terms added up");

  /** All atoms as they are sorted, by walking from the first to the last with the keyboard. */
  async function shownOrder(): Promise<number[]> {
    await page.locator(".gallery").press("Home");
    return page.evaluate(async (count) => {
      const gallery = document.querySelector(".gallery")!;
      const order: number[] = [];
      for (let i = 0; i < count; i++) {
        await new Promise((resolve) => setTimeout(resolve)); // the page has changed
        order.push(Number(gallery.getAttribute("aria-activedescendant")!.slice("atom-".length)) - 1);
        gallery.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      }
      return order;
    }, count);
  }
  const sortBy = async (order: string) => {
    await page.getByLabel("Sort by").selectOption(order);
    await page.evaluate(async () => {
      // until the page has drawn the choice, and asked for the order: only then is its status that of the new order
      for (let frame = 0; frame < 4; frame++)
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    });
    await expect.poll(() => page.locator(".explore-tools [role=status]").innerText()).toBe("");
  };

  it("restores the order, the atom, the size and the number of terms from the address", async () => {
    await page.locator("#atom-5").waitFor();
    await expect.poll(() => page.getByLabel("Sort by").inputValue()).toBe("entropy");
    await closeUpOf(4);
    await expect.poll(() => terms().inputValue()).toBe("0");
    await page.getByText("100.0 %").waitFor();
    const { width } = (await page.locator(".gallery-mark").boundingBox())!;
    expect(width).toBeGreaterThanOrEqual(60);
    expect(width).toBeLessThan(75);
  });

  it("sorts as Node does, by all orders", async () => {
    await bring("mixed.npz", model);
    const { uses } = model;
    const numbers = Array.from({ length: count }, (_, j) => j);
    const by = (keys: readonly number[]) => numbers.toSorted((a, b) => keys[a] - keys[b]);
    const measures = numbers.map((j) => spectrumMeasures(spectrumOf(atoms.column(j), 8, 8)));
    const expected = {
      use: orderAtoms(atoms, "use", { uses: uses! }),
      entropy: orderAtoms(atoms, "entropy"),
      variance: orderAtoms(atoms, "variance"),
      frequency: by(measures.map(({ frequency }) => frequency)),
      orientation: by(measures.map(({ orientation }) => orientation ?? 1000)),
    };
    for (const [order, list] of Object.entries(expected)) {
      await sortBy(order);
      await expect.poll(shownOrder, { message: order }).toEqual(list);
    }
    await page.locator(".gallery").press("Home");
    await sortBy("own");
    await page.locator(".gallery").press("Home");
    await sortBy("similarity");
    await expect.poll(shownOrder).toEqual(by(correlationsWith(0).map((value) => -Math.abs(value))));
    await expect
      .poll(() => page.getByLabel("Sort by").locator("option:checked").innerText())
      .toBe("similarity to atom 1");
  });

  const correlationsWith = (atom: number) =>
    Array.from({ length: count }, (_, j) =>
      atoms.column(j).reduce((sum, value, i) => sum + value * atoms.column(atom)[i], 0),
    );

  it("is worked by keys alone, and says what is selected", async () => {
    await sortBy("own");
    const gallery = page.locator(".gallery");
    await gallery.press("End");
    await expect.poll(() => selected()).toBe(`atom-${count}`);
    await gallery.press("Home");
    await expect.poll(() => selected()).toBe("atom-1");
    await gallery.press("ArrowRight");
    await expect
      .poll(async () => page.locator(`#${await selected()}`).getAttribute("aria-label"))
      .toBe(`atom 2 of ${count}, used ${model.uses![1].toLocaleString("en-US")} times`);
    await gallery.press("ArrowLeft");
    await expect
      .poll(() => page.locator("#atom-1").getAttribute("aria-label"))
      .toBe(`atom 1 of ${count}, never used`);
    const { width } = (await page.locator(".gallery-mark").boundingBox())!;
    for (const key of ["+", "+", "+"]) await gallery.press(key);
    expect((await page.locator(".gallery-mark").boundingBox())!.width).toBeGreaterThan(1.4 * width);
    const columns = await page.evaluate(() => {
      const [sheet, tile] = [".gallery-sheet", ".gallery-mark"].map((name) => document.querySelector(name)!);
      return Math.floor((sheet.clientWidth + 4) / (tile.clientWidth + 4));
    });
    await gallery.press("ArrowDown");
    await expect.poll(() => selected()).toBe(`atom-${columns + 1}`);
    await closeUpOf(columns);
    await gallery.press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("close-up");
    await expect.poll(() => new URL(page.url()).hash).toMatch(/size=\d+.*atom=\d+/);
  });

  it("has no serious findings of axe with an atom up close", async () => {
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("adds up base atoms to the atom", async () => {
    await page.locator(".gallery").press("Home");
    await closeUpOf(0);
    await terms().press("Home");
    const base = await new Model(model.base, SparseColumns.identity(model.A.rows, 1), meta).atoms(kernels);
    const entries = Array.from({ length: k }, (_, s) => [model.A.indices[s], model.A.values[s]] as const);
    entries.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    const sum = new Float64Array(64);
    for (let t = 0; t <= k; t++) {
      const error = Math.hypot(...sum.map((value, i) => value - atoms.column(0)[i])); // atoms have unit norm
      await expect.poll(() => terms().inputValue()).toBe(String(t));
      const shown = page.locator("[data-error]");
      expect(Number(await shown.getAttribute("data-error"))).toBeCloseTo(error, 5);
      await expect.poll(() => shown.innerText()).toBe(`${(100 * error).toFixed(error < 0.1 ? 2 : 1)} %`);
      if (t === k) break;
      const [row, value] = entries[t];
      for (let i = 0; i < 64; i++) sum[i] += value * base.column(row)[i];
      await terms().press("ArrowRight");
    }
    expect(Number(await page.locator("[data-error]").getAttribute("data-error"))).toBeLessThan(1e-6);
    const tiles = page.getByRole("list", { name: "Base atoms, largest coefficient first" });
    await expect
      .poll(() => tiles.locator("span").allInnerTexts())
      .toEqual(entries.map(([, value]) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`));
  });

  it("names the neighbours with their correlations, and goes there", async () => {
    const found = correlationsWith(0);
    const nearest = Array.from({ length: count - 1 }, (_, j) => j + 1)
      .sort((a, b) => Math.abs(found[b]) - Math.abs(found[a]))
      .slice(0, 12);
    const buttons = page.getByRole("list", { name: "Neighbours by correlation" }).getByRole("button");
    const shown = await buttons.evaluateAll((all) =>
      all.map(
        (button) =>
          [(button as HTMLElement).title, Number((button as HTMLElement).dataset.correlation)] as const,
      ),
    );
    expect(shown.map(([title]) => title)).toEqual(nearest.map((atom) => `Go to atom ${atom + 1}`));
    shown.forEach(([, value], i) => {
      expect(value).toBeCloseTo(found[nearest[i]], 5);
    });
    await buttons.first().click();
    await closeUpOf(nearest[0]);
    await expect.poll(() => selected()).toBe(`atom-${nearest[0] + 1}`);
  });

  it("finds an atom in a picture as often as the library codes it, and keeps the codes", async () => {
    const [{ data }] = syntheticPictures(3, 1, 256);
    const grey = { name: "", shape: [256, 256], data: data.map((v) => Math.min(255, Math.max(0, v))) };
    const { codes } = await encodeSignals(model, [grey], { stride: [4, 4], kernels });
    const usesOf = (atom: number) => {
      let uses = 0;
      codes.X.indices.forEach((row, s) => {
        if (row === atom && codes.X.values[s] !== 0) uses++;
      });
      return uses;
    };
    const words = (atom: number) =>
      new RegExp(`^${usesOf(atom).toLocaleString("en-US")} of 3,969 windows use it`);
    await page.getByRole("button", { name: "Find it" }).click();
    await page
      .locator(".places figcaption", { hasText: words(Number((await selected())!.slice(5)) - 1) })
      .waitFor();
    await page.locator(".gallery").press("End");
    await page.locator(".places figcaption", { hasText: words(count - 1) }).waitFor();
    await expect.poll(() => page.locator(".heat canvas").evaluate(shadesOf)).toBeGreaterThan(50);
  });

  it("saves the gallery as it is sorted", async () => {
    await sortBy("variance");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save PNG" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("mixed-atoms.png");
    const order = orderAtoms(atoms, "variance");
    const expected = encodePng(atomGallery(atoms, [8, 8], { order }));
    expect(Buffer.compare(readFileSync(await download.path()), expected)).toBe(0);
  });

  it("shows families, and that an explicit dictionary has no column of A", async () => {
    const one = blobs();
    const [family] = atomFamilies(await one.atoms(kernels), [16, 16]);
    await bring("blobs.npz", one);
    await page.getByText("There is no column of A to show.").waitFor();
    await page.getByRole("button", { name: "Families" }).click();
    const first = page.getByRole("listitem", { name: "Family 1", exact: true });
    await first.waitFor();
    const shown = await first
      .getByRole("button")
      .evaluateAll((all) => all.map((button) => Number((button as HTMLElement).dataset.atom)));
    expect(shown).toEqual(family.map(({ atom }) => atom));
    await first.getByRole("button").nth(1).click();
    await closeUpOf(shown[1]);
    await page.getByRole("button", { name: "Families" }).click();
  });

  it("draws traces, slices and colours, and the smallest dictionaries there are", async () => {
    await page.goto(`${site.url()}#/explore?size=60`);
    await bring("line.npz", await mixedModel("odct:2", [32], 20, 3, kernels));
    await expect
      .poll(() => page.locator(".gallery-layer canvas").first().evaluate(shadesOf))
      .toBeGreaterThan(2);
    await expect.poll(() => page.locator(".close-up svg.trace").count()).toBeGreaterThan(3);
    await expect.poll(() => page.getByLabel("Sort by").locator("option[value=orientation]").count()).toBe(0);
    await bring("volume.npz", await mixedModel("odct:1", [4, 6, 6], 21, 3, kernels));
    await page.getByRole("slider", { name: "Slice", exact: true }).press("End");
    await page.getByLabel("Slice 4 of atom 1").waitFor();
    await bring("colour.npz", await mixedModel("odct:2,odct:2,odct:1", [6, 6, 3], 22, 3, kernels));
    await expect.poll(() => page.getByLabel("Picture of atom 1").evaluate(shadesOf)).toBeGreaterThan(5);
    for (const [name, one] of [
      ["one.npz", Model.from([[1, 2, 3, 4]], [2, 2])],
      ["sample.npz", Model.from([[1], [-1]], [1])],
    ] as const) {
      await bring(name, one);
      await closeUpOf(0);
    }
    await page.getByRole("button", { name: "Families" }).click();
    await page.getByText(/^No families/).waitFor();
    await page.getByRole("button", { name: "Families" }).click();
  });

  it("shows the one before when a dictionary is removed, and a way on when none is left", async () => {
    await page.getByText("Recorded in its file").click();
    const remove = page.getByRole("button", { name: "Remove this dictionary from the page" });
    await remove.click();
    await ready(1);
    for (let left = 1; left < 10; left++) {
      if ((await page.locator(".gallery, .lead").first().getAttribute("class")) === "lead") break;
      const name = await page.getByLabel("Dictionary").locator("option:checked").innerText();
      if ((await remove.count()) === 0 || !(await remove.isVisible()))
        await page.getByText("Recorded in its file").click();
      await remove.click();
      await expect
        .poll(() => page.locator(".explore-tools option", { hasText: name }).count(), { timeout: 20_000 })
        .toBe(0);
    }
    await page.getByText("There is no dictionary here yet.").waitFor();
    expect(studio.problems).toEqual([]);
  });
});

/** How many different pixels a canvas has. */
function shadesOf(canvas: Element): number {
  const { width, height } = canvas as HTMLCanvasElement;
  const { data } = (canvas as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, width, height);
  return new Set(new Uint32Array(data.buffer)).size;
}
