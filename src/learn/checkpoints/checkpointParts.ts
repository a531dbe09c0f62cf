/**
 * What a learner carries from one update to the next, as named arrays: out of it for a
 * checkpoint, and back into it.
 *
 * A `Savable` is both directions of one thing. A learner lists its own once, so that
 * whatever is saved is also restored. Large matrices leave the device a few columns at a
 * time; each comes back whole.
 *
 * What one operation can compute again to the same bits is not saved: DᵀD of an explicit
 * dictionary. The Gram matrix of D = ΦA is saved: refreshed by columns, an entry is
 * ⟨aᵢ, ΦᵀΦaⱼ⟩ or ⟨aⱼ, ΦᵀΦaᵢ⟩, depending on which atom changed last, and the two round
 * differently.
 */

import {
  callback,
  deviceMatrix,
  having,
  kernels as kernelsType,
  requireArgument,
  requireArguments,
  text,
} from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import { counted } from "../../core/formatText.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { ExplicitDictionary, SparseDictionary } from "../../dictionaries/dictionary.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../../kernels/contract.js";

export const partTypes = { f32: Float32Array, f64: Float64Array, u32: Uint32Array } as const;
export type PartType = keyof typeof partTypes;
interface PartArrays {
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  readonly u32: Uint32Array;
}
export type PartArray<T extends PartType = PartType> = PartArrays[T];

/** A named array to be saved. */
export interface CheckpointPart {
  readonly name: string;
  readonly type: PartType;
  readonly length: number;
  /** Its numbers in order, a piece at a time. A piece is valid until the next one. */
  pieces(): AsyncIterable<PartArray>;
}

/** Parts that were saved. */
export interface SavedParts {
  has(name: string): boolean;
  read(name: string): Promise<PartArray>;
}

/** Something that a checkpoint can save and restore. */
export interface Savable {
  /** Its current parts. */
  parts(): readonly CheckpointPart[];
  restore(saved: SavedParts): Promise<void>;
}

/** The bytes of a part. */
export function partBytes({ type, length }: Pick<CheckpointPart, "type" | "length">): number {
  return partTypes[type].BYTES_PER_ELEMENT * length;
}

/** A saved part by name, which must have this type and length. */
export async function readPart<T extends PartType>(
  saved: SavedParts,
  name: string,
  type: T,
  length?: number,
): Promise<PartArray<T>> {
  if (!saved.has(name))
    throw new InputError(`checkpoint: ${name} is missing; another version of trainlets may have written it`);
  const values = await saved.read(name);
  if (values instanceof partTypes[type] && (length === undefined || values.length === length))
    return values as PartArray<T>;
  throw new InputError(
    `checkpoint: ${name} must have ${length === undefined ? "" : `${length} `}numbers of type ${type}, got ${values.length} of type ${typeOf(values)}; another version of trainlets may have written it`,
  );
}

/**
 * How many examples a saved part has numbers of, `rows` for each: as many as the run takes, or fewer where some could
 * not be read.
 */
export function savedExamples(name: string, { length }: PartArray, rows: number, most: number): number {
  const count = length / rows;
  if (Number.isInteger(count) && count <= most) return count;
  throw new InputError(
    `checkpoint: ${name} must have ${counted(rows, "number")} for each of at most ${counted(most, "example")}, got ${length}; another version of trainlets may have written it`,
  );
}

function typeOf(values: PartArray): PartType {
  const types = Object.keys(partTypes) as PartType[];
  return types.find((type) => values instanceof partTypes[type])!;
}

/** A part made of an array on the host. */
export function hostPart(name: string, values: PartArray): CheckpointPart {
  return {
    name,
    type: typeOf(values),
    length: values.length,
    async *pieces() {
      yield values;
    },
  };
}

const savable = having("something savable, { parts, restore }", ["parts", "restore"]);

/** Several savable parts as one. */
export function savableTogether(...all: readonly Savable[]): Savable {
  for (const one of all) requireArgument("savableTogether", "all", one, savable);
  return {
    parts: () => all.flatMap((one) => one.parts()),
    async restore(saved) {
      for (const one of all) await one.restore(saved);
    },
  };
}

/** A few numbers on the host. */
export function savableNumbers(
  name: string,
  get: () => readonly number[],
  set: (values: readonly number[]) => void,
): Savable {
  requireArguments("savableNumbers", { name: [name, text], get: [get, callback], set: [set, callback] });
  return {
    parts: () => [hostPart(name, Float64Array.from(get()))],
    async restore(saved) {
      set(Array.from(await readPart(saved, name, "f64", get().length)));
    },
  };
}

/** A matrix on the device. */
export function savableMatrix(name: string, M: DeviceMatrix, kernels: Kernels): Savable {
  requireArguments("savableMatrix", {
    name: [name, text],
    M: [M, deviceMatrix],
    kernels: [kernels, kernelsType],
  });
  return savableColumns(name, M, kernels, {
    length: M.rows * M.cols,
    pack: ({ data }) => data,
    unpack: (data) => new DenseMatrix(M.rows, M.cols, data),
  });
}

/** A matrix that is symmetric to the bit: its upper triangle, by columns. */
export function savableSymmetric(name: string, G: DeviceMatrix, kernels: Kernels): Savable {
  return savableColumns(name, G, kernels, {
    length: (G.rows * (G.rows + 1)) / 2,
    pack: upperPart,
    unpack: (packed) => symmetric(packed, G.rows),
  });
}

/** What of a matrix is saved: of each panel of columns, and of the whole. */
interface Packing {
  readonly length: number;
  /** The numbers to save of a panel that starts at column `first`. */
  pack(panel: DenseMatrix, first: number): Float32Array;
  unpack(packed: Float32Array): DenseMatrix;
}

function savableColumns(
  name: string,
  M: DeviceMatrix,
  kernels: Kernels,
  { length, pack, unpack }: Packing,
): Savable {
  async function* pieces() {
    let first = 0;
    for await (const panel of panels(M, kernels)) {
      yield pack(panel, first);
      first += panel.cols;
    }
  }
  return {
    parts: () => [{ name, type: "f32", length, pieces }],
    async restore(saved) {
      await kernels.writeMatrix(M, unpack(await readPart(saved, name, "f32", length)));
    },
  };
}

/** Sparse columns, their entries in the order in which they stand. */
export function savableSparse(name: string, A: DeviceSparse, kernels: Kernels): Savable {
  const slots = A.cols * A.width;
  const part = (
    what: "indices" | "values" | "counts",
    type: PartType,
    length: number,
    whole: () => Promise<SparseColumns>,
  ): CheckpointPart => ({
    name: `${name}.${what}`,
    type,
    length,
    async *pieces() {
      yield (await whole())[what];
    },
  });
  return {
    parts() {
      let read: Promise<SparseColumns> | undefined;
      const whole = () => (read ??= kernels.readSparse(A));
      return [
        part("indices", "u32", slots, whole),
        part("values", "f32", slots, whole),
        part("counts", "u32", A.cols, whole),
      ];
    },
    async restore(saved) {
      await kernels.writeSparse(A, await readSparseParts(saved, name, A));
    },
  };
}

/** Sparse columns that were saved under this name. */
export async function readSparseParts(
  saved: SavedParts,
  name: string,
  { rows, cols, width }: Pick<SparseColumns, "rows" | "cols" | "width">,
): Promise<SparseColumns> {
  const indices = await readPart(saved, `${name}.indices`, "u32", cols * width);
  const values = await readPart(saved, `${name}.values`, "f32", cols * width);
  const counts = await readPart(saved, `${name}.counts`, "u32", cols);
  if (indices.some((row) => row >= rows) || counts.some((count) => count > width))
    throw new InputError(`checkpoint: ${name} must fit ${rows} rows and ${width} non-zeros per column`);
  return new SparseColumns(rows, cols, width, indices, values, counts);
}

/** D = ΦA: A, its norms and its Gram matrix, if the kernels keep one. */
export function savableSparseDictionary(D: SparseDictionary, kernels: Kernels): Savable {
  return savableTogether(
    savableSparse("A", D.A, kernels),
    savableMatrix("scale", D.scale, kernels),
    ...(D.gram ? [savableGram(D, D.gram, kernels)] : []),
  );
}

/** The Gram matrix; it is computed again if the run was on kernels that kept none. */
function savableGram(D: SparseDictionary, gram: DeviceMatrix, kernels: Kernels): Savable {
  const saves = savableSymmetric("G", gram, kernels);
  return {
    parts: () => saves.parts(),
    restore: (saved) => (saved.has("G") ? saves.restore(saved) : D.refreshAll()),
  };
}

/** An explicit D; its Gram matrix is computed again. */
export function savableExplicitDictionary(D: ExplicitDictionary, kernels: Kernels): Savable {
  const atoms = savableMatrix("D", D.atoms, kernels);
  return {
    parts: () => atoms.parts(),
    async restore(saved) {
      await atoms.restore(saved);
      await D.refresh();
    },
  };
}

/** Bytes that leave the device at a time. */
const panelBytes = 2 ** 22;

/** A matrix, a few columns at a time. */
async function* panels(M: DeviceMatrix, kernels: Kernels): AsyncGenerator<DenseMatrix> {
  const count = Math.max(1, Math.floor(panelBytes / 4 / M.rows));
  if (count >= M.cols) return yield await kernels.readMatrix(M);
  const panel = kernels.matrix(M.rows, count);
  try {
    for (let from = 0; from < M.cols; from += count) {
      const part = kernels.head(panel, Math.min(count, M.cols - from));
      await kernels.copyColumns(M, from, part);
      yield await kernels.readMatrix(part);
    }
  } finally {
    kernels.free(panel);
  }
}

/** Of columns first, first + 1, … of a symmetric matrix, the entries down to the diagonal. */
function upperPart(panel: DenseMatrix, first: number): Float32Array {
  const packed = new Float32Array(panel.cols * first + (panel.cols * (panel.cols + 1)) / 2);
  let at = 0;
  for (let i = 0; i < panel.cols; i++) {
    packed.set(panel.column(i).subarray(0, first + i + 1), at);
    at += first + i + 1;
  }
  return packed;
}

function symmetric(packed: Float32Array, size: number): DenseMatrix {
  const G = new DenseMatrix(size, size);
  let at = 0;
  for (let j = 0; j < size; j++) {
    for (let i = 0; i <= j; i++) {
      G.data[j * size + i] = packed[at];
      G.data[i * size + j] = packed[at++];
    }
  }
  return G;
}
