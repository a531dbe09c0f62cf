/** The grid of patches that covers a picture. The last of a row or column is moved back to fit. */

export interface PatchGrid {
  /** Height and width of a patch. */
  readonly patch: readonly [number, number];
  /** First rows of the patches. */
  readonly tops: readonly number[];
  /** First columns of the patches. */
  readonly lefts: readonly number[];
}

/** `overlap`: by how much steps are smaller than the patch. */
export function patchGrid(
  size: readonly [number, number],
  patch: readonly [number, number],
  overlap: number,
): PatchGrid {
  const [tops, lefts] = size.map((length, axis) => {
    const last = length - patch[axis];
    const step = Math.max(1, Math.round(patch[axis] / overlap));
    return [...Array.from({ length: Math.ceil(last / step) }, (_, i) => i * step), last];
  });
  return { patch, tops, lefts };
}

/** Row and column, in the grid, of the patch whose middle is nearest to a pixel. */
export function nearestPatch(
  { patch, tops, lefts }: PatchGrid,
  [y, x]: readonly [number, number],
): [number, number] {
  return [nearest(tops, y - ((patch[0] - 1) >> 1)), nearest(lefts, x - ((patch[1] - 1) >> 1))];
}

/** The pixel in the middle of a patch, of which it is the nearest patch. */
export function middleOf({ patch, tops, lefts }: PatchGrid, row: number, column: number): [number, number] {
  return [tops[row] + ((patch[0] - 1) >> 1), lefts[column] + ((patch[1] - 1) >> 1)];
}

function nearest(places: readonly number[], wanted: number): number {
  let best = 0;
  places.forEach((place, i) => {
    if (Math.abs(place - wanted) < Math.abs(places[best] - wanted)) best = i;
  });
  return best;
}
