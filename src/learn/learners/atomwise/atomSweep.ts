/**
 * A sweep over the atoms of D = ΦA with the supports of the codes fixed: equation (8),
 *
 *     min over aⱼ of ½‖Eⱼ − Φaⱼxⱼᵀ‖²_F,   Eⱼ = Y − Σ_{i≠j} Φaᵢxᵢᵀ = R + Φaⱼxⱼᵀ,
 *
 * one atom after the other, each with the residual R that the atoms before it left. The
 * caller says how an atom is updated; everything around that is here.
 *
 * Atoms that no example uses together are updated at once (independentAtoms.ts), with the
 * same result. The entries of the codes are read to the host once, and new atoms are made
 * there; nothing else of the size of the examples leaves the device.
 */

import { DenseMatrix, SparseColumns } from "../../../core/matrix.js";
import { baseCols, baseRows } from "../../../dictionaries/base.js";
import type { SparseDictionary } from "../../../dictionaries/dictionary.js";
import type { DeviceMatrix, DeviceSet, DeviceSparse, Kernels } from "../../../kernels/contract.js";
import type { LearnerOptions, MemoryPart } from "../learner.js";
import { independentGroups, rowEnergies } from "./independentAtoms.js";

/** The most atoms updated at once: enough to keep a device busy, few enough for their dense columns. */
export const maxGroupSize = 512;

/** Atoms that no example uses together. */
export interface AtomGroup {
  /** Ascending. */
  readonly atoms: Uint32Array;
  /** ‖xⱼ‖² of each. */
  readonly energies: Float64Array;
  /** −RX_Sᵀ, n × |S|. */
  readonly pull: DeviceMatrix;
  /** Their current columns of A. */
  readonly columns: SparseColumns;
  /** T ← −Eⱼxⱼ for each of them, n × |S|. At most once per group. */
  targets(T: DeviceMatrix): Promise<void>;
}

export interface SweepResult {
  /** The atoms that were updated, ascending. */
  readonly atoms: Uint32Array;
  /** What each of the m atoms was divided by: its norm, or 1 if it was not updated. */
  readonly norms: Float64Array;
}

/** A group that was updated: its new columns, not yet of unit norm, and their ‖Φaⱼ‖². */
interface Exchanged {
  readonly atoms: Uint32Array;
  readonly updated: SparseColumns;
  readonly sizes: { readonly read: Promise<DenseMatrix> };
}

/** The new columns of A for a group, in its order. */
export type AtomUpdate = (group: AtomGroup) => Promise<SparseColumns>;

export class AtomSweep {
  readonly #dictionary: SparseDictionary;
  readonly #kernels: Kernels;
  readonly #room: number;
  readonly #S: DeviceSet;
  readonly #chosen: DeviceSparse;
  readonly #updated: DeviceSparse;
  readonly #pull: DeviceMatrix;
  readonly #before: DeviceMatrix;
  readonly #after: DeviceMatrix;
  readonly #sizes: DeviceMatrix;
  /** ‖xⱼ‖² of all atoms, m × 1. */
  readonly #energies: DeviceMatrix;
  /** The identity: Φ itself as a dictionary. */
  readonly #identity: DeviceSparse;

  private constructor(dictionary: SparseDictionary, kernels: Kernels) {
    const { rows: n, cols: m, phi, A } = dictionary;
    this.#dictionary = dictionary;
    this.#kernels = kernels;
    this.#room = Math.min(m, maxGroupSize);
    this.#S = kernels.set(m);
    this.#chosen = kernels.sparse(m, this.#room, 1);
    this.#updated = kernels.sparse(phi.cols, this.#room, A.width);
    this.#pull = kernels.matrix(n, this.#room);
    this.#before = kernels.matrix(n, this.#room);
    this.#after = kernels.matrix(n, this.#room);
    this.#sizes = kernels.matrix(1, this.#room);
    this.#energies = kernels.matrix(m, 1);
    this.#identity = kernels.sparse(phi.cols, phi.cols, 1);
  }

  static async create(dictionary: SparseDictionary, kernels: Kernels): Promise<AtomSweep> {
    const sweep = new AtomSweep(dictionary, kernels);
    await kernels.writeSparse(sweep.#identity, SparseColumns.identity(dictionary.phi.cols, 1));
    return sweep;
  }

  /**
   * Update every atom that X uses, and scale it to unit norm at the end. R is kept up to date. With "refit", the
   * coefficients of each new atom, which must have unit norm, are fitted to R; with "keep", X stays as it is, for
   * the atoms as they are before they are scaled.
   */
  async run(
    X: DeviceSparse,
    R: DeviceMatrix,
    update: AtomUpdate,
    coefficients: "refit" | "keep",
  ): Promise<SweepResult> {
    const kernels = this.#kernels;
    const reads = [kernels.readRows(X), kernels.readSparse(this.#dictionary.A)] as const; // one round trip
    const [codes, A] = await Promise.all(reads);
    const energies = rowEnergies(codes);
    await kernels.writeMatrix(
      this.#energies,
      new DenseMatrix(energies.length, 1, Float32Array.from(energies)),
    );
    const groups = independentGroups(codes, this.#room);
    const exchanged: Exchanged[] = [];
    try {
      for (const atoms of groups) {
        const groupEnergies = Float64Array.from(atoms, (j) => energies[j]);
        const updated = await update(await this.#prepare(atoms, groupEnergies, A, X, R));
        const sizes = await this.#exchange(updated, X, R, coefficients === "refit");
        exchanged.push({ atoms, updated, sizes });
      }
    } finally {
      await Promise.allSettled(exchanged.map(({ sizes }) => sizes.read)); // no read is left pending
    }
    const norms = await this.#normalize(exchanged, A);
    const atoms = Uint32Array.from(groups.flatMap((group) => [...group])).sort();
    await this.#dictionary.refreshAtoms(atoms);
    return { atoms, norms };
  }

  /** Write the new columns into A, scaled to unit norm; what each of the m atoms was divided by. */
  async #normalize(exchanged: readonly Exchanged[], A: SparseColumns): Promise<Float64Array> {
    const norms = new Float64Array(this.#dictionary.cols).fill(1);
    for (const { atoms, updated, sizes } of exchanged) {
      const { data } = await sizes.read;
      atoms.forEach((atom, i) => {
        if (data[i] > 0) norms[atom] = Math.sqrt(data[i]);
        copyColumn(updated, i, A, atom, 1 / norms[atom]);
      });
    }
    await this.#kernels.writeSparse(this.#dictionary.A, A);
    return norms;
  }

  /** A group to update. The device still holds A from before the sweep; that is safe, since each atom is updated once. */
  async #prepare(
    atoms: Uint32Array,
    energies: Float64Array,
    A: SparseColumns,
    X: DeviceSparse,
    R: DeviceMatrix,
  ): Promise<AtomGroup> {
    const D = this.#dictionary;
    const kernels = this.#kernels;
    const chosen = kernels.headSparse(this.#chosen, atoms.length);
    const before = kernels.head(this.#before, atoms.length);
    const pull = kernels.head(this.#pull, atoms.length);
    await kernels.writeSet(this.#S, atoms);
    await kernels.writeSparse(chosen, unitColumns(D.cols, atoms));
    await kernels.reconstruct(D.phi, D.A, chosen, before);
    await kernels.gradient(R, X, this.#S, pull);
    const targets = async (T: DeviceMatrix) => {
      await kernels.scaleRows(this.#energies, chosen);
      await kernels.residual(D.phi, D.A, chosen, pull, T); // −RX_Sᵀ − Φaⱼ‖xⱼ‖²
    };
    return { atoms, energies, pull, columns: columnsAt(A, atoms), targets };
  }

  /** Replace the atoms of the group by new ones. Their ‖Φaⱼ‖² are read back later: nothing needs them before the end. */
  async #exchange(
    updated: SparseColumns,
    X: DeviceSparse,
    R: DeviceMatrix,
    refits: boolean,
  ): Promise<Exchanged["sizes"]> {
    const D = this.#dictionary;
    const kernels = this.#kernels;
    const count = updated.cols;
    const columns = kernels.headSparse(this.#updated, count);
    const before = kernels.head(this.#before, count);
    const after = kernels.head(this.#after, count);
    const sizes = kernels.head(this.#sizes, count);
    await kernels.writeSparse(columns, updated);
    await kernels.reconstruct(D.phi, this.#identity, columns, after);
    await kernels.exchangeAtoms(before, after, this.#S, X, R, refits);
    await kernels.columnEnergies(after, sizes);
    return { read: kernels.readMatrix(sizes) };
  }

  free(): void {
    this.#kernels.free(this.#S, this.#chosen, this.#updated, this.#identity);
    this.#kernels.free(this.#pull, this.#before, this.#after, this.#sizes, this.#energies);
  }
}

/** The memory of a sweep. */
export function sweepMemory({ base, atoms: m, atomSparsity: k }: LearnerOptions): MemoryPart {
  const room = Math.min(m, maxGroupSize);
  return {
    what: "atoms in turn",
    bytes: 4 * (room * (3 * baseRows(base) + 2 * k + 4) + m) + 12 * baseCols(base),
  };
}

/** One column per atom, m × |S|, with a one in the row of that atom. */
function unitColumns(m: number, atoms: Uint32Array): SparseColumns {
  const [ones, counts] = [new Float32Array(atoms.length), new Uint32Array(atoms.length)];
  return new SparseColumns(m, atoms.length, 1, atoms.slice(), ones.fill(1), counts.fill(1));
}

/** Some columns of A, in a given order. */
function columnsAt(A: SparseColumns, atoms: Uint32Array): SparseColumns {
  const columns = new SparseColumns(A.rows, atoms.length, A.width);
  atoms.forEach((atom, i) => copyColumn(A, atom, columns, i));
  return columns;
}

/** Column `to` of `target` ← column `from` of `source`, which must not be wider, times a factor. */
export function copyColumn(
  source: SparseColumns,
  from: number,
  target: SparseColumns,
  to: number,
  factor = 1,
): void {
  const start = from * source.width;
  const end = start + source.counts[from];
  const values = source.values.subarray(start, end);
  target.setColumn(
    to,
    source.indices.subarray(start, end),
    factor === 1 ? values : values.map((value) => value * factor),
  );
}
