/**
 * K-SVD [Aharon06] with the approximate update of [Rubinstein08]: an explicit
 * dictionary D (n × m) for one set of examples, by passes over all of it on
 *
 *     min ‖Y − DX‖²_F   s.t.   ‖xᵢ‖₀ ≤ p ∀i,   ‖dⱼ‖₂ = 1 ∀j
 *
 * One update is one iteration:
 *
 *     X ← SparseCode(Y, D)                                     CodedSet.code
 *     for each atom in turn, over the examples I that use it   kernels.refitAtoms
 *         E = Y_I − Σ_{i≠j} dᵢx_{i,I}
 *         dⱼ ← E g/‖E g‖₂  with g the coefficients of I, then g ← Eᵀdⱼ
 *     G ← DᵀD                                                  dictionary.refresh
 *
 * [Aharon06] takes the leading singular pair of E; one iteration of the power method from
 * the current coefficients lowers the same error at a fraction of the cost ([Rubinstein08],
 * §3). Each atom sees the residual that the atoms before it left.
 *
 * Shapes   Y n×N   X m×N   D n×m   G m×m
 * Cost     per iteration: the pursuit, 4n for each non-zero of X, and n·m²/2 for G.
 * Memory   Y, R = Y − DX (n × N) and X are held whole.
 *
 * Departures from the text, each with a test of the same name in ksvd.test.ts:
 *   K1 idle atoms  Both papers replace an atom that few examples use by the example that is
 *                  represented worst, within the iteration. Here atom care does it afterwards.
 *
 * [Aharon06]     M. Aharon, M. Elad, A. Bruckstein. K-SVD: An Algorithm for Designing
 *                Overcomplete Dictionaries for Sparse Representation. IEEE TSP 54(11), 2006.
 * [Rubinstein08] R. Rubinstein, M. Zibulevsky, M. Elad. Efficient Implementation of the
 *                K-SVD Algorithm using Batch Orthogonal Matching Pursuit. Technion, CS-2008-08.
 */

import { baseRows } from "../../dictionaries/base.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { CodedSet } from "./codedSet.js";
import {
  checkStart,
  createExplicit,
  type ExplicitState,
  explicitLearner,
  freeExplicit,
  replaceableColumns,
  startedMemory,
} from "./explicitLearner.js";
import type { LearnerKind, LearnerSetting } from "./learner.js";

interface KsvdState extends ExplicitState {
  /** The codes X of the whole set, and R = Y − DX. */
  readonly set: CodedSet;
}

async function createKsvd(setting: LearnerSetting): Promise<KsvdState> {
  const explicit = await createExplicit(setting);
  const set = new CodedSet(explicit.encoder, setting.examples, setting.kernels);
  return { ...explicit, set, residual: set.residual };
}

/** One iteration over the whole set Y. Changes `state` in place. */
async function ksvdUpdate(state: KsvdState, Y: DeviceMatrix, kernels: Kernels): Promise<void> {
  const { dictionary: D, set, tally } = state;
  const { X, R } = await set.code(Y);
  await tally.count(X, R);
  await kernels.refitAtoms(R, X, D.atoms);
  await D.refresh();
  tally.step += 1;
}

export const ksvd: LearnerKind = {
  name: "ksvd",
  summary: "K-SVD: explicit atoms over the whole set",
  takes: "whole set",
  ownOptions: ["init"],
  explicit: true,
  defaults: { epochs: 10, careEvery: 1 },
  check: checkStart("ksvd"),

  memory(options, N) {
    const { base, batch, coding, atoms: m } = options;
    const n = baseRows(base);
    const p = coding.sparsity ?? Math.min(n, m);
    const set = 4 * (N * (n + 2 * p + 1) + Math.min(batch, N) * n);
    return [...startedMemory(options, N), { what: "codes", bytes: set }];
  },

  async create(setting) {
    const { kernels } = setting;
    const state = await createKsvd(setting);
    return explicitLearner(state, kernels, {
      replaceable: replaceableColumns(state, kernels), // K1
      update: (Y) => ksvdUpdate(state, Y, kernels),
      free() {
        state.set.free();
        freeExplicit(state);
      },
    });
  },
};
