/**
 * Short first steps for OSDL: departure D4 of osdl.ts.
 *
 * The exact line search along −∇f is η² = ‖∇‖²/‖Φ∇X‖², so a step of (13) is 1/η times as long. From A⁰ = I that is
 * 40 to 400: the first mini-batches overwrite the base atoms with what is particular to their own examples.
 *
 * *Scale.* Multiplying column j of A by cⱼ does not change D̂ = ΦA diag(s), divides row j of X and ∇ⱼ by cⱼ, and so
 * the step of the atom, as a share of its norm, by cⱼ² for the same η. With pᵢ the number of atoms of code xᵢ,
 *
 *     xxᵀ ≼ p diag(x²) for p non-zeros, so   XXᵀ ≼ diag(Σᵢ pᵢxᵢⱼ²)   and   cⱼ² ≥ Σᵢ pᵢxᵢⱼ²  ⇒  ‖X‖₂ ≤ 1,
 *
 * X over the scaled atoms: 1/η = ‖Φ∇X‖/‖∇‖ ≤ ‖Φ‖₂. The first step of (13) is then at most ‖Φ‖₂ times the line search,
 * whatever the units of the data, the size of the mini-batch, p and how often each atom is used. Atoms that few
 * examples use must not follow these alone: cⱼ counts `addedUses` average uses more.
 *
 * *Momentum.* A gradient is added up to 1/(1 − γ) times in all, 10 times for γ = 0.9. γ rises from 0 to its value,
 * as more is known: γₜ = min(γ, t/(t + T)) after t mini-batches, where a smaller one counts by its examples.
 *
 * *How long.* An atom has k unknowns, and a mini-batch of N examples uses it u = Np/m times on average. T = k/(4u)
 * mini-batches bring it a use for every four of them. Where T is below `longDelay`, a mini-batch determines the atoms
 * better, and longer steps are safe: all cⱼ² are T/longDelay times as large, and 1/η ≤ ‖Φ‖₂ √(longDelay/T).
 * cⱼ is rounded up to a power of two, so that D̂ and G stay the same to the bit, and is at least 1: the atoms of a model
 * that OSDL learned have grown, and keep the short steps that they came to.
 *
 * The growth of A then adapts the steps as in the paper. How the constants were chosen: docs/decisions/0028-short-start.md.
 */

import { inputError } from "../../core/errors.js";
import { DenseMatrix, type SparseColumns } from "../../core/matrix.js";
import type { SparseDictionary } from "../../dictionaries/dictionary.js";
import type { DeviceSparse, Kernels } from "../../kernels/contract.js";

/** How long the first steps of OSDL are: as printed, or shortened. */
export type FirstSteps = "paper" | "short";

export function requireFirstSteps(where: string, value: unknown): FirstSteps {
  if (value === "paper" || value === "short") return value;
  throw inputError(where, "firstSteps", "must be paper or short", value);
}

/** Average uses that are added to those of each atom. */
const addedUses = 2;
/** Uses of an atom per non-zero of it after which the momentum is ½. */
const usesPerUnknown = 1 / 4;
/** From this T on, the first steps are the shortest, in mini-batches. */
const longDelay = 4;

/** What the short start depends on. */
export interface StartSizes {
  /** `m`. */
  readonly atoms: number;
  /** `k`. */
  readonly atomSparsity: number;
  /** `p`: the atoms of a code, about. */
  readonly sparsity: number;
  /** `N`. */
  readonly batch: number;
}

/** T: mini-batches until an atom was used as often as `usesPerUnknown` times its non-zeros, on average. */
export function startDelay({ atoms, atomSparsity, sparsity, batch }: StartSizes): number {
  return (usesPerUnknown * atomSparsity * atoms) / (batch * sparsity);
}

/** γₜ after the examples of t mini-batches. */
export function risingMomentum(gamma: number, t: number, delay: number): number {
  return Math.min(gamma, t / (t + delay));
}

/**
 * Multiply the atoms by cⱼ, powers of two that follow from the codes X of a mini-batch; the unit atoms do not change,
 * and X becomes the codes over the scaled atoms. Returns whether there were any codes to follow from.
 */
export async function scaleStart(
  D: SparseDictionary,
  X: DeviceSparse,
  delay: number,
  kernels: Kernels,
): Promise<boolean> {
  const reads = [kernels.readSparse(X), kernels.readSparse(D.A), kernels.readMatrix(D.scale)] as const;
  const [codes, A, scale] = await Promise.all(reads); // one round trip
  if (codes.counts.every((count) => count === 0)) return false;
  const factors = startFactors(codes, delay);
  for (let j = 0; j < A.cols; j++) {
    for (let e = j * A.width; e < (j + 1) * A.width; e++) A.values[e] *= factors[j];
    scale.data[j] /= factors[j];
  }
  await kernels.writeSparse(D.A, A);
  await kernels.writeMatrix(D.scale, scale);
  const inverse = kernels.matrix(D.cols, 1);
  await kernels.writeMatrix(
    inverse,
    new DenseMatrix(
      D.cols,
      1,
      factors.map((c) => 1 / c),
    ),
  );
  await kernels.scaleRows(inverse, X);
  kernels.free(inverse);
  return true;
}

/** cⱼ of each atom; 1 if no example uses any. */
export function startFactors(codes: SparseColumns, delay: number): Float32Array {
  const weights = new Float64Array(codes.rows); // Σᵢ pᵢxᵢⱼ²
  let [total, uses] = [0, 0];
  for (let i = 0; i < codes.cols; i++) {
    const p = codes.counts[i];
    for (let e = i * codes.width; e < i * codes.width + p; e++) {
      const weight = p * codes.values[e] ** 2;
      weights[codes.indices[e]] += weight;
      total += weight;
    }
    uses += p;
  }
  if (total === 0) return new Float32Array(codes.rows).fill(1);
  const added = (addedUses * total) / uses;
  const share = Math.min(1, delay / longDelay);
  return Float32Array.from(weights, (weight) => {
    const power = Math.ceil(Math.log2(share * (weight + added)) / 2);
    return 2 ** Math.max(0, power);
  });
}
