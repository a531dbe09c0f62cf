/** Two pictures of the same size, one over the other, with a border that can be dragged, or moved with the arrow keys. */

import { useSignal } from "@preact/signals";
import { PixelCanvas } from "./PixelCanvas";
import type { Pixels } from "./pixels";

export interface WipeProps {
  readonly left: { readonly pixels: Pixels; readonly label: string };
  readonly right: { readonly pixels: Pixels; readonly label: string };
}

export function Wipe({ left, right }: WipeProps) {
  const place = useSignal(50);
  return (
    <figure class="wipe" style={{ "--place": `${place.value}%` }}>
      <PixelCanvas pixels={right.pixels} label={right.label} />
      <div class="wipe-left">
        <PixelCanvas pixels={left.pixels} label={left.label} />
      </div>
      <span class="wipe-border" aria-hidden="true" />
      <input
        type="range"
        min={0}
        max={100}
        step={0.5}
        value={place.value}
        aria-label={`Border between ${left.label} and ${right.label}`}
        onInput={(event) => {
          place.value = Number(event.currentTarget.value);
        }}
      />
      <figcaption>
        <span>{left.label}</span>
        <span>{right.label}</span>
      </figcaption>
    </figure>
  );
}
