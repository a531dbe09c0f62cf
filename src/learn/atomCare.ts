/**
 * Atom care (§IV-C): atoms that few examples used since the last look, and atoms
 * nearly identical to another, give way to examples the dictionary represents badly.
 *
 * A new atom is a sparse code over Φ of one of the worst examples of the current
 * mini-batch, scaled to the mean norm of the atoms, with its momentum at rest. It
 * starts with at most `startSparsity` non-zeros and grows to k as it learns. An atom
 * is "nearly identical" when |⟨dᵢ, dⱼ⟩| exceeds `maxCoherence` with an atom of lower
 * index; the lower one stays. At most a tenth of the atoms change at a look.
 */

import { DenseMatrix, type SparseColumns } from "../core/matrix.js";
import { requireAbove, requireFraction, requireInteger } from "../core/require.js";
import { SparseDictionary } from "../dictionaries/sparseDictionary.js";
import type { DeviceMatrix, Kernels } from "../kernels/contract.js";
import { Encoder } from "../pursuit/encoder.js";
import type { OsdlState } from "./osdl.js";

export interface AtomCareOptions {
  /** Mini-batches between two looks. */
  readonly every?: number;
  /** An atom used less than this share of the mean use since the last look is replaced. */
  readonly minUse?: number;
  /** An atom with |⟨dᵢ, dⱼ⟩| above this for an earlier atom is replaced. */
  readonly maxCoherence?: number;
}

export const atomCareDefaults = {
  every: 25,
  minUse: 0.25,
  maxCoherence: 0.99,
} as const satisfies AtomCareOptions;

/** The most non-zeros a new atom starts with: a short pursuit, whatever k is. */
const startSparsity = 64;

/** Check the options and fill in the defaults. */
export function resolveAtomCare(caller: string, options: AtomCareOptions = {}): Required<AtomCareOptions> {
  const resolved = { ...atomCareDefaults, ...options };
  requireInteger(caller, "atomCare.every", resolved.every, 1);
  requireFraction(caller, "atomCare.minUse", resolved.minUse);
  requireAbove(caller, "atomCare.maxCoherence", resolved.maxCoherence, 0);
  return resolved;
}

/** The examples of the last mini-batch, and a way to have some of them again. */
export interface LastExamples {
  readonly cols: number;
  /** The first columns of `target` ← these examples. */
  copy(examples: readonly number[], target: DeviceMatrix): Promise<void>;
}

/** Examples that stand in a matrix. */
export function examplesIn(Y: DeviceMatrix, kernels: Kernels): LastExamples {
  const copy = async (examples: readonly number[], target: DeviceMatrix) => {
    const all = await kernels.readMatrix(Y);
    const chosen = new DenseMatrix(Y.rows, examples.length);
    examples.forEach((example, i) => chosen.column(i).set(all.column(example)));
    await kernels.writeMatrix(kernels.head(target, examples.length), chosen);
  };
  return { cols: Y.cols, copy };
}

/** Looks after the atoms of a learner. What it works with is made at the first look that needs it, and kept. */
export class AtomCare {
  readonly #state: OsdlState;
  readonly #options: Required<AtomCareOptions>;
  readonly #kernels: Kernels;
  /** The most atoms that change at a look. */
  readonly #most: number;
  #workshop: CareWorkshop | undefined;

  constructor(state: OsdlState, options: Required<AtomCareOptions>, kernels: Kernels) {
    this.#state = state;
    this.#options = options;
    this.#kernels = kernels;
    this.#most = Math.ceil(state.dictionary.cols / 10);
  }

  /** A look, given the mini-batch of the last step. Returns how many atoms were replaced, and starts counting uses anew. */
  async look(last: LastExamples): Promise<number> {
    const [state, kernels] = [this.#state, this.#kernels];
    const examples = await worstExamples(state, last.cols, this.#most, kernels);
    const idle = (await idleAtoms(state, this.#options, kernels)).slice(0, examples.length);
    await this.#replace(last, idle, examples.splice(0, idle.length));
    // only now: a copy of an atom that has just gone is a copy no more
    const copies = (await copiedAtoms(state, this.#options, kernels)).slice(0, examples.length);
    await this.#replace(last, copies, examples.splice(0, copies.length));
    await kernels.writeMatrix(state.uses, new DenseMatrix(state.dictionary.cols, 1));
    return idle.length + copies.length;
  }

  async #replace(last: LastExamples, atoms: readonly number[], examples: readonly number[]): Promise<void> {
    if (atoms.length === 0) return;
    this.#workshop ??= await openCare(this.#state, this.#most, this.#kernels);
    await replaceAtoms(this.#state, last, atoms, examples, this.#workshop, this.#kernels);
  }

  free(): void {
    if (!this.#workshop) return;
    const { base, encoder, batch, energies } = this.#workshop;
    encoder.free();
    base.free();
    this.#kernels.free(batch, energies);
  }
}

/** What codes examples over Φ: its Gram matrix is as large as that of the atoms, so it is made once. */
interface CareWorkshop {
  readonly base: SparseDictionary;
  readonly encoder: Encoder;
  readonly batch: DeviceMatrix;
  readonly energies: DeviceMatrix;
}

async function openCare(state: OsdlState, most: number, kernels: Kernels): Promise<CareWorkshop> {
  const base = await SparseDictionary.ofBase(state.dictionary.base, kernels);
  const sparsity = Math.min(state.options.atomSparsity, startSparsity);
  return {
    base,
    encoder: new Encoder(base, { sparsity, residualEnergy: 0 }, most, kernels),
    batch: kernels.matrix(base.rows, most),
    energies: kernels.matrix(1, most),
  };
}

/** Atoms used less than the share of the mean use, the least used first. */
async function idleAtoms(
  state: OsdlState,
  options: Required<AtomCareOptions>,
  kernels: Kernels,
): Promise<number[]> {
  const uses = (await kernels.readMatrix(state.uses)).data;
  const mean = uses.reduce((sum, count) => sum + count, 0) / uses.length;
  const idle = Array.from(uses.keys()).filter((j) => uses[j] === 0 || uses[j]! < options.minUse * mean);
  return idle.sort((a, b) => uses[a]! - uses[b]! || a - b);
}

/** Atoms nearly identical to an earlier one. */
async function copiedAtoms(
  state: OsdlState,
  options: Required<AtomCareOptions>,
  kernels: Kernels,
): Promise<number[]> {
  const coherence = kernels.matrix(state.dictionary.cols, 1);
  await kernels.coherence(state.dictionary.gram, coherence);
  const near = (await kernels.readMatrix(coherence)).data;
  kernels.free(coherence);
  return Array.from(near.keys()).filter((j) => near[j]! > options.maxCoherence);
}

/** Columns of the mini-batch with the largest residuals, at most `count`, the worst first. */
async function worstExamples(
  state: OsdlState,
  examples: number,
  count: number,
  kernels: Kernels,
): Promise<number[]> {
  const energies = kernels.matrix(1, examples);
  await kernels.columnEnergies(kernels.head(state.residual, examples), energies);
  const { data } = await kernels.readMatrix(energies);
  kernels.free(energies);
  const badly = Array.from(data.keys()).filter((i) => data[i]! > 0);
  badly.sort((a, b) => data[b]! - data[a]! || a - b);
  return badly.slice(0, count);
}

/** Put sparse codes of examples in place of atoms, at the mean norm of the atoms, with no momentum. */
async function replaceAtoms(
  state: OsdlState,
  last: LastExamples,
  atoms: readonly number[],
  examples: readonly number[],
  workshop: CareWorkshop,
  kernels: Kernels,
): Promise<void> {
  const { dictionary } = state;
  const { codes, norms } = await codesOverBase(last, examples, workshop, kernels);
  const A = await kernels.readSparse(dictionary.A);
  const target = meanNorm((await kernels.readMatrix(dictionary.scale)).data);
  atoms.forEach((atom, i) => {
    const entries = columnEntries(codes, i).sort(([a], [b]) => a - b);
    A.setColumn(
      atom,
      entries.map(([row]) => row),
      entries.map(([, value]) => (value * target) / norms[i]!),
    );
  });
  await kernels.writeSparse(dictionary.A, A);
  const S = kernels.set(dictionary.cols);
  const zero = kernels.matrix(1, 1);
  await kernels.writeSet(S, Uint32Array.from(atoms).sort());
  await kernels.momentum(0, zero, 0, state.gradient, S, state.momentum); // U_S ← 0
  await dictionary.refresh(S);
  kernels.free(S, zero);
}

/** Sparse codes over Φ of some examples, and the norms ‖Φx‖ of what they make. */
async function codesOverBase(
  last: LastExamples,
  examples: readonly number[],
  { base, encoder, batch, energies }: CareWorkshop,
  kernels: Kernels,
): Promise<{ codes: SparseColumns; norms: Float32Array }> {
  const [Y, e] = [kernels.head(batch, examples.length), kernels.head(energies, examples.length)];
  await last.copy(examples, Y);
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
  return Array.from({ length: X.counts[j]! }, (_, s) => [X.indices[start + s]!, X.values[start + s]!]);
}
