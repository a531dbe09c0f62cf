/**
 * The kernel contract: every heavy operation of the algorithms, with its
 * mathematics and its limits. One operation is about one line of an algorithm.
 *
 * Three implementations: `reference` (plain loops, the definition), `cpu`
 * (WebAssembly) and `gpu` (WebGPU). One conformance suite tests all of them.
 * Algorithms receive `kernels` as an argument and never ask which one it is.
 *
 * Handles. A matrix, a set or a base dictionary lives in the memory of the device,
 * and algorithms hold a handle to it: `kernels` makes it, and `free` gives its memory
 * back. Only the operations named `read…` copy anything to the host, so a mini-batch
 * stays on the device from its patches to the new atoms, its step size included.
 *
 * Order. Operations take effect in the order of the calls. Their promises may
 * resolve before the device has done the work; `read…` waits for all of it.
 *
 * Shapes   n samples, L base atoms, m atoms, N examples, k non-zeros per atom
 *          (the width of A), p non-zeros per code (the width of X), S ⊂ {0 … m−1}.
 *
 * Sums. Every element of a result is summed by one worker in one order, so results
 * have the same bits for any number of threads.
 *
 * Memory. An output shares no memory with an input unless the operation allows it.
 *
 * Misuse. A handle that was freed, that other kernels made, or that does not have the
 * sizes above is an `InputError`, before anything is changed (checked.ts).
 */

import type { Closable } from "../core/disposal.js";
import type { DenseMatrix, SparseColumns } from "../core/matrix.js";
import type { Shape } from "../core/shape.js";
import type { Signal } from "../core/signal.js";
import type { Matrix64 } from "../linalg/matrix64.js";
import type {
  AtomRange,
  ColumnRange,
  DeviceBase,
  DeviceMatrix,
  DeviceSet,
  DeviceSignals,
  DeviceSparse,
  MomentumStep,
  NearAtoms,
  ProblemSizes,
  SparseRows,
} from "./deviceHandles.js";
import type { DividedKernels } from "./divided.js";

export type {
  AtomRange,
  ColumnRange,
  DeviceBase,
  DeviceMatrix,
  DeviceSet,
  DeviceSignals,
  DeviceSparse,
  MomentumStep,
  NearAtoms,
  ProblemSizes,
  SparseRows,
} from "./deviceHandles.js";

/** Kernels as algorithms get them: checked, and closed at the end of an `await using` block. */
export interface Kernels extends DeviceKernels, Closable {}

/** What an implementation consists of. */
export interface DeviceKernels
  extends MemoryOperations,
    DictionaryOperations,
    PursuitOperations,
    UpdateOperations,
    ExplicitOperations,
    ExampleOperations {
  readonly name: "reference" | "cpu" | "gpu";
  /** The hardware in words, for reports. */
  readonly description: string;
  /** Bytes in use by handles, and the most they can use. */
  readonly memory: { readonly used: number; readonly limit: number };
  /**
   * The most atoms that a Gram matrix is kept for; a pursuit over more works without one (`ompFromAtoms`). A property of
   * the kernels and their device, not of what is free: a result must not depend on that.
   */
  readonly mostGramAtoms: number;
  /** Operations in parts, where several processes are to divide them between them. */
  readonly divided?: DividedKernels | undefined;
  /** An upper estimate of the bytes the kernels need besides handles, to learn at these sizes. */
  workspace(sizes: ProblemSizes): number;
  /** Give everything back, threads and devices included. */
  close(): Promise<void>;
}

// — handles —————————————————————————————————————————————————————————————————

/** Makes handles, writes and reads what they hold, and frees them. */
export interface MemoryOperations {
  /** A zero matrix. */
  matrix(rows: number, cols: number): DeviceMatrix;
  /** Empty sparse columns with room for `width` entries each. */
  sparse(rows: number, cols: number, width: number): DeviceSparse;
  /** An empty set of atoms. */
  set(capacity: number): DeviceSet;
  /** Φ from its 1-D factors, one per axis (outermost first). */
  base(factors: readonly Matrix64[]): DeviceBase;
  /** Signals for `extract`, every sample times `scale`. They are copied: the caller may change them afterwards. */
  signals(signals: readonly Signal[], scale?: number): DeviceSignals;
  /** The first `cols` columns of a matrix, sharing its memory. Freed with the whole matrix. */
  head(matrix: DeviceMatrix, cols: number): DeviceMatrix;
  /** The first `cols` of some sparse columns, sharing their memory. Freed with the whole. */
  headSparse(sparse: DeviceSparse, cols: number): DeviceSparse;

  /** target ← columns of `source` from column `first` on, as many as the target has. */
  copyColumns(source: DeviceMatrix, first: number, target: DeviceMatrix): Promise<void>;
  /** Columns of `target` from column `first` on ← source, which has the same width. */
  copySparse(source: DeviceSparse, target: DeviceSparse, first: number): Promise<void>;
  writeMatrix(target: DeviceMatrix, source: DenseMatrix): Promise<void>;
  /** Replaces all columns. The width may be smaller than the target's. */
  writeSparse(target: DeviceSparse, source: SparseColumns): Promise<void>;
  /** Replaces some columns, no two the same: those at `places` ← the columns of `source`, in their order. */
  writeColumns(target: DeviceSparse, places: Uint32Array, source: SparseColumns): Promise<void>;
  writeSet(target: DeviceSet, members: Uint32Array): Promise<void>;
  readMatrix(source: DeviceMatrix): Promise<DenseMatrix>;
  readSparse(source: DeviceSparse): Promise<SparseColumns>;
  /** The entries by rows: as many as there are, however wide the columns. */
  readRows(source: DeviceSparse): Promise<SparseRows>;
  /** The members in ascending order. */
  readSet(source: DeviceSet): Promise<Uint32Array>;

  /** Give the memory of handles back. A head is freed with its whole, not by itself; freeing twice is an error. */
  free(...handles: readonly object[]): void;
}

// — dictionary ——————————————————————————————————————————————————————————————

/** Products with Φ, with the sparse dictionary D = ΦA, and its Gram matrix. */
export interface DictionaryOperations {
  /** Z ← Φᵀ Y, axis by axis. */
  analyze(base: DeviceBase, Y: DeviceMatrix, Z: DeviceMatrix): Promise<void>;
  /** Y ← Φ C, axis by axis. */
  synthesize(base: DeviceBase, C: DeviceMatrix, Y: DeviceMatrix): Promise<void>;
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
  /** R ← Y − ΦAX, and W ← ΦᵀR if W is given. R may be Y. */
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
   * exactly symmetric. Scales and entries outside S do not change, and must be
   * correct before the call. Without G, only the scales.
   */
  refreshGram(
    base: DeviceBase,
    A: DeviceSparse,
    S: DeviceSet,
    G: DeviceMatrix | null,
    scale: DeviceMatrix,
  ): Promise<void>;
  /**
   * coherenceⱼ ← max over i < j of |⟨d̂ᵢ, d̂ⱼ⟩|: how close atom j is to an earlier one. The columns of G are those of the
   * Gram matrix from atom `first` on (0 by default), and only these atoms' entries of `coherence` (m × 1) change.
   */
  coherence(G: DeviceMatrix, coherence: DeviceMatrix, first?: number): Promise<void>;
}

// — pursuit —————————————————————————————————————————————————————————————————

/**
 * How a pursuit takes the next atom: `omp` the one most correlated with the residual, `ols` the one that
 * leaves the smallest residual.
 */
export const pursuitNames = ["omp", "ols"] as const;
export type PursuitName = (typeof pursuitNames)[number];

/** When a pursuit stops (at whichever limit it reaches first), and how it takes atoms. */
export interface PursuitLimits {
  /** p: the most non-zeros of a code. */
  readonly sparsity: number;
  /**
   * ε²: stop once ‖y − Dx‖² is at most this; 0 for no such limit. Tracked in f32: a code may end above it by about 1e-7 ‖y‖²/ν (ν: the smallest squared distance of an atom from those before it).
   */
  readonly residualEnergy: number;
  /** By default `omp`. */
  readonly pursuit?: PursuitName | undefined;
}

/** Codes for the columns of Y. */
export interface PursuitOperations {
  /** energies (1 × N) ← ‖yᵢ‖² for each column of Y. */
  columnEnergies(Y: DeviceMatrix, energies: DeviceMatrix): Promise<void>;
  /**
   * X ← Batch-OMP for each column of P = DᵀY over unit atoms with G = DᵀD.
   *
   * Each turn takes the atom most correlated with the residual (the first one, if several
   * are equal), then fits all atoms taken so far by least squares. It stops at `sparsity`
   * atoms; once the residual energy is at most a `residualEnergy` above 0; when no correlation
   * is above `pursuitFloor` times the largest at the start, so that nothing is left; or when
   * the next atom depends on those taken (`dependenceFloor`). Entries stand in the order
   * they were taken, and the slots after them are zero. `X.width` is at least `sparsity`.
   *
   * With `pursuit: "ols"` it is orthogonal least squares: a turn takes the atom that, fitted together with
   * those taken, leaves the smallest residual. With α the correlations and νⱼ = ‖P⊥dⱼ‖², the squared distance
   * of an atom from the span of those taken (1 at the start), that is the largest |αⱼ|/√νⱼ among the atoms with |αⱼ| above the floor of
   * the correlations and νⱼ above `dependenceFloor`. It is taken if 1/‖v‖² is above `dependenceFloor` as well, with v the coefficients
   * over I and j of the unit direction that it adds, D_{I∪j} v = P⊥dⱼ/√νⱼ. Otherwise it is passed over for the rest of the pursuit, and the
   * turn takes the next best. Everything else is as above.
   *
   * `path` (sparsity × N) receives ‖y − Dx‖² after each turn, turn t in row t − 1. Rows after
   * the last turn repeat its value, or ‖y‖² if no atom was taken. Values below 0 become 0.
   */
  batchOmp(
    G: DeviceMatrix,
    P: DeviceMatrix,
    energies: DeviceMatrix,
    limits: PursuitLimits,
    X: DeviceSparse,
    path?: DeviceMatrix,
  ): Promise<void>;
  /**
   * X ← the codes of `batchOmp` for the columns of Y over the unit atoms D̂ = ΦA diag(scale), from the atoms themselves:
   * for dictionaries whose Gram matrix is too large. Each turn correlates all residuals with all atoms,
   * O(n√L + km) per example (§IV-D); the atoms taken become an orthonormal basis of their span one by one. Rules, stops
   * and `path` are those of `batchOmp`.
   */
  ompFromAtoms(
    base: DeviceBase,
    A: DeviceSparse,
    scale: DeviceMatrix,
    Y: DeviceMatrix,
    energies: DeviceMatrix,
    limits: PursuitLimits,
    X: DeviceSparse,
    path?: DeviceMatrix,
  ): Promise<void>;
  /**
   * X ← the codes of `batchOmp` where example i chooses among a few atoms: those with an entry in its column of A, which is
   * column first + i·step (step 1 by default), and of the others those of the largest |W| above 0 in its column (the lower
   * row, if equal), at most `choices` in all. Rules and stops are those of `batchOmp` over these atoms alone. For codes that are to
   * be near known ones: p²·choices/2 per example. `choices` is at least the width of A.
   */
  ompNear(
    G: DeviceMatrix,
    P: DeviceMatrix,
    W: DeviceMatrix,
    energies: DeviceMatrix,
    A: DeviceSparse,
    near: NearAtoms,
    limits: PursuitLimits,
    X: DeviceSparse,
  ): Promise<void>;
  /** X ← diag(scale) X, with `scale` m × 1. */
  scaleRows(scale: DeviceMatrix, X: DeviceSparse): Promise<void>;
}

/** Below this share of the largest correlation at the start, nothing is left to pursue: 16 ε of f32. */
export const pursuitFloor = 16 * 2 ** -23;

/** An atom depends on those taken if its squared distance from their span is at most this: 16 ε of f32. */
export const dependenceFloor = 16 * 2 ** -23;

// — update ——————————————————————————————————————————————————————————————————

/** A number on the device: scalars[slot]. */
export interface ScalarPlace {
  readonly scalars: DeviceMatrix;
  readonly slot: number;
}

/** The update of A: the atoms in use, the gradient, the step size and P_k. */
export interface UpdateOperations {
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
  /** scalars[slot] ← ‖Φ grad X_S‖²_F, the denominator of the step size (13), without storing the product. */
  movedEnergy(
    base: DeviceBase,
    grad: DeviceMatrix,
    S: DeviceSet,
    X: DeviceSparse,
    scalars: DeviceMatrix,
    slot: number,
  ): Promise<void>;
  /** scalars[slot] ← scalars[slot] + ‖M‖²_F. */
  addSquaredNorm(M: DeviceMatrix, scalars: DeviceMatrix, slot: number): Promise<void>;
  /** scalars[out] ← √scalars[num] / √scalars[den]; 0 if either is 0. */
  normRatio(scalars: DeviceMatrix, num: number, den: number, out: number): Promise<void>;
  /**
   * U_S ← γ U_S + ηg, with η = scalars[eta] and g the first |S| columns of `grad`; then
   * A_S ← P_k[A_S − U_S]: the k largest magnitudes of each column (the lower row, if equal),
   * in ascending rows, without zeros.
   */
  moveAtoms(k: number, U: DeviceMatrix, S: DeviceSet, A: DeviceSparse, step: MomentumStep): Promise<void>;
  /**
   * C ← P_k[A_I + μW], with the columns I of A from `first` on, every `step`-th (1 by default), as many as C has, and k the width
   * of C, which is at least that of A: the k largest magnitudes of each column (the lower row, if equal), in ascending rows,
   * without zeros.
   */
  thresholdAtoms(
    A: DeviceSparse,
    columns: ColumnRange,
    mu: number,
    W: DeviceMatrix,
    C: DeviceSparse,
  ): Promise<void>;
  /** V ← the entries of W at the places of the entries of C: as many in each column, in the same order. */
  takeEntries(W: DeviceMatrix, C: DeviceSparse, V: DeviceSparse): Promise<void>;
  /**
   * cⱼ ← cⱼ + αⱼvⱼ with αⱼ = ‖vⱼ‖²/energiesⱼ (1 × N), 0 if either is 0. The entries of V are at the places of those of C, as
   * `takeEntries` leaves them. With V a gradient at these places and energiesⱼ = ‖Φvⱼ‖², αⱼ is the exact line search.
   */
  addEntries(V: DeviceSparse, energies: DeviceMatrix, C: DeviceSparse): Promise<void>;
  /**
   * Replaces atoms by fits to unit targets where a fit is closer. Column j of C is the fit to the target u of atom
   * first + j; `energies` (1 × N) has eⱼ = ‖Φcⱼ‖², `left` (1 × N) has δⱼ = ‖u − Φcⱼ‖², and `distances` (1 × N) the squared
   * distances of the current atoms from their targets. Column first + j of A ← cⱼ/√eⱼ if eⱼ is above 0 and the
   * squared distance of that unit atom, (δⱼ − (1 − √eⱼ)²)/√eⱼ, is below distancesⱼ; otherwise it does not change.
   */
  acceptAtoms(
    C: DeviceSparse,
    energies: DeviceMatrix,
    left: DeviceMatrix,
    distances: DeviceMatrix,
    A: DeviceSparse,
    first: number,
  ): Promise<void>;
  /** Columns S of M ← 0; with `rows`, its rows S as well. */
  clearColumns(S: DeviceSet, M: DeviceMatrix, options?: { readonly rows?: boolean }): Promise<void>;
  /**
   * Replaces the atoms of S in the residuals R: for each example i that uses an atom j ∈ S with a
   * coefficient x ≠ 0, rᵢ ← rᵢ + x·beforeⱼ, then (`refits`) x ← ⟨afterⱼ, rᵢ⟩, the best coefficient for
   * an afterⱼ of unit norm, then rᵢ ← rᵢ − x·afterⱼ. `before` and `after` hold the atoms of S in their
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
}

// — explicit dictionaries ———————————————————————————————————————————————————

/** Explicit dictionaries: D is n × m, with a unit atom in each column. */
export interface ExplicitOperations {
  /** P ← DᵀY. If Y is D itself, P is the Gram matrix, exactly symmetric. */
  correlate(D: DeviceMatrix, Y: DeviceMatrix, P: DeviceMatrix): Promise<void>;
  /** Y ← DX. */
  combine(D: DeviceMatrix, X: DeviceSparse, Y: DeviceMatrix): Promise<void>;
  /** R ← Y − DX. R may be Y. */
  remainder(D: DeviceMatrix, X: DeviceSparse, Y: DeviceMatrix, R: DeviceMatrix): Promise<void>;
  /** B ← βB + YXᵀ (n × m) and C ← βC + XXᵀ (m × m, exactly symmetric if it was): the sums that ODL keeps. */
  addMoments(beta: number, Y: DeviceMatrix, X: DeviceSparse, B: DeviceMatrix, C: DeviceMatrix): Promise<void>;
  /**
   * For each j of `atoms` in turn (by default all, from 0 to m − 1), with the new atoms before it:
   * dⱼ ← u / ‖u‖₂ with u = dⱼ + ω(bⱼ − Dcⱼ) / Cⱼⱼ, C symmetric and ω = `step` (1 by default). An atom does not change if
   * Cⱼⱼ is below `momentFloor` or u is zero.
   */
  descendAtoms(
    B: DeviceMatrix,
    C: DeviceMatrix,
    D: DeviceMatrix,
    step?: number,
    atoms?: AtomRange,
  ): Promise<void>;
  /**
   * For j = 0 … m − 1 in turn, over the examples I whose codes use atom j, g their
   * coefficients, R = Y − DX: with E = R_I + dⱼgᵀ, the error without the atom,
   * dⱼ ← Eg / ‖Eg‖₂, then g ← Eᵀdⱼ, R_I ← E − dⱼgᵀ. An atom without examples, or
   * with Eg = 0, does not change, and neither do its coefficients.
   */
  refitAtoms(R: DeviceMatrix, X: DeviceSparse, D: DeviceMatrix): Promise<void>;
  /** C ← C + YYᵀ (n × n), exactly symmetric if it was. */
  addOuter(Y: DeviceMatrix, C: DeviceMatrix): Promise<void>;
}

/** A sum of squared coefficients below this counts as zero. */
export const momentFloor = 2 ** -100;

// — examples ————————————————————————————————————————————————————————————————

/** Where windows start: the signal, and the flat index of the first sample in it. */
export interface WindowList {
  readonly signal: Uint32Array;
  readonly start: Uint32Array;
}

/** Windows of signals as columns, and back. */
export interface ExampleOperations {
  /**
   * Column i of Y ← window i of the signals, of shape `patch`, row-major.
   * With `means` (1 × N), each column's mean is removed and stored there; a constant
   * window then is exactly zero.
   */
  extract(
    signals: DeviceSignals,
    windows: WindowList,
    patch: Shape,
    Y: DeviceMatrix,
    means: DeviceMatrix | null,
  ): Promise<void>;
  /**
   * The adjoint of `extract`, for one signal of `shape`: sum ← sum + Σᵢ Pᵢᵀ(yᵢ + meansᵢ), where Pᵢ cuts the
   * window of shape `patch` that starts at sample start[i]; without `means`, Σᵢ Pᵢᵀyᵢ. `sum` is one column, with
   * one row per sample. No two windows of a call start at the same sample.
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

/**
 * The device is gone: reset by its driver, unplugged, or taken away by the system. What was on it can no longer be
 * read; a new device can be opened.
 */
export class DeviceLostError extends Error {
  override readonly name = "DeviceLostError";
}
