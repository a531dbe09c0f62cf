/** What the page starts with: two pictures made from a seed, and the base dictionary of the paper. */

import { syntheticPictures } from "trainlets";
import { addBase, addItem, items } from "./library";

/** Pixels of a side. */
const size = 256;

export function addBuiltIn(): void {
  const pictures = syntheticPictures(3, 2, size);
  pictures.forEach(({ data }, i) =>
    addItem(
      { name: `Leaves ${i + 1}`, shape: [size, size], data: clamped(data) },
      { select: i === 0 && items.value.length === 0 },
    ),
  );
  void addBase("cropped:sym8", [16, 16]);
}

function clamped(data: Float32Array): Float32Array<ArrayBuffer> {
  return Float32Array.from(data, (value) => Math.min(255, Math.max(0, value)));
}
