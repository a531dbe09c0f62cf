/**
 * An atom gallery, as in figures 9 and 10 of [Sulam16]: the atoms of a dictionary
 * as tiles on a grid, row by row, each scaled by its own maximum (tileStyle.ts draws
 * one of them).
 *
 * With c columns, r rows, tiles of w × h units, gaps of g pixels and M pixels per
 * unit, the picture has (c (M w + g) + g) × (r (M h + g) + g) pixels. Gaps are light
 * grey, since a constant atom is white. M is an integer, so that the samples of
 * small atoms stay crisp.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §V-D.
 */

import {
  byRule,
  matrix,
  numberList,
  type OptionTypes,
  requireArgument,
  requireOptions,
} from "../../core/arguments/argumentTypes.js";
import { InputError, inputError } from "../../core/errors.js";
import type { DenseMatrix } from "../../core/matrix.js";
import { requireFinite, requireInteger } from "../../core/require.js";
import { formatShape, requireShape, type Shape, sizeOf } from "../../core/shape.js";
import type { Picture } from "../png.js";
import { type Canvas, type TileStyle, tileStyle } from "./tileStyle.js";

export interface GalleryOptions {
  /** Which atoms to show, first to last (see `orderAtoms`); by default, all in their own order. */
  readonly order?: readonly number[];
  /** At most this many of them. */
  readonly count?: number;
  /** Tiles per row; by default, the picture is about square. */
  readonly columns?: number;
  /** Pixels per sample (or unit of a line plot); by default, the picture is about 1200 pixels wide. */
  readonly magnify?: number;
  /** Pixels between tiles, and around them. */
  readonly gap?: number;
}

const galleryOptionTypes: OptionTypes<GalleryOptions> = {
  order: numberList,
  count: byRule,
  columns: byRule,
  magnify: byRule,
  gap: byRule,
};

export const galleryDefaults = { gap: 2 } as const;

/** The default of `magnify` aims at this width, up to a limit for few atoms. */
const target = { width: 1200, magnifyLimit: 32 } as const;

const gapShade = 222;

/** Larger pictures are rejected before any memory is allocated. */
const maxSamples = 2 ** 29;

/** A grid of tiles, in pixels. */
interface Layout {
  readonly columns: number;
  readonly rows: number;
  readonly magnify: number;
  readonly gap: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The atoms, columns of an n × m matrix of signals of this shape, as one picture.
 *
 * @example
 * const order = orderAtoms(atoms, "entropy");
 * const png = encodePng(atomGallery(atoms, [32, 32], { order, count: 400 }));
 */
export function atomGallery(atoms: DenseMatrix, shape: Shape, options: GalleryOptions = {}): Picture {
  requireArgument("atomGallery", "atoms", atoms, matrix);
  requireOptions("atomGallery", options, galleryOptionTypes);
  const shown = chooseAtoms(atoms, shape, options);
  const style = tileStyle(shape);
  const layout = layOut(style, shown.length, options);
  const { columns, magnify, gap, width, height } = layout;
  const picture: Picture = { width, height, channels: style.channels, data: blank(layout, style) };
  shown.forEach((atom, position) => {
    const top = gap + Math.floor(position / columns) * (style.height * magnify + gap);
    const left = gap + (position % columns) * (style.width * magnify + gap);
    style.draw(atoms.column(atom), magnify, canvasAt(picture, top, left));
  });
  return picture;
}

/** The atoms to show, in order, after a check of the arguments that select them. */
function chooseAtoms(atoms: DenseMatrix, shape: Shape, options: GalleryOptions): readonly number[] {
  requireShape("atomGallery", "shape", shape);
  if (atoms.rows !== sizeOf(shape)) {
    throw new InputError(
      `atomGallery: atoms of shape ${formatShape(shape)} must have ${sizeOf(shape)} rows, got ${atoms.rows}`,
    );
  }
  const order = options.order ?? Array.from({ length: atoms.cols }, (_, j) => j);
  if (order.length === 0) throw inputError("atomGallery", "atoms to show", "must be at least one", 0);
  const count = requireInteger("atomGallery", "count", options.count ?? order.length, 1);
  const shown = order.slice(0, count);
  for (const atom of shown) {
    requireInteger("atomGallery", "order", atom, 0, atoms.cols - 1);
    requireFinite("atomGallery", `atom ${atom}`, atoms.column(atom));
  }
  return shown;
}

function layOut(tile: TileStyle, count: number, options: GalleryOptions): Layout {
  const integer = (name: string, value: number, min: number) =>
    requireInteger("atomGallery", name, value, min);
  const columns = integer("columns", options.columns ?? squarestColumns(tile, count), 1);
  const rows = Math.ceil(count / columns);
  const gap = integer("gap", options.gap ?? galleryDefaults.gap, 0);
  const usual = defaultMagnification(tile.width * columns, gap * (columns + 1));
  const magnify = integer("magnify", options.magnify ?? usual, 1);
  const width = columns * (tile.width * magnify + gap) + gap;
  const height = rows * (tile.height * magnify + gap) + gap;
  if (width * height * tile.channels > maxSamples) {
    const rule = `must have at most ${maxSamples} samples`;
    throw inputError("atomGallery", "the picture", rule, `${width}x${height}x${tile.channels}`);
  }
  return { columns, rows, magnify, gap, width, height };
}

function squarestColumns(tile: TileStyle, count: number): number {
  const columns = Math.round(Math.sqrt((count * tile.height) / tile.width));
  return Math.min(count, Math.max(1, columns));
}

/** The integer that brings `units · magnify + gaps` closest to the target width. */
function defaultMagnification(units: number, gaps: number): number {
  const magnify = Math.round((target.width - gaps) / units);
  return Math.min(target.magnifyLimit, Math.max(1, magnify));
}

function blank({ width, height }: Layout, { channels }: TileStyle): Uint8Array {
  return new Uint8Array(width * height * channels).fill(gapShade);
}

function canvasAt({ width, channels, data }: Picture, top: number, left: number): Canvas {
  return {
    set(y, x, channel, shade) {
      data[((top + y) * width + left + x) * channels + channel] = shade;
    },
  };
}
