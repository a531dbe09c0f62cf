/** Two pictures of the same size, one over the other, with a border that can be dragged, or moved with the arrow keys. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Setting } from "../app/address";
import { PixelCanvas } from "./PixelCanvas";
import type { Pixels } from "./pixels";

export interface WipeProps {
  readonly left: { readonly pixels: Pixels; readonly label: string };
  readonly right: { readonly pixels: Pixels; readonly label: string };
  /** Where the border is, in percent; by default kept here. */
  readonly place?: Setting<number>;
  /** Large pixels, as they are, instead of smooth ones. */
  readonly crisp?: boolean;
  /** What is drawn over the pictures. */
  readonly children?: ComponentChildren;
}

export function Wipe({ left, right, place: given, crisp = false, children }: WipeProps) {
  const own = useSignal(50);
  const place = given ?? own;
  return (
    <figure class="wipe" style={{ "--place": `${place.value}%` }}>
      <PixelCanvas pixels={right.pixels} label={right.label} crisp={crisp} />
      <div class="wipe-left">
        <PixelCanvas pixels={left.pixels} label={left.label} crisp={crisp} />
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
          const moved = Number(event.currentTarget.value);
          if (given) given.set(moved);
          else own.value = moved;
        }}
      />
      {children}
      <figcaption>
        <span>{left.label}</span>
        <span>{right.label}</span>
      </figcaption>
    </figure>
  );
}
