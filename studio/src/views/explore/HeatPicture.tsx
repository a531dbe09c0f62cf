/** A picture in grey with the places of an atom on it: heat from clear to the second colour, and frames around the best. */

import { useMemo } from "preact/hooks";
import type { Item } from "../../app/library";
import type { AtomPlaces } from "../../engine/explorePlaces";
import { isColour } from "../../engine/exploreRequests";
import { PixelCanvas } from "../../parts/PixelCanvas";
import type { Pixels } from "../../parts/pixels";

export interface HeatPictureProps {
  readonly item: Item;
  readonly places: AtomPlaces;
  readonly window: readonly number[];
  readonly slice: number;
  readonly label: string;
}

/** The most pixels along a side; larger pictures are shown smaller. */
const mostPixels = 900;

export function HeatPicture(props: HeatPictureProps) {
  const { item, places, window, slice, label } = props;
  const pixels = useMemo(
    () => (item.shape.length > 1 ? heatPixels(props) : undefined),
    [item, places, slice],
  );
  if (!pixels) return <HeatTrace {...props} />;
  const [height, width] = planeOf(item.shape);
  const [rows, columns] = planeOf(window);
  const frames = places.best.filter(({ origin }) => isInSlice(origin, item.shape, window, slice));
  return (
    <div class="heat">
      <PixelCanvas pixels={pixels} label={label} />
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {frames.map(({ origin }) => {
          const [y, x] = isColour(item.shape) ? origin : origin.slice(-2);
          return <rect key={`${y} ${x}`} x={x} y={y} width={columns} height={rows} />;
        })}
      </svg>
    </div>
  );
}

function planeOf(shape: readonly number[]): readonly number[] {
  return isColour(shape) ? shape.slice(0, 2) : shape.slice(-2);
}

/** Whether a window of a volume has samples in a slice. */
function isInSlice(
  origin: readonly number[],
  shape: readonly number[],
  window: readonly number[],
  slice: number,
): boolean {
  if (shape.length < 3 || isColour(shape)) return true;
  let rest = slice;
  for (let axis = shape.length - 3; axis >= 0; axis--) {
    const at = rest % shape[axis];
    rest = Math.floor(rest / shape[axis]);
    if (at < origin[axis] || at >= origin[axis] + window[axis]) return false;
  }
  return true;
}

/** A faint picture, orange where the atom is strong. */
function heatPixels({ item, places, slice }: HeatPictureProps): Pixels {
  const [fullHeight, fullWidth] = planeOf(item.shape);
  const step = Math.max(1, Math.ceil(Math.max(fullHeight, fullWidth) / mostPixels));
  const [height, width] = [Math.ceil(fullHeight / step), Math.ceil(fullWidth / step)];
  const channels = isColour(item.shape) ? 3 : 1;
  const offset = channels === 3 ? 0 : slice * fullHeight * fullWidth;
  const { low, scale } = rangeOf(item.data);
  const data = new Uint8ClampedArray(4 * width * height);
  const hottest = places.heat.reduce((most, value) => Math.max(most, value), 0) || 1;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = offset + y * step * fullWidth + x * step;
      let heat = 0;
      for (let v = 0; v < Math.min(step, fullHeight - y * step); v++)
        for (let u = 0; u < Math.min(step, fullWidth - x * step); u++)
          heat = Math.max(heat, places.heat[at + v * fullWidth + u]);
      const shade = 60 + 0.55 * scale * (item.data[at * channels] - low);
      const share = Math.sqrt(heat / hottest);
      const to = 4 * (y * width + x);
      data[to] = shade + share * (255 - shade);
      data[to + 1] = shade + share * (150 - shade);
      data[to + 2] = shade + share * (20 - shade);
      data[to + 3] = 255;
    }
  return { width, height, data };
}

/** Pictures are from 0 to 255; other arrays from their least to their largest sample. */
function rangeOf(samples: Float32Array): { readonly low: number; readonly scale: number } {
  let [low, high] = [0, 255];
  for (const value of samples) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, scale: 255 / (high - low) };
}

/** A signal of one axis as a line, with bars where the atom is strong. */
function HeatTrace({ item, places, label }: HeatPictureProps) {
  const [width, height] = [600, 160];
  const columns = useMemo(() => columnsOf(item.data, places.heat, width), [item, places]);
  const line = columns.map(
    ({ low, high }, x) => `${x === 0 ? "M" : "L"}${x} ${8 + 144 * (1 - low)}L${x} ${8 + 144 * (1 - high)}`,
  );
  const bars = columns.map(({ heat }, x) => (heat > 0 ? `M${x} ${height}V${height * (1 - heat)}` : ""));
  return (
    <svg
      class="trace"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
    >
      <path class="trace-heat" d={bars.join("")} />
      <path class="trace-line" d={line.join("")} />
    </svg>
  );
}

function columnsOf(samples: Float32Array, heat: Float32Array, columns: number) {
  let [low, high, hottest] = [Infinity, -Infinity, 0];
  for (let i = 0; i < samples.length; i++) {
    low = Math.min(low, samples[i]);
    high = Math.max(high, samples[i]);
    hottest = Math.max(hottest, heat[i]);
  }
  const scale = 1 / (high - low || 1);
  return Array.from({ length: columns }, (_, x) => {
    const from = Math.floor((x * samples.length) / columns);
    const to = Math.max(from + 1, Math.floor(((x + 1) * samples.length) / columns));
    const column = { low: 1, high: 0, heat: 0 };
    for (let i = from; i < to; i++) {
      const value = scale * (samples[i] - low);
      column.low = Math.min(column.low, value);
      column.high = Math.max(column.high, value);
      column.heat = Math.max(column.heat, heat[i] / (hottest || 1));
    }
    return column;
  });
}
