/** The frame of the studio: views by their address, themes, files that are dropped, and what a screen reader needs. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../browser/axe.js";
import { launchChromium, requireChromium } from "../browser/chromium.js";
import { openStudio, type StudioSite, serveStudio } from "./studioSite.js";

const chromium = requireChromium();
const views = ["learn", "explore", "look", "restore", "paper"];

describe.skipIf(chromium.path === undefined)(`the studio's frame${chromium.note}`, () => {
  let browser: Browser;
  let site: StudioSite;
  beforeAll(async () => {
    site = await serveStudio();
    browser = await launchChromium(chromium.path!, "none");
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  it("says where it computes: on threads, or on one and why", async () => {
    const isolated = await openStudio(browser, site.url("isolated"));
    await isolated.page.locator(".device", { hasText: /WebAssembly SIMD, \d+ threads?/ }).waitFor();
    expect(isolated.problems).toEqual([]);
    const plain = await openStudio(browser, site.url("plain"));
    await plain.page.locator(".device", { hasText: /WebAssembly SIMD, 1 thread\b/ }).waitFor();
    expect(plain.problems).toEqual([]);
    await isolated.page.context().close();
    await plain.page.context().close();
  });

  it.each(views)(
    "shows %s by its address, without serious findings of axe, in light and dark",
    async (view) => {
      const { page, problems } = await openStudio(browser, `${site.url()}#/${view}`);
      await page.waitForSelector(`main[data-view="${view}"]`);
      await page.locator(".device", { hasText: "WebAssembly SIMD" }).waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await seriousFindings(page)).toEqual([]);
      }
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  it("refuses a broken file with the reason, and takes a picture that is chosen", async () => {
    const { page } = await openStudio(browser, site.url());
    const drop = async (name: string, type: string, bytes: number[]) => {
      const transfer = await page.evaluateHandle(
        ([name, type, bytes]) => {
          const data = new DataTransfer();
          data.items.add(
            new File([new Uint8Array(bytes as number[])], name as string, { type: type as string }),
          );
          return data;
        },
        [name, type, bytes] as const,
      );
      await page.dispatchEvent(".page", "drop", { dataTransfer: transfer });
    };
    await drop("broken.png", "image/png", [1, 2, 3]);
    await page.getByText("broken.png: the browser cannot decode it as a picture").waitFor();
    await drop("broken.npz", "", [80, 75, 3, 4, 0]);
    await page.locator(".notice.error", { hasText: "broken.npz" }).waitFor();
    await drop("empty.npy", "", []);
    await page.getByText("empty.npy: the file is empty").waitFor();
    await page.context().close();
  });
});
