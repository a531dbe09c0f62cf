/** M-term curves as a chart and as numbers, as in figures 4, 8 and 11 of the paper. */

import { csvText } from "../csv.js";
import { lineChart } from "./lineChart.js";

/** PSNR in dB of approximations with 0, 1, … terms. */
interface NamedCurve {
  readonly label: string;
  readonly psnr: readonly number[];
}

/** The chart: SVG. The legend names the best at the largest M first, as the curves lie. */
export function mTermChart(title: string, curves: readonly NamedCurve[]): string {
  const last = ({ psnr }: NamedCurve) => psnr.at(-1)!;
  return lineChart({
    title,
    x: { label: "M: atoms or coefficients of a patch" },
    y: { label: "PSNR (dB)" },
    series: [...curves]
      .sort((a, b) => (last(a) === last(b) ? 0 : last(b) - last(a)))
      .map(({ label, psnr }) => ({ label, points: psnr.map((y, x) => ({ x, y })).filter(isShown) })),
  });
}

/** M = 0 is the mean alone, far below all else; a PSNR without error has no place. */
function isShown({ x, y }: { readonly x: number; readonly y: number }): boolean {
  return x > 0 && Number.isFinite(y);
}

/** The curves as comma-separated values, one line per M. */
export function mTermCsv(curves: readonly NamedCurve[]): string {
  const header = ["M", ...curves.map(({ label }) => label)];
  const rows = curves[0].psnr.map((_, M) => [M, ...curves.map(({ psnr }) => psnr[M].toFixed(4))]);
  return csvText(header, rows);
}
