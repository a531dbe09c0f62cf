/** A picture in grey with the places of an atom on it: heat from clear to orange, and frames around the best. */

import { useMemo } from "preact/hooks";
import type { AtomPlaces } from "../../engine/explore/explorePlaces";
import { PixelCanvas } from "../../parts/PixelCanvas";
import type { Pixels } from "../../parts/pixels";

export interface HeatPictureProps {
  readonly places: AtomPlaces;
  readonly label: string;
}

export function HeatPicture({ places, label }: HeatPictureProps) {
  const pixels = useMemo(() => (places.height > 1 ? heatPixels(places) : undefined), [places]);
  if (!pixels) return <HeatTrace places={places} label={label} />;
  return (
    <div class="heat">
      <PixelCanvas pixels={pixels} label={label} />
      <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        {places.frames.map(({ left, top, width, height }) => (
          <rect key={`${left} ${top}`} x={left} y={top} width={width} height={height} />
        ))}
      </svg>
    </div>
  );
}

/** A faint picture, orange where the atom is strong. */
function heatPixels({ width, height, heat, low }: AtomPlaces): Pixels {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < heat.length; i++) {
    const shade = 60 + 140 * low[i];
    const share = Math.sqrt(heat[i]);
    data[4 * i] = shade + share * (255 - shade);
    data[4 * i + 1] = shade + share * (150 - shade);
    data[4 * i + 2] = shade + share * (20 - shade);
    data[4 * i + 3] = 255;
  }
  return { width, height, data };
}

/** A signal of one axis as a line, with bars where the atom is strong. */
function HeatTrace({ places, label }: HeatPictureProps) {
  const { width, heat, low, high } = places;
  const top = 100;
  const y = (value: number) => (4 + (top - 8) * (1 - value)).toFixed(1);
  let [line, bars] = ["", ""];
  for (let x = 0; x < width; x++) {
    line += `${x === 0 ? "M" : "L"}${x} ${y(low[x])}`;
    if (high[x] !== low[x]) line += `L${x} ${y(high[x])}`;
    if (heat[x] > 0) bars += `M${x} ${top}V${(top * (1 - heat[x])).toFixed(1)}`;
  }
  return (
    <svg
      class="trace"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(1, width - 1)} ${top}`}
      preserveAspectRatio="none"
    >
      <path class="trace-heat" d={bars} />
      <path class="trace-line" d={line} />
    </svg>
  );
}
