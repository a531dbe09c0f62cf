/**
 * How one atom is drawn as a tile of an atom gallery, depending on its shape:
 *
 *     [n]           a line plot with the zero line, 60 × 40 units for any n
 *     [h, w]        the picture itself, one unit per sample
 *     [h, w, 3]     a colour picture
 *     [d, h, w]     three slices through the middle, side by side: the planes (h, w),
 *                   (d, w) and (d, h), on a dark mount that shows they belong together
 *     […, d, h, w]  as its last three axes, at the middle of the axes before
 *
 * The middle of an axis of s samples is sample ⌊s/2⌋. The shades of an atom are
 * scaled by its own largest magnitude, the same for all its slices and colours:
 *
 *     shade(v) = 128 + 127 v / max|d|,
 *
 * so zero is always 128, and an atom of zeros is flat grey (in a line plot: the
 * zero line).
 */

import { requireShape, type Shape, stridesOf } from "../../core/shape.js";

/** The style of all atoms of one shape. Sizes are in units, which a gallery magnifies. */
export interface TileStyle {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  /** Draw an atom on `canvas`, at `magnify` pixels per unit. */
  draw(atom: Float32Array, magnify: number, canvas: Canvas): void;
}

/** Where a tile is drawn; (0, 0) is its top left pixel. */
export interface Canvas {
  /** Set channel `channel` of the pixel in row y and column x. */
  set(y: number, x: number, channel: number, shade: number): void;
}

/** A plane through an atom: sample (i, j) is `offset + i · rowStride + j · columnStride`. */
interface Slice {
  readonly rows: number;
  readonly columns: number;
  readonly offset: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

/** Sizes and shades of line plots. */
const linePlot = { width: 60, height: 40, paper: 252, zeroLine: 190, ink: 32 } as const;

/** The background of slices: its shade, and the units between them. */
const mount = { shade: 40, gap: 1 } as const;

/** The style for atoms of this shape. */
export function tileStyle(shape: Shape): TileStyle {
  requireShape("tileStyle", "shape", shape);
  if (shape.length === 1) return lineStyle;
  const offset = middleOfLeadingAxes(shape);
  const axes = shape.slice(-3);
  if (axes.length === 3 && axes[2] === 3) return pictureStyle([planeThrough(axes, 0, 1, offset)], 3);
  if (axes.length === 2) return pictureStyle([planeThrough(axes, 0, 1, offset)], 1);
  return pictureStyle(middleSlices(axes, offset), 1);
}

/** The offset of the last three axes at the middle of all others. */
function middleOfLeadingAxes(shape: Shape): number {
  const strides = stridesOf(shape);
  const leading = shape.slice(0, -3);
  return leading.reduce((sum, size, axis) => sum + Math.floor(size / 2) * strides[axis], 0);
}

function planeThrough(axes: Shape, rowAxis: number, columnAxis: number, offset: number): Slice {
  const strides = stridesOf(axes);
  return {
    rows: axes[rowAxis],
    columns: axes[columnAxis],
    offset,
    rowStride: strides[rowAxis],
    columnStride: strides[columnAxis],
  };
}

function middleSlices(axes: Shape, offset: number): Slice[] {
  const strides = stridesOf(axes);
  const middle = (axis: number) => offset + Math.floor(axes[axis] / 2) * strides[axis];
  return [
    planeThrough(axes, 1, 2, middle(0)),
    planeThrough(axes, 0, 2, middle(1)),
    planeThrough(axes, 0, 1, middle(2)),
  ];
}

function pictureStyle(slices: readonly Slice[], channels: 1 | 3): TileStyle {
  const width = slices.reduce((sum, { columns }) => sum + columns, mount.gap * (slices.length - 1));
  const height = Math.max(...slices.map(({ rows }) => rows));
  return {
    width,
    height,
    channels,
    draw(atom, magnify, canvas) {
      if (slices.length > 1) drawMount(width * magnify, height * magnify, canvas);
      const shade = shadeScale(atom);
      let left = 0;
      for (const slice of slices) {
        drawSlice(slice, atom, shade, { magnify, channels, left, canvas });
        left += slice.columns + mount.gap;
      }
    },
  };
}

function drawMount(width: number, height: number, canvas: Canvas): void {
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) canvas.set(y, x, 0, mount.shade);
}

interface Placement {
  readonly magnify: number;
  readonly channels: number;
  /** Units from the left edge of the tile. */
  readonly left: number;
  readonly canvas: Canvas;
}

function drawSlice(slice: Slice, atom: Float32Array, shade: (value: number) => number, at: Placement): void {
  const { magnify, channels, left, canvas } = at;
  for (let y = 0; y < slice.rows * magnify; y++) {
    const row = slice.offset + Math.floor(y / magnify) * slice.rowStride;
    for (let x = 0; x < slice.columns * magnify; x++) {
      const sample = row + Math.floor(x / magnify) * slice.columnStride;
      for (let c = 0; c < channels; c++) canvas.set(y, left * magnify + x, c, shade(atom[sample + c]));
    }
  }
}

/** From the samples of an atom to shades, symmetric about 128. */
function shadeScale(atom: Float32Array): (value: number) => number {
  const scale = 127 / (largestMagnitude(atom) || 1);
  return (value) => 128 + Math.round(value * scale);
}

function largestMagnitude(atom: Float32Array): number {
  return atom.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
}

const lineStyle: TileStyle = {
  width: linePlot.width,
  height: linePlot.height,
  channels: 1,
  draw: drawLine,
};

/**
 * The line through the samples, one column of pixels at a time: it covers the range of
 * its heights there, plus half the thickness of the pen above and below. The range is
 * taken from slightly more than the column, so that steep parts are as thick.
 */
function drawLine(atom: Float32Array, magnify: number, canvas: Canvas): void {
  const width = linePlot.width * magnify;
  const height = linePlot.height * magnify;
  const pen = Math.max(1.25, magnify / 2);
  const middle = height / 2;
  const reach = (0.9 * middle) / (largestMagnitude(atom) || 1);
  for (let x = 0; x < width; x++) {
    const [low, high] = rangeWithin(atom, (x - 0.25) / width, (x + 1.25) / width);
    const top = middle - reach * high - pen / 2;
    const bottom = middle - reach * low + pen / 2;
    for (let y = 0; y < height; y++) {
      const paper = y === Math.floor(middle) ? linePlot.zeroLine : linePlot.paper;
      const covered = Math.max(0, Math.min(y + 1, bottom) - Math.max(y, top));
      canvas.set(y, x, 0, Math.round(paper + (linePlot.ink - paper) * Math.min(1, covered)));
    }
  }
}

/** The lowest and highest point of the line between two positions, given as fractions of its length. */
function rangeWithin(atom: Float32Array, from: number, to: number): [number, number] {
  const last = atom.length - 1;
  const start = Math.max(0, from) * last;
  const end = Math.min(1, to) * last;
  const heightAt = (position: number): number => {
    const before = Math.floor(position);
    return atom[before] + (position - before) * (atom[Math.min(before + 1, last)] - atom[before]);
  };
  let low = Math.min(heightAt(start), heightAt(end));
  let high = Math.max(heightAt(start), heightAt(end));
  for (let i = Math.ceil(start); i <= end; i++) {
    low = Math.min(low, atom[i]);
    high = Math.max(high, atom[i]);
  }
  return [low, high];
}
