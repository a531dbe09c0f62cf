/**
 * The mean of the iterates of A over the last epoch of a run, or the second half of a single epoch, hard-thresholded to k
 * non-zeros per column:
 *
 *     Ā = P_k[ 1/|T| Σ_{t∈T} Aₜ ]
 *
 * where T has about fifty updates of that time, evenly spaced. A step of (13) does not shrink, so the last iterate
 * moves about a minimum; the mean of many is nearer to it. Not part of Algorithm 2: an option. The sums are kept on the
 * host, since A is read only now and then.
 *
 * Memory   L × m numbers in f32, on the host
 */

import { SparseColumns } from "../../core/matrix.js";
import { hostPart, readPart, type Savable } from "../checkpoints/checkpointParts.js";

/** Iterates that are averaged, at most. */
const iterates = 50;

/** The bytes of the average of A, L × m. */
export function averageBytes(L: number, m: number): number {
  return 4 * L * m;
}

export class IterateAverage {
  /** Σ Aₜ, column by column. */
  readonly #sums: Float32Array;
  /** The iterates behind each column: fewer where an atom was replaced. */
  readonly #counts: Float32Array;
  readonly #rows: number;
  readonly #first: number;
  readonly #every: number;
  readonly #last: number;

  /** For A of `rows` × `cols`, in a run of this many updates. */
  constructor(rows: number, cols: number, updates: { readonly perEpoch: number; readonly total: number }) {
    this.#rows = rows;
    this.#sums = new Float32Array(rows * cols);
    this.#counts = new Float32Array(cols);
    const averaged = Math.min(updates.perEpoch, Math.ceil(updates.total / 2)); // the first half has the way from the start in it
    this.#first = updates.total - averaged;
    this.#every = Math.max(1, Math.floor(averaged / iterates));
    this.#last = updates.total;
  }

  /** Whether the atoms after this many updates are among those averaged. */
  takes(step: number): boolean {
    return step > this.#first && (this.#last - step) % this.#every === 0;
  }

  add(A: SparseColumns): void {
    for (let j = 0; j < A.cols; j++) {
      const [from, to] = [j * A.width, j * A.width + A.counts[j]];
      for (let s = from; s < to; s++) this.#sums[j * this.#rows + A.indices[s]] += A.values[s];
      this.#counts[j] += 1;
    }
  }

  /** Atoms that were replaced have no past. */
  forget(atoms: readonly number[]): void {
    for (const j of atoms) {
      this.#sums.fill(0, j * this.#rows, (j + 1) * this.#rows);
      this.#counts[j] = 0;
    }
  }

  /** Ā with `k` non-zeros per column; a column without a past is that of A. */
  mean(A: SparseColumns, k: number): SparseColumns {
    const result = new SparseColumns(A.rows, A.cols, A.width);
    for (let j = 0; j < A.cols; j++) {
      if (this.#counts[j] === 0) {
        const [from, to] = [j * A.width, j * A.width + A.counts[j]];
        result.setColumn(j, A.indices.subarray(from, to), A.values.subarray(from, to));
        continue;
      }
      const sum = this.#sums.subarray(j * this.#rows, (j + 1) * this.#rows);
      const kept = largestPlaces(sum, k);
      result.setColumn(
        j,
        kept,
        kept.map((i) => sum[i] / this.#counts[j]),
      );
    }
    return result;
  }

  get savable(): Savable {
    return {
      parts: () => [hostPart("average", this.#sums), hostPart("averaged", this.#counts)],
      restore: async (saved) => {
        this.#sums.set(await readPart(saved, "average", "f32", this.#sums.length));
        this.#counts.set(await readPart(saved, "averaged", "f32", this.#counts.length));
      },
    };
  }
}

/** The places of the k largest magnitudes that are not zero, ascending; of equal ones the first. */
function largestPlaces(values: Float32Array, k: number): number[] {
  const places: number[] = [];
  for (let i = 0; i < values.length; i++) if (values[i] !== 0) places.push(i);
  places.sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
  return places.slice(0, k).sort((a, b) => a - b);
}
