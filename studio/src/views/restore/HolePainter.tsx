/** A picture that a person paints holes on, with a mouse, a pen or a finger. */

import { useRef } from "preact/hooks";
import { PixelCanvas } from "../../parts/PixelCanvas";
import type { Pixels } from "../../parts/pixels";
import { brush, holes } from "./restoreSettings";

export interface HolePainterProps {
  readonly pixels: Pixels;
  readonly crisp: boolean;
}

/** Points of one line that are kept: an address is not a file. */
const mostPoints = 200;

export function HolePainter({ pixels, crisp }: HolePainterProps) {
  const layer = useRef<HTMLCanvasElement>(null);
  const points = useRef<number[]>([]);
  const { width, height } = pixels;
  const placeOf = (event: PointerEvent): [number, number] => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * width;
    const y = ((event.clientY - box.top) / box.height) * height;
    return [clamp(Math.floor(x), width - 1), clamp(Math.floor(y), height - 1)];
  };
  const add = (event: PointerEvent) => {
    const [x, y] = placeOf(event);
    const [lastX = Infinity, lastY = Infinity] = points.current.slice(-2);
    if (Math.hypot(x - lastX, y - lastY) < Math.max(1, brush.value / 3)) return;
    if (points.current.length >= 2 * mostPoints) return;
    points.current.push(x, y);
    draw(layer.current?.getContext("2d"), points.current, brush.value);
  };
  const end = () => {
    if (points.current.length === 0) return;
    holes.set([...holes.value, { radius: brush.value, points: points.current }]);
    points.current = [];
    layer.current?.getContext("2d")?.clearRect(0, 0, width, height);
  };
  return (
    <div
      class="restore-painter"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        add(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1 && points.current.length > 0) add(event);
      }}
      onPointerUp={end}
      onPointerCancel={end}
    >
      <PixelCanvas pixels={pixels} label="The picture with its holes. Paint to add some." crisp={crisp} />
      <canvas ref={layer} class="restore-layer" width={width} height={height} />
    </div>
  );
}

const clamp = (value: number, most: number) => Math.min(most, Math.max(0, value));

/** The line so far, until the worker has made it part of the mask. */
function draw(context: CanvasRenderingContext2D | null | undefined, points: number[], radius: number): void {
  if (!context) return;
  context.strokeStyle = "rgb(214 62 122)";
  context.lineWidth = 2 * radius;
  context.lineCap = "round";
  context.lineJoin = "round";
  context.beginPath();
  context.moveTo(points[0], points[1]);
  for (let i = 0; i < points.length; i += 2) context.lineTo(points[i], points[i + 1]);
  context.stroke();
}
