/**
 * When coding a signal stops (1): at a number of atoms, at an error, or at whichever
 * comes first. `CodingRule` is what a user gives, and is called `coding` everywhere;
 * `PursuitLimits` are the same in the kernels' units, and are called `limits`.
 */

import { InputError, inputError } from "../core/errors.js";
import { requireInteger } from "../core/require.js";
import type { PursuitLimits } from "../kernels/contract.js";

/** When coding stops. Give one or both: whichever comes first. */
export interface CodingRule {
  /** p: the largest number of atoms per code. */
  readonly sparsity?: number | undefined;
  /** Stop once the root-mean-square error per sample is at most this, in the units of the data. */
  readonly error?: number | undefined;
}

/** The same rule for data multiplied by a factor. */
export function scaleCoding({ sparsity, error }: CodingRule, factor: number): CodingRule {
  return { sparsity, error: error === undefined ? undefined : error * factor };
}

/** The kernels' limits for signals of n samples over m atoms: ε² = n·error². */
export function resolveLimits(where: string, coding: CodingRule, n: number, m: number): PursuitLimits {
  const { sparsity, error } = coding;
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
  return { sparsity: Math.min(n, p), residualEnergy: error === undefined ? 0 : n * error * error };
}

/** Atoms per code by default: `p` = n/40, as in the paper's experiments. */
export function defaultSparsity(n: number): number {
  return Math.max(1, Math.min(n, Math.max(2, Math.round(n / 40))));
}
