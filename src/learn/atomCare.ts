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

/**
 * Look after the atoms, given the mini-batch Y of the last step. Returns how many
 * were replaced, and starts counting uses anew.
 */
export async function careForAtoms(
  state: OsdlState,
  Y: DeviceMatrix,
  options: Required<AtomCareOptions>,
  kernels: Kernels,
): Promise<number> {
  const most = Math.ceil(state.dictionary.cols / 10);
  const examples = await worstExamples(state, Y, most, kernels);
  const idle = (await idleAtoms(state, options, kernels)).slice(0, examples.length);
  await replaceAtoms(state, Y, idle, examples.splice(0, idle.length), kernels);
  // only now: a copy of an atom that has just gone is a copy no more (rare, so Φ's Gram matrix is not kept for it)
  const copies = (await copiedAtoms(state, options, kernels)).slice(0, examples.length);
  await replaceAtoms(state, Y, copies, examples.splice(0, copies.length), kernels);
  await kernels.writeMatrix(state.uses, new DenseMatrix(state.dictionary.cols, 1));
  return idle.length + copies.length;
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
  Y: DeviceMatrix,
  count: number,
  kernels: Kernels,
): Promise<number[]> {
  const energies = kernels.matrix(1, Y.cols);
  await kernels.columnEnergies(kernels.head(state.residual, Y.cols), energies);
  const { data } = await kernels.readMatrix(energies);
  kernels.free(energies);
  const badly = Array.from(data.keys()).filter((i) => data[i]! > 0);
  badly.sort((a, b) => data[b]! - data[a]! || a - b);
  return badly.slice(0, count);
}

/** Put sparse codes of examples in place of atoms, at the mean norm of the atoms, with no momentum. */
async function replaceAtoms(
  state: OsdlState,
  Y: DeviceMatrix,
  atoms: readonly number[],
  examples: readonly number[],
  kernels: Kernels,
): Promise<void> {
  if (atoms.length === 0) return;
  const { dictionary } = state;
  const { codes, norms } = await codesOverBase(state, Y, examples, kernels);
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

/** Sparse codes over Φ of some examples of Y, scaled to unit norm first, and the norms ‖Φx‖ of what they make. */
async function codesOverBase(
  state: OsdlState,
  Y: DeviceMatrix,
  examples: readonly number[],
  kernels: Kernels,
): Promise<{ codes: SparseColumns; norms: Float32Array }> {
  const all = await kernels.readMatrix(Y);
  const chosen = new DenseMatrix(Y.rows, examples.length);
  examples.forEach((example, i) => chosen.column(i).set(unit(all.column(example))));
  const batch = kernels.matrix(Y.rows, examples.length);
  const energies = kernels.matrix(1, examples.length);
  await kernels.writeMatrix(batch, chosen);
  const base = await SparseDictionary.ofBase(state.dictionary.base, kernels);
  const sparsity = Math.min(state.options.atomSparsity, startSparsity);
  const encoder = new Encoder(base, { sparsity, residualEnergy: 0 }, examples.length, kernels);
  const X = await encoder.encode(batch);
  const codes = await kernels.readSparse(X);
  await kernels.reconstruct(base.phi, base.A, X, batch);
  await kernels.columnEnergies(batch, energies);
  const norms = (await kernels.readMatrix(energies)).data.map(Math.sqrt);
  encoder.free();
  base.free();
  kernels.free(batch, energies);
  return { codes, norms };
}

function unit(column: Float32Array): Float32Array {
  const norm = Math.sqrt(column.reduce((sum, value) => sum + value * value, 0));
  return column.map((value) => value / norm);
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
