/** A signal whose two ends can be moved up and down, with the pointer or the arrow keys. */

import { pathOf } from "./Plot";
import { useWidth } from "./useWidth";

export interface SignalEditorProps {
  readonly signal: ArrayLike<number>;
  /** The values of its ends, which may be newer than the signal. */
  readonly ends: { readonly left: number; readonly right: number };
  /** Samples at each end that count as the border. */
  readonly border: number;
  readonly onMove: (end: "left" | "right", value: number) => void;
}

const height = 230;
const pad = 26;
/** The values of the ends stay within. */
const highest = 1.5;
const view = 1.7;
const keys: Readonly<Record<string, number>> = {
  ArrowUp: 0.05,
  ArrowRight: 0.05,
  ArrowDown: -0.05,
  ArrowLeft: -0.05,
  PageUp: 0.5,
  PageDown: -0.5,
};

export function SignalEditor({ signal, ends, border, onMove }: SignalEditorProps) {
  const [frame, width] = useWidth<HTMLDivElement>(640);
  const n = signal.length;
  const px = (i: number) => pad + (i / (n - 1)) * (width - 2 * pad);
  const py = (value: number) => height / 2 - (value / view) * (height / 2);
  const points = Array.from(signal, (value, i) => [i, value] as const);
  const move = (end: "left" | "right", value: number) =>
    onMove(end, Math.min(highest, Math.max(-highest, value)));
  const band = px(border - 0.5) - px(0);
  const handle = (end: "left" | "right") => {
    const x = px(end === "left" ? 0 : n - 1);
    const y = py(ends[end]);
    return (
      <g
        class="handle"
        role="slider"
        tabindex={0}
        aria-label={`The ${end} end of the signal`}
        aria-orientation="vertical"
        aria-valuemin={-highest}
        aria-valuemax={highest}
        aria-valuenow={Number(ends[end].toFixed(2))}
        data-end={end}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
          const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
          if (box) move(end, view * (1 - (2 * (event.clientY - box.top)) / box.height));
        }}
        onKeyDown={(event) => {
          const step = keys[event.key];
          const to = event.key === "Home" ? -highest : event.key === "End" ? highest : undefined;
          if (step === undefined && to === undefined) return;
          event.preventDefault();
          move(end, to ?? ends[end] + step);
        }}
      >
        <circle class="reach" cx={x} cy={y} r={24} />
        <circle class="knob" cx={x} cy={y} r={9} />
        <path class="arrows" d={`M${x - 4} ${y - 14}l4 -5l4 5M${x - 4} ${y + 14}l4 5l4 -5`} />
      </g>
    );
  };
  return (
    <div ref={frame} class="editor">
      <svg viewBox={`0 0 ${width} ${height}`} role="presentation">
        <rect class="band" x={px(0)} y={0} width={band} height={height} />
        <rect class="band" x={px(n - 1) - band} y={0} width={band} height={height} />
        <line class="grid" x1={pad} x2={width - pad} y1={py(0)} y2={py(0)} />
        <path class="curve" d={pathOf(points, px, py)} />
        {points.map(([i, value]) => (
          <circle key={i} class="sample" cx={px(i)} cy={py(value)} r={2.2} />
        ))}
        {handle("left")}
        {handle("right")}
      </svg>
    </div>
  );
}
