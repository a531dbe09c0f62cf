/**
 * Online Dictionary Learning (ODL) of [Mairal10], Algorithms 1 and 2: an explicit
 * dictionary D (n × m) from a stream of mini-batches, by stochastic minimisation of
 *
 *     min ½‖Y − DX‖²_F   s.t.   ‖xᵢ‖₀ ≤ p ∀i,   ‖dⱼ‖₂ = 1 ∀j
 *
 * The past is two sums: with the codes fixed, the cost depends on past examples only
 * through B = Σ yᵢxᵢᵀ and C = Σ xᵢxᵢᵀ (the text's B and A). One mini-batch:
 *
 *     X ← SparseCode(Y, D)                                     codeBatch
 *     B ← βₜB + YXᵀ,   C ← βₜC + XXᵀ              (§3.4.2–3)   kernels.addMoments
 *     for each atom in turn (Algorithm 2)                      kernels.descendAtoms
 *         u = dⱼ + (bⱼ − Dcⱼ)/Cⱼⱼ,   dⱼ ← u/‖u‖₂
 *     G ← DᵀD                                                  dictionary.refresh
 *
 * with the forgetting of §3.4.3 and §4.1 for mini-batches of η examples,
 *
 *     βₜ = (θₜ + 1 − η)/(θₜ + 1),   θₜ = tη for t < η,   η² + t − η after:
 *
 * the codes of mini-batch s weigh about s/t at first, so that codes over early, poor
 * dictionaries fade.
 *
 * Shapes   Y n×N   X m×N   D n×m   B n×m   C m×m   G m×m
 * Cost     N·n·m + n·m² + n·m²/2 per mini-batch besides the pursuit: correlations, the
 *          update of all atoms, the Gram matrix.
 *
 * Departures from the text, each with a test of the same name in odl.test.ts:
 *   O1 OMP          Codes come from OMP with p atoms, not from ℓ₁-penalised least squares,
 *                   as for all learners here (and as the paper does in experiment 1).
 *   O2 unit sphere  Algorithm 2 keeps dⱼ in the unit ball. OMP does not see the norm of an
 *                   atom, so its norm is always 1.
 *   O3 new atoms    An atom that atom care replaces by an example has no past: its column of
 *                   B and its row and column of C start at zero, and what it has explained
 *                   is not left to the others (atoms/sumsOfPast.ts).
 *
 * [Mairal10] J. Mairal, F. Bach, J. Ponce, G. Sapiro. Online Learning for Matrix
 *            Factorization and Sparse Coding. JMLR 11, 2010.
 */

import { baseRows } from "../../dictionaries/base.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { forgetAtoms, forgettingBytes, type SumsOfPast } from "../atoms/sumsOfPast.js";
import { savableMatrix, savableSymmetric } from "../checkpoints/checkpointParts.js";
import {
  checkStart,
  createExplicit,
  type ExplicitState,
  explicitLearner,
  freeExplicit,
  replaceableColumns,
  startedMemory,
} from "./explicitLearner.js";
import type { LearnerKind, LearnerSetting, ReplaceableAtoms } from "./learner.js";
import { codeBatch } from "./tally.js";

interface OdlState extends ExplicitState, SumsOfPast {
  /** η: examples per mini-batch. */
  readonly batch: number;
}

async function createOdl(setting: LearnerSetting): Promise<OdlState> {
  const { examples: batch, kernels } = setting;
  const explicit = await createExplicit(setting);
  const { rows: n, cols: m } = explicit.dictionary;
  return {
    ...explicit,
    batch,
    residual: kernels.matrix(n, explicit.encoder.capacity),
    B: kernels.matrix(n, m),
    C: kernels.matrix(m, m),
    replaced: kernels.set(m),
  };
}

/** One mini-batch. Changes `state` in place and reads nothing back. */
async function odlUpdate(state: OdlState, Y: DeviceMatrix, kernels: Kernels): Promise<void> {
  const { dictionary: D, tally, batch, B, C } = state;
  const { X } = await codeBatch(state, Y, kernels); // O1
  tally.step += 1;
  await kernels.addMoments(forgetting(tally.step, batch), Y, X, B, C);
  await kernels.descendAtoms(B, C, D.atoms); // O2
  await D.refresh();
}

/** βₜ for the t-th mini-batch, from 1, of `batch` examples. */
export function forgetting(t: number, batch: number): number {
  const theta = t < batch ? t * batch : batch * batch + t - batch;
  return (theta + 1 - batch) / (theta + 1);
}

/** The atoms as atom care sees them; new ones have no past (O3). */
function odlAtoms(state: OdlState, kernels: Kernels): ReplaceableAtoms {
  const columns = replaceableColumns(state, kernels);
  return {
    ...columns,
    async replace(atoms, Y) {
      await forgetAtoms(state, Uint32Array.from(atoms).sort(), state.dictionary.atoms, kernels);
      await columns.replace(atoms, Y);
    },
  };
}

export const odl: LearnerKind = {
  name: "odl",
  summary: "online learning of explicit atoms, Mairal et al. 2010",
  takes: "mini-batches",
  ownOptions: ["init"],
  explicit: true,
  check: checkStart("odl"),

  memory(options, N) {
    const { base, atoms: m, hasAtomCare } = options;
    const bytes = 4 * m * (baseRows(base) + m) + (hasAtomCare ? forgettingBytes(m) : 0);
    return [...startedMemory(options, N), { what: "sums", bytes }];
  },

  async create(setting) {
    const { kernels } = setting;
    const state = await createOdl(setting);
    const { B, C, residual, replaced } = state;
    return explicitLearner(state, kernels, {
      replaceable: odlAtoms(state, kernels),
      savable: [savableMatrix("B", B, kernels), savableSymmetric("C", C, kernels)],
      update: (Y) => odlUpdate(state, Y, kernels),
      free() {
        kernels.free(B, C, residual, replaced);
        freeExplicit(state);
      },
    });
  },
};
