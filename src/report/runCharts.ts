/** The charts on the page of a run: error, step size, atoms, memory. */

import type { ChartPoint, ChartSeries } from "../figures/charts/chart.js";
import { lineChart } from "../figures/charts/lineChart.js";
import type { Moment, RunRecord } from "./runRecord.js";

/** Small enough to be read on a phone, where a chart is as wide as the screen. */
const size = { width: 440, height: 280 } as const;

/** Points per line: more would not show at this width. */
const mostPoints = 400;

type Place = (moment: Moment) => number;

/** The charts that have a line to show. */
export function runCharts(record: RunRecord): string[] {
  const { reports, tests } = record;
  const unit = timeUnit(record.last?.seconds ?? 0);
  const examples = { label: "examples seen", place: ({ examples: n }: Moment) => n };
  const time = { label: unit.label, place: ({ seconds }: Moment) => seconds / unit.seconds };
  const errors = (place: Place): ChartSeries[] => [
    line(reports, place, ({ rmse }) => rmse ?? Number.NaN, "training"),
    { ...line(tests, place, ({ testRmse }) => testRmse!, "test"), markers: tests.length > 1 },
  ];
  const steps = line(reports, examples.place, ({ stepSize }) => (stepSize > 0 ? stepSize : Number.NaN));
  const used = line(after(reports), examples.place, ({ atomsUsed }) => atomsUsed);
  const replaced = line(reports, examples.place, ({ replaced: count }) => count);
  const memory = line(
    reports,
    time.place,
    ({ memory: { process, device = 0 } }) => (process + device) / 2 ** 20,
  );
  return [
    ...chart("Error", examples.label, "RMSE", errors(examples.place)),
    ...chart("Error over time", time.label, "RMSE", errors(time.place)),
    ...chart("Step size", examples.label, "step size", [steps], true),
    ...chart("Atoms used per step", examples.label, "atoms", [used]),
    ...chart("Atoms replaced so far", examples.label, "atoms", [replaced]),
    ...chart("Memory", time.label, "MiB", [memory]),
  ];
}

/** Without the report before the first step. */
function after(reports: readonly Moment[]): readonly Moment[] {
  return reports.filter(({ step }) => step > 0);
}

/** A chart, or nothing while there is no line to draw. */
function chart(title: string, x: string, y: string, series: ChartSeries[], log = false): string[] {
  const drawn = series.filter(({ points }) => points.some((point) => !Number.isNaN(point.y)));
  if (!drawn.some(({ points }) => points.length > 1)) return [];
  return [lineChart({ title, x: { label: x }, y: { label: y, log }, series: drawn, ...size, look: "page" })];
}

function line(moments: readonly Moment[], x: Place, y: Place, label = ""): ChartSeries {
  const step = Math.max(1, Math.ceil(moments.length / mostPoints));
  const points: ChartPoint[] = moments
    .filter((_, i) => i % step === 0 || i === moments.length - 1)
    .map((moment) => ({ x: x(moment), y: y(moment) }));
  return { label, points, markers: false };
}

/** The unit in which a time is a number of one to three digits. */
function timeUnit(seconds: number): { readonly label: string; readonly seconds: number } {
  if (seconds >= 2 * 3600) return { label: "hours", seconds: 3600 };
  return seconds >= 120 ? { label: "minutes", seconds: 60 } : { label: "seconds", seconds: 1 };
}
