/**
 * Principal component analysis [Pearson01]: the atoms are the m leading eigenvectors
 * of the covariance of the examples, the orthonormal D (n × m, m ≤ n) with the least
 *
 *     ‖Y − DDᵀY‖²_F
 *
 * PCA is not a sparse model. Here its codes are the p largest coefficients, as those of any
 * dictionary; the best p-dimensional subspace is spanned by the first p atoms instead, which
 * is the dimensionality reduction of experiment 5 of [Sulam16], §V-C.
 *
 *     C ← C + YYᵀ                             every update       kernels.addOuter
 *     C = V diag(λ) Vᵀ,  D ← v₀ … v₍ₘ₋₁₎      when it is needed  decompose
 *
 * Eigenvectors are computed on the host, in f64: when the number of examples has doubled
 * since the last time, before the test error is measured, and for the model. For patches
 * of more than 1024 samples, n/4 atoms or fewer are found by subspace iteration instead
 * (leadingSubspace.ts).
 *
 * Shapes   Y n×N   C n×n   D n×m
 * Cost     n²·N/2 per update; about 9n³ for the eigenvectors: seconds for n = 1000,
 *          minutes for n = 4000.
 *
 * Departures from the text, each with a test of the same name in pca.test.ts:
 *   P1 no offset   C is E[yyᵀ]: the mean example is not subtracted, since a model has no
 *                  place for it. (Each example's own mean is, as for all learners.) So D
 *                  spans the best subspace through the origin.
 *
 * [Pearson01] K. Pearson. On lines and planes of closest fit to systems of points in
 *             space. Philosophical Magazine 2(11), 1901.
 * [Sulam16]   J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary Learning
 *             in High Dimensions. IEEE TSP 64(12), 2016.
 */

import { inputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { baseRows } from "../../dictionaries/base.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { symmetricEigen } from "../../linalg/symmetricEigen.js";
import type { BatchEncoder } from "../../pursuit/encoder.js";
import { savableNumbers, savableSymmetric } from "../checkpoints/checkpointParts.js";
import {
  createExplicit,
  type ExplicitState,
  explicitLearner,
  explicitMemory,
  explicitModel,
  freeExplicit,
} from "./explicitLearner.js";
import { leadingSubspace } from "./leadingSubspace.js";
import { allFinite, DivergedError, type LearnerKind, type LearnerSetting } from "./learner.js";
import { codeBatch } from "./tally.js";

/** With more samples than this per example, computing all eigenvectors takes minutes. */
const maxDense = 1024;

interface PcaState extends ExplicitState {
  /** C = Σ yyᵀ, n × n. */
  readonly covariance: DeviceMatrix;
  /** Examples in C. */
  seen: number;
  /** Examples in C when D was last computed. */
  decomposed: number;
}

/** C = 0; until anything is known, the atoms are single samples. */
async function createPca(setting: LearnerSetting): Promise<PcaState> {
  const { options, kernels } = setting;
  const n = baseRows(options.base);
  const atoms = async () => DenseMatrix.build(n, options.atoms, (i, j) => (i === j ? 1 : 0));
  const explicit = await createExplicit({ ...setting, atoms });
  return {
    ...explicit,
    residual: kernels.matrix(n, explicit.encoder.capacity),
    covariance: kernels.matrix(n, n),
    seen: 0,
    decomposed: 0,
  };
}

/** One mini-batch. Changes `state` in place. */
async function pcaUpdate(state: PcaState, Y: DeviceMatrix, kernels: Kernels): Promise<void> {
  await codeBatch(state, Y, kernels);
  await kernels.addOuter(Y, state.covariance); // P1
  state.seen += Y.cols;
  state.tally.step += 1;
  if (state.seen >= 2 * state.decomposed) await decompose(state, kernels);
}

/** D ← the leading eigenvectors of C, unless it holds them already. */
async function decompose(state: PcaState, kernels: Kernels): Promise<void> {
  const { dictionary: D, covariance: C, tally } = state;
  if (state.decomposed === state.seen) return;
  state.decomposed = state.seen;
  const host = await kernels.readMatrix(C);
  if (!allFinite(host.data))
    throw new DivergedError(`train: the covariance is not finite at step ${tally.step}`);
  const few = D.rows > maxDense && 4 * D.cols <= D.rows;
  const atoms = few ? await leadingSubspace(C, D.cols, kernels) : await leadingEigenvectors(host, D.cols);
  await kernels.writeMatrix(D.atoms, atoms);
  await D.refresh();
}

/** The eigenvectors of the largest eigenvalues, as columns. */
export async function leadingEigenvectors(C: DenseMatrix, count: number): Promise<DenseMatrix> {
  const { vectors } = await symmetricEigen(new Matrix64(C.rows, C.cols, Float64Array.from(C.data)));
  return new DenseMatrix(C.rows, count, Float32Array.from(vectors.data.subarray(0, C.rows * count)));
}

/** Codes over the eigenvectors of all examples so far, which are computed first. */
function currentEncoder(state: PcaState, kernels: Kernels): BatchEncoder {
  const { encoder } = state;
  return {
    shape: encoder.shape,
    capacity: encoder.capacity,
    async encode(Y, path) {
      await decompose(state, kernels);
      return encoder.encode(Y, path);
    },
    residual: (Y, X, R) => encoder.residual(Y, X, R),
  };
}

export const pca: LearnerKind = {
  name: "pca",
  summary: "principal components: eigenvectors of the covariance",
  takes: "mini-batches",
  ownOptions: [],
  explicit: true,
  canStartFromModel: false,
  replacesAtoms: false,
  defaults: { epochs: 1, careEvery: false, atoms: baseRows }, // more epochs change nothing but the weight of all examples

  check({ atoms, base }) {
    const n = baseRows(base);
    if (atoms <= n) return;
    throw inputError(
      "train",
      "atoms",
      `must be at most ${n} for pca, the number of samples in a patch`,
      atoms,
    );
  },

  memory(options, N) {
    return [...explicitMemory(options, N), { what: "covariance", bytes: 4 * baseRows(options.base) ** 2 }];
  },

  async create(setting) {
    const { kernels } = setting;
    const state = await createPca(setting);
    return explicitLearner(state, kernels, {
      encoder: currentEncoder(state, kernels),
      savable: [
        savableSymmetric("C", state.covariance, kernels),
        savableNumbers(
          "seen",
          () => [state.seen, state.decomposed],
          ([seen, decomposed]) => Object.assign(state, { seen, decomposed }),
        ),
      ],
      update: (Y) => pcaUpdate(state, Y, kernels),
      async model(meta) {
        await decompose(state, kernels);
        return explicitModel(state, meta, kernels);
      },
      snapshot: (meta) => explicitModel(state, meta, kernels),
      free() {
        kernels.free(state.residual, state.covariance);
        freeExplicit(state);
      },
    });
  },
};
