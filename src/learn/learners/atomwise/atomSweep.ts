/**
 * A sweep over the atoms of D = ΦA with the supports of the codes fixed: equation (8),
 *
 *     min over aⱼ of ½‖Eⱼ − Φaⱼxⱼᵀ‖²_F,   Eⱼ = Y − Σ_{i≠j} Φaᵢxᵢᵀ = R + Φaⱼxⱼᵀ,
 *
 * for one atom after the other, each with the residual R that those before it left.
 * How an atom is updated is the caller's affair; what surrounds it is here.
 *
 * Atoms that no example uses together are updated at once (independentAtoms.ts),
 * which is the same. Nothing of the size of the examples leaves the device but the
 * codes, once; new atoms come from the host and go there.
 */

import { type DenseMatrix, SparseColumns } from "../../../core/matrix.js";
import { baseCols, baseRows } from "../../../dictionaries/base.js";
import type { SparseDictionary } from "../../../dictionaries/sparseDictionary.js";
import type { DeviceMatrix, DeviceSet, DeviceSparse, Kernels } from "../../../kernels/contract.js";
import type { LearnerOptions, MemoryPart } from "../learner.js";
import { independentGroups, rowEnergies } from "./independentAtoms.js";

/** The most atoms at once: enough to keep a device busy, few enough for their dense columns. */
export const mostAtOnce = 512;

/** Some atoms that no example uses together. */
export interface AtomGroup {
  /** Ascending. */
  readonly atoms: Uint32Array;
  /** ‖xⱼ‖² of each. */
  readonly energies: Float64Array;
  /** −RX_Sᵀ, n × |S|. */
  readonly pull: DeviceMatrix;
  /** Their columns of A as they are. */
  readonly columns: SparseColumns;
  /** T ← −Eⱼxⱼ for each of them, n × |S|. */
  targets(T: DeviceMatrix): Promise<void>;
}

export interface SweepResult {
  /** The atoms that were updated, ascending. */
  readonly atoms: Uint32Array;
  /** What each of the m atoms was divided by: its norm, 1 where it was not updated. */
  readonly norms: Float64Array;
}

/** A group that had its turn: its new columns, not yet of unit norm, and their ‖Φaⱼ‖². */
interface Exchanged {
  readonly atoms: Uint32Array;
  readonly fresh: SparseColumns;
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
  readonly #fresh: DeviceSparse;
  readonly #pull: DeviceMatrix;
  readonly #before: DeviceMatrix;
  readonly #after: DeviceMatrix;
  readonly #sizes: DeviceMatrix;
  /** The identity: Φ itself as a dictionary. */
  readonly #identity: DeviceSparse;

  private constructor(dictionary: SparseDictionary, kernels: Kernels) {
    const { rows: n, cols: m, phi, A } = dictionary;
    this.#dictionary = dictionary;
    this.#kernels = kernels;
    this.#room = Math.min(m, mostAtOnce);
    this.#S = kernels.set(m);
    this.#chosen = kernels.sparse(m, this.#room, 1);
    this.#fresh = kernels.sparse(phi.cols, this.#room, A.width);
    this.#pull = kernels.matrix(n, this.#room);
    this.#before = kernels.matrix(n, this.#room);
    this.#after = kernels.matrix(n, this.#room);
    this.#sizes = kernels.matrix(1, this.#room);
    this.#identity = kernels.sparse(phi.cols, phi.cols, 1);
  }

  static async create(dictionary: SparseDictionary, kernels: Kernels): Promise<AtomSweep> {
    const sweep = new AtomSweep(dictionary, kernels);
    await kernels.writeSparse(sweep.#identity, SparseColumns.identity(dictionary.phi.cols, 1));
    return sweep;
  }

  /**
   * Update every atom that X uses, and scale it to unit norm in the end. R follows, and where `refits`, the
   * coefficients of each atom are fitted to it (which must then have unit norm at once); otherwise X is left
   * as it is, for the atoms as they were before they were scaled.
   */
  async run(X: DeviceSparse, R: DeviceMatrix, update: AtomUpdate, refits: boolean): Promise<SweepResult> {
    const [D, kernels] = [this.#dictionary, this.#kernels];
    const codes = await kernels.readSparse(X);
    const energies = rowEnergies(codes);
    const A = await kernels.readSparse(D.A);
    const groups = independentGroups(codes, this.#room);
    const exchanged: Exchanged[] = [];
    try {
      for (const atoms of groups) {
        const own = Float64Array.from(atoms, (j) => energies[j]);
        const fresh = await update(await this.#look(atoms, own, A, X, R));
        exchanged.push({ atoms, fresh, sizes: await this.#exchange(fresh, X, R, refits) });
      }
    } finally {
      await Promise.allSettled(exchanged.map(({ sizes }) => sizes.read)); // none is left alone
    }
    const norms = new Float64Array(D.cols).fill(1);
    for (const { atoms, fresh, sizes } of exchanged) {
      const { data } = await sizes.read;
      atoms.forEach((atom, at) => {
        if (data[at] > 0) norms[atom] = Math.sqrt(data[at]);
        putColumn(fresh, at, A, atom, 1 / norms[atom]);
      });
    }
    await kernels.writeSparse(D.A, A);
    const atoms = Uint32Array.from(groups.flatMap((group) => [...group])).sort();
    await D.refreshAtoms(atoms);
    return { atoms, norms };
  }

  /** Choose a group. A on the device is that of before the sweep, which will do: no atom has its turn twice. */
  async #look(
    atoms: Uint32Array,
    energies: Float64Array,
    A: SparseColumns,
    X: DeviceSparse,
    R: DeviceMatrix,
  ): Promise<AtomGroup> {
    const [D, kernels, count] = [this.#dictionary, this.#kernels, atoms.length];
    const chosen = kernels.headSparse(this.#chosen, count);
    const [before, pull] = [kernels.head(this.#before, count), kernels.head(this.#pull, count)];
    await kernels.writeSet(this.#S, atoms);
    await kernels.writeSparse(
      chosen,
      oneAColumn(D.cols, atoms, () => 1),
    );
    await kernels.reconstruct(D.phi, D.A, chosen, before);
    await kernels.gradient(R, X, this.#S, pull);
    const targets = async (T: DeviceMatrix) => {
      // −RX_Sᵀ − Φaⱼ‖xⱼ‖²
      await kernels.writeSparse(
        chosen,
        oneAColumn(D.cols, atoms, (at) => energies[at]),
      );
      await kernels.residual(D.phi, D.A, chosen, pull, T);
    };
    return { atoms, energies, pull, columns: columnsAt(A, atoms), targets };
  }

  /** Put new atoms in the place of those of the group. Their ‖Φaⱼ‖² are on their way: nothing before the end needs them. */
  async #exchange(
    fresh: SparseColumns,
    X: DeviceSparse,
    R: DeviceMatrix,
    refits: boolean,
  ): Promise<Exchanged["sizes"]> {
    const [D, kernels, count] = [this.#dictionary, this.#kernels, fresh.cols];
    const columns = kernels.headSparse(this.#fresh, count);
    const [before, after] = [kernels.head(this.#before, count), kernels.head(this.#after, count)];
    await kernels.writeSparse(columns, fresh);
    await kernels.reconstruct(D.phi, this.#identity, columns, after);
    await kernels.exchangeAtoms(before, after, this.#S, X, R, refits);
    const sizes = kernels.head(this.#sizes, count);
    await kernels.columnEnergies(after, sizes);
    return { read: kernels.readMatrix(sizes) };
  }

  free(): void {
    this.#kernels.free(this.#S, this.#chosen, this.#fresh, this.#identity);
    this.#kernels.free(this.#pull, this.#before, this.#after, this.#sizes);
  }
}

/** What a sweep takes. */
export function sweepMemory({ base, atoms: m, atomSparsity: k }: LearnerOptions): MemoryPart {
  const room = Math.min(m, mostAtOnce);
  return { what: "atoms in turn", bytes: 4 * room * (3 * baseRows(base) + 2 * k + 4) + 12 * baseCols(base) };
}

/** A column for each atom with one entry, its own. */
function oneAColumn(m: number, atoms: Uint32Array, value: (at: number) => number): SparseColumns {
  const count = atoms.length;
  const values = Float32Array.from({ length: count }, (_, at) => value(at));
  return new SparseColumns(m, count, 1, atoms.slice(), values, new Uint32Array(count).fill(1));
}

/** Some columns of A, in a given order. */
function columnsAt(A: SparseColumns, atoms: Uint32Array): SparseColumns {
  const columns = new SparseColumns(A.rows, atoms.length, A.width);
  atoms.forEach((atom, at) => putColumn(A, atom, columns, at));
  return columns;
}

/** Column `to` of `target` ← column `from` of `source`, which is no wider, times a factor. */
export function putColumn(
  source: SparseColumns,
  from: number,
  target: SparseColumns,
  to: number,
  factor = 1,
): void {
  const [start, end] = [from * source.width, from * source.width + source.counts[from]];
  const values = source.values.subarray(start, end);
  target.setColumn(
    to,
    source.indices.subarray(start, end),
    factor === 1 ? values : values.map((value) => value * factor),
  );
}
