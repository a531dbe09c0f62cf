/**
 * Online Dictionary Learning (ODL) of [Mairal10], Algorithms 1 and 2: an explicit
 * dictionary D (n × m) from a stream of mini-batches, by stochastic minimisation of
 *
 *     min ½‖Y − DX‖²_F   s.t.   ‖xᵢ‖₀ ≤ p ∀i,   ‖dⱼ‖₂ = 1 ∀j
 *
 * The past is two sums: as long as codes are kept, the cost depends on them through
 * B = Σ yᵢxᵢᵀ and C = Σ xᵢxᵢᵀ alone (the text's B and A). One mini-batch:
 *
 *     X ← SparseCode(Y, D)                                     state.code
 *     B ← βₜB + YXᵀ,   C ← βₜC + XXᵀ              (§3.4.2–3)   kernels.addMoments
 *     for each atom in turn (Algorithm 2)                      kernels.descendAtoms
 *         u = dⱼ + (bⱼ − Dcⱼ)/Cⱼⱼ,   dⱼ ← u/‖u‖₂
 *     G ← DᵀD                                                  dictionary.refresh
 *
 * with the forgetting of §3.4.3 and §4.1 for mini-batches of η examples,
 *
 *     βₜ = (θₜ + 1 − η)/(θₜ + 1),   θₜ = tη for t < η,   η² + t − η after:
 *
 * the codes of mini-batch s weigh about s/t at first, so that those of early, poor
 * dictionaries fade.
 *
 * Shapes   Y n×N   X m×N   D n×m   B n×m   C m×m   G m×m
 * Cost     N·n·m + n·m² + n·m²/2 a mini-batch beside the pursuit: correlations, the
 *          update of all atoms, the Gram matrix.
 *
 * Departures from the text, each with a test of the same name in odl.test.ts:
 *   O1 OMP          Codes come from OMP with p atoms, not from ℓ₁-penalised least squares,
 *                   as for all learners here (and as the paper does in experiment 1).
 *   O2 unit sphere  Algorithm 2 keeps dⱼ in the unit ball. OMP does not see the norm of an
 *                   atom, so its norm is always 1.
 *   O3 new atoms    An atom that atom care replaces by an example has no past: its column of
 *                   B, its row and its column of C start at zero.
 *
 * [Mairal10] J. Mairal, F. Bach, J. Ponce, G. Sapiro. Online Learning for Matrix
 *            Factorization and Sparse Coding. JMLR 11, 2010.
 */

import { baseRows } from "../../dictionaries/base.js";
import { keptMatrix, keptSymmetric, keptTogether } from "../checkpoints/checkpointParts.js";
import { ExplicitState, explicitMemory } from "./explicitLearner.js";
import type { LearnerKind } from "./learner.js";

/** βₜ for the t-th mini-batch, from 1, of `batch` examples. */
export function forgetting(t: number, batch: number): number {
  const theta = t < batch ? t * batch : batch * batch + t - batch;
  return (theta + 1 - batch) / (theta + 1);
}

export const odl: LearnerKind = {
  summary: "online learning of explicit atoms, Mairal et al. 2010",
  takes: "mini-batches",
  own: [],
  explicit: true,

  memory(options, N) {
    const { base, atoms: m } = options;
    return [...explicitMemory(options, N), { what: "sums", bytes: 4 * m * (baseRows(base) + m) }];
  },

  async create(setting) {
    const { kernels, examples: batch } = setting;
    const state = await ExplicitState.open(setting);
    const { dictionary: D, encoder, uses, residual } = state;
    const [B, C] = [kernels.matrix(D.rows, D.cols), kernels.matrix(D.cols, D.cols)];
    const replaced = kernels.set(D.cols);
    return {
      get step() {
        return state.step;
      },
      encoder,
      kept: keptTogether(state.kept, keptMatrix("B", B, kernels), keptSymmetric("C", C, kernels)),
      cared: {
        uses,
        residual,
        gram: D.gram,
        async replace(atoms, Y) {
          await state.replace(atoms, Y);
          await kernels.writeSet(replaced, Uint32Array.from(atoms).sort());
          await kernels.forgetAtoms(replaced, B, C); // O3
        },
      },
      async update(Y) {
        const X = await state.code(Y); // O1
        state.step += 1;
        await kernels.addMoments(forgetting(state.step, batch), Y, X, B, C);
        await kernels.descendAtoms(B, C, D.atoms); // O2
        await D.refresh();
      },
      report: () => state.report(),
      flaw: () => state.flaw(),
      model: (meta) => state.model(meta),
      free() {
        kernels.free(B, C, replaced);
        state.free();
      },
    };
  },
};
