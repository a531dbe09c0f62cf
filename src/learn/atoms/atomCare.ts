/**
 * Atom care (§IV-C): atoms that few examples used since the last round, and atoms nearly
 * identical to another one, are replaced by examples that the dictionary represents badly.
 *
 * A new atom is one of the worst examples of the last update, as closely as the learner's
 * model allows: `NewAtoms` for D = ΦA. An atom is "nearly identical" if |⟨dᵢ, dⱼ⟩| exceeds
 * `maxCoherence` for an atom of lower index; the lower one stays. At most a tenth of the
 * atoms change per round.
 */

import {
  byRule,
  deviceMatrix,
  having,
  kernels as kernelsType,
  requireArguments,
  required,
  requireOptions,
} from "../../core/arguments/argumentTypes.js";
import { onBehalfOf } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { requireAbove, requireFraction, requireInteger } from "../../core/require.js";
import { baseBytes, baseCols, baseRows } from "../../dictionaries/base.js";
import { atomsAtOnce, SparseDictionary } from "../../dictionaries/dictionary.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { codingBytes, Encoder } from "../../pursuit/encoder.js";
import type { MemoryOptions, MemoryPart, ReplaceableAtoms } from "../learners/learner.js";

export interface AtomCareOptions {
  /** Updates between two rounds: mini-batches, or passes over the whole set. */
  readonly every?: number;
  /** An atom used less than this share of the mean use since the last round is replaced. */
  readonly minUse?: number;
  /** An atom with |⟨dᵢ, dⱼ⟩| above this for an earlier atom is replaced. */
  readonly maxCoherence?: number;
}

export const atomCareDefaults = {
  every: 25,
  minUse: 0.25,
  maxCoherence: 0.99,
} as const satisfies AtomCareOptions;

/** Check the options and fill in the defaults. */
export function resolveAtomCare(options: AtomCareOptions = {}): Required<AtomCareOptions> {
  const resolved = { ...atomCareDefaults, ...options };
  requireInteger("train", "atomCare.every", resolved.every, 1);
  requireFraction("train", "atomCare.minUse", resolved.minUse);
  requireAbove("train", "atomCare.maxCoherence", resolved.maxCoherence, 0);
  return resolved;
}

/** The most atoms of m that are replaced per round. */
export function maxReplaced(m: number): number {
  return Math.ceil(m / 10);
}

/** The examples of the last mini-batch, and a way to get some of them again. */
export interface LastExamples {
  readonly cols: number;
  /** The first columns of `target` ← these examples. */
  copy(examples: readonly number[], target: DeviceMatrix): Promise<void>;
}

/** The columns of a matrix as examples. */
export function examplesIn(Y: DeviceMatrix, kernels: Kernels): LastExamples {
  requireArguments("examplesIn", { Y: [Y, deviceMatrix], kernels: [kernels, kernelsType] });
  const copy = async (examples: readonly number[], target: DeviceMatrix) => {
    const all = await kernels.readMatrix(Y);
    const chosen = new DenseMatrix(Y.rows, examples.length);
    examples.forEach((example, i) => chosen.column(i).set(all.column(example)));
    await kernels.writeMatrix(kernels.head(target, examples.length), chosen);
  };
  return { cols: Y.cols, copy };
}

/** Replaces weak atoms of a learner. Its workspace is allocated when it is first needed, and kept. */
export class AtomCare {
  readonly #atoms: ReplaceableAtoms;
  readonly #options: Required<AtomCareOptions>;
  readonly #kernels: Kernels;
  readonly #maxReplaced: number;
  #examples: DeviceMatrix | undefined;

  constructor(atoms: ReplaceableAtoms, options: Required<AtomCareOptions>, kernels: Kernels) {
    requireArguments("AtomCare", {
      atoms: [
        atoms,
        having(
          "atoms { uses, residual, coherence, replace }",
          ["coherence", "replace"],
          ["uses", "residual"],
        ),
      ],
      kernels: [kernels, kernelsType],
    });
    requireOptions("AtomCare", options, {
      every: required(byRule),
      minUse: required(byRule),
      maxCoherence: required(byRule),
    });
    onBehalfOf("AtomCare", () => resolveAtomCare(options));
    this.#atoms = atoms;
    this.#options = options;
    this.#kernels = kernels;
    this.#maxReplaced = maxReplaced(atoms.uses.rows);
  }

  /** One round, given the examples of the last update. Resets the counts of uses; returns how many atoms were replaced. */
  async replaceWeakAtoms(last: LastExamples): Promise<number> {
    const atoms = this.#atoms;
    const kernels = this.#kernels;
    const reads = [
      worstExamples(atoms, last.cols, this.#maxReplaced, kernels),
      idleAtoms(atoms, this.#options, kernels),
    ] as const; // one round trip
    const [examples, weak] = await Promise.all(reads);
    const idle = weak.slice(0, examples.length);
    await this.#replace(last, idle, examples.splice(0, idle.length));
    // only now: a copy of an atom that was just replaced is no longer a copy
    const copies = (await copiedAtoms(atoms, this.#options, kernels)).slice(0, examples.length);
    await this.#replace(last, copies, examples.splice(0, copies.length));
    await kernels.writeMatrix(atoms.uses, new DenseMatrix(atoms.uses.rows, 1));
    return idle.length + copies.length;
  }

  async #replace(last: LastExamples, atoms: readonly number[], examples: readonly number[]): Promise<void> {
    if (atoms.length === 0) return;
    this.#examples ??= this.#kernels.matrix(this.#atoms.residual.rows, this.#maxReplaced);
    const Y = this.#kernels.head(this.#examples, examples.length);
    await last.copy(examples, Y);
    await this.#atoms.replace(atoms, Y);
  }

  free(): void {
    if (this.#examples) this.#kernels.free(this.#examples);
  }
}

/** Atoms used less than the share of the mean use, the least used first. */
async function idleAtoms(
  atoms: ReplaceableAtoms,
  options: Required<AtomCareOptions>,
  kernels: Kernels,
): Promise<number[]> {
  const uses = (await kernels.readMatrix(atoms.uses)).data;
  const mean = uses.reduce((sum, count) => sum + count, 0) / uses.length;
  const idle = Array.from(uses.keys()).filter((j) => uses[j] === 0 || uses[j] < options.minUse * mean);
  return idle.sort((a, b) => uses[a] - uses[b] || a - b);
}

/** Atoms nearly identical to an earlier one. */
async function copiedAtoms(
  atoms: ReplaceableAtoms,
  options: Required<AtomCareOptions>,
  kernels: Kernels,
): Promise<number[]> {
  const coherence = kernels.matrix(atoms.uses.rows, 1);
  await atoms.coherence(coherence);
  const largest = (await kernels.readMatrix(coherence)).data;
  kernels.free(coherence);
  return Array.from(largest.keys()).filter((j) => largest[j] > options.maxCoherence);
}

/** Columns of the last update with the largest residuals, at most `count`, the worst first. */
async function worstExamples(
  atoms: ReplaceableAtoms,
  examples: number,
  count: number,
  kernels: Kernels,
): Promise<number[]> {
  const energies = kernels.matrix(1, examples);
  await kernels.columnEnergies(kernels.head(atoms.residual, examples), energies);
  const { data } = await kernels.readMatrix(energies);
  kernels.free(energies);
  const worst = Array.from(data.keys()).filter((i) => data[i] > 0);
  worst.sort((a, b) => data[b] - data[a] || a - b);
  return worst.slice(0, count);
}

/** The most non-zeros a new atom of D = ΦA starts with: a short pursuit, whatever k is. */
export const newAtomSparsity = 64;

/** A pursuit over Φ. Its Gram matrix, if it is kept, is as large as that of the atoms, so it is computed once. */
interface BasePursuit {
  readonly base: SparseDictionary;
  readonly encoder: Encoder;
  readonly energies: DeviceMatrix;
}

/**
 * Replaces atoms of D = ΦA by examples: by their sparse codes over Φ, scaled to the mean norm of the atoms. A new atom
 * starts with at most 64 non-zeros and grows to k as it learns. The workspace is allocated when it is first needed.
 */
export class NewAtoms {
  readonly #dictionary: SparseDictionary;
  readonly #sparsity: number;
  readonly #kernels: Kernels;
  readonly #phi: SparseDictionary | undefined;
  #pursuit: BasePursuit | undefined;

  /** `phi` is Φ as a dictionary, if the learner has it already. */
  constructor(dictionary: SparseDictionary, atomSparsity: number, kernels: Kernels, phi?: SparseDictionary) {
    this.#dictionary = dictionary;
    this.#phi = phi;
    this.#sparsity = Math.min(atomSparsity, newAtomSparsity);
    this.#kernels = kernels;
  }

  /** Replace these atoms by the columns of Y, and update norms and Gram matrix. Y is overwritten. */
  async replace(atoms: readonly number[], Y: DeviceMatrix): Promise<void> {
    const dictionary = this.#dictionary;
    const kernels = this.#kernels;
    const reads = [this.#encode(Y), kernels.readMatrix(dictionary.scale)] as const; // one round trip
    const [{ codes, norms }, scale] = await Promise.all(reads);
    const target = meanNorm(scale.data);
    const fresh = new SparseColumns(dictionary.A.rows, atoms.length, codes.width);
    atoms.forEach((_, i) => {
      const entries = columnEntries(codes, i).sort(([a], [b]) => a - b);
      fresh.setColumn(
        i,
        entries.map(([row]) => row),
        entries.map(([, value]) => (value * target) / norms[i]),
      );
    });
    await kernels.writeColumns(dictionary.A, Uint32Array.from(atoms), fresh);
    await dictionary.refreshAtoms(Uint32Array.from(atoms).sort());
  }

  /** Sparse codes x over Φ of the columns of Y, and the norms ‖Φx‖. Y ← ΦX. */
  async #encode(Y: DeviceMatrix): Promise<{ codes: SparseColumns; norms: Float32Array }> {
    const kernels = this.#kernels;
    this.#pursuit ??= await this.#openPursuit();
    const { base, encoder, energies } = this.#pursuit;
    await base.followBase(this.#dictionary);
    const e = kernels.head(energies, Y.cols);
    const X = await encoder.encode(Y);
    const codes = kernels.readSparse(X);
    await kernels.reconstruct(base.phi, base.A, X, Y);
    await kernels.columnEnergies(Y, e);
    return { codes: await codes, norms: (await kernels.readMatrix(e)).data.map(Math.sqrt) };
  }

  async #openPursuit(): Promise<BasePursuit> {
    const kernels = this.#kernels;
    const base = this.#phi ?? (await SparseDictionary.ofBase(this.#dictionary.base, kernels));
    const capacity = maxReplaced(this.#dictionary.cols);
    return {
      base,
      encoder: new Encoder(base, { sparsity: this.#sparsity, residualEnergy: 0 }, capacity, kernels),
      energies: kernels.matrix(1, capacity),
    };
  }

  free(): void {
    if (!this.#pursuit) return;
    const { base, encoder, energies } = this.#pursuit;
    encoder.free();
    if (base !== this.#phi) base.free();
    this.#kernels.free(energies);
  }
}

/** The mean of ‖Φaⱼ‖ over atoms that are not zero; 1 if all are. */
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

/** The memory of atom care for D = ΦA, with a pursuit over Φ; `phi`: whether the learner has Φ as a dictionary already. */
export function atomCareMemory(options: MemoryOptions, phi = false): MemoryPart {
  const { base, atoms: m, atomSparsity: k, hasAtomCare, mostGramAtoms } = options;
  const [n, L] = [baseRows(base), baseCols(base)];
  const replaced = maxReplaced(m);
  const work = 4 * replaced * (2 * n + 2 * Math.min(k, newAtomSparsity) + 2);
  const coherence = m > mostGramAtoms ? 4 * atomsAtOnce * (n + m) : 0;
  const coding = phi
    ? Math.min(4 * L * replaced, codingBytes(L, replaced, mostGramAtoms))
    : codingBytes(L, replaced, mostGramAtoms) + baseBytes(base);
  return { what: "atom care", bytes: hasAtomCare ? work + coherence + coding : 0 };
}
