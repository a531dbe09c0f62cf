/**
 * Stochastic NIHT: Algorithm 1 of [Sulam16], in its mini-batch version (§V-A).
 *
 * Learns the sparse factor A of D = ΦA from a stream of mini-batches, atom by atom:
 *
 *     X ← SparseCode(Y, Φ, A)                                   encoder.encode
 *     𝒮 ← the atoms X uses
 *     for each j ∈ 𝒮:
 *         aⱼ ← P_k[aⱼ − ηⱼ/(1 + t/T) ∇f(aⱼ)]           (11)    NihtUpdate.columns
 *         R  ← the residual with the new atom                   AtomSweep
 *
 * ηⱼ is the step of NIHT (10), with its search where the support changes; t counts
 * mini-batches. Each atom sees the residual as those before it left it, as in (8). Atoms
 * that no example uses together go at once, which is the same (independentAtoms.ts).
 *
 * Shapes   Φ n×L   A L×m   Y n×N   X m×N
 * Cost     that of OSDL, with two products with Φ or more for each atom of 𝒮, and the
 *          choice of supports on the host.
 *
 * Departures from the text: D1 to D3 in nihtUpdate.ts, and, with a test of the same name in
 * niht.test.ts,
 *   D4 unit atoms  Atoms are scaled to unit norm after each sweep, which the text leaves
 *                  unsaid. The dictionary that is learned is the same: (9) and (10) give s·aⱼ
 *                  for s·aⱼ and xⱼ/s. Without it norms grow until f32 has no room for them.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §IV-A and §IV-B.
 */

import type { DeviceMatrix } from "../../../kernels/contract.js";
import type { LearnerKind } from "../learner.js";
import { AtomwiseLearner, type AtomwiseParts, atomwiseMemory, atomwiseParts } from "./atomwiseLearner.js";
import { NihtUpdate, nihtMemory } from "./nihtUpdate.js";

/** The one place defaults are written: `T`, in mini-batches. Steps of single mini-batches are noisy: they must fall soon. */
export const nihtDefaults = { stepDecay: 20 } as const;

/** Algorithm 1 as the training loop sees it. */
export const niht: LearnerKind = {
  summary: "stochastic NIHT, Algorithm 1: atom by atom with their own steps",
  takes: "mini-batches",
  own: ["atomSparsity", "stepDecay"],
  memory: (options, N) => [...atomwiseMemory(options, N, N), nihtMemory(options)],
  async create(setting) {
    const parts = await atomwiseParts(setting);
    const { dictionary } = parts;
    const update = await NihtUpdate.create(dictionary, setting.options.atomSparsity, setting.kernels);
    return new StochasticNiht(parts, update);
  },
};

export class StochasticNiht extends AtomwiseLearner {
  protected readonly residual: DeviceMatrix;
  /** The steps ηⱼ/(1 + t/T) of the last update, one an atom of 𝒮: the data of figure 6. */
  lastSteps: readonly number[] = [];
  readonly #niht: NihtUpdate;

  constructor(parts: AtomwiseParts, update: NihtUpdate) {
    const { examples, kernels } = parts.setting;
    super(parts, examples);
    this.residual = kernels.matrix(parts.dictionary.rows, examples);
    this.#niht = update;
  }

  async update(Y: DeviceMatrix): Promise<void> {
    const { atomSparsity, stepDecay } = this.options;
    const X = await this.encoder.encode(Y);
    const R = this.kernels.head(this.residual, Y.cols);
    await this.encoder.residual(Y, X, R);
    await this.tally(X, R);
    const decay = 1 + this.step / stepDecay;
    const steps: number[] = [];
    const { atoms } = await this.sweep.run(
      X,
      R,
      async (group) => {
        const columns = await this.#niht.columns(group, { atomSparsity, iterations: 1, decay, tolerance: 0 });
        steps.push(...this.#niht.steps);
        return columns;
      },
      false,
    );
    this.lastSteps = steps;
    this.took(atoms.length, meanOf(steps));
  }

  override free(): void {
    this.#niht.free();
    this.kernels.free(this.residual);
    super.free();
  }
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
