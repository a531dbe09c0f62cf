import { expect, test } from "vitest";
import { seriesStyle } from "../../figures/charts/chartSeries.js";
import { mTermChart } from "../../figures/charts/mTermChart.js";
import { universal32, universal64 } from "../fig09-to-11-universal/settings.js";
import { learnerStyle, withLooks } from "./curveLooks.js";
import { trainletsLabel } from "./mTermComparison.js";

const curves = (...labels: string[]) => labels.map((label) => ({ label, psnr: [10, 20, 21] }));

test("OSDL looks the same wherever it is, by its label and by its learner", () => {
  const [first] = withLooks(curves(trainletsLabel));
  const last = withLooks(curves("wavelets", "ODL", trainletsLabel))[2];
  expect(first).toEqual(last);
  expect(first.style).toBe(learnerStyle("osdl"));
});

test("a dictionary that was continued looks like the one it continues, dashed", () => {
  for (const { label, after } of universal64.learned.filter((dictionary) => dictionary.after !== undefined)) {
    const before = universal64.learned.find(({ id }) => id === after)!;
    const [look, own] = withLooks(curves(label, before.label));
    expect([look.style, look.dashed]).toEqual([own.style, true]);
  }
});

test("a dictionary that is not known keeps the look of its place", () => {
  expect(withLooks(curves("mine.npz"))).toEqual(curves("mine.npz"));
});

test.each([universal32, universal64])(
  "all curves of $name look different, in grey print as well",
  (settings) => {
    const labels = [...settings.dictionaries, ...settings.learned].map(({ label }) => label);
    const looks = withLooks(curves(...labels)).map((curve, i) => seriesStyle({ ...curve, points: [] }, i));
    expect(new Set(looks.map(({ symbol, dashes }) => `${symbol} ${dashes}`)).size).toBe(labels.length);
    expect(new Set(looks.map(({ color, dashes }) => `${color} ${dashes}`)).size).toBe(labels.length);
  },
);

test("an M-term chart names its curves in the order of the table", () => {
  const labels = ["wavelets", "cropped wavelets", trainletsLabel];
  const chart = mTermChart("Title", withLooks(curves(...labels)));
  const places = labels.map((label) => chart.indexOf(`>${label}<`));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(Math.min(...places)).toBeGreaterThan(0);
});
