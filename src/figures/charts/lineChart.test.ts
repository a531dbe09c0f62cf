import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { ChartSeries } from "./chart.js";
import { shortNumber } from "./chartAxes.js";
import { markedPoints, seriesStyle } from "./chartSeries.js";
import { type LineChartOptions, lineChart } from "./lineChart.js";

const series = (label: string, ...values: number[]): ChartSeries => ({
  label,
  points: values.map((y, i) => ({ x: i + 1, y })),
});

const chart = (...all: ChartSeries[]): LineChartOptions => ({
  title: "A title",
  x: { label: "examples" },
  y: { label: "RMSE" },
  series: all,
});

/** The path of each line of the series, which come after those of the legend. */
const pathsOf = (svg: string, count: number): string[] =>
  [...svg.matchAll(/<g aria-label="line"[^>]*><path d="([^"]*)"/g)].map(([, d]) => d).slice(-count);

/** All font sizes in the chart. */
const fontSizesOf = (svg: string): number[] =>
  [...svg.matchAll(/<g[^>]* font-size="([\d.]+)"[^>]*><text/g)].map(([, size]) => Number(size));

/** Four channels per pixel: red, green, blue, alpha. */
async function render(svg: string): Promise<{ width: number; height: number; data: Buffer }> {
  const { data, info } = await sharp(Buffer.from(svg))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

describe("lineChart", () => {
  it("is an SVG file of the given size that other programs render, opaque and white", async () => {
    const svg = lineChart({ ...chart(series("a", 1, 2, 3)), width: 500, height: 300 });
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    const { width, height, data } = await render(svg);
    expect([width, height]).toEqual([500, 300]);
    expect([...data.subarray(0, 3)]).toEqual([255, 255, 255]);
    expect(data.every((value, i) => i % 4 !== 3 || value === 255)).toBe(true);
    expect(new Set(data).size).toBeGreaterThan(10);
  });

  it("shows its title, labels and series, in text of 11 pixels or more", () => {
    const svg = lineChart(chart(series("first", 1, 2), series("second", 2, 1)));
    for (const text of ["A title", "examples", "RMSE", "first", "second"]) expect(svg).toContain(`>${text}<`);
    expect(svg).toContain('role="img"');
    expect(svg).toContain('aria-label="A title"');
    expect(fontSizesOf(svg).length).toBeGreaterThanOrEqual(6);
    expect(Math.min(...fontSizesOf(svg))).toBeGreaterThanOrEqual(11);
  });

  it("escapes all text", () => {
    const hostile = "</text><script>&";
    const svg = lineChart({
      title: hostile,
      x: { label: hostile },
      y: { label: hostile },
      series: [series(hostile, 1, 2)],
    });
    expect(svg).not.toContain("<script");
    expect(svg.split("&lt;script&gt;&amp;").length - 1).toBeGreaterThanOrEqual(5);
  });

  it("draws the same text every time", () => {
    expect(lineChart(chart(series("a", 1, 2)))).toBe(lineChart(chart(series("a", 1, 2))));
  });

  it("leaves a gap at a value that is not a number", () => {
    const [whole, gap] = pathsOf(
      lineChart(chart(series("a", 1, 2, 3, 4, 5), series("b", 1, 2, NaN, 4, 5))),
      2,
    );
    expect(whole.match(/M/g)).toHaveLength(1);
    expect(gap.match(/M/g)).toHaveLength(2);
    expect(lineChart(chart(series("b", 1, 2, NaN, 4)))).not.toContain("NaN");
  });

  it("draws a single point, on linear and logarithmic axes", async () => {
    for (const log of [false, true]) {
      const svg = lineChart({ ...chart(series("", 5)), x: { label: "x", log }, y: { label: "y", log } });
      const { width, data } = await render(svg);
      const middle = data.indexOf(Buffer.from([0x00, 0x72, 0xb2])); // the first colour
      expect(middle).toBeGreaterThan(0);
      expect(Math.abs(((middle / 4) % width) - width / 2)).toBeLessThan(40);
      expect(svg).not.toMatch(/NaN|Infinity/);
    }
  });

  it("draws equal values, zeros, and an empty series next to others", () => {
    for (const values of [
      [3, 3, 3],
      [0, 0],
      [-1, -1],
    ]) {
      expect(lineChart(chart(series("a", ...values), series("none")))).not.toMatch(/NaN|Infinity/);
    }
  });

  it("spaces decades evenly on a logarithmic axis", () => {
    const [path] = pathsOf(
      lineChart({ ...chart(series("a", 1, 10, 100, 1000)), y: { label: "y", log: true } }),
      1,
    );
    const heights = [...path.matchAll(/[ML][\d.]+,([\d.]+)/g)].map(([, y]) => Number(y));
    const steps = heights.slice(1).map((y, i) => heights[i] - y);
    for (const step of steps) expect(step).toBeCloseTo(steps[0], 1);
    expect(steps[0]).toBeGreaterThan(50);
  });

  it("covers the range of an axis besides what is drawn, so that charts can be compared", () => {
    const ticksOf = (svg: string) =>
      [...svg.matchAll(/aria-label="y-axis tick label".*?<\/g>/g)].flatMap(([group]) =>
        [...group.matchAll(/>(−?[\d.]+)</g)].map(([, tick]) => Number(tick.replace("−", "-"))),
      );
    const with2 = (range?: [number, number]) =>
      ticksOf(lineChart({ ...chart(series("a", 1, 2)), y: { label: "y", ...(range && { range }) } }));
    expect([Math.min(...with2()), Math.max(...with2())]).toEqual([1, 2]);
    expect([Math.min(...with2([-4, 1.5])), Math.max(...with2([-4, 1.5]))]).toEqual([-4, 2]);
  });

  it("leaves its legend out on request", () => {
    const both = chart(series("first", 1, 2), series("second", 2, 1));
    expect(lineChart({ ...both, legend: false })).not.toContain(">first<");
  });

  it("breaks long titles into lines", () => {
    const words = Array.from({ length: 30 }, (_, i) => `word${i}`);
    const svg = lineChart({ ...chart(series("a", 1, 2)), title: words.join(" ") });
    const lines = [...svg.matchAll(/<tspan[^>]*>([^<]*)<\/tspan>/g)].map(([, line]) => line);
    expect(lines.join(" ")).toBe(words.join(" "));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(85);
  });

  it("rejects what it cannot draw", () => {
    const refusal = (options: Partial<LineChartOptions>) => () =>
      lineChart({ ...chart(series("a", 1, 2)), ...options });
    expect(refusal({ series: [] })).toThrow("lineChart: series must hold at least one point to draw, got []");
    expect(refusal({ series: [series("a", NaN)] })).toThrow("must hold at least one point to draw");
    expect(refusal({ series: [series("a", 1, 0)], y: { label: "y", log: true } })).toThrow(
      'lineChart: y of point 1 of "a" must be positive, for a logarithmic axis, got 0',
    );
    expect(refusal({ series: [series("a", Infinity)] })).toThrow(
      'lineChart: y of point 0 of "a" must be finite, got Infinity',
    );
    expect(refusal({ series: [{ label: "a", points: [{ x: NaN, y: 1 }] }] })).toThrow(
      'lineChart: x of point 0 of "a" must be finite, got NaN',
    );
    expect(refusal({ y: { label: "y", log: true, range: [0, 1] } })).toThrow(
      "lineChart: range of y must be positive, for a logarithmic axis, got 0",
    );
    expect(refusal({ series: [{ ...series("a", 1), style: -1 }] })).toThrow(
      "lineChart: series: style must be an integer of at least 0, got -1",
    );
    expect(refusal({ width: 100 })).toThrow("lineChart: width must be an integer of at least 240, got 100");
    expect(refusal({ height: 50 })).toThrow(/^lineChart: height must be an integer of at least \d+, got 50$/);
  });
});

describe("seriesStyle", () => {
  const allStyles = (all: ChartSeries[]) => all.map(seriesStyle);

  it("distinguishes seven series with markers by colour and by symbol, and more by dashes as well", () => {
    const looks = allStyles(Array.from({ length: 12 }, () => series("a", 1)));
    expect(new Set(looks.slice(0, 7).map(({ color }) => color)).size).toBe(7);
    expect(new Set(looks.slice(0, 7).map(({ symbol }) => symbol)).size).toBe(7);
    expect(new Set(looks.map(({ symbol, dashes }) => symbol + dashes)).size).toBe(12);
  });

  it("distinguishes series without markers by dashes", () => {
    const looks = allStyles(Array.from({ length: 5 }, () => ({ ...series("a", 1), markers: false })));
    expect(new Set(looks.map(({ dashes }) => dashes)).size).toBe(5);
  });

  it("gives a series the style that it asks for, at any place", () => {
    const asked = { ...series("a", 1), style: 2 };
    expect(seriesStyle(asked, 0)).toEqual(seriesStyle(series("a", 1), 2));
    expect(seriesStyle(asked, 5)).toEqual(seriesStyle(asked, 0));
  });

  it("dashes a line on request", () => {
    expect(seriesStyle({ ...series("a", 1), dashed: true }, 0).dashes).not.toBe("");
    expect(seriesStyle({ ...series("a", 1), dashed: false, markers: false }, 3).dashes).toBe("");
  });
});

describe("markedPoints", () => {
  const along = ({ x }: { readonly x: number }) => x;

  it("marks all points of a short line, and some of a long one, including both ends", () => {
    const short = series("a", 3, 1, 2);
    const long = series("a", ...Array.from({ length: 1000 }, (_, i) => i));
    expect(markedPoints(short, along)).toEqual(short.points);
    const marked = markedPoints(long, along);
    expect(marked).toHaveLength(10);
    expect([marked[0], marked.at(-1)]).toEqual([long.points[0], long.points.at(-1)]);
  });

  it("moves the markers of long lines apart by their phases", () => {
    const long = series("a", ...Array.from({ length: 1000 }, (_, i) => i));
    const places = [0, 0.25, 0.5, 0.75].flatMap((phase) => markedPoints(long, along, phase).map(along));
    expect(places.length).toBeGreaterThan(30);
    const sorted = [...places].sort((a, b) => a - b);
    const distances = sorted.slice(1).map((x, i) => x - sorted[i]);
    expect(Math.min(...distances)).toBeGreaterThan(20);
  });

  it("marks points that no line reaches even in a series without markers", () => {
    const lone = { ...series("a", 1, 2, NaN, 4, NaN, 6, 7), markers: false };
    expect(markedPoints(lone, along)).toEqual([{ x: 4, y: 4 }]);
  });
});

it("shortNumber abbreviates large and small numbers", () => {
  const texts = [0, 0.5, -0.5, 200, 20000, -1.5e6, 0.1 + 0.2, 2e-5, 3e20].map(shortNumber);
  expect(texts).toEqual(["0", "0.5", "−0.5", "200", "20k", "−1.5M", "0.3", "2e−5", "3e20"]);
});
