/** M-term curves as a chart, as in figures 4, 8 and 11 of the paper. */

import { lineChart } from "./lineChart.js";

/** PSNR in dB of approximations with 0, 1, … terms. */
interface NamedCurve {
  readonly label: string;
  readonly psnr: readonly number[];
}

/**
 * The chart, as SVG. The legend has the order of the curves at the largest M, the best first. With the `samples` of a
 * patch, M is shown as the percentage of coefficients kept.
 */
export function mTermChart(
  title: string,
  curves: readonly NamedCurve[],
  { samples }: { readonly samples?: number } = {},
): string {
  const place = (M: number) => (samples === undefined ? M : (100 * M) / samples);
  const last = ({ psnr }: NamedCurve) => psnr.at(-1)!;
  return lineChart({
    title,
    x: { label: samples === undefined ? "M: atoms or coefficients per patch" : "coefficients kept (%)" },
    y: { label: "PSNR (dB)" },
    series: [...curves]
      .sort((a, b) => (last(a) === last(b) ? 0 : last(b) - last(a)))
      .map(({ label, psnr }) => ({
        label,
        points: psnr.map((y, M) => ({ x: place(M), y })).filter(isShown),
      })),
  });
}

/** Leave out M = 0 (the mean alone, far below the rest) and the infinite PSNR of an exact approximation. */
function isShown({ x, y }: { readonly x: number; readonly y: number }): boolean {
  return x > 0 && Number.isFinite(y);
}
