/**
 * OMP and OLS from the atoms themselves on the GPU: see reference/ompFromAtoms.ts for the algorithm.
 *
 * All examples of a part take their turns together. A turn is one dense product, of D with the residuals
 * (OLS: with the last directions), at the rate of such products, and three small dispatches. As many
 * examples make a part as have room for their directions, n × p each.
 */

import { InputError } from "../../core/errors.js";
import { dependenceFloor, type PursuitLimits, pursuitFloor } from "../contract.js";
import { type GpuBase, GpuMatrix, GpuSparse, strideOf } from "./handles.js";
import type { GpuMemory } from "./memory.js";
import type { GpuProducts } from "./products.js";

/** The most bytes of the directions of a part. */
const directionBytes = 2 ** 31;
/** A product computes this many columns at a time: a part has a multiple of them, if it has more. */
const tile = 128;
/** Turns between two looks at whether all codes down to an error are done. */
const turnsAtOnce = 8;
/** Words of an example in `state`. */
const stateWords = 8;

/** What a pursuit is given. */
export interface AtomPursuitJob {
  readonly base: GpuBase;
  readonly A: GpuSparse;
  readonly scale: GpuMatrix;
  readonly Y: GpuMatrix;
  readonly energies: GpuMatrix;
  readonly limits: PursuitLimits;
  readonly X: GpuSparse;
  readonly path: GpuMatrix | undefined;
}

/** X ← the codes of the columns of Y. */
export async function ompFromAtoms(
  memory: GpuMemory,
  products: GpuProducts,
  job: AtomPursuitJob,
): Promise<void> {
  const { Y, A, limits } = job;
  const sizes = { n: Y.rows, m: A.cols, p: limits.sparsity };
  const most = examplesOfPart(memory.panelBytes, sizes);
  if (most === 0) {
    throw new InputError(
      `gpu: codes of up to ${sizes.p} atoms of ${sizes.n} samples must fit into a buffer of ${(memory.panelBytes / 2 ** 20).toFixed(0)} MiB here`,
    );
  }
  for (let first = 0; first < Y.cols; first += most) {
    const examples = Math.min(most, Y.cols - first);
    await new PartPursuit(memory, products, job, first, examples).run();
  }
}

interface Sizes {
  readonly n: number;
  readonly m: number;
  readonly p: number;
}

/** Examples that are coded together. */
function examplesOfPart(panelBytes: number, { n, m, p }: Sizes): number {
  const room = Math.min(panelBytes, directionBytes);
  const words = Math.max(strideOf(n) * Math.max(1, p), 2 * strideOf(m), workWords(p));
  const fit = Math.floor(room / (4 * words));
  return fit > tile ? fit - (fit % tile) : fit;
}

/** Words of an example in `work`: the atoms taken, z, C, v. */
function workWords(p: number): number {
  return 3 * p + (p * (p + 1)) / 2;
}

/** An upper estimate of the memory for pursuits of N examples at a time. */
export function atomPursuitBytes(panelBytes: number, sizes: Sizes, N: number): number {
  const { n, m, p } = sizes;
  const examples = Math.min(N, Math.max(1, examplesOfPart(panelBytes, sizes)));
  return 4 * examples * (strideOf(n) * (p + 2) + 3 * strideOf(m) + workWords(p) + stateWords + 3);
}

/** The pursuit of some examples that take their turns together. */
class PartPursuit {
  readonly #memory: GpuMemory;
  readonly #products: GpuProducts;
  readonly #job: AtomPursuitJob;
  readonly #first: number;
  readonly #examples: number;
  readonly #residual: GpuMatrix;
  /** The new atoms, then their directions. */
  readonly #fresh: GpuMatrix;
  /** α, or β of OLS. */
  readonly #correlations: GpuMatrix;
  /** The atoms found: a column of one entry each. */
  readonly #found: GpuSparse;

  constructor(
    memory: GpuMemory,
    products: GpuProducts,
    job: AtomPursuitJob,
    first: number,
    examples: number,
  ) {
    const { rows: n } = job.Y;
    this.#memory = memory;
    this.#products = products;
    this.#job = job;
    this.#first = first;
    this.#examples = examples;
    this.#residual = this.#matrix("residuals", n);
    this.#fresh = this.#matrix("directions", n);
    this.#correlations = this.#matrix("correlations", job.A.cols);
    this.#found = new GpuSparse(job.A.cols, examples, 1, {
      buffer: this.#scratch("found", 3 * examples),
      valuesAt: examples,
      countsAt: 2 * examples,
      version: 0,
    });
  }

  #scratch(name: string, words: number): GPUBuffer {
    return this.#memory.queue.scratch(`pursuit ${name}`, 4 * words);
  }

  #matrix(name: string, rows: number): GpuMatrix {
    const buffer = this.#scratch(name, strideOf(rows) * this.#examples);
    return new GpuMatrix(rows, this.#examples, { panels: [buffer], panelCols: this.#examples });
  }

  async run(): Promise<void> {
    const { limits, Y } = this.#job;
    const { queue } = this.#memory;
    const isOls = limits.pursuit === "ols";
    this.#memory.copy(Y.slice(this.#first, this.#examples), this.#residual);
    // an atom that OLS passes over costs a turn
    for (let turn = 0; turn < (isOls ? 2 : 1) * limits.sparsity || turn === 0; turn++) {
      this.#turn(turn, isOls);
      await queue.pace();
      const looks = turn + 1 >= limits.sparsity ? isOls : limits.residualEnergy > 0;
      if (
        looks &&
        (turn + 1 === limits.sparsity || (turn + 1) % turnsAtOnce === 0) &&
        !(await this.#goesOn())
      )
        break;
    }
    this.#write();
  }

  /** One atom for every example that has not ended. */
  #turn(turn: number, isOls: boolean): void {
    const { base, A, scale, energies, limits, path } = this.#job;
    const { queue } = this.#memory;
    const D = this.#products.atoms(base, A);
    const source = isOls && turn > 0 ? this.#fresh : this.#residual;
    this.#products.product(D, source, this.#correlations, scale);
    const { sparsity, residualEnergy: limit } = limits;
    const shared = { examples: this.#examples, ols: isOls ? 1 : 0, sparsity, limit, dependenceFloor };
    const workSize = workWords(sparsity);
    const { valuesAt, countsAt } = this.#found.layout;
    const [work, state] = [this.#work, this.#state];
    const scores = this.#scratch("scores", isOls ? 2 * A.cols * this.#examples : 4);
    const search = {
      ...shared,
      atoms: A.cols,
      stride: this.#correlations.stride,
      begins: turn === 0 ? 1 : 0,
      pursuitFloor,
      firstEnergy: this.#first,
      energyStride: energies.stride,
      workSize,
      valuesAt,
      countsAt,
    };
    const { buffer: found } = this.#found.store;
    const inputs = [this.#correlations.buffer, scale.buffer, energies.buffer, work];
    queue.dispatch("findAtoms", search, [...inputs, scores, state, found], [this.#examples]);
    this.#products.combine(D, this.#found, this.#fresh);
    const extension = {
      ...shared,
      quads: this.#residual.quads,
      workSize,
      atoms: A.cols,
      firstPath: this.#first,
      pathStride: path?.stride ?? 0,
    };
    const Q = this.#scratch("basis", this.#residual.stride * sparsity * this.#examples);
    const vectors = [this.#fresh.buffer, Q, this.#residual.buffer];
    const buffers = [...vectors, work, scores, state, this.#path];
    queue.dispatch("addDirections", extension, buffers, [this.#examples]);
  }

  get #work(): GPUBuffer {
    return this.#scratch("work", workWords(this.#job.limits.sparsity) * this.#examples);
  }

  get #state(): GPUBuffer {
    return this.#scratch("state", stateWords * this.#examples);
  }

  get #path(): GPUBuffer {
    return this.#job.path?.buffer ?? this.#scratch("without path", 4);
  }

  /** Whether an example has not ended: the only thing that is read back. */
  async #goesOn(): Promise<boolean> {
    return this.#memory.queue.read(this.#state, 4 * stateWords * this.#examples, (bytes) => {
      const words = new Uint32Array(bytes);
      for (let i = 1; i < words.length; i += stateWords) if (words[i] !== 0) return true;
      return false;
    });
  }

  #write(): void {
    const { X, limits, path } = this.#job;
    const params = {
      examples: this.#examples,
      sparsity: limits.sparsity,
      workSize: workWords(limits.sparsity),
      ...X.layout,
      firstX: this.#first,
      pathStride: path?.stride ?? 0,
    };
    const buffers = [this.#state, this.#work, X.store.buffer, this.#path];
    this.#memory.queue.dispatch("fitCodes", params, buffers, [this.#examples]);
  }
}
