import { describe, expect, it } from "vitest";
import type { ChartSeries } from "./chart.js";
import { type ChartPanel, chartPanels, withSameHeights } from "./chartPanels.js";

const series = (label: string, ...values: number[]): ChartSeries => ({
  label,
  points: values.map((y, i) => ({ x: i + 1, y })),
});

const panel = (title: string, ...all: ChartSeries[]): ChartPanel => ({
  ...{ title, x: { label: "x" }, y: { label: "y" } },
  series: all,
});

/** The colours of the lines of each part: heading first, then the panels. */
const coloursOf = (svg: string): string[][] =>
  svg
    .split(/(?=<svg x=)/)
    .slice(1)
    .map((part) =>
      [...part.matchAll(/<g aria-label="line"[^>]* stroke="(#\w+)"/g)].map(([, color]) => color),
    );

describe("chartPanels", () => {
  const svg = chartPanels({
    ...{ title: "All <of> them", columns: 2, width: 300, height: 200 },
    panels: [
      panel("one", series("a", 1, 2), series("b", 2, 1)),
      panel("two", series("b", 2, 1), series("c", 2, 2)),
      panel("three", { ...series("a", 3, 1), dashed: true }),
    ],
  });

  it("places panels row by row below one title and one legend that names each series once", () => {
    const places = [...svg.matchAll(/<svg x="(\d+)" y="([\d.]+)"/g)].map(([, x, y]) => [
      Number(x),
      Number(y),
    ]);
    const top = places[1][1];
    expect(top).toBeGreaterThan(20);
    expect(places).toEqual([
      [0, 0],
      [0, top],
      [300, top],
      [0, top + 200],
    ]);
    expect(svg).toContain(`width="600" height="${top + 400}"`);
    expect(svg).toContain('role="img" aria-label="All &lt;of&gt; them"');
    for (const name of ["a", "b", "c", "one", "two", "three"])
      expect(svg.split(`>${name}<`), name).toHaveLength(2);
  });

  it("gives a series the same colour in the legend and in every panel", () => {
    const [[a, b, c], ...panels] = coloursOf(svg);
    expect(new Set([a, b, c]).size).toBe(3);
    expect(panels).toEqual([[a, b], [b, c], [a]]);
  });

  it("is only as wide as its panels, and rejects a sheet without any", () => {
    const one = chartPanels({ title: "t", columns: 3, panels: [panel("one", series("a", 1, 2))] });
    expect(one).toMatch(/^<svg [^>]*width="476"/);
    expect(() => chartPanels({ title: "t", columns: 2, panels: [] })).toThrow(
      "chartPanels: panels must hold at least one panel, got []",
    );
  });
});

it("withSameHeights gives all panels the range of all values that are drawn", () => {
  const panels = [panel("one", series("a", 1, NaN, 7)), panel("two", series("b", -2), series("c", 3))];
  expect(withSameHeights(panels).map(({ y }) => y)).toEqual([
    { label: "y", range: [-2, 7] },
    { label: "y", range: [-2, 7] },
  ]);
});
