/**
 * Some rows of an array as f32, by positioned reads: the rest of the array is not read.
 *
 * Seen in the order of the file, the rows are one range of bytes for each place along the axes that vary more slowly than
 * the first (one range in row-major order). Short ranges close to each other are read together.
 */

import { requireNotAllTiny } from "../../../core/samples/float32.js";
import { markGaps } from "../../../core/samples/gaps.js";
import { type Shape, sizeOf, stridesOf } from "../../../core/shape.js";
import { type NpyArray, npyFromItems, toFloat32 } from "../../formats/npy.js";
import type { NumberLayout } from "../../formats/numberLayout.js";

/** The bytes of an array file. */
export interface ArrayBytes {
  readonly name: string;
  readonly layout: NumberLayout;
  /** Values that mark missing samples, which become NaN. */
  readonly nodata: readonly number[];
  /** Fill `into` with the bytes from offset `at` of the file. */
  read(at: number, into: Uint8Array): Promise<void>;
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Read rows [from, from + rows) of the first axis into `into`, row-major. */
export async function readRows(
  array: ArrayBytes,
  from: number,
  rows: number,
  into: Float32Array,
): Promise<void> {
  await readNumbers(array, from, rows, into);
  const { name, layout, nodata } = array;
  if (nodata.length > 0) markGaps(name, [rows, ...layout.shape.slice(1)], into, nodata);
}

async function readNumbers(array: ArrayBytes, from: number, rows: number, into: Float32Array): Promise<void> {
  const { layout, nodata } = array;
  const { kind, size, bigEndian, scale } = layout;
  const shape = [rows, ...layout.shape.slice(1)];
  if (kind === "f" && size === 4 && !bigEndian && littleEndian && !scale && isRowMajor(layout)) {
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
    return array.read(layout.dataOffset + from * layout.strides[0] * 4, bytes);
  }
  const rowItems = sizeOf(shape.slice(1));
  const each = isRowMajor(layout) ? Math.max(1, Math.floor(itemsTogether / rowItems)) : rows;
  for (let at = 0; at < rows; at += each) {
    const items = await readItems(array, from + at, Math.min(each, rows - at));
    const name = from + at === 0 ? array.name : `${array.name} from row ${from + at} on`;
    into.set(toFloat32(items, name, nodata), at * rowItems);
  }
  if (rows < layout.shape[0] || into.some((value) => value !== 0)) return;
  const { data } = await readItems(array, from, rows);
  if (data instanceof Float64Array) requireNotAllTiny({ name: array.name, shape, data }, into);
}

/** Items that are converted at a time, at least those of a row. */
const itemsTogether = 2 ** 20;

/** Rows as they are stored, row-major; those with a scale as f64. */
export async function readItems(
  { name, layout, read }: Omit<ArrayBytes, "nodata">,
  from: number,
  rows: number,
): Promise<NpyArray> {
  const { size, scale } = layout;
  const shape = [rows, ...layout.shape.slice(1)];
  const raw = new Uint8Array(sizeOf(shape) * size);
  if (isRowMajor(layout)) await read(layout.dataOffset + from * layout.strides[0] * size, raw);
  else await gatherRows(layout, from, rows, read, raw);
  const items = npyFromItems(raw, { ...layout, fortranOrder: false }, shape, name);
  if (!scale) return items;
  const { slope, intercept } = scale;
  const data = new Float64Array(items.data.length);
  for (let i = 0; i < data.length; i++) data[i] = Number(items.data[i]) * slope + intercept;
  return { shape, dtype: "<f8", data };
}

function isRowMajor({ shape, strides }: NumberLayout): boolean {
  const expected = stridesOf(shape);
  return shape.every((size, axis) => size === 1 || strides[axis] === expected[axis]);
}

/** Ranges this close to each other are read together, up to `together` bytes at a time. */
const [gapBytes, together] = [2 ** 15, 2 ** 20];

/** Read the rows of an array in any order of axes into `raw`, row-major. */
async function gatherRows(
  { shape, strides, size, dataOffset }: NumberLayout,
  from: number,
  rows: number,
  read: ArrayBytes["read"],
  raw: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const order = fileOrder(shape, strides);
  const outer = order.filter((axis) => strides[axis] > strides[0] && axis !== 0);
  const inner = order.filter((axis) => !outer.includes(axis));
  const outStrides = stridesOf([rows, ...shape.slice(1)]);
  const axesOf = (axes: readonly number[]) =>
    axes.map((axis) => ({ count: axis === 0 ? rows : shape[axis], stride: outStrides[axis] }));
  const starts = offsetsOf(axesOf(outer));
  const lines = { starts: offsetsOf(axesOf(inner.slice(0, -1))), ...axesOf(inner.slice(-1))[0] };
  const runBytes = lines.starts.length * lines.count * size;
  const steps = outer.filter((axis) => shape[axis] > 1).map((axis) => strides[axis] * size);
  const pitch = steps.length > 0 ? Math.min(...steps) : runBytes; // from one range to the next
  const each = pitch - runBytes <= gapBytes ? Math.max(1, Math.floor(together / pitch)) : 1;
  const block = new Uint8Array((Math.min(each, starts.length) - 1) * pitch + runBytes);
  const copy = lineCopier(size, block, raw);
  for (let run = 0; run < starts.length; run += each) {
    const count = Math.min(each, starts.length - run);
    const part = block.subarray(0, (count - 1) * pitch + runBytes);
    await read(dataOffset + from * strides[0] * size + run * pitch, part);
    for (let r = 0; r < count; r++) copy((r * pitch) / size, starts[run + r], lines);
  }
}

/** The axes with the slowest first; an axis of size 1 has the stride of another. */
function fileOrder(shape: Shape, strides: readonly number[]): number[] {
  return shape.map((_, axis) => axis).sort((a, b) => strides[b] - strides[a] || shape[a] - shape[b]);
}

interface CountedAxis {
  readonly count: number;
  readonly stride: number;
}

/** Where each item goes, for items that follow each other along the last axis, then the one before it. */
function offsetsOf(axes: readonly CountedAxis[]): Float64Array {
  let offsets = Float64Array.of(0);
  for (const { count, stride } of axes) {
    const before = offsets;
    offsets = new Float64Array(before.length * count);
    for (let i = 0, at = 0; i < before.length; i++)
      for (let k = 0; k < count; k++) offsets[at++] = before[i] + k * stride;
  }
  return offsets;
}

/** Lines of items that follow each other in a file: where each goes, and how far apart its items are there. */
interface ItemLines extends CountedAxis {
  readonly starts: Float64Array;
}

/** Copies lines of items, from item `at` of `block` on, to their places in `raw`. */
function lineCopier(
  size: number,
  block: Uint8Array<ArrayBuffer>,
  raw: Uint8Array<ArrayBuffer>,
): (at: number, start: number, lines: ItemLines) => void {
  const Words = size === 1 ? Uint8Array : size === 2 ? Uint16Array : Uint32Array;
  const words = Math.max(1, size / 4); // per item
  const [source, target] = [new Words(block.buffer), new Words(raw.buffer)];
  return (at, start, { starts, count, stride }) => {
    let from = at * words;
    for (const line of starts) {
      let to = (start + line) * words;
      for (let i = 0; i < count; i++, to += stride * words)
        for (let word = 0; word < words; word++) target[to + word] = source[from++];
    }
  };
}
