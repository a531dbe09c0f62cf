/** M-term curves as a chart, as in figures 4, 8 and 11 of the paper. */

import type { ChartSeries } from "./chart.js";
import { lineChart } from "./lineChart.js";

/** PSNR in dB of approximations with 0, 1, … terms. */
interface NamedCurve extends Pick<ChartSeries, "label" | "style" | "dashed"> {
  readonly psnr: readonly number[];
}

/** The chart, as SVG. With the `samples` of a patch, M is shown as the percentage of coefficients kept. */
export function mTermChart(
  title: string,
  curves: readonly NamedCurve[],
  { samples }: { readonly samples?: number } = {},
): string {
  const place = (M: number) => (samples === undefined ? M : (100 * M) / samples);
  return lineChart({
    title,
    x: { label: samples === undefined ? "M: atoms or coefficients per patch" : "coefficients kept (%)" },
    y: { label: "PSNR (dB)" },
    series: curves.map(({ label, psnr, ...look }) => ({
      label,
      ...look,
      points: psnr.map((y, M) => ({ x: place(M), y })).filter(isShown),
    })),
  });
}

/** Leave out M = 0 (the mean alone, far below the rest) and the infinite PSNR of an exact approximation. */
function isShown({ x, y }: { readonly x: number; readonly y: number }): boolean {
  return x > 0 && Number.isFinite(y);
}
