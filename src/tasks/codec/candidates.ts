/**
 * The atoms that a block may be coded with: those that OMP takes, in its order, on the
 * kernels, with their coefficients and what each took off the error. As many as gain
 * enough are looked for; more are, when a smaller step asks for them.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import type { Dictionary } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import { Encoder } from "../../pursuit/encoder.js";

/** What OMP found for a block. */
export interface Candidates {
  /** In the order they were taken. */
  readonly atoms: Uint32Array;
  /** The best coefficients for all of them together. */
  readonly coefficients: Float32Array;
  /** What each took off ‖y‖². */
  readonly gains: Float32Array;
}

/** Blocks coded at a time, the atoms looked for at first, and at most. */
const panel = 128;
const fewest = 32;
const most = 1024;

export class CandidateSearch {
  readonly #dictionary: Dictionary;
  readonly #blocks: DenseMatrix;
  readonly #kernels: Kernels;
  readonly #limit: number;
  #found: Candidates[] = [];
  #sparsity = 0;

  /** For blocks without their means, one a column, in units where sums of squares fit into f32. */
  constructor(dictionary: Dictionary, blocks: DenseMatrix, kernels: Kernels) {
    this.#dictionary = dictionary;
    this.#blocks = blocks;
    this.#kernels = kernels;
    this.#limit = Math.min(most, dictionary.rows, dictionary.cols);
  }

  /** Candidates of every block, down to those that gain `least`. */
  async find(least: number): Promise<readonly Candidates[]> {
    const wanting = ({ atoms, gains }: Candidates) =>
      atoms.length === this.#sparsity && gains.at(-1)! > least;
    while (this.#sparsity < this.#limit && (this.#sparsity === 0 || this.#found.some(wanting))) {
      this.#sparsity = Math.min(this.#limit, Math.max(fewest, 2 * this.#sparsity));
      await this.#code();
    }
    return this.#found;
  }

  async #code(): Promise<void> {
    const [kernels, p, { rows, cols }] = [this.#kernels, this.#sparsity, this.#blocks];
    const capacity = Math.min(panel, cols);
    const encoder = new Encoder(this.#dictionary, { sparsity: p, residualEnergy: 0 }, capacity, kernels);
    const [held, paths] = [kernels.matrix(rows, capacity), kernels.matrix(p, capacity)];
    this.#found = [];
    for (let from = 0; from < cols; from += capacity) {
      const part = this.#blocks.slice(from, Math.min(from + capacity, cols));
      const [y, path] = [kernels.head(held, part.cols), kernels.head(paths, part.cols)];
      await kernels.writeMatrix(y, part);
      const X = await kernels.readSparse(await encoder.encode(y, path));
      const left = await kernels.readMatrix(path);
      for (let i = 0; i < part.cols; i++) {
        const [start, count] = [i * X.width, X.counts[i]];
        const energy = part.column(i).reduce((sum, value) => sum + value * value, 0);
        this.#found.push({
          atoms: X.indices.slice(start, start + count),
          coefficients: X.values.slice(start, start + count),
          gains: Float32Array.from(
            { length: count },
            (_, t) => (t === 0 ? energy : left.at(t - 1, i)) - left.at(t, i),
          ),
        });
      }
    }
    encoder.free();
    kernels.free(held, paths);
  }
}
