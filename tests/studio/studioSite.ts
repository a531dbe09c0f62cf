/**
 * The built studio in a real browser, for tests: served on a free port of this machine, with or without the headers that
 * let a page share memory, always with the content security policy of `trainlets studio`.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { contentPolicy, contentType, isolationHeaders } from "../../src/cli/studio/headers.js";
import { listenLocally } from "../browser/listenLocally.js";

const folder = fileURLToPath(new URL("../../dist/studio", import.meta.url));

const variants = {
  isolated: isolationHeaders,
  /** As from a host that sets no headers: one thread. */
  plain: {},
} as const satisfies Record<string, Record<string, string>>;

export type Variant = keyof typeof variants;

export interface StudioSite {
  url(variant?: Variant): string;
  close(): Promise<void>;
}

/** Serve the built studio. */
export async function serveStudio(): Promise<StudioSite> {
  const { origin, close } = await listenLocally((request, response) => {
    const [, variant = "", ...rest] = new URL(request.url!, "http://localhost").pathname.split("/");
    const name = rest.join("/") || "index.html";
    try {
      const body = readFileSync(join(folder, name));
      response.writeHead(200, {
        "Content-Type": contentType(name),
        "Content-Security-Policy": contentPolicy,
        ...variants[variant as Variant],
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return { url: (variant = "isolated") => `${origin}/${variant}/`, close };
}

/** A page of the studio, and the errors it had: of scripts, and lines of its console. */
export interface StudioPage {
  readonly page: Page;
  readonly problems: readonly string[];
}

/** Open an address of the studio, such as `${site.url()}#/explore`, in a page of its own context. */
export async function openStudio(
  browser: Browser,
  address: string,
  options: { readonly width?: number; readonly height?: number; readonly dark?: boolean } = {},
): Promise<StudioPage> {
  const { width = 1280, height = 900, dark = false } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    acceptDownloads: true,
    serviceWorkers: "block", // without headers, the page stays without isolation
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(address);
  await page.waitForSelector("main[data-view]");
  return { page, problems };
}
