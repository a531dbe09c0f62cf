/**
 * Separable dictionary learning (SeDiL) [Hawe13]: one small factor an axis, Φ = φ₀ ⊗ φ₁
 * ⊗ …, each with unit columns, learned together with the codes X of a set of examples:
 *
 *     min f(φ, X)   over φₐ ∈ S × … × S (unit columns),  X ∈ R^{L×N}
 *
 * with the cost of sedilCost.ts: the error, the log-sparsity of the codes and the
 * coherence of each factor. One update is one turn of conjugate gradients on the
 * product of spheres:
 *
 *     g  ← the gradient: of each column its part orthogonal to it     tangent
 *     h  ← −g + βh,  β = max(0, min(β_HS, β_DY)),  h carried along    conjugate
 *     t  ← the first of t₀, t₀/2, … that lowers f enough (Armijo)     search
 *     dⱼ ← (dⱼ + th)/‖dⱼ + th‖ for each column,  X ← X + th           moved
 *
 * The model is the factors, with A the identity; OMP codes over it as over any other.
 *
 * Shapes   φₐ nₐ×Lₐ   X L×N   Y n×N,  n = Πnₐ,  L = ΠLₐ
 * Cost     about (2 + axes) separable transforms of X and n·Lₐ·N for each axis a turn, and
 *          one transform more for each step length that is tried.
 * Memory   X, its gradient and its direction are dense, L × N: for sets of a few thousand.
 *
 * Departures from the text, each with a test of the same name in sedil.test.ts:
 *   S1 metric      Codes count 1/N in inner products, so that their gradient is of the size
 *                  of the factors' and one step length serves both.
 *   S2 retraction  Columns move along lines and are scaled back to the sphere, and directions
 *                  are carried along by projection; the text follows geodesics.
 *   S3 any axes    Two factors in the text; as many as the signal has axes here.
 *   S4 start       Factors start as those of the base; codes as those of OMP over it. (From
 *                  the least-norm codes, which are dense, f ends where few atoms do worse:
 *                  64×64 faces by 82 atoms 25.5 dB after 100 turns, 26.9 dB from those of OMP.)
 *
 * [Hawe13] S. Hawe, M. Seibert, M. Kleinsteuber. Separable Dictionary Learning. CVPR 2013.
 */

import { InputError, inputError } from "../../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../../core/matrix.js";
import { type BaseDictionary, baseCols, baseRows } from "../../../dictionaries/base.js";
import { SparseDictionary } from "../../../dictionaries/sparseDictionary.js";
import type { DeviceMatrix } from "../../../kernels/contract.js";
import { Matrix64, norm } from "../../../linalg/matrix64.js";
import { Model } from "../../../model/model.js";
import { type BatchEncoder, Encoder } from "../../../pursuit/encoder.js";
import { resolveLimits } from "../../../pursuit/limits.js";
import { type Kept, keptNumbers, keptTogether, readPart } from "../../checkpoints/checkpointParts.js";
import { firstNotFinite } from "../finite.js";
import type { LearnerKind, LearnerSetting } from "../learner.js";
import { SedilCost, type SedilPoint, type SedilWeights } from "./sedilCost.js";
import { type SedilState, savedSedil, sedilParts } from "./sedilState.js";

/** In units where the median example deviates from its mean by ¼ to ½. */
const sedilDefaults = {
  sparsity: 0.1,
  sharpness: 20,
  coherence: 1e-3,
} as const satisfies SedilWeights;

/** Armijo: the share of the first-order gain that a step must bring, and how often it is halved. */
const armijo = { share: 1e-4, halvings: 40 } as const;

/** Start at factors and codes. */
export async function startSedil(point: SedilPoint, cost: SedilCost): Promise<SedilState> {
  const { cost: value, R } = await cost.value(point);
  if (!Number.isFinite(value))
    throw new InputError("train: no two columns of a factor of the base may be the same for sedil");
  const gradient = tangent(point, await cost.gradient(point, R));
  return { point, cost: value, R, gradient, direction: scaled(-1, gradient), step: 1 };
}

/** One turn of conjugate gradients; false where no step lowers the cost any more. */
export async function sedilTurn(state: SedilState, cost: SedilCost): Promise<boolean> {
  let slope = inner(state.gradient, state.direction);
  if (!(slope < 0)) {
    state.direction = scaled(-1, state.gradient);
    slope = inner(state.gradient, state.direction);
  }
  if (!(slope < 0)) return false; // stationary
  const found = await search(state, slope, cost);
  if (!found) return false;
  const [old, carried] = [tangent(found.point, state.gradient), tangent(found.point, state.direction)];
  const gradient = tangent(found.point, await cost.gradient(found.point, found.R));
  Object.assign(state, found, { gradient, direction: conjugate(gradient, old, carried) });
  return true;
}

/** The first step of t₀, t₀/2, … with f(t) ≤ f(0) + c t f′(0). */
async function search(state: SedilState, slope: number, cost: SedilCost) {
  let step = 2 * state.step;
  for (let halving = 0; halving < armijo.halvings; halving++, step /= 2) {
    const point = moved(state.point, state.direction, step);
    const { cost: value, R } = await cost.value(point);
    if (value <= state.cost + armijo.share * step * slope) return { point, cost: value, R, step };
  }
  return undefined;
}

/** h = −g + βh with the hybrid of Hestenes–Stiefel and Dai–Yuan; `old` and `carried` are g and h, carried along. */
function conjugate(g: SedilPoint, old: SedilPoint, carried: SedilPoint): SedilPoint {
  const change = inner(g, carried) - inner(old, carried); // ⟨g − old, h⟩
  if (!(change > 0)) return scaled(-1, g);
  const energy = inner(g, g);
  const [hestenesStiefel, daiYuan] = [(energy - inner(g, old)) / change, energy / change];
  return sum(-1, g, Math.max(0, Math.min(hestenesStiefel, daiYuan)), carried);
}

// — the product of spheres ————————————————————————————————————————————————————

/** S1: codes count 1/N. */
function inner(a: SedilPoint, b: SedilPoint): number {
  const codes = dot(a.X.data, b.X.data) / Math.max(1, a.X.cols);
  return a.factors.reduce((total, { data }, axis) => total + dot(data, b.factors[axis].data), codes);
}

/** The gradient on the spheres: of each column's derivative the part orthogonal to it. */
function tangent(point: SedilPoint, slope: SedilPoint): SedilPoint {
  const factors = slope.factors.map((factor, axis) =>
    eachColumn(factor, (g, j) => {
      const d = point.factors[axis].column(j);
      const part = dot(g, d);
      return g.map((value, r) => value - part * d[r]);
    }),
  );
  return { factors, X: slope.X };
}

/** The retraction: (d + th)/‖d + th‖ for each column, X + th for the codes. */
function moved(point: SedilPoint, h: SedilPoint, t: number): SedilPoint {
  const factors = point.factors.map((factor, axis) =>
    eachColumn(factor, (d, j) => {
      const direction = h.factors[axis].column(j);
      const next = d.map((value, r) => value + t * direction[r]);
      const size = norm(next); // at least 1: h is orthogonal to d
      return next.map((value) => value / size);
    }),
  );
  return { factors, X: combined(1, point.X, t, h.X) };
}

function scaled(weight: number, a: SedilPoint): SedilPoint {
  return sum(weight, a, 0, a);
}

function sum(p: number, a: SedilPoint, q: number, b: SedilPoint): SedilPoint {
  const factors = a.factors.map(
    ({ rows, cols, data }, axis) =>
      new Matrix64(
        rows,
        cols,
        data.map((value, i) => p * value + q * b.factors[axis].data[i]),
      ),
  );
  return { factors, X: combined(p, a.X, q, b.X) };
}

function combined(p: number, a: DenseMatrix, q: number, b: DenseMatrix): DenseMatrix {
  const result = new Float32Array(a.data.length);
  for (let i = 0; i < result.length; i++) result[i] = p * a.data[i] + q * b.data[i];
  return new DenseMatrix(a.rows, a.cols, result);
}

function eachColumn(factor: Matrix64, map: (column: Float64Array, j: number) => Float64Array): Matrix64 {
  const result = new Matrix64(factor.rows, factor.cols);
  for (let j = 0; j < factor.cols; j++) result.column(j).set(map(factor.column(j), j));
  return result;
}

function dot(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i] * y[i];
  return total;
}

// — as the training loop sees it ——————————————————————————————————————————————

export const sedil: LearnerKind = {
  summary: "separable learning: a factor an axis, Hawe et al. 2013",
  takes: "whole set",
  own: [],
  defaults: { epochs: 100, examples: 2000, careEvery: false },

  check({ base, atoms }) {
    const L = baseCols(base);
    if (base.factors.length !== base.shape.length)
      throw inputError("train", "base", "must have a factor for each axis for sedil", base.name);
    if (atoms !== L) throw inputError("train", "atoms", `must be ${L}, as the base has, for sedil`, atoms);
  },

  memory({ base, atoms: L, batch, coding }, N) {
    const n = baseRows(base);
    const p = coding.sparsity ?? Math.min(n, L);
    return [
      { what: "Gram matrix", bytes: 4 * L * L },
      { what: "codes", bytes: 4 * 2 * L * N },
      { what: "examples", bytes: 4 * (3 * n + 1) * N },
      { what: "slopes of factors", bytes: 4 * N * slopeSamples(base) },
      { what: "coding", bytes: 4 * Math.min(batch, N) * (L + n + 2 * p + 4) },
    ];
  },

  create: async (setting) => new Sedil(setting),
};

/** Samples an example of R and T, unfolded along the axis that needs most. */
function slopeSamples(base: BaseDictionary): number {
  const n = baseRows(base);
  return n + Math.max(...base.factors.map(({ rows, cols }) => (n / rows) * cols));
}

class Sedil {
  step = 0;
  readonly cared = undefined;
  readonly encoder: BatchEncoder & { free(): void };
  readonly #setting: LearnerSetting;
  #base: BaseDictionary;
  #cost: SedilCost | undefined;
  #state: SedilState | undefined;
  #rmse = 0;

  constructor(setting: LearnerSetting) {
    this.#setting = setting;
    this.#base = setting.options.base;
    this.encoder = new FactorEncoder(() => this.#base, setting);
  }

  async update(Y: DeviceMatrix): Promise<void> {
    const { kernels } = this.#setting;
    if (!this.#cost || !this.#state) {
      const examples = await kernels.readMatrix(Y); // the same every time
      this.#cost = new SedilCost(examples, baseCols(this.#base), sedilDefaults, kernels);
      this.#state ??= await startSedil(await this.#start(Y), this.#cost);
    }
    const { R } = this.#state;
    this.#rmse = Math.sqrt(dot(R.data, R.data) / R.data.length);
    const moved = await sedilTurn(this.#state, this.#cost);
    if (moved) this.#base = { name: "sedil", shape: this.#base.shape, factors: this.#state.point.factors };
    else this.#state.step = 0;
    this.step += 1;
  }

  /** The base, and the codes of OMP over it (S4). */
  async #start(Y: DeviceMatrix): Promise<SedilPoint> {
    const { kernels } = this.#setting;
    const X = new DenseMatrix(baseCols(this.#base), Y.cols);
    const room = kernels.matrix(Y.rows, this.encoder.capacity);
    for (let from = 0; from < Y.cols; from += room.cols) {
      const part = kernels.head(room, Math.min(room.cols, Y.cols - from));
      await kernels.copyColumns(Y, from, part);
      const codes = await kernels.readSparse(await this.encoder.encode(part));
      X.slice(from, from + part.cols).data.set(codes.toDense().data);
    }
    kernels.free(room);
    this.encoder.free(); // a Gram matrix of all atoms: nothing needs it until the next test
    return { factors: this.#base.factors, X };
  }

  get kept(): Kept {
    return keptTogether(
      keptNumbers(
        "counters",
        () => [this.step, this.#rmse, this.#base === this.#setting.options.base ? 0 : 1],
        ([step, rmse]) => {
          this.step = step;
          this.#rmse = rmse;
        },
      ),
      {
        parts: () => (this.#state ? sedilParts(this.#state) : []),
        restore: async (saved) => {
          if (!saved.has("cost")) return;
          this.#state = await savedSedil(saved, this.#setting);
          const [, , moved] = await readPart(saved, "counters", "f64", 3);
          const { shape } = this.#base;
          if (moved) this.#base = { name: "sedil", shape, factors: this.#state.point.factors };
        },
      },
    );
  }

  async flaw() {
    const bad = this.#base.factors.findIndex(({ data }) => firstNotFinite(data) >= 0);
    return bad < 0 ? undefined : `factor ${bad} is not finite`;
  }

  async report() {
    const { X } = this.#state?.point ?? {};
    const stepSize = this.#state?.step ?? 0;
    return { step: this.step, rmse: this.#rmse, stepSize, atomsUsed: X?.rows ?? 0 };
  }

  async model(meta: ConstructorParameters<typeof Model>[2]): Promise<Model> {
    return new Model(this.#base, SparseColumns.identity(baseCols(this.#base), 1), meta);
  }

  free(): void {
    this.#cost?.free();
    this.encoder.free();
  }
}

/** Codes over the factors as they stand: the dictionary is made anew when they have changed. */
class FactorEncoder implements BatchEncoder {
  readonly shape;
  readonly capacity: number;
  readonly #current: () => BaseDictionary;
  readonly #setting: LearnerSetting;
  #made: { base: BaseDictionary; dictionary: SparseDictionary; encoder: Encoder } | undefined;

  constructor(current: () => BaseDictionary, setting: LearnerSetting) {
    this.shape = setting.options.base.shape;
    this.capacity = Math.min(setting.options.batch, setting.examples);
    this.#current = current;
    this.#setting = setting;
  }

  async encode(Y: DeviceMatrix, path?: DeviceMatrix) {
    return (await this.#open()).encoder.encode(Y, path);
  }

  async residual(...args: Parameters<BatchEncoder["residual"]>): Promise<void> {
    await (await this.#open()).encoder.residual(...args);
  }

  async #open() {
    const base = this.#current();
    if (this.#made?.base === base) return this.#made;
    this.free();
    const { kernels, options } = this.#setting;
    const dictionary = await SparseDictionary.ofBase(base, kernels);
    const limits = resolveLimits("train", options.coding, dictionary.rows, dictionary.cols);
    this.#made = { base, dictionary, encoder: new Encoder(dictionary, limits, this.capacity, kernels) };
    return this.#made;
  }

  free(): void {
    this.#made?.encoder.free();
    this.#made?.dictionary.free();
    this.#made = undefined;
  }
}
