/**
 * Atom care (§IV-C): atoms that few examples used since the last look, and atoms
 * nearly identical to another, give way to examples the dictionary represents badly.
 *
 * A new atom is one of the worst examples of the last update, as nearly as the
 * learner's model allows (newAtoms.ts for D = ΦA). An atom is "nearly identical"
 * when |⟨dᵢ, dⱼ⟩| exceeds `maxCoherence` with an atom of lower index; the lower one
 * stays. At most a tenth of the atoms change at a look.
 */

import { DenseMatrix } from "../../core/matrix.js";
import { requireAbove, requireFraction, requireInteger } from "../../core/require.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import type { CaredAtoms } from "../learners/learner.js";
import { mostReplaced } from "./newAtoms.js";

export interface AtomCareOptions {
  /** Updates between two looks: mini-batches, or passes over the whole set. */
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

/** Check the options and fill in the defaults. */
export function resolveAtomCare(options: AtomCareOptions = {}): Required<AtomCareOptions> {
  const resolved = { ...atomCareDefaults, ...options };
  requireInteger("train", "atomCare.every", resolved.every, 1);
  requireFraction("train", "atomCare.minUse", resolved.minUse);
  requireAbove("train", "atomCare.maxCoherence", resolved.maxCoherence, 0);
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
  readonly #atoms: CaredAtoms;
  readonly #options: Required<AtomCareOptions>;
  readonly #kernels: Kernels;
  /** The most atoms that change at a look. */
  readonly #most: number;
  #examples: DeviceMatrix | undefined;

  constructor(atoms: CaredAtoms, options: Required<AtomCareOptions>, kernels: Kernels) {
    this.#atoms = atoms;
    this.#options = options;
    this.#kernels = kernels;
    this.#most = mostReplaced(atoms.uses.rows);
  }

  /** A look, given the examples of the last update. Returns how many atoms were replaced, and starts counting uses anew. */
  async look(last: LastExamples): Promise<number> {
    const [atoms, kernels] = [this.#atoms, this.#kernels];
    const examples = await worstExamples(atoms, last.cols, this.#most, kernels);
    const idle = (await idleAtoms(atoms, this.#options, kernels)).slice(0, examples.length);
    await this.#replace(last, idle, examples.splice(0, idle.length));
    // only now: a copy of an atom that has just gone is a copy no more
    const copies = (await copiedAtoms(atoms, this.#options, kernels)).slice(0, examples.length);
    await this.#replace(last, copies, examples.splice(0, copies.length));
    await kernels.writeMatrix(atoms.uses, new DenseMatrix(atoms.uses.rows, 1));
    return idle.length + copies.length;
  }

  async #replace(last: LastExamples, atoms: readonly number[], examples: readonly number[]): Promise<void> {
    if (atoms.length === 0) return;
    this.#examples ??= this.#kernels.matrix(this.#atoms.residual.rows, this.#most);
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
  atoms: CaredAtoms,
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
  atoms: CaredAtoms,
  options: Required<AtomCareOptions>,
  kernels: Kernels,
): Promise<number[]> {
  const coherence = kernels.matrix(atoms.uses.rows, 1);
  await kernels.coherence(atoms.gram, coherence);
  const near = (await kernels.readMatrix(coherence)).data;
  kernels.free(coherence);
  return Array.from(near.keys()).filter((j) => near[j] > options.maxCoherence);
}

/** Columns of the last update with the largest residuals, at most `count`, the worst first. */
async function worstExamples(
  atoms: CaredAtoms,
  examples: number,
  count: number,
  kernels: Kernels,
): Promise<number[]> {
  const energies = kernels.matrix(1, examples);
  await kernels.columnEnergies(kernels.head(atoms.residual, examples), energies);
  const { data } = await kernels.readMatrix(energies);
  kernels.free(energies);
  const badly = Array.from(data.keys()).filter((i) => data[i] > 0);
  badly.sort((a, b) => data[b] - data[a] || a - b);
  return badly.slice(0, count);
}
