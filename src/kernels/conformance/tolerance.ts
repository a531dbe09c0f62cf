/**
 * How far a kernel may be from the reference: bounds derived from the rounding
 * of f32 sums, never widened to make a test pass.
 *
 * A sum of n products in f32, in any order, differs from the exact one by at
 * most γₙ Σ|xᵢyᵢ| with γₙ = n u / (1 − n u), u = 2⁻²⁴ [Higham 2002, §3.1]. A chain
 * of such sums (Φ axis by axis, then A) adds its lengths. The result is stored in
 * f32, one rounding more; the reference itself rounds its f64 sums to f32 once.
 */

/** The unit roundoff of f32. */
export const unitRoundoff = 2 ** -24;

/**
 * The bound on |computed − reference| for sums of at most `terms` products whose
 * magnitudes add up to `magnitude` (Σ|xᵢyᵢ|, or ‖x‖‖y‖ which is larger).
 */
export function sumTolerance(terms: number, magnitude: number): number {
  const nu = (terms + 3) * unitRoundoff;
  return (nu / (1 - nu)) * magnitude + smallestNormal;
}

/** The error of results below the normal numbers of f32, which some devices flush to zero. */
const smallestNormal = 2 ** -126;
