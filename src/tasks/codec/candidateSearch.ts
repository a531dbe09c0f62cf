/**
 * Candidate atoms for each block: those that OMP chooses, in its order, with their
 * coefficients and how much each reduces the error. The search stops at atoms that gain
 * too little, and continues when a smaller step makes them worthwhile.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import type { Dictionary } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import { Encoder } from "../../pursuit/encoder.js";

/** What OMP found for a block, in the units of the block. */
export interface Candidates {
  /** In the order OMP chose them. */
  readonly atoms: Uint32Array;
  /** The best coefficients for all atoms together. */
  readonly coefficients: Float32Array;
  /** By how much each atom reduces ‖y‖². */
  readonly gains: Float32Array;
}

/** Blocks coded at a time. */
const panel = 128;
/** Candidates per block: at first, and at most. */
const minCandidates = 32;
const maxCandidates = 1024;

export class CandidateSearch {
  readonly #dictionary: Dictionary;
  readonly #blocks: DenseMatrix;
  readonly #kernels: Kernels;
  readonly #limit: number;
  #found: Candidates[] = [];
  #sparsity = 0;

  /** For blocks without their means, one per column, each in units in which sums of its squares fit into f32. */
  constructor(dictionary: Dictionary, blocks: DenseMatrix, kernels: Kernels) {
    this.#dictionary = dictionary;
    this.#blocks = blocks;
    this.#kernels = kernels;
    this.#limit = Math.min(maxCandidates, dictionary.rows, dictionary.cols);
  }

  /** Candidates of every block b, at least down to those that gain `minGain(b)`. */
  async find(minGain: (b: number) => number): Promise<readonly Candidates[]> {
    const incomplete = ({ atoms, gains }: Candidates, b: number) =>
      atoms.length === this.#sparsity && gains[gains.length - 1] > minGain(b);
    while (this.#sparsity < this.#limit && (this.#sparsity === 0 || this.#found.some(incomplete))) {
      this.#sparsity = Math.min(this.#limit, Math.max(minCandidates, 2 * this.#sparsity));
      await this.#code();
    }
    return this.#found;
  }

  async #code(): Promise<void> {
    const kernels = this.#kernels;
    const sparsity = this.#sparsity;
    const { rows, cols } = this.#blocks;
    const capacity = Math.min(panel, cols);
    const encoder = new Encoder(this.#dictionary, { sparsity, residualEnergy: 0 }, capacity, kernels);
    const Y = kernels.matrix(rows, capacity);
    const paths = kernels.matrix(sparsity, capacity);
    this.#found = [];
    for (let from = 0; from < cols; from += capacity) {
      const part = this.#blocks.slice(from, Math.min(from + capacity, cols));
      const y = kernels.head(Y, part.cols);
      const path = kernels.head(paths, part.cols);
      await kernels.writeMatrix(y, part);
      const X = await kernels.readSparse(await encoder.encode(y, path));
      const left = await kernels.readMatrix(path);
      for (let i = 0; i < part.cols; i++) {
        const start = i * X.width;
        const count = X.counts[i];
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
    kernels.free(Y, paths);
  }
}
