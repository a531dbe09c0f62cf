import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { moveApart } from "./chartLabels.js";
import { lineChart } from "./lineChart.js";

describe("moveApart", () => {
  it("keeps the order and a minimum distance, and does not move positions that are far enough apart", () => {
    const positions = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 12 });
    fc.assert(
      fc.property(positions, (list) => {
        const moved = moveApart(list, 10);
        const order = list.map((_, i) => i).sort((a, b) => list[a] - list[b] || a - b);
        order.slice(1).forEach((i, j) => expect(moved[i] - moved[order[j]]).toBeGreaterThanOrEqual(10));
        moved.forEach((position, i) => expect(position).toBeGreaterThanOrEqual(list[i]));
        expect(moveApart(moved, 10)).toEqual(moved);
      }),
    );
  });
});

describe("a chart within a page", () => {
  const series = (label: string, ...values: number[]) => ({
    label,
    points: values.map((y, x) => ({ x, y })),
    markers: false,
  });
  const chart = (look: "page" | "paper") =>
    lineChart({
      title: "Error",
      x: { label: "examples" },
      y: { label: "RMSE" },
      series: [series("training", 3, 2, 1.01), series("test", 4, 2, 1, Number.NaN)],
      look,
    });

  it("has no background of its own, and the colour of the surrounding text", () => {
    expect(chart("page")).not.toContain('fill="white"');
    expect(chart("page")).not.toContain("#222222");
    expect(chart("page")).toMatch(/^<svg [^>]*color="currentColor"/);
    expect(chart("paper")).toContain('<rect width="640" height="420" fill="white">');
  });

  it("names each line once, to the right of the frame, without overlap", () => {
    const named = [...chart("page").matchAll(/<text x="([\d.]+)" y="([\d.]+)" dy="0.32em">(\w+)</g)];
    expect(named.map(([, , , name]) => name)).toEqual(["training", "test"]);
    const [x, y] = [1, 2].map((part) => named.map((match) => Number(match[part])));
    expect(new Set(x).size).toBe(1);
    expect(y[1] - y[0]).toBeCloseTo(15, 6);
    expect(x[0] + 8 * 7).toBeLessThan(640);
    for (const name of ["training", "test"]) expect(chart("page").split(`>${name}<`).length).toBe(2);
  });

  it("rejects an unknown look", () => {
    expect(() => chart("poster" as "page")).toThrow('lineChart: unknown look "poster"; known: paper, page');
  });
});
