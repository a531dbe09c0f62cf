/** The patch that a person looks at: under the pointer, or chosen by a click, a touch or the arrow keys. */

import { useSignal } from "@preact/signals";
import { middleOf, nearestPatch, type PatchGrid } from "../../engine/look/patchGrid";
import { at } from "./lookSettings";

export interface Place {
  /** Row and column in the grid; undefined without a grid. */
  readonly row: number;
  readonly column: number;
  readonly index: number | undefined;
  /** The pointer is over a pixel, or over none. */
  hover(pixel: readonly [number, number] | undefined): void;
  /** Keep the patch of a pixel. */
  keep(pixel: readonly [number, number]): void;
  /** Keep the patch this many rows down and columns to the right. */
  move(rows: number, columns: number): void;
}

export function usePlace(grid: PatchGrid | undefined): Place {
  const hovered = useSignal<readonly [number, number] | undefined>(undefined);
  const none = { row: 0, column: 0, index: undefined, hover() {}, keep() {}, move() {} };
  if (!grid) return none;
  const rows = grid.tops.length;
  const columns = grid.lefts.length;
  const pixel = hovered.value ?? at.value ?? middleOf(grid, rows >> 1, columns >> 1);
  const [row, column] = nearestPatch(grid, pixel);
  const keep = (kept: readonly [number, number]) => {
    hovered.value = undefined;
    at.set([Math.max(0, Math.round(kept[0])), Math.max(0, Math.round(kept[1]))]);
  };
  return {
    row,
    column,
    index: row * columns + column,
    hover: (over) => {
      hovered.value = over;
    },
    keep,
    move: (down, right) =>
      keep(
        middleOf(
          grid,
          Math.min(rows - 1, Math.max(0, row + down)),
          Math.min(columns - 1, Math.max(0, column + right)),
        ),
      ),
  };
}
