/** Random smooth functions: polynomials of degree 3 on [−1, 1], with standard normal coefficients. */

import { requireArgument, rng as rngType } from "../../core/arguments/argumentTypes.js";
import type { Rng } from "../../core/random/rng.js";
import { requireInteger } from "../../core/require.js";

/** A random cubic on [−1, 1] at n equally spaced samples, ends included. */
export function randomCubic(n: number, rng: Rng): Float64Array {
  requireInteger("randomCubic", "n", n, 2);
  requireArgument("randomCubic", "rng", rng, rngType);
  const coefficients = Array.from({ length: 4 }, () => rng.normal());
  return Float64Array.from({ length: n }, (_, i) => {
    const t = (2 * i) / (n - 1) - 1;
    return coefficients.reduceRight((sum, coefficient) => sum * t + coefficient, 0);
  });
}
