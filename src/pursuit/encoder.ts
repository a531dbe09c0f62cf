/**
 * Sparse coding of batches over a dictionary, and the error of the codes. For D = ΦA
 * this is X ← SparseCode(Y, Φ, A, G) of Algorithm 2:
 *
 *     P ← D̂ᵀY,   X̂ ← Batch-OMP(G, P) or OLS(G, P),   X ← diag(s) X̂
 *
 * A dictionary without a Gram matrix codes with the atoms themselves (`Kernels.ompFromAtoms`).
 *
 * The pursuit works with unit atoms D̂ = D diag(s); the codes it returns are over D.
 * The atoms of an explicit dictionary have unit norm, so there s = 1. The workspace is
 * made once, for batches up to the capacity.
 *
 * The error (2) is the root-mean-square error per sample, ‖Y − DX‖_F / √(nN).
 *
 * Coding a signal stops (1) at a number of atoms, at an error, or at whichever comes
 * first. `CodingRule` is what a user gives, and is called `coding` everywhere;
 * `PursuitLimits` are the same in the kernels' units, and are called `limits`.
 */

import {
  byRule,
  deviceMatrix,
  dictionary as dictionaryType,
  flag,
  having,
  kernels as kernelsType,
  number,
  type OptionTypes,
  record,
  requireArgument,
  requireArguments,
  required,
  requireOptions,
} from "../core/arguments/argumentTypes.js";
import { InputError, inputError } from "../core/errors.js";
import { EventLoopPause } from "../core/eventLoop.js";
import { requireInteger, requireOneOf, requireSameRows } from "../core/require.js";
import { type Shape, sizeOf } from "../core/shape.js";
import type { Dictionary } from "../dictionaries/dictionary.js";
import {
  type DeviceMatrix,
  type DeviceSignals,
  type DeviceSparse,
  type Kernels,
  type NearAtoms,
  type PursuitLimits,
  type PursuitName,
  pursuitNames,
  type WindowList,
} from "../kernels/contract.js";

/** Codes batches of examples over a dictionary of any kind. */
export interface BatchEncoder {
  /** The shape of the examples. */
  readonly shape: Shape;
  /** How many examples can be coded at a time. */
  readonly capacity: number;
  /** Codes of the columns of Y, valid until the next call; `path` as in `Kernels.batchOmp`. */
  encode(Y: DeviceMatrix, path?: DeviceMatrix): Promise<DeviceSparse>;
  /** R ← Y − DX. R may be Y. */
  residual(Y: DeviceMatrix, X: DeviceSparse, R: DeviceMatrix): Promise<void>;
}

export class Encoder<D extends Dictionary = Dictionary> implements BatchEncoder {
  readonly dictionary: D;
  readonly limits: PursuitLimits;
  readonly capacity: number;
  readonly #codes: DeviceSparse;
  /** P; undefined if the dictionary has no Gram matrix. */
  readonly #correlations: DeviceMatrix | undefined;
  readonly #energies: DeviceMatrix;
  readonly #kernels: Kernels;

  constructor(dictionary: D, limits: PursuitLimits, capacity: number, kernels: Kernels) {
    requireArguments("Encoder", {
      dictionary: [dictionary, dictionaryType],
      kernels: [kernels, kernelsType],
    });
    requireOptions("Encoder: limits", limits, {
      sparsity: byRule,
      residualEnergy: required(number),
      pursuit: byRule,
    });
    requireInteger("Encoder", "limits.sparsity", limits.sparsity, 0);
    requireInteger("Encoder", "capacity", capacity, 0);
    this.dictionary = dictionary;
    this.limits = limits;
    this.capacity = capacity;
    this.#codes = kernels.sparse(dictionary.cols, capacity, limits.sparsity);
    this.#correlations = dictionary.gram && kernels.matrix(dictionary.cols, capacity);
    this.#energies = kernels.matrix(1, capacity);
    this.#kernels = kernels;
  }

  get shape(): Shape {
    return this.dictionary.shape;
  }

  async encode(Y: DeviceMatrix, path?: DeviceMatrix): Promise<DeviceSparse> {
    const kernels = this.#kernels;
    const { dictionary } = this;
    requireArgument("Encoder.encode", "Y", Y, deviceMatrix);
    requireSameRows("Encoder.encode", "Y", Y, "D", dictionary);
    requireInteger("Encoder.encode", "number of examples", Y.cols, 0, this.capacity);
    const energies = kernels.head(this.#energies, Y.cols);
    const X = kernels.headSparse(this.#codes, Y.cols);
    await kernels.columnEnergies(Y, energies);
    if (dictionary.gram && this.#correlations) {
      const P = kernels.head(this.#correlations, Y.cols);
      await dictionary.project(Y, P);
      await kernels.batchOmp(dictionary.gram, P, energies, this.limits, X, path);
    } else await dictionary.pursue?.(Y, energies, this.limits, X, path);
    await dictionary.fromUnitAtoms(X);
    return X;
  }

  /**
   * Codes near those that A holds in its columns from `first` on, with the residuals R: each chooses among the atoms of its
   * column of A and those most correlated with its residual, `choices` in all (`Kernels.ompNear`). Needs a Gram matrix. `W` is room for m × N.
   */
  async encodeNear(
    Y: DeviceMatrix,
    R: DeviceMatrix,
    A: DeviceSparse,
    near: NearAtoms,
    W: DeviceMatrix,
  ): Promise<DeviceSparse> {
    const kernels = this.#kernels;
    const { dictionary } = this;
    if (!dictionary.gram || !this.#correlations) return this.encode(Y);
    const energies = kernels.head(this.#energies, Y.cols);
    const X = kernels.headSparse(this.#codes, Y.cols);
    const P = kernels.head(this.#correlations, Y.cols);
    await kernels.columnEnergies(Y, energies);
    await dictionary.project(Y, P);
    await dictionary.project(R, W);
    await kernels.ompNear(dictionary.gram, P, W, energies, A, near, this.limits, X);
    await dictionary.fromUnitAtoms(X);
    return X;
  }

  async residual(Y: DeviceMatrix, X: DeviceSparse, R: DeviceMatrix): Promise<void> {
    await this.dictionary.residual(Y, X, R);
  }

  free(): void {
    this.#kernels.free(this.#codes, this.#energies, ...(this.#correlations ? [this.#correlations] : []));
  }
}

/** The bytes of the Gram matrix of m atoms and of the correlations of N examples; 0 for kernels that code without. */
export function codingBytes(m: number, N: number, mostGramAtoms: number): number {
  return m > mostGramAtoms ? 0 : 4 * m * (m + N);
}

/** Examples on the device: windows of packed signals. */
export interface ExampleSet {
  readonly store: DeviceSignals;
  readonly windows: WindowList;
}

const encoderType = having("an Encoder", ["encode", "residual"]);
const exampleSet = having("examples { store, windows }", [], ["store", "windows"]);

/** The error of coding examples, as many at a time as the encoder can hold; NaN for an empty set. */
export async function codingError(
  encoder: BatchEncoder,
  examples: ExampleSet,
  removeMean: boolean,
  kernels: Kernels,
): Promise<number> {
  requireArguments("codingError", {
    encoder: [encoder, encoderType],
    examples: [examples, exampleSet],
    removeMean: [removeMean, flag],
    kernels: [kernels, kernelsType],
  });
  const { store, windows } = examples;
  const { shape } = encoder;
  const rows = sizeOf(shape);
  const count = windows.signal.length;
  const Y = kernels.matrix(rows, encoder.capacity);
  const means = kernels.matrix(1, encoder.capacity);
  const total = kernels.matrix(1, 1);
  const pause = new EventLoopPause();
  for (let from = 0; from < count; from += encoder.capacity) {
    const to = Math.min(from + encoder.capacity, count);
    const y = kernels.head(Y, to - from);
    const part = { signal: windows.signal.subarray(from, to), start: windows.start.subarray(from, to) };
    await kernels.extract(store, part, shape, y, removeMean ? kernels.head(means, to - from) : null);
    await encoder.residual(y, await encoder.encode(y), y);
    await kernels.addSquaredNorm(y, total, 0);
    await pause.ifDue();
  }
  const energy = (await kernels.readMatrix(total)).data[0];
  kernels.free(Y, means, total);
  return Math.sqrt(energy / (count * rows));
}

/** When coding stops, and how it takes atoms. Give `sparsity`, `error` or both: whichever comes first. */
export interface CodingRule {
  /** p: the largest number of atoms per code. */
  readonly sparsity?: number | undefined;
  /** Stop once the root-mean-square error per sample is at most this, in the units of the data. */
  readonly error?: number | undefined;
  /**
   * How the next atom is taken: `omp`, the most correlated with the residual (by default), or `ols`, the one that
   * leaves the smallest error.
   */
  readonly pursuit?: PursuitName | undefined;
}

/** The types of its options, for `requireOptions`. */
export const codingTypes: OptionTypes<CodingRule> = { sparsity: byRule, error: byRule, pursuit: byRule };

/** The same rule for data multiplied by a factor. */
export function scaleCoding(coding: CodingRule, factor: number): CodingRule {
  const { error } = coding;
  if (error === undefined || !Number.isFinite(error)) return coding;
  return { ...coding, error: Math.min(Number.MAX_VALUE, error * factor) };
}

/** The kernels' limits for signals of n samples over m atoms: ε² = n·error². */
export function resolveLimits(where: string, coding: CodingRule, n: number, m: number): PursuitLimits {
  requireArgument(where, "coding", coding, record);
  requireInteger(where, "n", n, 1);
  requireInteger(where, "m", m, 1);
  const { sparsity, error, pursuit } = coding;
  if (pursuit !== undefined) requireOneOf(where, "pursuit", pursuit, pursuitNames);
  if (sparsity === undefined && error === undefined) {
    throw new InputError(
      (nameOf) => `${nameOf("sparsity")} or ${nameOf("error")} must be given, got neither`,
      { where, argument: "coding" },
    );
  }
  if (error !== undefined && !(Number.isFinite(error) && error >= 0)) {
    throw inputError(where, "error", "must be a number of at least 0", error);
  }
  const p = sparsity === undefined ? m : requireInteger(where, "sparsity", sparsity, 1, m);
  return { sparsity: Math.min(n, p), residualEnergy: error === undefined ? 0 : n * error * error, pursuit };
}

/** Atoms per code by default: `p` = n/40, as in the paper's experiments. */
export function defaultSparsity(n: number): number {
  requireInteger("defaultSparsity", "n", n, 1);
  return Math.max(1, Math.min(n, Math.max(2, Math.round(n / 40))));
}

/** Atoms of a code of n samples over m atoms, about: where only an error limits it, as many as by default. */
export function expectedSparsity({ sparsity }: Pick<CodingRule, "sparsity">, n: number, m: number): number {
  return sparsity ?? Math.min(m, defaultSparsity(n));
}
