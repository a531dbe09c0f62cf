/**
 * The kernel contract: every heavy operation of the algorithms, each as coarse
 * as one line of them, with its mathematics and its limits.
 *
 * `reference` (plain loops, the definition), `cpu` (WebAssembly) and `gpu` (WebGPU)
 * keep it. One conformance suite judges every implementation.
 * Algorithms receive `kernels` as an argument and never ask which one it is.
 *
 * Handles. A `DeviceMatrix` and its kin live where the kernels compute; they are
 * opaque, made by `kernels` and given back with `free`. Only the operations
 * named `read…` bring anything to the host, so that a mini-batch can stay on a
 * device from its patches to the new atoms, its step size included.
 *
 * Order. Operations take effect in the order they are called. Their promises
 * may resolve before the work is done on the device; `read…` waits for all of it.
 *
 * Shapes   n samples, L base atoms, m atoms, N examples, k non-zeros an atom
 *          (the width of A), p non-zeros a code (the width of X), S ⊂ {0 … m−1}.
 *
 * Sums. Every output element is summed by one worker in one order, so results
 * have the same bits for any number of threads. Outputs never alias inputs
 * unless an operation says so.
 */

import type { DenseMatrix, SparseColumns } from "../core/matrix.js";
import type { Shape } from "../core/shape.js";
import type { Signal } from "../core/signal.js";
import type { Matrix64 } from "../linalg/matrix64.js";

/** A dense f32 matrix where the kernels compute. */
export interface DeviceMatrix {
  readonly rows: number;
  readonly cols: number;
}

/** Sparse columns where the kernels compute: A, or the codes X. */
export interface DeviceSparse {
  readonly rows: number;
  readonly cols: number;
  readonly width: number;
}

/** A base dictionary Φ = φ₀ ⊗ φ₁ ⊗ …, n × L. One factor alone is an explicit matrix. */
export interface DeviceBase {
  readonly rows: number;
  readonly cols: number;
}

/** A set S of atoms whose size may be known to the device alone. */
export interface DeviceSet {
  /** The largest size it can have: m. */
  readonly capacity: number;
}

/** Signals packed where the kernels compute, to cut windows from. */
export interface DeviceSignals {
  readonly count: number;
}

/** When a pursuit stops: whichever comes first. */
export interface PursuitLimits {
  /** p: the most non-zeros of a code. */
  readonly sparsity: number;
  /** ε²: stop once ‖y − Dx‖² is at most this; 0 for no such limit. It is tracked in f32: below 1e-7 ‖y‖² it means little. */
  readonly residualEnergy: number;
}

/** Where a number goes that stays on the device. */
export interface ScalarPlace {
  readonly scalars: DeviceMatrix;
  readonly slot: number;
}

/** γ, η = scalars[eta], and the gradient: what `momentum` takes. */
export interface MomentumStep {
  readonly gamma: number;
  readonly scalars: DeviceMatrix;
  readonly eta: number;
  readonly grad: DeviceMatrix;
}

/** Where a window starts: which signal, and the flat index of its first sample in it. */
export interface WindowList {
  readonly signal: Uint32Array;
  readonly start: Uint32Array;
}

/** How large a learning problem is, in the letters above. */
export interface ProblemSizes {
  readonly n: number;
  readonly L: number;
  readonly m: number;
  readonly p: number;
  readonly N: number;
}

export interface Kernels {
  readonly name: "reference" | "cpu" | "gpu";
  /** What it computes on, in words, for reports. */
  readonly description: string;
  /** Bytes that handles hold now, and the most they can. */
  readonly memory: { readonly used: number; readonly limit: number };
  /** Bytes that the kernels take for themselves, besides handles, to learn at these sizes: about, and rather more. */
  workspace(sizes: ProblemSizes): number;

  // — memory ————————————————————————————————————————————————————————————————

  /** A zero matrix. */
  matrix(rows: number, cols: number): DeviceMatrix;
  /** Empty sparse columns with room for `width` entries each. */
  sparse(rows: number, cols: number, width: number): DeviceSparse;
  /** An empty set of atoms. */
  set(capacity: number): DeviceSet;
  /** Φ from its 1-D factors, one an axis (outermost first). */
  base(factors: readonly Matrix64[]): DeviceBase;
  /** Pack signals for `extract`, every sample times `scale`. They are copied: the caller may change them after. */
  signals(signals: readonly Signal[], scale?: number): DeviceSignals;
  /** The first `cols` columns of a matrix, sharing its memory; it is freed with the whole. */
  head(matrix: DeviceMatrix, cols: number): DeviceMatrix;
  /** The first `cols` columns of sparse columns, sharing their memory; freed with the whole. */
  headSparse(sparse: DeviceSparse, cols: number): DeviceSparse;

  /** target ← as many columns of `source` as it has, from column `first` on. The two share no memory. */
  copyColumns(source: DeviceMatrix, first: number, target: DeviceMatrix): Promise<void>;
  writeMatrix(target: DeviceMatrix, source: DenseMatrix): Promise<void>;
  /** Replace all columns; the width may be smaller than the target's. */
  writeSparse(target: DeviceSparse, source: SparseColumns): Promise<void>;
  writeSet(target: DeviceSet, members: Uint32Array): Promise<void>;
  readMatrix(source: DeviceMatrix): Promise<DenseMatrix>;
  readSparse(source: DeviceSparse): Promise<SparseColumns>;
  /** Members in ascending order. */
  readSet(source: DeviceSet): Promise<Uint32Array>;

  /** Give handles back. Using one afterwards is an error. */
  free(...handles: readonly object[]): void;
  /** Give everything back, workers and devices included. */
  dispose(): Promise<void>;

  // — the base dictionary ———————————————————————————————————————————————————

  /** Z ← Φᵀ Y, mode by mode. */
  analyze(base: DeviceBase, Y: DeviceMatrix, Z: DeviceMatrix): Promise<void>;
  /** Y ← Φ C, mode by mode. */
  synthesize(base: DeviceBase, C: DeviceMatrix, Y: DeviceMatrix): Promise<void>;

  // — the sparse dictionary —————————————————————————————————————————————————

  /** P ← D̂ᵀ Y = diag(scale) Aᵀ Φᵀ Y, with `scale` m × 1: the correlations with unit atoms. */
  project(
    base: DeviceBase,
    A: DeviceSparse,
    scale: DeviceMatrix,
    Y: DeviceMatrix,
    P: DeviceMatrix,
  ): Promise<void>;
  /** Y ← ΦAX. */
  reconstruct(base: DeviceBase, A: DeviceSparse, X: DeviceSparse, Y: DeviceMatrix): Promise<void>;
  /** R ← Y − ΦAX, which may be Y; and W ← ΦᵀR, where W is given. */
  residual(
    base: DeviceBase,
    A: DeviceSparse,
    X: DeviceSparse,
    Y: DeviceMatrix,
    R: DeviceMatrix,
    W?: DeviceMatrix,
  ): Promise<void>;
  /**
   * For the atoms j ∈ S: scaleⱼ ← 1/‖Φaⱼ‖₂ (0 for a zero atom), then the rows and
   * columns S of the unit Gram matrix, Gᵢⱼ ← ⟨Φaᵢ, Φaⱼ⟩ scaleᵢ scaleⱼ. G stays
   * exactly symmetric. Scales and entries outside S are left alone, and must be
   * right already.
   */
  refreshGram(
    base: DeviceBase,
    A: DeviceSparse,
    S: DeviceSet,
    G: DeviceMatrix,
    scale: DeviceMatrix,
  ): Promise<void>;

  // — pursuit ———————————————————————————————————————————————————————————————

  /** energies (1 × N) ← ‖yᵢ‖² for each column of Y. */
  columnEnergies(Y: DeviceMatrix, energies: DeviceMatrix): Promise<void>;
  /**
   * X ← Batch-OMP for each column of P = DᵀY over unit atoms with G = DᵀD.
   *
   * Each turn takes the atom most correlated with the residual (the first, where
   * several are), then fits all taken atoms by least squares. It stops at
   * `sparsity` atoms; when the residual energy is at most a `residualEnergy` above 0; when
   * no correlation is above `pursuitFloor` times the largest at the start (nothing
   * is left); or when the atom depends on those taken (`dependenceFloor`).
   * Entries stand in the order they were taken; slots behind them are zero. `X.width` is at least `sparsity`.
   *
   * `path` (sparsity × N) receives ‖y − Dx‖² after each turn, turn t in row t − 1. Rows past
   * the last turn repeat its value, the energy where no atom was taken. Rounding below 0 is 0.
   */
  batchOmp(
    G: DeviceMatrix,
    P: DeviceMatrix,
    energies: DeviceMatrix,
    limits: PursuitLimits,
    X: DeviceSparse,
    path?: DeviceMatrix,
  ): Promise<void>;
  /** X ← diag(scale) X, with `scale` m × 1. */
  scaleRows(scale: DeviceMatrix, X: DeviceSparse): Promise<void>;

  // — the update ————————————————————————————————————————————————————————————

  /** S ← the atoms with a non-zero coefficient in X, ascending. */
  usedAtoms(X: DeviceSparse, S: DeviceSet): Promise<void>;
  /** usesⱼ (m × 1) ← usesⱼ + the number of examples of X that use atom j. */
  countUses(X: DeviceSparse, uses: DeviceMatrix): Promise<void>;
  /**
   * The first |S| columns of `grad` ← −W X_Sᵀ, with W = ΦᵀR: ∇f(A_S), equations (9) and (12).
   * With `energy`, its scalars[slot] ← ‖∇‖²_F.
   */
  gradient(
    W: DeviceMatrix,
    X: DeviceSparse,
    S: DeviceSet,
    grad: DeviceMatrix,
    energy?: ScalarPlace,
  ): Promise<void>;
  /** scalars[slot] ← ‖Φ grad X_S‖²_F: the denominator of the step size (13), nothing of it stored. */
  movedEnergy(
    base: DeviceBase,
    grad: DeviceMatrix,
    S: DeviceSet,
    X: DeviceSparse,
    scalars: DeviceMatrix,
    slot: number,
  ): Promise<void>;
  /**
   * Other atoms in the place of those of S: for each example i that uses an atom j ∈ S with a
   * coefficient x ≠ 0, rᵢ ← rᵢ + x·beforeⱼ, then (`refits`) x ← ⟨afterⱼ, rᵢ⟩, which is the best where
   * afterⱼ has unit norm, then rᵢ ← rᵢ − x·afterⱼ. `before` and `after` hold the atoms of S in their
   * first |S| columns. No example may use two atoms of S.
   */
  exchangeAtoms(
    before: DeviceMatrix,
    after: DeviceMatrix,
    S: DeviceSet,
    X: DeviceSparse,
    R: DeviceMatrix,
    refits: boolean,
  ): Promise<void>;
  /** U_S ← γ U_S + ηg, with η = scalars[eta] and g the first |S| columns of `grad`. */
  momentum(
    gamma: number,
    scalars: DeviceMatrix,
    eta: number,
    grad: DeviceMatrix,
    S: DeviceSet,
    U: DeviceMatrix,
  ): Promise<void>;
  /**
   * A_S ← P_k[A_S − U_S]: the k largest magnitudes of each column (the first, where equal), ascending rows, no zeros.
   * With `step`, first U_S ← γ U_S + ηg as `momentum` does, in the same pass.
   */
  moveAtoms(k: number, U: DeviceMatrix, S: DeviceSet, A: DeviceSparse, step?: MomentumStep): Promise<void>;

  // — explicit dictionaries: D, n × m, a unit atom in each column ———————————

  /** P ← DᵀY. Where Y is D itself, P is the Gram matrix, exactly symmetric. */
  correlate(D: DeviceMatrix, Y: DeviceMatrix, P: DeviceMatrix): Promise<void>;
  /** Y ← DX. */
  combine(D: DeviceMatrix, X: DeviceSparse, Y: DeviceMatrix): Promise<void>;
  /** R ← Y − DX. R may be Y. */
  remainder(D: DeviceMatrix, X: DeviceSparse, Y: DeviceMatrix, R: DeviceMatrix): Promise<void>;
  /** B ← βB + YXᵀ (n × m) and C ← βC + XXᵀ (m × m, exactly symmetric if it was): what ODL remembers. */
  addMoments(beta: number, Y: DeviceMatrix, X: DeviceSparse, B: DeviceMatrix, C: DeviceMatrix): Promise<void>;
  /**
   * For j = 0 … m − 1 in turn, each with the atoms before it already new:
   * dⱼ ← u / ‖u‖₂ with u = dⱼ + (bⱼ − Dcⱼ) / Cⱼⱼ, C symmetric. An atom stays where
   * Cⱼⱼ is below `momentFloor`, or u is zero.
   */
  descendAtoms(B: DeviceMatrix, C: DeviceMatrix, D: DeviceMatrix): Promise<void>;
  /**
   * For j = 0 … m − 1 in turn, over the examples I whose codes use atom j, g their
   * coefficients, R = Y − DX: with E = R_I + dⱼgᵀ, the error without the atom,
   * dⱼ ← Eg / ‖Eg‖₂, then g ← Eᵀdⱼ, R_I ← E − dⱼgᵀ. An atom without examples, or
   * with Eg = 0, stays, and so do its coefficients.
   */
  refitAtoms(R: DeviceMatrix, X: DeviceSparse, D: DeviceMatrix): Promise<void>;
  /** B_S ← 0, and the rows and columns S of C ← 0: atoms that are new remember nothing. */
  forgetAtoms(S: DeviceSet, B: DeviceMatrix, C: DeviceMatrix): Promise<void>;
  /** C ← C + YYᵀ (n × n), exactly symmetric if it was. */
  addOuter(Y: DeviceMatrix, C: DeviceMatrix): Promise<void>;

  // — scalars that stay on the device ———————————————————————————————————————

  /** scalars[slot] ← ‖M‖²_F (`add`: scalars[slot] + ‖M‖²_F); over the first |S| columns where S is given. */
  squaredNorm(
    M: DeviceMatrix,
    scalars: DeviceMatrix,
    slot: number,
    options?: { readonly add?: boolean; readonly S?: DeviceSet },
  ): Promise<void>;
  /** scalars[out] ← √scalars[num] / √scalars[den]; 0 where either is 0. */
  normRatio(scalars: DeviceMatrix, num: number, den: number, out: number): Promise<void>;
  /** coherence (m × 1) ← max over i < j of |Gᵢⱼ|: how near atom j is to an earlier one. */
  coherence(G: DeviceMatrix, coherence: DeviceMatrix): Promise<void>;

  // — examples ——————————————————————————————————————————————————————————————

  /**
   * Column i of Y ← window i of the signals, of shape `patch`, row-major.
   * With `means` (1 × N), each column's mean is removed and stored there; a constant
   * window is then exactly zero.
   */
  extract(
    signals: DeviceSignals,
    windows: WindowList,
    patch: Shape,
    Y: DeviceMatrix,
    means: DeviceMatrix | null,
  ): Promise<void>;
  /**
   * The adjoint of `extract`, for one signal of `shape`: sum ← sum + Σᵢ Pᵢᵀ(yᵢ + meansᵢ), where Pᵢ cuts the window of
   * shape `patch` from sample start[i] on; without `means`, their sum alone. `sum` is one column, a row a sample. No two
   * windows of a call start at the same sample.
   */
  addWindows(
    Y: DeviceMatrix,
    means: DeviceMatrix | null,
    start: Uint32Array,
    patch: Shape,
    shape: Shape,
    sum: DeviceMatrix,
  ): Promise<void>;
}

/** Below this share of the largest correlation at the start, nothing is left to pursue: 16 ε of f32. */
export const pursuitFloor = 16 * 2 ** -23;

/** An atom whose squared distance from the span of those taken is at most this depends on them: 16 ε of f32. */
export const dependenceFloor = 16 * 2 ** -23;

/** Below this, a sum of squared coefficients is as good as none. */
export const momentFloor = 2 ** -100;
