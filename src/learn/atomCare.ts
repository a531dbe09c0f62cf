/**
 * Atom care (§IV-C): atoms that no example used since the last look, and atoms
 * nearly identical to another, give way to examples the dictionary represents badly.
 *
 * A new atom is the k-sparse code over Φ of one of the worst examples of the
 * current mini-batch, scaled to the mean norm of the atoms, with its momentum at
 * rest. An atom is "nearly identical" when |⟨dᵢ, dⱼ⟩| exceeds `maxCoherence` with
 * an atom of lower index; the lower one stays.
 */

import { DenseMatrix, type SparseColumns } from "../core/matrix.js";
import { requireAbove, requireInteger } from "../core/require.js";
import { SparseDictionary } from "../dictionaries/sparseDictionary.js";
import type { DeviceMatrix, Kernels } from "../kernels/contract.js";
import { Encoder } from "../pursuit/encoder.js";
import type { OsdlState } from "./osdl.js";

export interface AtomCareOptions {
  /** Mini-batches between two looks. */
  readonly every?: number;
  /** An atom used by fewer examples than this since the last look is replaced. */
  readonly minUses?: number;
  /** An atom with |⟨dᵢ, dⱼ⟩| above this for an earlier atom is replaced. */
  readonly maxCoherence?: number;
}

export const atomCareDefaults = {
  every: 100,
  minUses: 1,
  maxCoherence: 0.99,
} as const satisfies AtomCareOptions;

/** Check the options and fill in the defaults. */
export function resolveAtomCare(caller: string, options: AtomCareOptions = {}): Required<AtomCareOptions> {
  const resolved = { ...atomCareDefaults, ...options };
  requireInteger(caller, "atomCare.every", resolved.every, 1);
  requireInteger(caller, "atomCare.minUses", resolved.minUses, 0);
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
  const weak = await weakAtoms(state, options, kernels);
  const examples = await worstExamples(state, Y, weak.length, kernels);
  const atoms = Uint32Array.from(weak.slice(0, examples.length)).sort();
  if (atoms.length > 0) {
    const codes = await codesOverBase(state, Y, examples, kernels);
    await replaceAtoms(state, atoms, codes, kernels);
  }
  await kernels.writeMatrix(state.uses, new DenseMatrix(state.dictionary.cols, 1));
  return atoms.length;
}

/** Unused atoms first, then near-copies of earlier ones. */
async function weakAtoms(
  state: OsdlState,
  options: Required<AtomCareOptions>,
  kernels: Kernels,
): Promise<number[]> {
  const { gram, cols: m } = state.dictionary;
  const coherence = kernels.matrix(m, 1);
  await kernels.coherence(gram, coherence);
  const near = (await kernels.readMatrix(coherence)).data;
  const uses = (await kernels.readMatrix(state.uses)).data;
  kernels.free(coherence);
  const atoms = Array.from(uses.keys());
  const idle = atoms.filter((j) => uses[j]! < options.minUses);
  const copies = atoms.filter((j) => uses[j]! >= options.minUses && near[j]! > options.maxCoherence);
  return [...idle, ...copies];
}

/** Columns of the mini-batch with the largest residuals, at most `count`, the worst first. */
async function worstExamples(
  state: OsdlState,
  Y: DeviceMatrix,
  count: number,
  kernels: Kernels,
): Promise<number[]> {
  if (count === 0) return [];
  const energies = kernels.matrix(1, Y.cols);
  await kernels.columnEnergies(kernels.head(state.residual, Y.cols), energies);
  const { data } = await kernels.readMatrix(energies);
  kernels.free(energies);
  const badly = Array.from(data.keys()).filter((i) => data[i]! > 0);
  badly.sort((a, b) => data[b]! - data[a]! || a - b);
  return badly.slice(0, count);
}

/** The k-sparse codes over Φ of some examples of Y, each example scaled to unit norm first. */
async function codesOverBase(
  state: OsdlState,
  Y: DeviceMatrix,
  examples: readonly number[],
  kernels: Kernels,
): Promise<SparseColumns> {
  const all = await kernels.readMatrix(Y);
  const chosen = new DenseMatrix(Y.rows, examples.length);
  examples.forEach((example, i) => chosen.column(i).set(unit(all.column(example))));
  const batch = kernels.matrix(Y.rows, examples.length);
  await kernels.writeMatrix(batch, chosen);
  const base = await SparseDictionary.ofBase(state.dictionary.base, kernels);
  const limits = { sparsity: state.options.atomSparsity, residualEnergy: 0 };
  const encoder = new Encoder(base, limits, examples.length, kernels);
  const codes = await kernels.readSparse(await encoder.encode(batch));
  encoder.free();
  base.free();
  kernels.free(batch);
  return codes;
}

/** Put codes of unit examples in place of atoms, scaled to the mean norm of the atoms, with no momentum. */
async function replaceAtoms(
  state: OsdlState,
  atoms: Uint32Array,
  codes: SparseColumns,
  kernels: Kernels,
): Promise<void> {
  const { dictionary } = state;
  const A = await kernels.readSparse(dictionary.A);
  const norm = meanNorm((await kernels.readMatrix(dictionary.scale)).data);
  atoms.forEach((atom, i) => {
    const entries = columnEntries(codes, i).sort(([a], [b]) => a - b);
    A.setColumn(
      atom,
      entries.map(([row]) => row),
      entries.map(([, value]) => value * norm),
    );
  });
  await kernels.writeSparse(dictionary.A, A);
  const S = kernels.set(dictionary.cols);
  const zero = kernels.matrix(1, 1);
  await kernels.writeSet(S, atoms);
  await kernels.momentum(0, zero, 0, state.gradient, S, state.momentum); // U_S ← 0
  await dictionary.refresh(S);
  kernels.free(S, zero);
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
