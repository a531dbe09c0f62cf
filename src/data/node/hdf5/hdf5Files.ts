/**
 * HDF5 files, and Matlab files of version 7.3, which are HDF5: their datasets of numbers, through the optional package
 * `h5wasm`, the HDF5 library as WebAssembly. It reads from the file what it needs, a slab of rows at a time.
 *
 * Matlab's axes are stored in reverse, because its first axis varies fastest: datasets that carry the name of a Matlab
 * class get Matlab's shape back.
 */

import { InputError } from "../../../core/errors.js";
import { type Shape, sizeOf, stridesOf } from "../../../core/shape.js";
import { columnMajorStrides, type NumberLayout } from "../../formats/numberLayout.js";
import { shownPath, systemPath } from "../system/fileNames.js";

/** A dataset of a file; `numbers`, row-major and little-endian once it is unpacked, or why it has none. */
export interface Hdf5Dataset {
  readonly name: string;
  readonly numbers?: NumberLayout;
  readonly problem?: string;
}

/** What is used of h5wasm. */
interface Hdf5Module {
  readonly HEAPU8: Uint8Array;
  activate_throwing_error_handler(): void;
  _malloc(bytes: number): number;
  _free(place: number): void;
  get_dataset_data(
    file: bigint,
    path: string,
    count: bigint[],
    offset: bigint[],
    strides: bigint[],
    place: bigint,
  ): void;
}

interface Metadata {
  readonly type: number;
  readonly signed: boolean;
  readonly size: number;
  readonly vlen: boolean;
  readonly shape: number[] | null;
  readonly chunks: number[] | null;
  readonly enum_type?: { readonly type: number };
}

interface Dataset {
  readonly type: "Dataset";
  readonly file_id: bigint;
  readonly path: string;
  readonly metadata: Metadata;
  readonly filters: readonly { readonly id: number; readonly name: string }[];
  readonly attrs: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Group {
  readonly type: "Group";
  keys(): readonly string[];
  get(name: string): Dataset | Group | { readonly type: string } | null;
}

interface OpenHdf5 extends Group {
  close(): void;
}

const [integer, float, enumeration] = [0, 1, 8];

/** Names of other types, by their numbers. */
const otherTypes: Readonly<Record<number, string>> = {
  3: "text",
  6: "records or complex numbers",
  7: "references",
};

/** Filters that the library has: deflate, shuffle, Fletcher-32, szip, n-bit, scale-offset. */
const knownFilters = [1, 2, 3, 4, 5, 6];

const [maxDatasets, maxDepth] = [2 ** 14, 32];

/** Groups that Matlab keeps for itself. */
const ownGroups = ["#refs#", "#subsystem#"];

/** The datasets of a file, in its order, at any depth; or the one of this name, if it is there. */
export async function listHdf5(path: string, only?: string): Promise<Hdf5Dataset[]> {
  return withFile(path, (file) => {
    const found: Hdf5Dataset[] = [];
    if (only !== undefined) {
      const named = file.get(only);
      return isDataset(named) ? [describeDataset(named, only)] : found;
    }
    const walk = (group: Group, prefix: string, depth: number) => {
      for (const key of group.keys()) {
        const item = group.get(key);
        if (isDataset(item)) found.push(describeDataset(item, prefix + key));
        if (isGroup(item) && depth < maxDepth && !ownGroups.includes(key))
          walk(item, `${prefix}${key}/`, depth + 1);
        if (found.length > maxDatasets)
          throw new InputError(`${shownPath(path)}: must hold at most ${maxDatasets} datasets, got more`);
      }
    };
    walk(file, "", 0);
    return found;
  });
}

/** The numbers of a dataset as they are in the file, little-endian, a slab of rows at a time. */
export async function* readHdf5(path: string, dataset: string): AsyncGenerator<Uint8Array> {
  const { module, file } = await openFile(path);
  try {
    const item = reading(path, () => file.get(dataset));
    if (!isDataset(item)) throw new InputError(`${shownPath(path)}: changed while it was in use`);
    for (const slab of slabsOf(item.metadata)) yield reading(path, () => readSlab(module, item, slab));
  } finally {
    closeFile(file);
  }
}

/** A part of a dataset that is one range in row-major order. */
interface Slab {
  readonly start: readonly number[];
  readonly count: readonly number[];
}

/** Bytes that are read at a time: about this many, or one row of chunks if that is not much more. */
const [slabBytes, maxSlabBytes] = [2 ** 23, 2 ** 26];

/** The slabs of a dataset, in row-major order. */
function* slabsOf({ shape, chunks, size }: Metadata): Generator<Slab> {
  const sizes = shape ?? [];
  const after = (axis: number) => sizeOf(sizes.slice(axis + 1)) * size; // bytes of one step along an axis
  let axis = sizes.findIndex((_, a) => after(a) * (chunks?.[a] ?? 1) <= maxSlabBytes);
  if (axis < 0) axis = sizes.length - 1;
  const chunk = Math.min(chunks?.[axis] ?? 1, sizes[axis]);
  const each = Math.max(1, Math.floor(slabBytes / (after(axis) * chunk))) * chunk;
  const outer = sizes.slice(0, axis);
  for (let o = 0; o < sizeOf(outer); o++) {
    const place = stridesOf(outer).map((stride, a) => Math.floor(o / stride) % outer[a]);
    for (let from = 0; from < sizes[axis]; from += each)
      yield {
        start: [...place, from, ...sizes.slice(axis + 1).fill(0)],
        count: [...outer.map(() => 1), Math.min(each, sizes[axis] - from), ...sizes.slice(axis + 1)],
      };
  }
}

function readSlab(
  module: Hdf5Module,
  { file_id, path, metadata }: Dataset,
  { start, count }: Slab,
): Uint8Array {
  const bytes = sizeOf(count) * metadata.size;
  const place = module._malloc(bytes);
  if (place === 0) throw new Error(`no memory for ${bytes} bytes`);
  try {
    const ones = count.map(() => 1n);
    module.get_dataset_data(file_id, path, count.map(BigInt), start.map(BigInt), ones, BigInt(place));
    return module.HEAPU8.slice(place, place + bytes);
  } finally {
    module._free(place);
  }
}

function isDataset(item: unknown): item is Dataset {
  return (item as { readonly type?: string } | null)?.type === "Dataset";
}

function isGroup(item: unknown): item is Group {
  return (item as { readonly type?: string } | null)?.type === "Group";
}

function describeDataset({ metadata, attrs, filters }: Dataset, name: string): Hdf5Dataset {
  const { type, enum_type, size, signed, vlen, shape } = metadata;
  const matlab = attrs.MATLAB_class?.value;
  if (matlab === "char" || type === 3) return { name, problem: "is text" };
  const unknown = filters.find(({ id }) => !knownFilters.includes(id));
  if (unknown) return { name, problem: `is compressed by ${unknown.name || unknown.id}, not by gzip` };
  const isWhole = type === integer || (type === enumeration && enum_type?.type === integer);
  if (vlen || !(isWhole || type === float))
    return { name, problem: `holds ${otherTypes[type] ?? "no numbers"}` };
  const kind = type === float ? "f" : signed ? "i" : "u";
  if (!(kind === "f" ? [2, 4, 8] : [1, 2, 4, 8]).includes(size))
    return { name, problem: `holds numbers of ${8 * size} bits` };
  if (shape === null || sizeOf(shape) === 0 || attrs.MATLAB_empty)
    return { name, problem: "holds no samples" };
  if (sizeOf(shape) === 1) return { name, problem: "is a single value" };
  if (!Number.isSafeInteger(sizeOf(shape) * size)) return { name, problem: "is larger than any memory" };
  return {
    name,
    numbers: { ...axesOf(shape, matlab !== undefined), kind, size, bigEndian: false, dataOffset: 0 },
  };
}

/** Matlab's axes in Matlab's order, a row or a column with one axis; other axes as they are. */
function axesOf(stored: Shape, matlab: boolean): Pick<NumberLayout, "shape" | "strides"> {
  if (!matlab) return { shape: stored, strides: stridesOf(stored) };
  const turned = stored.toReversed();
  const shape = turned.length === 2 && turned.includes(1) ? [sizeOf(turned)] : turned;
  return { shape, strides: columnMajorStrides(shape) };
}

async function withFile<T>(path: string, work: (file: OpenHdf5) => T): Promise<T> {
  const { file } = await openFile(path);
  try {
    return reading(path, () => work(file));
  } finally {
    closeFile(file);
  }
}

async function openFile(path: string): Promise<{ module: Hdf5Module; file: OpenHdf5 }> {
  const name = shownPath(path);
  const { File, module } = await loadLibrary(name);
  const own = systemPath(path);
  if (typeof own !== "string") throw new InputError(`${name}: the name of an HDF5 file must be valid UTF-8`);
  return { module, file: reading(path, () => new File(own, "r")) };
}

function closeFile(file: OpenHdf5): void {
  try {
    file.close();
  } catch {
    // of a damaged file that is left open, nothing is used any more
  }
}

interface Hdf5Library {
  readonly module: Hdf5Module;
  readonly File: new (path: string, mode: "r") => OpenHdf5;
}

/** The library, once it is loaded; and whether a damaged file has stopped it, after which nothing it says is certain. */
let loaded: Promise<Hdf5Library> | undefined;
let stopped = false;

async function loadLibrary(name: string): Promise<Hdf5Library> {
  if (stopped)
    throw new InputError(
      `${name}: not read, because an earlier HDF5 file, which is damaged, stopped its reader`,
    );
  loaded ??= startLibrary();
  try {
    return await loaded;
  } catch (error) {
    throw new InputError(
      `${name}: HDF5 files need the package h5wasm: npm install h5wasm (${firstLine(error)})`,
    );
  }
}

/** Start the library without its messages: what it says when it stops is an error here. */
async function startLibrary(): Promise<Hdf5Library> {
  const print = console.error;
  let isLoading = true;
  console.error = (...words) => {
    if (isLoading) print(...words);
  };
  try {
    const { default: library } = await import("h5wasm/node");
    const module = (await library.ready) as unknown as Hdf5Module;
    module.activate_throwing_error_handler();
    return { module, File: library.File as unknown as Hdf5Library["File"] };
  } finally {
    console.error = print;
    isLoading = false;
  }
}

/** Do work on a file; any failure of the library becomes an error of one line. */
function reading<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof InputError) throw error;
    if (error instanceof WebAssembly.RuntimeError) {
      stopped = true;
      throw new InputError(`${shownPath(path)}: cannot be read as HDF5 (it is damaged)`);
    }
    throw new InputError(`${shownPath(path)}: cannot be read as HDF5 (${reasonOf(error)})`);
  }
}

/** The last reason that the library gives, which is the first cause. */
function reasonOf(error: unknown): string {
  const reasons = [...String((error as Error).message).matchAll(/^\s+#\d+: .*\(\): (.+)$/gm)];
  return reasons.at(-1)?.[1] ?? firstLine(error);
}

function firstLine(error: unknown): string {
  return String((error as Error).message).split("\n")[0] || "unknown reason";
}
