/** The page of promises: every promise names tests that exist. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tableRowsOf } from "./markdown.js";

const docs = join(import.meta.dirname, "../docs");
const page = readFileSync(join(docs, "promises.md"), "utf8");
const rows = tableRowsOf(page).filter(([promise]) => promise !== "promise");
const links = /\[([^\]]+)\]\(([^)]+)\)/g;

/** All texts in quotes on one line of a source; titles of tests are among them. */
function textsOf(source: string): string {
  return [...source.matchAll(/(["`])((?:(?!\1).)*)\1/g)].map(([, , text]) => text).join("\n");
}

describe("every promise is checked", () => {
  it.each(rows)("%s", (_, tests) => {
    const found = [...tests.matchAll(links)];
    expect(found).not.toEqual([]);
    for (const [, title, path] of found) {
      const file = join(docs, path);
      expect(existsSync(file), path).toBe(true);
      expect(textsOf(readFileSync(file, "utf8")), `a test "${title}" in ${path}`).toContain(title);
    }
  });
});
