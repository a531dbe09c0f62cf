/** What the numbers do: the errors, the step size, and facts of the run. */

import { useId } from "preact/hooks";
import { reasonsOf } from "../../app/device";
import type { CurvePoint } from "./curve";
import { curves, plan, progress } from "./session";
import { count, duration, sentence, short } from "./words";

export function CurvesPanel() {
  const { train, test, steps } = curves.value;
  return (
    <section class="curves" aria-label="Progress">
      <Facts />
      <Chart
        title="Error per sample"
        lines={[
          { name: "patches learned from", points: train, kind: "faint" },
          { name: "test patches", points: test, kind: "main" },
        ]}
      />
      {steps.length > 0 && (
        <Chart title="Step size η" lines={[{ name: "step size", points: steps, kind: "second" }]} isLow />
      )}
      <Device />
    </section>
  );
}

function Facts() {
  const { seconds, rate, atomsUsed, examples } = progress.value;
  const { test } = curves.value;
  const last = test[test.length - 1];
  const first = test[0];
  const atoms = plan.value?.atoms;
  return (
    <dl class="facts">
      <div>
        <dt>Test error</dt>
        <dd>
          {last ? short(last.y) : "–"}
          {first && last && last !== first && <small> from {short(first.y)}</small>}
        </dd>
      </div>
      <div>
        <dt>Patches per second</dt>
        <dd>{examples > 0 ? count(rate) : "–"}</dd>
      </div>
      <div>
        <dt>Atoms used</dt>
        <dd>
          {examples > 0 ? count(atomsUsed) : "–"}
          {atoms !== undefined && <small> of {count(atoms)}</small>}
        </dd>
      </div>
      <div>
        <dt>Time</dt>
        <dd>{duration(seconds)}</dd>
      </div>
    </dl>
  );
}

function Device() {
  const current = plan.value;
  if (!current) return null;
  const reasons = reasonsOf(current.device).map((reason) => ` ${sentence(reason)}`);
  return (
    <div class="computes">
      <p class="help">
        Computes on <strong>{current.device.description}</strong>.{reasons}
      </p>
      {current.warnings.map((line) => (
        <p class="help" key={line}>
          Note: {line}.
        </p>
      ))}
    </div>
  );
}

interface Line {
  readonly name: string;
  readonly points: readonly CurvePoint[];
  readonly kind: "main" | "faint" | "second";
}

const size = { width: 320, left: 40, right: 6, top: 8, bottom: 20 } as const;

/** Patches that the axis shows at least. */
const least = 2000;

/** A small line chart that is drawn several times a second. */
function Chart({ title, lines, isLow = false }: { title: string; lines: readonly Line[]; isLow?: boolean }) {
  const clip = useId();
  const height = isLow ? 96 : 150;
  const all = lines.flatMap(({ points }) => points);
  const right = Math.max(least, ...lines.map(({ points }) => points[points.length - 1]?.x ?? 0));
  const { low, high, ticks } = rangeOf(all.map(({ y }) => y));
  const x = (value: number): number => size.left + ((size.width - size.left - size.right) * value) / right;
  const y = (value: number): number =>
    size.top + ((height - size.top - size.bottom) * (high - value)) / (high - low);
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        {lines.length > 1 &&
          lines.map(({ name, kind }) => (
            <span key={name} class={`key ${kind}`}>
              {name}
            </span>
          ))}
      </figcaption>
      <svg viewBox={`0 0 ${size.width} ${height}`} role="img" aria-label={describe(title, lines)}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={size.left} x2={size.width - size.right} y1={y(tick)} y2={y(tick)} class="grid" />
            <text x={size.left - 6} y={y(tick) + 4} text-anchor="end">
              {Number(tick.toPrecision(3))}
            </text>
          </g>
        ))}
        <text x={size.left} y={height - 4}>
          0
        </text>
        <text x={size.width - size.right} y={height - 4} text-anchor="end">
          {count(right)} patches
        </text>
        <clipPath id={clip}>
          <rect x={size.left} y="0" width={size.width - size.left} height={height - size.bottom + 2} />
        </clipPath>
        {lines.map(({ name, points, kind }) => (
          <path
            clip-path={`url(#${clip})`}
            key={name}
            class={kind}
            d={points.map((p, i) => `${i ? "L" : "M"}${x(p.x).toFixed(1)} ${y(p.y).toFixed(1)}`).join("")}
          />
        ))}
      </svg>
    </figure>
  );
}

function describe(title: string, lines: readonly Line[]): string {
  const ends = lines
    .filter(({ points }) => points.length > 0)
    .map(({ name, points }) => `${name} from ${short(points[0].y)} to ${short(points[points.length - 1].y)}`);
  return `${title}: ${ends.join("; ") || "nothing yet"}`;
}

/** A range around the values, without the largest few that would flatten the rest, and round ticks in it. */
function rangeOf(values: readonly number[]): { low: number; high: number; ticks: readonly number[] } {
  const sorted = [...values].sort((a, b) => a - b);
  const least = sorted[0] ?? 0;
  const most = sorted[Math.floor(0.99 * (sorted.length - 1))] ?? 1;
  const spread = most - least || Math.abs(most) || 1;
  const low = least - 0.06 * spread;
  const high = most + 0.06 * spread;
  const unit = 10 ** Math.floor(Math.log10(spread / 2));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((one) => spread / one <= 4) ?? spread;
  const first = Math.ceil(low / step);
  const ticks = Array.from(
    { length: Math.max(0, Math.floor(high / step) - first + 1) },
    (_, i) => (first + i) * step,
  );
  return { low, high, ticks };
}
