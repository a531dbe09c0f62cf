/** Predicted operations, and slopes in log-log charts. */

import type { BatchSizes, Letter } from "./settings.js";

/** The sizes behind a measurement, with the number of atoms known. */
export interface KnownSizes extends BatchSizes {
  readonly atoms: number;
}

/** The value of the size that varies. */
export function sizeAlong(sizes: KnownSizes, letter: Letter): number {
  const { side, atoms, atomSparsity, batch } = sizes;
  return { n: side * side, k: atomSparsity, N: batch, m: atoms }[letter];
}

/** Operations of one mini-batch as §IV-D counts them, without constants. */
export function predictedWork(learner: "osdl" | "odl", sizes: KnownSizes): number {
  const { side, atoms: m, atomSparsity: k, sparsity: p, batch: N } = sizes;
  const n = side * side;
  if (learner === "odl") return N * p * n * m + n * m * m;
  const base = n * Math.sqrt(m);
  return N * p * (base + k * m) + N * (k * m + base) + m * m * Math.log(m);
}

/** The slope of the least-squares line through (log x, log y). */
export function logSlope(x: readonly number[], y: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [u, v] = [x.map(Math.log), y.map(Math.log)];
  const [mu, mv] = [mean(u), mean(v)];
  const across = u.reduce((sum, value, i) => sum + (value - mu) * (v[i] - mv), 0);
  return across / u.reduce((sum, value) => sum + (value - mu) ** 2, 0);
}

/** The factor that brings a prediction to the last measurement, where constant costs matter least. */
export function levelOf(measured: readonly number[], predicted: readonly number[]): number {
  return measured.at(-1)! / predicted.at(-1)!;
}
