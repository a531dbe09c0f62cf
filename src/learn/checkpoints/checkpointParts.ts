/**
 * What a learner carries from one update to the next, as named arrays: out of it for
 * a checkpoint, and back into it.
 *
 * `Kept` is both directions of one thing. A learner lists what it keeps, once, so
 * that nothing is saved that is not restored. Large matrices leave the device a few
 * columns at a time; they come back one at a time, whole.
 *
 * What follows from the rest by one operation is not kept, but computed again when
 * it is the same to the bit (DᵀD of an explicit dictionary). The Gram matrix of D = ΦA
 * is kept: refreshed by columns, an entry is ⟨aᵢ, ΦᵀΦaⱼ⟩ or ⟨aⱼ, ΦᵀΦaᵢ⟩, whichever atom
 * changed last, and the two round differently.
 */

import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { ExplicitDictionary } from "../../dictionaries/explicitDictionary.js";
import type { SparseDictionary } from "../../dictionaries/sparseDictionary.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../../kernels/contract.js";

export const stateTypes = { f32: Float32Array, f64: Float64Array, u32: Uint32Array } as const;
export type StateType = keyof typeof stateTypes;
/** What an array of a type is. */
interface StateArrays {
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  readonly u32: Uint32Array;
}
export type StateArray<T extends StateType = StateType> = StateArrays[T];

/** An array on its way out. */
export interface StatePart {
  readonly name: string;
  readonly type: StateType;
  readonly length: number;
  /** Its numbers, in order, a piece at a time. A piece is good until the next. */
  pieces(): AsyncIterable<StateArray>;
}

/** Arrays that were saved. */
export interface SavedState {
  has(name: string): boolean;
  read(name: string): Promise<StateArray>;
}

/** Something that can be saved and restored. */
export interface Kept {
  /** As it is now. */
  parts(): readonly StatePart[];
  restore(saved: SavedState): Promise<void>;
}

/** The bytes of all parts. */
export function bytesOf(kept: Kept): number {
  const size = ({ type, length }: StatePart) => stateTypes[type].BYTES_PER_ELEMENT * length;
  return kept.parts().reduce((sum, part) => sum + size(part), 0);
}

/** An array by name, which must have this type and length. */
export async function readPart<T extends StateType>(
  saved: SavedState,
  name: string,
  type: T,
  length?: number,
): Promise<StateArray<T>> {
  const values = saved.has(name) ? await saved.read(name) : undefined;
  if (values instanceof stateTypes[type] && (length === undefined || values.length === length))
    return values as StateArray<T>;
  const found = values ? `${values.length} of ${values.constructor.name}` : "none";
  throw new InputError(`checkpoint: ${name} must be ${length ?? "an array"} of ${type}, got ${found}`);
}

/** A part that is at hand. */
export function heldPart(name: string, values: StateArray): StatePart {
  const types = Object.keys(stateTypes) as StateType[];
  const type = types.find((key) => values instanceof stateTypes[key])!;
  return {
    name,
    type,
    length: values.length,
    async *pieces() {
      yield values;
    },
  };
}

/** Several things as one. */
export function keptTogether(...all: readonly Kept[]): Kept {
  return {
    parts: () => all.flatMap((one) => one.parts()),
    async restore(saved) {
      for (const one of all) await one.restore(saved);
    },
  };
}

/** A few numbers of the host. */
export function keptNumbers(
  name: string,
  get: () => readonly number[],
  set: (values: readonly number[]) => void,
): Kept {
  return {
    parts: () => [heldPart(name, Float64Array.from(get()))],
    async restore(saved) {
      set(Array.from(await readPart(saved, name, "f64", get().length)));
    },
  };
}

/** A matrix where the kernels compute. */
export function keptMatrix(name: string, M: DeviceMatrix, kernels: Kernels): Kept {
  const length = M.rows * M.cols;
  return {
    parts: () => [
      {
        name,
        type: "f32",
        length,
        async *pieces() {
          for await (const { data } of panels(M, kernels)) yield data;
        },
      },
    ],
    async restore(saved) {
      const data = await readPart(saved, name, "f32", length);
      await kernels.writeMatrix(M, new DenseMatrix(M.rows, M.cols, data));
    },
  };
}

/** A matrix that is symmetric to the bit: of each column, what is not below the diagonal. */
export function keptSymmetric(name: string, G: DeviceMatrix, kernels: Kernels): Kept {
  const length = (G.rows * (G.rows + 1)) / 2;
  return {
    parts: () => [
      {
        name,
        type: "f32",
        length,
        async *pieces() {
          let first = 0;
          for await (const panel of panels(G, kernels)) {
            yield upperPart(panel, first);
            first += panel.cols;
          }
        },
      },
    ],
    async restore(saved) {
      await kernels.writeMatrix(G, symmetric(await readPart(saved, name, "f32", length), G.rows));
    },
  };
}

/** Sparse columns, their entries in the order in which they stand. */
export function keptSparse(name: string, A: DeviceSparse, kernels: Kernels): Kept {
  const slots = A.cols * A.width;
  const part = (
    what: "indices" | "values" | "counts",
    type: StateType,
    length: number,
    whole: () => Promise<SparseColumns>,
  ): StatePart => ({
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
      await kernels.writeSparse(A, await savedSparse(saved, name, A));
    },
  };
}

/** Sparse columns that were saved under a name. */
export async function savedSparse(
  saved: SavedState,
  name: string,
  { rows, cols, width }: Pick<SparseColumns, "rows" | "cols" | "width">,
): Promise<SparseColumns> {
  const indices = await readPart(saved, `${name}.indices`, "u32", cols * width);
  const values = await readPart(saved, `${name}.values`, "f32", cols * width);
  const counts = await readPart(saved, `${name}.counts`, "u32", cols);
  if (indices.some((row) => row >= rows) || counts.some((count) => count > width))
    throw new InputError(`checkpoint: ${name} must fit ${rows} rows and ${width} non-zeros a column`);
  return new SparseColumns(rows, cols, width, indices, values, counts);
}

/** D = ΦA: A, its norms and its Gram matrix. */
export function keptDictionary(D: SparseDictionary, kernels: Kernels): Kept {
  return keptTogether(
    keptSparse("A", D.A, kernels),
    keptMatrix("scale", D.scale, kernels),
    keptSymmetric("G", D.gram, kernels),
  );
}

/** An explicit D; its Gram matrix is computed again. */
export function keptExplicit(D: ExplicitDictionary, kernels: Kernels): Kept {
  const atoms = keptMatrix("D", D.atoms, kernels);
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
