/**
 * Quantized coefficients for a block: integers q over the candidates such that changing
 * a single one does not improve
 *
 *     ‖y − Δ Σ qⱼdⱼ‖² + λ · bits(q)
 *
 * Coordinate descent from q = 0, in the order of the pursuit. With the others fixed,
 * the best real coefficient of a unit atom is z = Δqⱼ + ⟨dⱼ, residual⟩; qⱼ becomes the
 * best of z/Δ rounded, one step closer to 0, and 0. So later coefficients compensate
 * for the rounding of earlier ones, and an atom that is not worth its bits is dropped.
 *
 * Cost   K² for the correlations and K for each change, with K candidates.
 */

import type { GramEntries } from "./atomProducts.js";
import { type BlockCode, maxQuantized } from "./blockSyntax.js";
import type { Candidates } from "./candidateSearch.js";

/** Estimated costs in bits. */
export interface BitCosts {
  /** Of the atom of each rank. */
  readonly atoms: Float64Array;
  /** Of the number of binary digits of a magnitude: 1, 2, …; the last holds for longer ones, too. */
  readonly magnitudes: readonly number[];
}

export interface QuantizerSettings {
  /** Δ: the step. */
  readonly delta: number;
  /** λ: squared error per bit. */
  readonly lambda: number;
  readonly costs: BitCosts;
}

/** An atom takes at least about this many bits; atoms that gain less than these cost are not considered. */
export const minAtomBits = 5;

/** Passes over the coefficients of a block, at most. */
const maxPasses = 12;

/** The quantized coefficients of a block, by ascending ranks. */
export function quantizeBlock(
  { atoms, coefficients, gains }: Candidates,
  gram: GramEntries,
  ranks: Uint32Array,
  { delta, lambda, costs }: QuantizerSettings,
): Pick<BlockCode, "ranks" | "values"> {
  const count = 1 + gains.findLastIndex((gain) => gain > minAtomBits * lambda);
  const local = localGram(atoms.subarray(0, count), gram);
  const correlations = startCorrelations(atoms, coefficients, count, gram);
  const q = new Int32Array(count);
  for (let pass = 0, changed = true; pass < maxPasses && changed; pass++) {
    changed = false;
    for (let j = 0; j < count; j++) {
      const atomBits = costs.atoms[ranks[atoms[j]]];
      const z = (delta * q[j] + correlations[j]) / delta;
      const best = bestSteps(z, lambda / (delta * delta), atomBits, costs.magnitudes);
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

/** The best integer near z; costs are in units of squared steps. */
function bestSteps(z: number, slope: number, atomBits: number, magnitudes: readonly number[]): number {
  const nearest = Math.min(maxQuantized, Math.round(Math.abs(z)));
  let best = 0;
  let lowest = z * z;
  for (const steps of [nearest, nearest - 1]) {
    if (steps < 1) continue;
    const cost = (Math.abs(z) - steps) ** 2 + slope * (atomBits + 1 + magnitudeBits(steps, magnitudes));
    if (cost < lowest) {
      best = steps;
      lowest = cost;
    }
  }
  return z < 0 ? -best : best;
}

/** Bits of a magnitude of at least 1: its number of digits and the digits, as in integerModel.ts. */
export function magnitudeBits(steps: number, magnitudes: readonly number[]): number {
  const digits = 31 - Math.clz32(steps);
  return magnitudes[Math.min(digits, magnitudes.length - 1)] + digits;
}

function localGram(atoms: Uint32Array, gram: GramEntries): Float32Array {
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
  gram: GramEntries,
): Float64Array {
  const correlations = new Float64Array(count);
  coefficients.forEach((value, s) => {
    for (let j = 0; j < count; j++) correlations[j] += value * gram.at(atoms[j], atoms[s]);
  });
  return correlations;
}
