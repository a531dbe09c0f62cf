/** Arrays and sounds as units of a source: signals of a stack, or pieces of one signal. */

import { basename } from "node:path";
import { InputError } from "../../../core/errors.js";
import { colourMismatch } from "../../../core/samples/colourMismatch.js";
import { formatShape, type Shape } from "../../../core/shape.js";
import { maxNpyHeaderLength, readNpyHeader } from "../../formats/npy.js";
import { byteLengthOf, lastAxisFirst, type NumberLayout, npyLayout } from "../../formats/numberLayout.js";
import type { TemporaryStore } from "../archives/temporaryStore.js";
import type { ArrayInput } from "../inputKinds.js";
import type { ByteRange, OpenFiles } from "../system/openFiles.js";
import { type OpenInput, type Opening, rowPieces, stackPieces, tooSmall } from "../units/fileUnits.js";
import { readRows } from "./numberRows.js";
import { readFrames, soundLayout } from "./soundFiles.js";

export async function openArray(
  input: ArrayInput,
  name: string,
  opening: Opening,
): Promise<OpenInput | InputError> {
  const { patch, patchOf, unitSamples, nodata, files, store } = opening;
  const { path, within } = input;
  const range = await locate(input, name, files, store);
  const read = (at: number, into: Uint8Array) => files.read(range, at, into, name);
  const stored = await layoutIn(range, input, name, files, (shape) => {
    if (!colourMismatch(name, shape, patch, patchOf)) requireAxes(input, name, shape, patch);
  });
  const unfit = colourMismatch(name, stored.shape, patch, patchOf);
  if (unfit) return unfit;
  const stacked = stored.shape.length > patch.length;
  const layout = input.columns && stacked ? lastAxisFirst(stored) : stored;
  const { shape: all } = layout;
  const bytes = byteLengthOf(layout);
  if (bytes === 0) return new InputError(`${name}: ${formatShape(all)} holds no samples`);
  const shape = stacked ? all.slice(1) : all;
  const small = tooSmall(name, shape, patch);
  if (small) return stacked && !input.columns ? withColumnHint(small, stored, patch) : small;
  const array = { name, layout, nodata, read };
  const pieces = stacked ? stackPieces(all, unitSamples) : rowPieces(all, patch, unitSamples);
  const whole = pieces.length === 1 && !stacked;
  const units = pieces.map(({ from, rows }) => ({
    name,
    shape: stacked ? shape : [rows, ...shape.slice(1)],
    count: stacked ? rows : 1,
    ...(whole ? {} : { from, part: stacked ? ("signals" as const) : ("rows" as const) }),
    bytes,
    read: (into: Float32Array) => readRows(array, from, rows, into),
  }));
  const length = within?.length ?? (input.packed ? (await files.whole(path)).length : range.length);
  return { units, compared: { path, within, length } };
}

/** The error of signals that are too small, with a hint if columns would not be. */
function withColumnHint(small: InputError, layout: NumberLayout, patch: Shape): InputError {
  const [count, ...shape] = lastAxisFirst(layout).shape;
  if (tooSmall("", shape, patch)) return small;
  return new InputError(
    (nameOf) =>
      `${small.message}; if each column is a signal, ${nameOf("signals")} columns reads ${count} of ${formatShape(shape)}`,
  );
}

/** Where the numbers of an input are in the range of its bytes; `check` may refuse its shape first. */
export async function layoutIn(
  range: ByteRange,
  { numbers }: ArrayInput,
  name: string,
  files: OpenFiles,
  check: (shape: Shape) => void = () => {},
): Promise<NumberLayout> {
  if (numbers) {
    check(numbers.shape);
    return numbers;
  }
  const start = new Uint8Array(Math.min(range.length, maxNpyHeaderLength));
  await files.read(range, 0, start, name);
  const header = readNpyHeader(start, name);
  check(header.shape);
  return npyLayout(header, range.length, name);
}

/** The channels of a sound, each cut into pieces as one signal. */
export async function openSound(
  { path, within }: ArrayInput,
  name: string,
  { patch, unitSamples, nodata, files }: Opening,
): Promise<OpenInput | InputError> {
  const range = within ?? (await files.whole(path));
  const layout = await soundLayout(files, range, name);
  if (patch.length !== 1)
    throw new InputError(`${name} is sound: the patch must have 1 axis, got ${formatShape(patch)}`);
  const shape = [layout.frames];
  const small = tooSmall(name, shape, patch);
  if (small) return small;
  const pieces = rowPieces(shape, patch, unitSamples);
  const sound = {
    name,
    layout,
    nodata,
    read: (at: number, into: Uint8Array) => files.read(range, at, into, name),
  };
  const placeOfPiece = (channel: number, from: number) => {
    if (pieces.length > 1) return { from, part: "rows" as const };
    return layout.channels > 1 ? { from: channel, part: "signals" as const } : {};
  };
  const units = Array.from({ length: layout.channels }, (_, channel) =>
    pieces.map(({ from, rows }) => ({
      name,
      shape: [rows],
      count: 1,
      ...placeOfPiece(channel, from),
      bytes: range.length,
      read: (into: Float32Array) => readFrames(sound, channel, from, into),
    })),
  );
  return { units: units.flat(), compared: { path, within, length: range.length } };
}

/** Where the bytes of an input are. What is compressed, or text, is unpacked first. */
export async function locate(
  { path, within, packed }: ArrayInput,
  name: string,
  files: OpenFiles,
  store: TemporaryStore | undefined,
): Promise<ByteRange> {
  const range = within ?? (await files.whole(path));
  return packed && store ? store.unpack(range, packed, name) : range;
}

function requireAxes(
  { within, columns }: ArrayInput,
  name: string,
  shape: readonly number[],
  patch: Shape,
): void {
  const axes = shape.length;
  if (axes === patch.length && columns && axes > 1)
    throw new InputError(
      (nameOf) =>
        `${name} (${formatShape(shape)}) has as many axes as the patch: it is one signal, and has no signals in columns (${nameOf("signals")})`,
      { argument: "patch" },
    );
  if (axes === patch.length || axes === patch.length + 1) return;
  const has = axes === 1 ? "1 axis" : `${axes} axes`;
  const one = patch.length === 1 ? "1 axis" : `${patch.length} axes`;
  throw new InputError(
    `${name} has ${has} (${formatShape(shape) || "a single value"}): a patch of ${formatShape(patch)} ` +
      `needs ${one} (one signal) or ${patch.length + 1} (the first counts signals)` +
      (within ? `; an array of an archive is named as in "${basename(within.file)}[NAME]"` : ""),
    { argument: "patch" },
  );
}
