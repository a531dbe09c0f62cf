/**
 * Sparse K-SVD [Rubinstein10]: the batch method for the double-sparsity model D = ΦA
 * that §V of [Sulam16] compares OSDL with.
 *
 * One update is one iteration over the whole set Y:
 *
 *     X ← SparseCode(Y, Φ, A)                                  CodedSet.code
 *     for each atom j, with the examples I that use it:
 *         E  = Y_I − Σ_{i≠j} Φaᵢx_{i,I}                        AtomSweep
 *         z  = E xⱼ / ‖xⱼ‖
 *         aⱼ = argmin ‖z − Φa‖  s.t. ‖a‖₀ ≤ k, by OMP          fitAtoms
 *         aⱼ ← aⱼ / ‖Φaⱼ‖
 *         xⱼ = Eᵀ Φaⱼ                                          kernels.exchangeAtoms
 *
 * Each atom sees the residual that the atoms before it left. Atoms that no example uses
 * together are updated at once, with the same result (independentAtoms.ts).
 *
 * Shapes   Φ n×L   A L×m   Y n×N   X m×N
 * Cost     N codes, then for each atom 4n per example that uses it, and a pursuit over Φ.
 * Memory   Y and R are dense, n × N; ΦᵀΦ (L × L) is kept for the pursuit of atoms.
 *
 * Departures from the text, each with a test of the same name in sparseKsvd.test.ts:
 *   D1 zero target  Where E xⱼ is zero, or orthogonal to the range of Φ, the atom stays as
 *                   it is.
 *   D2 idle atoms   Atoms that no example uses are left to atom care, once per iteration.
 *
 * [Rubinstein10] R. Rubinstein, M. Zibulevsky, M. Elad. Double sparsity: learning sparse
 *                dictionaries for sparse signal approximation. IEEE TSP 58(3), 2010.
 * [Sulam16]      J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary Learning
 *                in High Dimensions. IEEE TSP 64(12), 2016.
 */

import { SparseColumns } from "../../../core/matrix.js";
import { baseCols, baseRows } from "../../../dictionaries/base.js";
import { SparseDictionary } from "../../../dictionaries/dictionary.js";
import type { DeviceMatrix, Kernels } from "../../../kernels/contract.js";
import { Encoder } from "../../../pursuit/encoder.js";
import { CodedSet } from "../codedSet.js";
import type { LearnerKind, LearnerSetting } from "../learner.js";
import { sparseLearner } from "../tally.js";
import { type AtomGroup, copyColumn, maxGroupSize } from "./atomSweep.js";
import {
  type AtomwiseState,
  atomwiseMemory,
  createAtomwise,
  freeAtomwise,
  replaceableAtoms,
} from "./atomwiseState.js";

interface SparseKsvdState extends AtomwiseState {
  /** The codes X of the whole set, and R = Y − ΦAX. */
  readonly set: CodedSet;
  /** Φ as a dictionary, and the pursuit over it that finds the atoms of a group. */
  readonly phi: SparseDictionary;
  readonly pursuit: Encoder;
  /** Room for the targets of a group, and for the energies of its new atoms. */
  readonly targets: DeviceMatrix;
  readonly energies: DeviceMatrix;
}

async function createSparseKsvd(setting: LearnerSetting): Promise<SparseKsvdState> {
  const { options, examples, kernels } = setting;
  const atomwise = await createAtomwise(setting, options.batch);
  const set = new CodedSet(atomwise.encoder, examples, kernels);
  const phi = await SparseDictionary.ofBase(options.base, kernels);
  const room = Math.min(options.atoms, maxGroupSize);
  return {
    ...atomwise,
    set,
    residual: set.residual,
    phi,
    pursuit: new Encoder(phi, { sparsity: options.atomSparsity, residualEnergy: 0 }, room, kernels),
    targets: kernels.matrix(phi.rows, room),
    energies: kernels.matrix(1, room),
  };
}

/** One iteration over the whole set Y. Changes `state` in place. */
async function sparseKsvdUpdate(state: SparseKsvdState, Y: DeviceMatrix, kernels: Kernels): Promise<void> {
  const { set, sweep, tally } = state;
  const { X, R } = await set.code(Y);
  await tally.count(X, R);
  await sweep.run(X, R, (group) => fitAtoms(state, group, kernels), "refit");
  tally.step += 1;
}

/** aⱼ ← the k-sparse code over Φ of the target Exⱼ = Rxⱼᵀ + Φaⱼ‖xⱼ‖², with ‖Φaⱼ‖ = 1. */
async function fitAtoms(
  state: SparseKsvdState,
  { columns, targets }: AtomGroup,
  kernels: Kernels,
): Promise<SparseColumns> {
  const { phi, pursuit } = state;
  const count = columns.cols;
  const T = kernels.head(state.targets, count);
  const e = kernels.head(state.energies, count);
  await targets(T); // −Exⱼ: the sign is reversed below
  const C = await pursuit.encode(T);
  const coded = kernels.readSparse(C);
  await kernels.reconstruct(phi.phi, phi.A, C, T);
  await kernels.columnEnergies(T, e);
  const [codes, { data: energies }] = await Promise.all([coded, kernels.readMatrix(e)]); // one round trip
  const fitted = new SparseColumns(columns.rows, count, columns.width);
  for (let i = 0; i < count; i++) {
    if (energies[i] === 0)
      copyColumn(columns, i, fitted, i); // D1
    else setScaled(fitted, i, codes, -1 / Math.sqrt(energies[i]));
  }
  return fitted;
}

/** Column j of `target` ← column j of `source` times a factor, rows ascending. */
function setScaled(target: SparseColumns, j: number, source: SparseColumns, factor: number): void {
  const slots = Array.from({ length: source.counts[j] }, (_, s) => j * source.width + s);
  slots.sort((a, b) => source.indices[a] - source.indices[b]);
  target.setColumn(
    j,
    slots.map((s) => source.indices[s]),
    slots.map((s) => source.values[s] * factor),
  );
}

export const sparseKsvd: LearnerKind = {
  name: "sparse-ksvd",
  summary: "Sparse K-SVD: atom by atom over the whole set",
  takes: "whole set",
  ownOptions: ["atomSparsity"],
  defaults: { epochs: 10, careEvery: 1 },

  memory(options, examples) {
    const { base, atoms: m, atomSparsity: k } = options;
    const n = baseRows(base);
    const L = baseCols(base);
    const pursuit = 4 * (L * (L + 4) + Math.min(m, maxGroupSize) * (L + n + 2 * k + 3));
    return [
      ...atomwiseMemory(options, examples, options.batch),
      { what: "pursuit of atoms", bytes: pursuit },
    ];
  },

  async create(setting) {
    const { kernels } = setting;
    const state = await createSparseKsvd(setting);
    return sparseLearner(state, kernels, {
      replaceable: replaceableAtoms(state), // D2
      update: (Y) => sparseKsvdUpdate(state, Y, kernels),
      free() {
        kernels.free(state.targets, state.energies);
        state.pursuit.free();
        state.phi.free();
        state.set.free();
        freeAtomwise(state);
      },
    });
  },
};
