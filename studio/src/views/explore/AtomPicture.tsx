/** One atom, or one sum of base atoms, large: a picture, a colour picture, a slice of a volume, or a trace. */

import { useMemo } from "preact/hooks";
import { isColour } from "../../engine/explore/exploreRequests";
import { PixelCanvas } from "../../parts/PixelCanvas";
import type { Pixels } from "../../parts/pixels";

export interface AtomPictureProps {
  readonly shape: readonly number[];
  readonly samples: Float32Array;
  /** What is drawn as white; its negative is black. */
  readonly largest: number;
  /** Which plane of a volume. */
  readonly slice: number;
  readonly label: string;
}

export function AtomPicture({ shape, samples, largest, slice, label }: AtomPictureProps) {
  const pixels = useMemo(
    () => (shape.length > 1 ? atomPixels(shape, samples, largest, slice) : undefined),
    [samples, largest, slice],
  );
  if (pixels) return <PixelCanvas class="atom-large" crisp pixels={pixels} label={label} />;
  const values = Array.from(samples, (value) => value / (largest || 1));
  return <TracePicture values={values} label={label} zero />;
}

/** How many planes a shape has; 1 for anything but a volume. */
export function sliceCount(shape: readonly number[]): number {
  if (shape.length < 3 || isColour(shape)) return 1;
  return shape.slice(0, -2).reduce((product, size) => product * size, 1);
}

function atomPixels(shape: readonly number[], samples: Float32Array, largest: number, slice: number): Pixels {
  const colour = isColour(shape);
  const [height, width] = colour ? shape : shape.slice(-2);
  const data = new Uint8ClampedArray(4 * width * height);
  const offset = colour ? 0 : slice * width * height;
  for (let i = 0; i < width * height; i++) {
    for (let c = 0; c < 3; c++) {
      const value = colour ? samples[3 * i + c] : samples[offset + i];
      data[4 * i + c] = 128 + (127 * value) / (largest || 1);
    }
    data[4 * i + 3] = 255;
  }
  return { width, height, data };
}

/** Values from −1 to 1 as a line, or from 0 to 1 without a zero line. */
export function TracePicture({
  values,
  label,
  zero = false,
}: {
  readonly values: readonly number[];
  readonly label: string;
  readonly zero?: boolean;
}) {
  const [width, height, margin] = [300, 200, 8];
  const y = (value: number) =>
    zero ? height / 2 - value * (height / 2 - margin) : height - margin - value * (height - 2 * margin);
  const x = (i: number) => (values.length > 1 ? (width * i) / (values.length - 1) : 0);
  const points = values.length > 1 ? values : [values[0] ?? 0, values[0] ?? 0];
  const step = values.length > 1 ? x : (i: number) => i * width;
  const line = points.map((value, i) => `${i === 0 ? "M" : "L"}${step(i).toFixed(1)} ${y(value).toFixed(1)}`);
  return (
    <svg
      class="trace"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
    >
      {zero && <path class="trace-zero" d={`M0 ${height / 2}H${width}`} />}
      <path class="trace-line" d={line.join("")} />
    </svg>
  );
}
