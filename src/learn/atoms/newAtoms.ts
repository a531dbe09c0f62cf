/**
 * New atoms of a sparse dictionary D = ΦA out of examples: sparse codes over Φ,
 * scaled to the mean norm of the atoms. Such an atom starts with at most
 * `startSparsity` non-zeros and grows to k as it learns.
 */

import type { SparseColumns } from "../../core/matrix.js";
import { baseCols, baseRows } from "../../dictionaries/base.js";
import { SparseDictionary } from "../../dictionaries/sparseDictionary.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { Encoder } from "../../pursuit/encoder.js";
import type { LearnerOptions, MemoryPart } from "../learners/learner.js";

/** The most non-zeros a new atom starts with: a short pursuit, whatever k is. */
const startSparsity = 64;

/** The most atoms of m that are replaced at a time. */
export function mostReplaced(m: number): number {
  return Math.ceil(m / 10);
}

/** Puts examples in the place of atoms. What it works with is made when it is first needed, and kept. */
export class NewAtoms {
  readonly #dictionary: SparseDictionary;
  readonly #sparsity: number;
  readonly #kernels: Kernels;
  #bench: Bench | undefined;

  constructor(dictionary: SparseDictionary, atomSparsity: number, kernels: Kernels) {
    this.#dictionary = dictionary;
    this.#sparsity = Math.min(atomSparsity, startSparsity);
    this.#kernels = kernels;
  }

  /** The columns of Y in place of these atoms; norms and Gram matrix follow. Y is overwritten. */
  async replace(atoms: readonly number[], Y: DeviceMatrix): Promise<void> {
    const [dictionary, kernels] = [this.#dictionary, this.#kernels];
    this.#bench ??= await openBench(dictionary, this.#sparsity, kernels);
    const { codes, norms } = await codesOverBase(Y, this.#bench, kernels);
    const A = await kernels.readSparse(dictionary.A);
    const target = meanNorm((await kernels.readMatrix(dictionary.scale)).data);
    atoms.forEach((atom, i) => {
      const entries = columnEntries(codes, i).sort(([a], [b]) => a - b);
      A.setColumn(
        atom,
        entries.map(([row]) => row),
        entries.map(([, value]) => (value * target) / norms[i]),
      );
    });
    await kernels.writeSparse(dictionary.A, A);
    await dictionary.refreshAtoms(Uint32Array.from(atoms).sort());
  }

  free(): void {
    if (!this.#bench) return;
    const { base, encoder, energies } = this.#bench;
    encoder.free();
    base.free();
    this.#kernels.free(energies);
  }
}

/** What codes examples over Φ: its Gram matrix is as large as that of the atoms, so it is made once. */
interface Bench {
  readonly base: SparseDictionary;
  readonly encoder: Encoder;
  readonly energies: DeviceMatrix;
}

async function openBench(dictionary: SparseDictionary, sparsity: number, kernels: Kernels): Promise<Bench> {
  const base = await SparseDictionary.ofBase(dictionary.base, kernels);
  const most = mostReplaced(dictionary.cols);
  return {
    base,
    encoder: new Encoder(base, { sparsity, residualEnergy: 0 }, most, kernels),
    energies: kernels.matrix(1, most),
  };
}

/** Sparse codes over Φ of the columns of Y, and the norms ‖Φx‖ of what they make, which is left in Y. */
async function codesOverBase(
  Y: DeviceMatrix,
  { base, encoder, energies }: Bench,
  kernels: Kernels,
): Promise<{ codes: SparseColumns; norms: Float32Array }> {
  const e = kernels.head(energies, Y.cols);
  const X = await encoder.encode(Y);
  const codes = kernels.readSparse(X);
  await kernels.reconstruct(base.phi, base.A, X, Y);
  await kernels.columnEnergies(Y, e);
  return { codes: await codes, norms: (await kernels.readMatrix(e)).data.map(Math.sqrt) };
}

/** The mean of ‖Φaⱼ‖ over atoms that are not zero; 1 where all are. */
function meanNorm(scale: Float32Array): number {
  const norms = Array.from(scale)
    .filter((s) => s > 0)
    .map((s) => 1 / s);
  return norms.length === 0 ? 1 : norms.reduce((sum, norm) => sum + norm, 0) / norms.length;
}

/** [row, value] of each entry of a column. */
function columnEntries(X: SparseColumns, j: number): [number, number][] {
  const start = j * X.width;
  return Array.from({ length: X.counts[j] }, (_, s) => [X.indices[start + s], X.values[start + s]]);
}

/** What it takes to code over Φ itself: for new atoms, and for a choice among the base atoms at the start. */
export function baseCodingMemory({
  base,
  atoms: m,
  atomSparsity: k,
  batch,
  coding,
  cares,
}: LearnerOptions & { readonly cares: boolean }): MemoryPart {
  const [n, L] = [baseRows(base), baseCols(base)];
  const p = coding.sparsity ?? Math.min(n, m);
  const coded = Math.max(cares ? mostReplaced(m) : 0, m < L ? batch : 0);
  const bytes = coded > 0 ? 4 * (L * L + coded * (L + 2 * n + 2 * Math.max(k, p))) : 0;
  return { what: "atom care", bytes };
}
