/**
 * K-SVD [Aharon06] with the approximate update of [Rubinstein08]: an explicit
 * dictionary D (n × m) for one set of examples, by passes over all of it on
 *
 *     min ‖Y − DX‖²_F   s.t.   ‖xᵢ‖₀ ≤ p ∀i,   ‖dⱼ‖₂ = 1 ∀j
 *
 * One update is one iteration:
 *
 *     X ← SparseCode(Y, D)                                     CodedSet.encode
 *     for each atom in turn, over the examples I that use it   kernels.refitAtoms
 *         E = Y_I − Σ_{i≠j} dᵢx_{i,I}
 *         dⱼ ← E g/‖E g‖₂  with g the coefficients of I, then g ← Eᵀdⱼ
 *     G ← DᵀD                                                  dictionary.refresh
 *
 * [Aharon06] takes the leading singular pair of E; one turn of the power method from
 * the coefficients at hand lowers the same error, at a fraction of the cost
 * ([Rubinstein08], §3). Each atom sees what those before it left.
 *
 * Shapes   Y n×N   X m×N   D n×m   G m×m
 * Cost     the pursuit, 4n for each non-zero of X, and n·m²/2 for G, an iteration.
 * Memory   Y, R = Y − DX (n × N) and X are held whole.
 *
 * Departures from the text, each with a test of the same name in ksvd.test.ts:
 *   K1 idle atoms  The texts replace an atom that few examples use by the example that is
 *                  represented worst, within the iteration. Here atom care does, after it.
 *
 * [Aharon06]     M. Aharon, M. Elad, A. Bruckstein. K-SVD: An Algorithm for Designing
 *                Overcomplete Dictionaries for Sparse Representation. IEEE TSP 54(11), 2006.
 * [Rubinstein08] R. Rubinstein, M. Zibulevsky, M. Elad. Efficient Implementation of the
 *                K-SVD Algorithm using Batch Orthogonal Matching Pursuit. Technion, CS-2008-08.
 */

import { baseRows } from "../../dictionaries/base.js";
import { CodedSet } from "./atomwise/codedSet.js";
import { ExplicitState, explicitMemory } from "./explicitLearner.js";
import type { LearnerKind } from "./learner.js";

export const ksvd: LearnerKind = {
  summary: "K-SVD: explicit atoms over the whole set",
  takes: "whole set",
  own: [],
  explicit: true,
  defaults: { epochs: 10, careEvery: 1 },

  memory(options, N) {
    const { base, batch, coding, atoms: m } = options;
    const n = baseRows(base);
    const p = coding.sparsity ?? Math.min(n, m);
    const set = 4 * (N * (n + 2 * p + 1) + Math.min(batch, N) * n);
    return [...explicitMemory(options, N), { what: "codes", bytes: set }];
  },

  async create(setting) {
    const { kernels, examples } = setting;
    const state = await ExplicitState.open(setting);
    const { dictionary: D, encoder, uses } = state;
    const set = new CodedSet(encoder, examples, kernels);
    return {
      get step() {
        return state.step;
      },
      encoder,
      kept: state.kept,
      cared: {
        uses,
        residual: set.residual,
        gram: D.gram,
        replace: (atoms, Y) => state.replace(atoms, Y), // K1
      },
      async update(Y) {
        const { codes } = await set.encode(Y);
        await set.take(codes, Y);
        const [X, R] = [kernels.headSparse(set.X, Y.cols), kernels.head(set.residual, Y.cols)];
        await state.tally(X, R);
        await kernels.refitAtoms(R, X, D.atoms);
        await D.refresh();
        state.step += 1;
      },
      report: () => state.report(),
      flaw: () => state.flaw(),
      model: (meta) => state.model(meta),
      free() {
        set.free();
        state.free();
      },
    };
  },
};
