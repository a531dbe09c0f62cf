import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { version } from "./version.js";

test("is the version of package.json", () => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(version).toBe(JSON.parse(text).version);
});
