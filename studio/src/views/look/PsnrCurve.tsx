/** PSNR over the number of atoms per patch, one line per dictionary, with a dot at the current number. */

import { psnrOf } from "../../parts/psnrText";
import type { Looking } from "./useLook";

type Result = NonNullable<Looking["result"]>;

const width = 600;
const height = 90;
const margin = 8;

export interface PsnrCurveProps {
  readonly first: Result;
  readonly second: Result | undefined;
  readonly k: number;
}

export function PsnrCurve({ first, second, k }: PsnrCurveProps) {
  const most = Math.min(first.most, second?.most ?? Infinity);
  const curves = [first, ...(second ? [second] : [])].map((result) => valuesOf(result, most));
  const finite = curves.flat().filter((value) => value < 120);
  if (finite.length < 2) return null;
  const low = Math.min(...finite);
  const high = Math.max(...finite, low + 1);
  const x = (i: number) => margin + ((width - 2 * margin) * i) / most;
  const y = (value: number) => {
    return height - margin - ((height - 2 * margin) * (Math.min(value, high) - low)) / (high - low);
  };
  return (
    <svg class="look-curve" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <line class="now" x1={x(k)} x2={x(k)} y1="0" y2={height} />
      {curves.map((values, i) => (
        <path
          key={i === 0 ? "first" : "second"}
          class={i === 0 ? "first" : "second"}
          d={values
            .map((value, j) => `${j === 0 ? "M" : "L"}${x(j).toFixed(1)} ${y(value).toFixed(1)}`)
            .join("")}
        />
      ))}
    </svg>
  );
}

function valuesOf({ rmse, picture: { range } }: Result, most: number): number[] {
  return Array.from(rmse.subarray(0, most + 1), (error) => psnrOf(error, range[1] - range[0]));
}
