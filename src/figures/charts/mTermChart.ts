/** M-term curves as a chart, as in figures 4, 8 and 11 of the paper. */

import { lineChart } from "./lineChart.js";

/** PSNR in dB of approximations with 0, 1, … terms. */
interface NamedCurve {
  readonly label: string;
  readonly psnr: readonly number[];
}

/** The chart, as SVG. The legend has the order of the curves at the largest M, the best first. */
export function mTermChart(title: string, curves: readonly NamedCurve[]): string {
  const last = ({ psnr }: NamedCurve) => psnr.at(-1)!;
  return lineChart({
    title,
    x: { label: "M: atoms or coefficients per patch" },
    y: { label: "PSNR (dB)" },
    series: [...curves]
      .sort((a, b) => (last(a) === last(b) ? 0 : last(b) - last(a)))
      .map(({ label, psnr }) => ({ label, points: psnr.map((y, x) => ({ x, y })).filter(isShown) })),
  });
}

/** Leave out M = 0 (the mean alone, far below the rest) and the infinite PSNR of an exact approximation. */
function isShown({ x, y }: { readonly x: number; readonly y: number }): boolean {
  return x > 0 && Number.isFinite(y);
}
