/** One visual language: the studio has the colours of the report pages, and text on them can be read. */

import { expect, it } from "vitest";
import { pageStyle } from "../../src/figures/pages/pageStyle.js";
import { read } from "../sources.js";

const studioStyle = read("studio/src/style/studio.css");

/** The colours of each block of custom properties, in the order of the file. */
function palettes(css: string): Map<string, string>[] {
  return [...css.matchAll(/:root[^{]*\{([^}]*)\}/g)].map(
    ([, block]) =>
      new Map([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name, hex]) => [name, hex])),
  );
}

const [pageLight, pageDark] = palettes(pageStyle);
const [light, dark, chosenDark] = palettes(studioStyle);

it("takes the colours of the report pages, but for those of verdicts, which it does not show", () => {
  const verdicts = new Set(["holds", "fails"]);
  const shared = (palette: Map<string, string>) => [...palette].filter(([name]) => !verdicts.has(name));
  expect(shared(pageLight).length).toBeGreaterThan(5);
  expect(Object.fromEntries(light)).toMatchObject(Object.fromEntries(shared(pageLight)));
  expect(Object.fromEntries(dark)).toMatchObject(Object.fromEntries(shared(pageDark)));
});

it.each([
  ["light", pageLight],
  ["dark", pageDark],
] as const)("verdicts on report pages have a contrast of at least 4.5 : 1, %s", (_, palette) => {
  for (const text of ["holds", "fails"])
    expect(contrast(palette.get(text)!, palette.get("ground")!), text).toBeGreaterThan(4.5);
});

it("looks the same whether dark is chosen or the system's", () => {
  expect(chosenDark).toEqual(dark);
});

it.each([
  ["light", light],
  ["dark", dark],
] as const)("has a contrast of at least 4.5 : 1 for text, %s", (_, palette) => {
  const texts = ["ink", "faint", "accent", "bad", "second"];
  for (const text of texts)
    for (const ground of ["ground", "panel"])
      expect(contrast(palette.get(text)!, palette.get(ground)!), `${text} on ${ground}`).toBeGreaterThan(4.5);
  expect(contrast(palette.get("on-accent")!, palette.get("accent")!)).toBeGreaterThan(4.5);
  expect(contrast(palette.get("accent")!, palette.get("best")!)).toBeGreaterThan(4.5);
});

/** The contrast of two colours (WCAG 2.2, relative luminance). */
function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
