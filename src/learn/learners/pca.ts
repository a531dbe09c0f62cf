/**
 * Principal component analysis [Pearson01]: the atoms are the m leading eigenvectors
 * of the covariance of the examples, the orthonormal D (n × m, m ≤ n) with the least
 *
 *     ‖Y − DDᵀY‖²_F
 *
 * Not a sparse model: codes over it are the p largest coefficients, which is how §V of
 * [Sulam16] compares it in experiment 5.
 *
 *     C ← C + YYᵀ                             an update          kernels.addOuter
 *     C = V diag(λ) Vᵀ,  D ← v₀ … v₍ₘ₋₁₎      when it is needed  symmetricEigen
 *
 * Eigenvectors are computed on the host, in f64: once the examples have doubled since
 * the last time, before a measurement of the test error, and for the model. Of patches of more than
 * 1024 samples a quarter of the atoms or fewer are found by subspace iteration (leadingSubspace.ts).
 *
 * Shapes   Y n×N   C n×n   D n×m
 * Cost     n²·N/2 an update; about 9n³ for the eigenvectors: seconds for n = 1000,
 *          minutes for n = 4000.
 *
 * Departures from the text, each with a test of the same name in pca.test.ts:
 *   P1 no offset   C is E[yyᵀ]: the mean example is not taken out, since a model has no
 *                  place for it. (Each example's own mean is, as for all learners.) So D is
 *                  the best subspace through the origin.
 *
 * [Pearson01] K. Pearson. On lines and planes of closest fit to systems of points in
 *             space. Philosophical Magazine 2(11), 1901.
 * [Sulam16]   J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary Learning
 *             in High Dimensions. IEEE TSP 64(12), 2016.
 */

import { inputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { baseRows } from "../../dictionaries/base.js";
import type { DeviceMatrix } from "../../kernels/contract.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { symmetricEigen } from "../../linalg/symmetricEigen.js";
import { keptNumbers, keptSymmetric, keptTogether } from "../checkpoints/checkpointParts.js";
import { ExplicitState, explicitMemory } from "./explicitLearner.js";
import { firstNotFinite, UnhealthyError } from "./finite.js";
import { leadingSubspace } from "./leadingSubspace.js";
import type { LearnerKind } from "./learner.js";

/** Beyond so many samples, all eigenvectors take minutes. */
const large = 1024;

export const pca: LearnerKind = {
  summary: "principal components: eigenvectors of the covariance",
  takes: "mini-batches",
  own: [],
  explicit: true,
  goesOn: false,
  defaults: { careEvery: false, atoms: baseRows },

  check({ atoms, base }) {
    const n = baseRows(base);
    if (atoms <= n) return;
    throw inputError("train", "atoms", `must be at most ${n}, the samples of a patch, for pca`, atoms);
  },

  memory(options, N) {
    return [...explicitMemory(options, N), { what: "covariance", bytes: 4 * baseRows(options.base) ** 2 }];
  },

  async create(setting) {
    const { kernels } = setting;
    const atoms = async () =>
      DenseMatrix.build(baseRows(setting.options.base), setting.options.atoms, (i, j) => (i === j ? 1 : 0));
    const state = await ExplicitState.open({ ...setting, atoms }); // samples, as long as nothing is known
    const { dictionary: D, encoder } = state;
    const C = kernels.matrix(D.rows, D.rows);
    let [seen, known] = [0, 0]; // examples in C, and when D was made
    const decompose = async () => {
      if (known === seen) return;
      known = seen;
      const few = D.rows > large && 4 * D.cols <= D.rows;
      const covariance = await kernels.readMatrix(C);
      if (firstNotFinite(covariance.data) >= 0)
        throw new UnhealthyError(`train: the covariance is not finite at step ${state.step}`);
      const atoms = few ? await leadingSubspace(C, D.cols, kernels) : leadingEigenvectors(covariance, D.cols);
      await kernels.writeMatrix(D.atoms, atoms);
      await D.refresh();
    };
    return {
      get step() {
        return state.step;
      },
      encoder: {
        shape: encoder.shape,
        capacity: encoder.capacity,
        async encode(Y: DeviceMatrix, path?: DeviceMatrix) {
          await decompose();
          return encoder.encode(Y, path);
        },
        residual: (Y, X, R) => encoder.residual(Y, X, R),
      },
      cared: undefined,
      kept: keptTogether(
        state.kept,
        keptSymmetric("C", C, kernels),
        keptNumbers(
          "seen",
          () => [seen, known],
          ([all, then]) => {
            [seen, known] = [all, then];
          },
        ),
      ),
      async update(Y) {
        await state.code(Y);
        await kernels.addOuter(Y, C); // P1
        seen += Y.cols;
        state.step += 1;
        if (seen >= 2 * known) await decompose();
      },
      report: () => state.report(),
      flaw: () => state.flaw(),
      async model(meta) {
        await decompose();
        return state.model(meta);
      },
      snapshot: (meta) => state.model(meta),
      free() {
        kernels.free(C);
        state.free();
      },
    };
  },
};

/** The eigenvectors of the largest eigenvalues, as columns. */
export function leadingEigenvectors(C: DenseMatrix, count: number): DenseMatrix {
  const { vectors } = symmetricEigen(new Matrix64(C.rows, C.cols, Float64Array.from(C.data)));
  return new DenseMatrix(C.rows, count, Float32Array.from(vectors.data.subarray(0, C.rows * count)));
}
