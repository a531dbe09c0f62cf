/** A small line chart that is drawn again several times a second: axes with a few numbers, lines, nothing else. */

import { useId } from "preact/hooks";
import { useWidth } from "./useWidth";

export interface PlotLine {
  /** A class with a colour. */
  readonly class: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly dashed?: boolean;
  /** Mark the last point. */
  readonly dot?: boolean;
}

export interface PlotProps {
  /** What it shows, for those who cannot see it. */
  readonly label: string;
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly xLabel?: string;
  readonly yLabel?: string;
  readonly lines: readonly PlotLine[];
  /** Bands along x that stand out. */
  readonly bands?: readonly (readonly [number, number])[];
  readonly height?: number;
}

const margin = { left: 42, right: 10, top: 24, bottom: 34 };

export function Plot({ label, x, y, xLabel, yLabel, lines, bands = [], height = 240 }: PlotProps) {
  const clip = useId();
  const [frame, width] = useWidth<HTMLDivElement>(560);
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const px = (value: number) => margin.left + ((value - x[0]) / (x[1] - x[0] || 1)) * inner.width;
  const py = (value: number) => margin.top + (1 - (value - y[0]) / (y[1] - y[0] || 1)) * inner.height;
  return (
    <div ref={frame} class="plot">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        <clipPath id={clip}>
          <rect x={margin.left} y={margin.top - 4} width={inner.width + 6} height={inner.height + 8} />
        </clipPath>
        {bands.map(([from, to]) => (
          <rect
            key={from}
            class="band"
            x={px(from)}
            width={px(to) - px(from)}
            y={margin.top}
            height={inner.height}
          />
        ))}
        {ticks(y, 4).map((value) => (
          <g key={value}>
            <line class="grid" x1={margin.left} x2={width - margin.right} y1={py(value)} y2={py(value)} />
            <text class="tick" x={margin.left - 6} y={py(value) + 4} text-anchor="end">
              {tickText(value)}
            </text>
          </g>
        ))}
        {ticks(x, 6).map((value) => (
          <text key={value} class="tick" x={px(value)} y={height - margin.bottom + 15} text-anchor="middle">
            {tickText(value)}
          </text>
        ))}
        {xLabel && (
          <text class="axis" x={width - margin.right} y={height - 4} text-anchor="end">
            {xLabel}
          </text>
        )}
        {yLabel && (
          <text class="axis" x={4} y={12}>
            {yLabel}
          </text>
        )}
        <g clip-path={`url(#${clip})`}>
          {lines.map(({ class: name, points, dashed, dot }) => {
            const last = points[points.length - 1];
            return (
              <g key={name} class={name}>
                <path class={dashed ? "curve dashed" : "curve"} d={pathOf(points, px, py)} />
                {dot && last && <circle class="dot" cx={px(last[0])} cy={py(last[1])} r={3.5} />}
              </g>
            );
          })}
        </g>
      </svg>
    </div>
  );
}

/** The path of a line; points that are not finite leave a gap. */
export function pathOf(
  points: readonly (readonly [number, number])[],
  px: (x: number) => number,
  py: (y: number) => number,
): string {
  let path = "";
  let pen = "M";
  for (const [x, y] of points) {
    if (Number.isFinite(x) && Number.isFinite(y)) {
      path += `${pen}${px(x).toFixed(1)} ${py(y).toFixed(1)}`;
      pen = "L";
    } else pen = "M";
  }
  return path;
}

/** About `count` round numbers in a range. */
function ticks([from, to]: readonly [number, number], count: number): number[] {
  const rough = (to - from) / count;
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

function tickText(value: number): string {
  return String(Number(value.toPrecision(3))).replace("-", "−");
}
