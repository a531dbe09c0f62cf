/**
 * NIHT over the whole set: the batch method of §IV-A of [Sulam16], whose cost never rises.
 *
 * One update is one iteration over the whole set Y:
 *
 *     X ← SparseCode(Y, Φ, A), or the previous codes where they are better   chooseCodes
 *     for j = 1 … m:                                                         NihtSolver.sweep
 *         aⱼ ← P_k[aⱼ − ηⱼ∇f(aⱼ)] until it hardly moves     (9)
 *         R  ← the residual with the new atom
 *
 * The step of NIHT never raises f(aⱼ), and the choice between old and new codes never
 * raises the error of an example, so ‖Y − ΦAX‖² never rises.
 *
 * Departures from the text: D1 to D3 in nihtSolver.ts, D4 in niht.ts, and, each with a
 * test of the same name in nihtBatch.test.ts,
 *   D5 codes kept  Where the new code of an example is worse, it keeps its previous code as
 *                  it is. The text takes the best code on the previous support, which the
 *                  next pursuit finds if it pays; the guarantee is the same.
 *   D6 few steps   (9) is applied at most `iterations` times per atom and update.
 *   D7 atom care   Off by default: replacing an atom may raise the cost.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §IV-A.
 */

import type { SparseColumns } from "../../../core/matrix.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../../../kernels/contract.js";
import {
  hostPart,
  readPart,
  readSparseParts,
  type Savable,
  type SavedParts,
  savedExamples,
} from "../../checkpoints/checkpointParts.js";
import { CodedSet } from "../codedSet.js";
import type { LearnerKind, LearnerSetting } from "../learner.js";
import { sparseLearner } from "../tally.js";
import {
  type AtomwiseState,
  atomwiseMemory,
  createAtomwise,
  freeAtomwise,
  replaceableAtoms,
} from "./atomwiseState.js";
import { meanStep, NihtSolver, nihtMemory } from "./nihtSolver.js";

/** How often (9) is applied to an atom per update (D6), and the change, relative to its norm, that ends it earlier. */
export const nihtBatchSteps = { iterations: 10, tolerance: 1e-3 } as const;

export interface NihtBatchState extends AtomwiseState {
  /** The codes X of the whole set, and R = Y − ΦAX. */
  readonly set: CodedSet;
  readonly solver: NihtSolver;
  /** The previous codes, unless atoms were replaced since. */
  codes: SparseColumns | undefined;
  /** The first steps ηⱼ of the last update, one per atom. */
  steps: readonly number[];
}

export async function createNihtBatch(setting: LearnerSetting): Promise<NihtBatchState> {
  const { options, examples, kernels } = setting;
  const atomwise = await createAtomwise(setting, options.batch);
  const set = new CodedSet(atomwise.encoder, examples, kernels);
  const solver = await NihtSolver.create(atomwise.dictionary, options.atomSparsity, kernels);
  return { ...atomwise, set, residual: set.residual, solver, codes: undefined, steps: [] };
}

/** One iteration over the whole set Y. Changes `state` in place. */
export async function nihtBatchUpdate(
  state: NihtBatchState,
  Y: DeviceMatrix,
  kernels: Kernels,
): Promise<void> {
  const { set, solver, sweep, tally } = state;
  const { atomSparsity } = state.options;
  const codes = await chooseCodes(state, Y, kernels);
  const { X, R } = await set.setCodes(codes, Y);
  await tally.count(X, R);
  const options = { atomSparsity, decay: 1, ...nihtBatchSteps };
  const { norms, steps } = await solver.sweep(sweep, X, R, options);
  state.codes = scaleRows(codes, norms);
  state.steps = steps;
  tally.step += 1;
}

/** New codes, except for examples whose previous code is better and the new one not good enough (D5). */
async function chooseCodes(state: NihtBatchState, Y: DeviceMatrix, kernels: Kernels): Promise<SparseColumns> {
  const { set, encoder } = state;
  const previous = codesOf(state, Y);
  const { X, R } = await set.code(Y);
  const [codes, energies] = await Promise.all([kernels.readSparse(X), readEnergies(R, kernels)]);
  if (!previous) return codes;
  const before = await set.setCodes(previous, Y); // computed afresh, without the rounding of the sweep
  const previousEnergies = await readEnergies(before.R, kernels);
  const enough = encoder.limits.residualEnergy;
  for (let i = 0; i < codes.cols; i++) {
    if (energies[i] <= Math.max(previousEnergies[i], enough)) continue;
    codes.slice(i, i + 1).indices.set(previous.slice(i, i + 1).indices);
    codes.slice(i, i + 1).values.set(previous.slice(i, i + 1).values);
    codes.counts[i] = previous.counts[i];
  }
  return codes;
}

/**
 * The previous codes, if they are those of the examples Y. A run that resumes may read files that it could not read
 * before, or the other way round: the codes are then of another set, and there is no earlier cost to stay below.
 */
function codesOf({ codes }: NihtBatchState, Y: DeviceMatrix): SparseColumns | undefined {
  return codes?.cols === Y.cols ? codes : undefined;
}

/** ‖rᵢ‖² of each example. */
async function readEnergies(R: DeviceMatrix, kernels: Kernels): Promise<Float32Array> {
  const energies = kernels.matrix(1, R.cols);
  await kernels.columnEnergies(R, energies);
  const { data } = await kernels.readMatrix(energies);
  kernels.free(energies);
  return data;
}

/** diag(factors) X, in place: codes for atoms that were divided by these factors. */
function scaleRows(X: SparseColumns, factors: Float64Array): SparseColumns {
  for (let i = 0; i < X.cols; i++) {
    for (let s = i * X.width; s < i * X.width + X.counts[i]; s++) X.values[s] *= factors[X.indices[s]];
  }
  return X;
}

function savableCodes(state: NihtBatchState): Savable {
  return {
    parts() {
      const { codes } = state;
      if (!codes) return [];
      return (["indices", "values", "counts"] as const).map((what) => hostPart(`X.${what}`, codes[what]));
    },
    async restore(saved) {
      state.codes = saved.has("X.counts") ? await readCodes(saved, state.set.X) : undefined;
    },
  };
}

/** Saved codes, of no more examples than there is room for in X. */
async function readCodes(
  saved: SavedParts,
  { rows, cols: most, width }: DeviceSparse,
): Promise<SparseColumns> {
  const counts = await readPart(saved, "X.counts", "u32");
  return readSparseParts(saved, "X", { rows, cols: savedExamples("X.counts", counts, 1, most), width });
}

export const nihtBatch: LearnerKind = {
  name: "niht-batch",
  summary: "NIHT over the whole set; the cost never rises",
  takes: "whole set",
  ownOptions: ["atomSparsity"],
  defaults: { epochs: 10, careEvery: false }, // D7
  memory: (options, N) => [...atomwiseMemory(options, N, options.batch), nihtMemory(options)],

  async create(setting) {
    const { kernels } = setting;
    const state = await createNihtBatch(setting);
    return sparseLearner(state, kernels, {
      replaceable: replaceableAtoms(state, () => (state.codes = undefined)),
      savable: [savableCodes(state)],
      update: (Y) => nihtBatchUpdate(state, Y, kernels),
      report: async () => ({ ...(await state.tally.report()), stepSize: meanStep(state.steps) }),
      free() {
        state.solver.free();
        state.set.free();
        freeAtomwise(state);
      },
    });
  },
};
