/**
 * The χ² distribution: the energy ‖e‖² of white noise e of unit variance over n samples.
 * Its mean is n and its standard deviation √(2n): the larger a patch, the closer its
 * relative energy is to the mean.
 *
 *     Prob(χ²(n) ≤ x) = P(n/2, x/2),   P the regularised lower incomplete Γ function
 *
 * P is computed by its power series below the mean and by its continued fraction above
 * (with the modified Lentz algorithm); the quantile by bisection.
 *
 * M. Abramowitz, I. Stegun. Handbook of Mathematical Functions, §6.5, §26.4.
 */

import { inputError } from "../core/errors.js";
import { requireInteger } from "../core/require.js";

/** Prob(χ²(n) ≤ x). */
export function chiSquareProbability(x: number, n: number): number {
  requireInteger("chiSquareProbability", "degrees of freedom", n, 1);
  if (!(x > 0)) return 0;
  const a = n / 2;
  const z = x / 2;
  const front = Math.exp(a * Math.log(z) - z - logGamma(a));
  return z < a + 1 ? front * lowerSeries(a, z) : 1 - front * upperFraction(a, z);
}

/** The x with Prob(χ²(n) ≤ x) = `probability`. */
export function chiSquareQuantile(probability: number, n: number): number {
  requireInteger("chiSquareQuantile", "degrees of freedom", n, 1);
  if (!(probability > 0 && probability < 1))
    throw inputError("chiSquareQuantile", "probability", "must be a number between 0 and 1", probability);
  let low = 0;
  let high = n + 1;
  while (chiSquareProbability(high, n) < probability) [low, high] = [high, 2 * high];
  while (high - low > 1e-12 * high) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (chiSquareProbability(middle, n) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Σ zⁱ / (a(a+1)…(a+i)). */
function lowerSeries(a: number, z: number): number {
  let term = 1 / a;
  let sum = term;
  for (let i = 1; term > sum * 1e-17; i++) sum += term *= z / (a + i);
  return sum;
}

/** 1/(z+1−a− 1(1−a)/(z+3−a− 2(2−a)/(z+5−a− …))). */
function upperFraction(a: number, z: number): number {
  let b = z + 1 - a;
  let c = Infinity;
  let d = 1 / b;
  let value = d;
  for (let i = 1; i < 10_000; i++) {
    const numerator = -i * (i - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    value *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return value;
}

/** ln Γ(a) for a = ½, 1, 1½, …: by recurrence up to 10, then Stirling's series, whose last term is below 1e-17 there. */
function logGamma(a: number): number {
  let shift = 0;
  let x = a;
  for (; x < 10; x++) shift += Math.log(x);
  const y = 1 / (x * x);
  const series =
    (1 / 12 + y * (-1 / 360 + y * (1 / 1260 + y * (-1 / 1680 + y * (1 / 1188 - (y * 691) / 360360))))) / x;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift;
}
