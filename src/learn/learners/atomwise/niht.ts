/**
 * Stochastic NIHT: Algorithm 1 of [Sulam16], in its mini-batch version (§V-A).
 *
 * Learns the sparse factor A of D = ΦA from a stream of mini-batches, atom by atom:
 *
 *     X ← SparseCode(Y, Φ, A)                                   codeBatch
 *     𝒮 ← the atoms X uses
 *     for each j ∈ 𝒮:                                           NihtSolver.sweep
 *         aⱼ ← P_k[aⱼ − ηⱼ/(1 + t/T) ∇f(aⱼ)]           (11)
 *         R  ← the residual with the new atom
 *
 * ηⱼ is the step of NIHT (10), searched for where the support changes; t counts
 * mini-batches. Each atom sees the residual that the atoms before it left, as in (8).
 * Atoms that no example uses together are updated at once, with the same result
 * (independentAtoms.ts).
 *
 * Shapes   Φ n×L   A L×m   Y n×N   X m×N
 * Cost     that of OSDL, plus two or more products with Φ per atom of 𝒮, and the choice
 *          of supports on the host.
 *
 * Departures from the text: D1 to D3 in nihtSolver.ts, and, with a test of the same name
 * in niht.test.ts,
 *   D4 unit atoms  Atoms are scaled to unit norm after each sweep, which the text does not
 *                  mention. The learned dictionary is the same: (9) and (10) give s·aⱼ for
 *                  s·aⱼ and xⱼ/s. Without it, norms grow beyond the range of f32.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §IV-A and §IV-B.
 */

import type { DeviceMatrix, Kernels } from "../../../kernels/contract.js";
import type { Learner, LearnerKind, LearnerSetting } from "../learner.js";
import { codeBatch, sparseLearner } from "../tally.js";
import {
  type AtomwiseState,
  atomwiseMemory,
  createAtomwise,
  freeAtomwise,
  replaceableAtoms,
} from "./atomwiseState.js";
import { meanStep, NihtSolver, nihtMemory } from "./nihtSolver.js";

/** `T` in mini-batches. The steps of single mini-batches are noisy, so they must shrink early. */
export const nihtDefaults = { stepDecay: 20 } as const;

export interface NihtState extends AtomwiseState {
  readonly solver: NihtSolver;
  /** The steps ηⱼ/(1 + t/T) of the last mini-batch, one per atom of 𝒮: the data of figure 6. */
  steps: readonly number[];
}

async function createNiht(setting: LearnerSetting): Promise<NihtState> {
  const { options, examples, kernels } = setting;
  const atomwise = await createAtomwise(setting, examples);
  const { dictionary } = atomwise;
  return {
    ...atomwise,
    residual: kernels.matrix(dictionary.rows, examples),
    solver: await NihtSolver.create(dictionary, options.atomSparsity, kernels),
    steps: [],
  };
}

/** One mini-batch of Algorithm 1. Changes `state` in place. */
async function nihtUpdate(state: NihtState, Y: DeviceMatrix, kernels: Kernels): Promise<void> {
  const { solver, sweep, tally } = state;
  const { atomSparsity, stepDecay } = state.options;
  const { X, R } = await codeBatch(state, Y, kernels);
  const decay = 1 + tally.step / stepDecay;
  const { steps } = await solver.sweep(sweep, X, R, { atomSparsity, iterations: 1, decay, tolerance: 0 });
  state.steps = steps;
  tally.step += 1;
}

/** Algorithm 1 with its state in sight: the experiment of figure 6 reads its steps. */
export interface NihtLearner extends Learner {
  readonly state: NihtState;
}

export const niht: LearnerKind = {
  name: "niht",
  summary: "stochastic NIHT, Algorithm 1: atom by atom, one step size each",
  takes: "mini-batches",
  ownOptions: ["atomSparsity", "stepDecay"],
  memory: (options, N) => [...atomwiseMemory(options, N, N), nihtMemory(options)],

  async create(setting): Promise<NihtLearner> {
    const { kernels } = setting;
    const state = await createNiht(setting);
    const learner = sparseLearner(state, kernels, {
      replaceable: replaceableAtoms(state),
      update: (Y) => nihtUpdate(state, Y, kernels),
      report: async () => ({ ...(await state.tally.report()), stepSize: meanStep(state.steps) }),
      free() {
        state.solver.free();
        kernels.free(state.residual);
        freeAtomwise(state);
      },
    });
    return Object.assign(learner, { state });
  },
};
