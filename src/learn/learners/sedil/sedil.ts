/**
 * Separable dictionary learning (SeDiL) [Hawe13]: one small factor per axis, Φ = φ₀ ⊗ φ₁
 * ⊗ …, each with unit columns, learned together with the codes X of a set of examples:
 *
 *     min f(φ, X)   over φₐ ∈ S × … × S (unit columns),  X ∈ R^{L×N}
 *
 * with the cost of sedilCost.ts: the error, the log-sparsity of the codes and the
 * coherence of each factor. One update is one iteration of conjugate gradients on the
 * product of spheres (sphereProduct.ts):
 *
 *     g  ← the gradient, of each column its part orthogonal to it     tangent
 *     h  ← −g + βh,  β = max(0, min(β_HS, β_DY)),  h carried along    conjugate
 *     t  ← the first of t₀, t₀/2, … that lowers f enough (Armijo)     search
 *     dⱼ ← (dⱼ + th)/‖dⱼ + th‖ for each column,  X ← X + th           retract
 *
 * The model is the factors, with A the identity; OMP codes over it as over any other.
 *
 * Shapes   φₐ nₐ×Lₐ   X L×N   Y n×N,  n = Πnₐ,  L = ΠLₐ
 * Cost     per iteration, about (2 + axes) separable transforms of X and n·Lₐ·N for each
 *          axis, and one more transform for each step length that is tried.
 * Memory   X, its gradient and its direction are dense, L × N: for sets of a few thousand.
 *
 * Departures from the text, each with a test of the same name in sedil.test.ts:
 *   S1 metric      Codes count 1/N in inner products, so that their gradient is as large as
 *                  that of the factors and one step length serves both.
 *   S2 retraction  Columns move along lines and are scaled back to the sphere, and directions
 *                  are carried along by projection; the text follows geodesics.
 *   S3 any axes    The text has two factors; here there are as many as the signal has axes.
 *   S4 start       Factors start as those of the base; codes as those of OMP over it. (From
 *                  the least-norm codes, which are dense, f ends where few atoms do worse:
 *                  64×64 faces by 82 atoms reach 25.5 dB after 100 iterations, 26.9 dB from
 *                  those of OMP.)
 *
 * [Hawe13] S. Hawe, M. Seibert, M. Kleinsteuber. Separable Dictionary Learning. CVPR 2013.
 */

import { InputError, inputError } from "../../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../../core/matrix.js";
import type { Shape } from "../../../core/shape.js";
import { type BaseDictionary, baseCols, baseRows } from "../../../dictionaries/base.js";
import type { DeviceMatrix, Kernels } from "../../../kernels/contract.js";
import { Model } from "../../../model/model.js";
import { codingBytes } from "../../../pursuit/encoder.js";
import { hostPart, readPart, type Savable } from "../../checkpoints/checkpointParts.js";
import { allFinite, type LearnerKind, type LearnerSetting } from "../learner.js";
import { hasEqualColumns } from "./equalColumns.js";
import { FactorEncoder } from "./factorEncoder.js";
import { SedilCost, type SedilWeights } from "./sedilCost.js";
import { descentParts, readDescent, type SedilDescent } from "./sedilDescent.js";
import {
  add,
  dotCodes,
  inner,
  innerProducts,
  negate,
  retract,
  type SedilPoint,
  tangent,
} from "./sphereProduct.js";

/** Ours, for units in which the median example deviates from its mean by ¼ to ½. */
export const sedilWeights = { sparsity: 0.1, sharpness: 20, coherence: 1e-3 } as const satisfies SedilWeights;

/** Armijo: the share of the first-order gain that a step must bring, and how often it is halved. */
const armijo = { share: 1e-4, halvings: 40 } as const;

interface SedilState {
  /** Codes over the current factors, and holds them as its base. */
  readonly encoder: FactorEncoder;
  /** f on the examples of the first update, which are those of every update. */
  cost: SedilCost | undefined;
  descent: SedilDescent | undefined;
  /** Updates so far. */
  step: number;
  /** The error before the last update. */
  rmse: number;
}

function createSedil(setting: LearnerSetting): SedilState {
  return { encoder: new FactorEncoder(setting), cost: undefined, descent: undefined, step: 0, rmse: 0 };
}

/** One iteration on the whole set Y. Changes `state` in place. */
async function sedilUpdate(state: SedilState, Y: DeviceMatrix, kernels: Kernels): Promise<void> {
  const { encoder } = state;
  if (!state.cost) {
    state.cost = new SedilCost(await kernels.readMatrix(Y), baseCols(encoder.base), sedilWeights, kernels);
    if (state.descent) await requireSameExamples(state.descent, state.cost);
  }
  state.descent ??= await startDescent(await startingPoint(encoder, Y, kernels), state.cost);
  const { cost, descent } = state;
  state.rmse = Math.sqrt(dotCodes(descent.R.data, descent.R.data) / descent.R.data.length);
  if (await descend(descent, cost)) encoder.base = factorBase(descent.point, encoder.shape);
  else descent.step = 0;
  state.step += 1;
}

/**
 * A run that resumes may read files that it could not read before, or the other way round, but its codes are those of
 * the examples it began with.
 */
async function requireSameExamples({ point, R }: SedilDescent, cost: SedilCost): Promise<void> {
  if (await cost.hasResiduals(point, R)) return;
  throw new InputError(
    "train: resume: the data have changed since the checkpoint: sedil resumes only with the same examples, but other files can be read now",
  );
}

/** The factors of the base, and the codes of OMP over it (S4). */
async function startingPoint(encoder: FactorEncoder, Y: DeviceMatrix, kernels: Kernels): Promise<SedilPoint> {
  const X = new DenseMatrix(baseCols(encoder.base), Y.cols);
  const room = kernels.matrix(Y.rows, encoder.capacity);
  for (let from = 0; from < Y.cols; from += room.cols) {
    const part = kernels.head(room, Math.min(room.cols, Y.cols - from));
    await kernels.copyColumns(Y, from, part);
    const codes = await kernels.readSparse(await encoder.encode(part));
    X.slice(from, from + part.cols).data.set(codes.toDense().data);
  }
  kernels.free(room);
  encoder.free(); // its Gram matrix of all atoms is not needed until the next test
  return { factors: encoder.base.factors, X };
}

/** Begin at these factors and codes, along −g. */
export async function startDescent(point: SedilPoint, cost: SedilCost): Promise<SedilDescent> {
  const { cost: value, R } = await cost.value(point);
  if (!Number.isFinite(value))
    throw new InputError("train: no two columns of a factor of the base may be the same for sedil");
  const gradient = tangent(point, await cost.gradient(point, R));
  return { point, cost: value, R, gradient, direction: negate(gradient), step: 1 };
}

/** One iteration of conjugate gradients; false if no step lowers the cost any more. */
export async function descend(descent: SedilDescent, cost: SedilCost): Promise<boolean> {
  let slope = inner(descent.gradient, descent.direction);
  if (!(slope < 0)) {
    descent.direction = negate(descent.gradient);
    slope = inner(descent.gradient, descent.direction);
  }
  if (!(slope < 0)) return false; // stationary
  const found = await search(descent, slope, cost);
  if (!found) return false;
  const previous = tangent(found.point, descent.gradient);
  const carried = tangent(found.point, descent.direction);
  const gradient = tangent(found.point, await cost.gradient(found.point, found.R));
  const room = descent.room && descent.point.X; // the codes of the first point are the caller's
  descent.room = room ?? new DenseMatrix(found.point.X.rows, found.point.X.cols);
  Object.assign(descent, found, { gradient, direction: conjugate(gradient, previous, carried) });
  return true;
}

/** The first step of t₀, t₀/2, … with f(t) ≤ f(0) + c t f′(0). */
async function search(descent: SedilDescent, slope: number, cost: SedilCost) {
  let step = 2 * descent.step;
  const { room } = descent;
  for (let halving = 0; halving < armijo.halvings; halving++, step /= 2) {
    const point = retract(descent.point, descent.direction, step, room);
    const { cost: value, R } = await cost.value(point);
    if (value <= descent.cost + armijo.share * step * slope) return { point, cost: value, R, step };
  }
  return undefined;
}

/**
 * h = −g + βh, the hybrid of Hestenes–Stiefel and Dai–Yuan; `previous` and `carried` are g and h, carried along. The codes
 * of h are written over those of `carried`.
 */
function conjugate(g: SedilPoint, previous: SedilPoint, carried: SedilPoint): SedilPoint {
  const { energy, overlap, along, before } = innerProducts(g, previous, carried);
  const change = along - before; // ⟨g − previous, h⟩
  const hestenesStiefel = (energy - overlap) / change;
  const daiYuan = energy / change;
  const beta = change > 0 ? Math.max(0, Math.min(hestenesStiefel, daiYuan)) : 0;
  return add(-1, g, beta, carried, carried.X);
}

/** The factors of a point as a base dictionary. */
function factorBase({ factors }: SedilPoint, shape: Shape): BaseDictionary {
  return { name: "sedil", shape, factors };
}

/** The counters, and the descent once it has begun. */
function savableSedil(state: SedilState, setting: LearnerSetting): Savable {
  const { encoder } = state;
  return {
    parts() {
      const moved = encoder.base === setting.options.base ? 0 : 1;
      const counters = hostPart("counters", Float64Array.of(state.step, state.rmse, moved));
      return [counters, ...(state.descent ? descentParts(state.descent) : [])];
    },
    async restore(saved) {
      const [step, rmse, moved] = await readPart(saved, "counters", "f64", 3);
      Object.assign(state, { step, rmse });
      if (!saved.has("cost")) return;
      state.descent = await readDescent(saved, setting);
      if (moved) encoder.base = factorBase(state.descent.point, encoder.shape);
    },
  };
}

export const sedil: LearnerKind = {
  name: "sedil",
  summary: "separable learning: one factor per axis, Hawe et al. 2013",
  takes: "whole set",
  ownOptions: [],
  replacesAtoms: false,
  defaults: { epochs: 100, examples: 2000, careEvery: false },

  check({ base, atoms }, start) {
    const L = baseCols(base);
    if (start) requireFactors(start);
    if (base.factors.length !== base.shape.length)
      throw inputError("train", "base", "must have a factor for each axis for sedil", base.name);
    if (atoms !== L)
      throw inputError("train", "atoms", `must be ${L} for sedil, the number of base atoms`, atoms);
    requireDifferentAtoms(base, start);
  },

  memory({ base, atoms: L, batch, coding, mostGramAtoms }, N) {
    const n = baseRows(base);
    const p = coding.sparsity ?? Math.min(n, L);
    return [
      { what: "Gram matrix", bytes: codingBytes(L, 0, mostGramAtoms) },
      { what: "codes", bytes: 4 * 2 * L * N },
      { what: "examples", bytes: 4 * (3 * n + 1) * N },
      { what: "slopes of factors", bytes: 4 * N * slopeSamples(base) },
      { what: "coding", bytes: 4 * Math.min(batch, N) * (L + n + 2 * p + 4) },
    ];
  },

  async create(setting) {
    const { kernels } = setting;
    const state = createSedil(setting);
    const { encoder } = state;
    return {
      get step() {
        return state.step;
      },
      encoder,
      replaceable: undefined,
      savable: savableSedil(state, setting),
      update: (Y) => sedilUpdate(state, Y, kernels),
      async report() {
        const { step, rmse, descent } = state;
        const { cost, step: stepSize, point } = descent ?? { step: 0 };
        return {
          step,
          rmse,
          stepSize,
          atomsUsed: point?.X.rows ?? 0,
          ...(cost === undefined ? {} : { cost }),
        };
      },
      async findNonFinite() {
        const bad = encoder.base.factors.findIndex(({ data }) => !allFinite(data));
        return bad < 0 ? undefined : `factor ${bad} is not finite`;
      },
      model: async (meta) => new Model(encoder.base, SparseColumns.identity(baseCols(encoder.base), 1), meta),
      free() {
        state.cost?.free();
        encoder.free();
      },
    };
  },
};

/** The cost is infinite where two atoms of a factor are the same, as of most cropped wavelets of more than 32 samples. */
function requireDifferentAtoms({ factors, shape, name }: BaseDictionary, start: Model | undefined): void {
  const factor = factors.find(hasEqualColumns);
  if (!factor) return;
  const other = shape.includes(2) ? "odct:1" : "odct:2"; // of two samples, odct:2 has the same atom three times
  const rule = `has two equal atoms for an axis of ${factor.rows} samples, which sedil cannot use`;
  const argument = start ? "start" : "base";
  throw new InputError(
    (nameOf) =>
      start ? `${nameOf("start")} ${rule}` : `${nameOf("base")} ${name} ${rule}; ${other} has none`,
    { where: "train", argument, rule, value: name },
  );
}

/** A run that starts from a model takes its factors alone, so its atoms must be theirs. */
function requireFactors({ base, A, meta }: Model): void {
  if (base.factors.length === base.shape.length && isScaledIdentity(A)) return;
  const rule = "must be a dictionary of sedil, or one with the atoms of a separable base";
  throw new InputError((nameOf) => `${nameOf("start")} ${rule}, got one whose learner is ${meta.learner}`, {
    where: "train",
    argument: "start",
    rule,
    value: meta.learner,
  });
}

/** Whether each atom is a base atom up to its scale and its sign, which change no approximation. */
function isScaledIdentity({ rows, cols, width, indices, values, counts }: SparseColumns): boolean {
  const isScaledUnit = (count: number, j: number) =>
    count === 1 && indices[j * width] === j && values[j * width] !== 0;
  return rows === cols && counts.every(isScaledUnit);
}

/** Samples per example of R and T, unfolded along the axis that needs the most. */
function slopeSamples(base: BaseDictionary): number {
  const n = baseRows(base);
  return n + Math.max(...base.factors.map(({ rows, cols }) => (n / rows) * cols));
}
