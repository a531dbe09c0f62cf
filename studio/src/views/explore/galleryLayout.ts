/** Where the tiles of a gallery are: rows of equal tiles over the whole width, in blocks of rows that are drawn together. */

import type { TileLook } from "../../engine/explore/exploreAtoms";

export interface GalleryLayout {
  readonly count: number;
  readonly columns: number;
  readonly rows: number;
  /** In CSS pixels. */
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly gap: number;
  readonly width: number;
  readonly height: number;
  readonly rowsPerBlock: number;
}

/** The side of a tile that may be chosen, in CSS pixels. */
export const tileSizes = { least: 14, most: 360 } as const;

/** The height of a block that is aimed at. */
const blockHeight = 160;

/** Traces are wider than high, whatever their samples; pictures are as they are, within limits. */
function aspectOf({ kind, width, height }: TileLook): number {
  return kind === "trace" ? 1.5 : Math.min(4, Math.max(1 / 4, width / height));
}

/** A size that shows many of the atoms without scrolling, and no tile smaller than one can see. */
export function usualSize(count: number, width: number, height: number): number {
  return Math.round(Math.min(112, Math.max(36, Math.sqrt((0.9 * width * height) / count))));
}

/** `size`: about the side of a tile; tiles become larger until they fill the width. */
export function layOut(look: TileLook, count: number, width: number, size: number): GalleryLayout {
  const aspect = aspectOf(look);
  const gap = size < 28 ? 1 : size < 80 ? 2 : 4;
  const wanted = Math.max(4, Math.round(size * Math.sqrt(aspect)));
  const columns = Math.max(1, Math.floor((width + gap) / (wanted + gap)));
  const tileWidth = Math.max(4, Math.floor((width + gap) / columns) - gap);
  const tileHeight = Math.max(4, Math.round(tileWidth / aspect));
  const rows = Math.ceil(count / columns);
  return {
    count,
    columns,
    rows,
    tileWidth,
    tileHeight,
    gap,
    width,
    height: rows * (tileHeight + gap),
    rowsPerBlock: Math.max(1, Math.round(blockHeight / (tileHeight + gap))),
  };
}

/** The left top corner of a tile, by its position in the order. */
export function cornerOf({ columns, tileWidth, tileHeight, gap }: GalleryLayout, position: number) {
  return {
    left: (position % columns) * (tileWidth + gap),
    top: Math.floor(position / columns) * (tileHeight + gap),
  };
}

/** The position of the tile at a point of the sheet; undefined beside the tiles. */
export function positionAt(layout: GalleryLayout, x: number, y: number): number | undefined {
  const { count, columns, tileWidth, tileHeight, gap } = layout;
  const column = Math.floor(x / (tileWidth + gap));
  const position = Math.floor(y / (tileHeight + gap)) * columns + column;
  return column >= 0 && column < columns && position >= 0 && position < count ? position : undefined;
}
