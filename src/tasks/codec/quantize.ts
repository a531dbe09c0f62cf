/**
 * Whole coefficients for a block: of all vectors of steps q over the candidates, one
 * that no change of a single coefficient makes better in
 *
 *     ‖y − Δ Σ qⱼdⱼ‖² + λ · bits(q)
 *
 * Coordinate descent from q = 0, in the order of the pursuit: with the others fixed,
 * the best real coefficient of a unit atom is z = Δqⱼ + ⟨dⱼ, residual⟩, and qⱼ becomes
 * the best of z/Δ rounded, one step nearer to 0, and 0. Later coefficients make up for the rounding of
 * earlier ones, and an atom that is not worth its bits falls out.
 *
 * Cost   K² for the correlations and K for each change, with K candidates.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import type { BlockCode } from "./blockSyntax.js";
import { mostSteps } from "./blockSyntax.js";
import type { Candidates } from "./candidates.js";

/** Bits that things take, as far as they are known before coding. */
export interface Prices {
  /** To name the atom of each rank. */
  readonly atoms: Float64Array;
  /** For a magnitude of 1, 2, …; the last counts for each digit more. */
  readonly magnitudes: readonly number[];
}

/** What one bit may cost, and how fine coefficients are. */
export interface QuantizingRule {
  /** Δ. */
  readonly delta: number;
  readonly lambda: number;
  readonly prices: Prices;
}

/** An atom takes at least about so many bits: one that gains less than they cost is no candidate. */
export const fewestBits = 5;

/** Passes over the coefficients of a block. */
const passes = 12;

/** The whole coefficients of a block: ascending ranks. */
export function quantizeBlock(
  { atoms, coefficients, gains }: Candidates,
  gram: DenseMatrix,
  ranks: Uint32Array,
  { delta, lambda, prices }: QuantizingRule,
): Pick<BlockCode, "ranks" | "values"> {
  const count = 1 + gains.findLastIndex((gain) => gain > fewestBits * lambda);
  const local = localGram(atoms.subarray(0, count), gram);
  const correlations = startCorrelations(atoms, coefficients, count, gram);
  const q = new Int32Array(count);
  for (let pass = 0, changed = true; pass < passes && changed; pass++) {
    changed = false;
    for (let j = 0; j < count; j++) {
      const price = prices.atoms[ranks[atoms[j]]];
      const z = (delta * q[j] + correlations[j]) / delta;
      const best = bestSteps(z, lambda / (delta * delta), price, prices.magnitudes);
      const move = delta * (best - q[j]);
      if (move === 0) continue;
      q[j] = best;
      changed = true;
      const column = local.subarray(j * count, (j + 1) * count);
      for (let i = 0; i < count; i++) correlations[i] -= move * column[i];
    }
  }
  const used = Array.from(q.keys()).filter((j) => q[j] !== 0);
  const ordered = used.sort((a, b) => ranks[atoms[a]] - ranks[atoms[b]]);
  return { ranks: ordered.map((j) => ranks[atoms[j]]), values: ordered.map((j) => q[j]) };
}

/** The whole number near z that is best, in units of squared steps. */
function bestSteps(z: number, slope: number, price: number, magnitudes: readonly number[]): number {
  const nearest = Math.min(mostSteps, Math.round(Math.abs(z)));
  let [best, least] = [0, z * z];
  for (const steps of [nearest, nearest - 1]) {
    if (steps < 1) continue;
    const cost = (Math.abs(z) - steps) ** 2 + slope * (price + 1 + magnitudeBits(steps, magnitudes));
    if (cost < least) [best, least] = [steps, cost];
  }
  return z < 0 ? -best : best;
}

/** Bits of a magnitude of at least 1: of its number of digits, as in wholeNumbers.ts. */
export function magnitudeBits(steps: number, magnitudes: readonly number[]): number {
  const digits = 31 - Math.clz32(steps);
  return magnitudes[Math.min(digits, magnitudes.length - 1)] + digits;
}

function localGram(atoms: Uint32Array, gram: DenseMatrix): Float32Array {
  const local = new Float32Array(atoms.length ** 2);
  atoms.forEach((column, j) => {
    for (let i = 0; i < atoms.length; i++) local[j * atoms.length + i] = gram.at(atoms[i], column);
  });
  return local;
}

/** ⟨dⱼ, y⟩ of the first `count` candidates: Gx, since y − Dx is orthogonal to all of them. */
function startCorrelations(
  atoms: Uint32Array,
  coefficients: Float32Array,
  count: number,
  gram: DenseMatrix,
): Float64Array {
  const correlations = new Float64Array(count);
  coefficients.forEach((value, s) => {
    const column = gram.column(atoms[s]);
    for (let j = 0; j < count; j++) correlations[j] += value * column[atoms[j]];
  });
  return correlations;
}
