/** What axe-core, a checker of accessibility, finds on a page. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const script = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Axe {
  run(part: string): Promise<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>;
}

/** Its serious and critical findings below an element, one line each. */
export async function seriousFindings(page: Page, part = "html"): Promise<string[]> {
  await page.evaluate(script); // the policy of the page does not apply to what a test runs
  return await page.evaluate(async (selector) => {
    const { violations } = await (globalThis as never as { axe: Axe }).axe.run(selector);
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  }, part);
}
