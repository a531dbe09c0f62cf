/**
 * How much memory a training run takes where the kernels compute, before it
 * takes any: what is dense in A's size (U, ∇, G) outweighs all else.
 */

import { InputError } from "../core/errors.js";
import { baseCols, baseRows } from "../dictionaries/base.js";
import type { ResolvedTraining } from "./trainOptions.js";

export interface MemoryPlan {
  /** Bytes by what they are for, the largest first. */
  readonly parts: readonly { readonly what: string; readonly bytes: number }[];
  readonly total: number;
}

/** An entry of a factor of Φ: itself, and in the plans of both directions. */
const baseBytes = 16;

/** The plan of a run on signals of so many samples in all. */
export function planMemory(options: ResolvedTraining, samples: number): MemoryPlan {
  const { base, atoms: m, atomSparsity: k, batch: N, coding } = options;
  const [n, L] = [baseRows(base), baseCols(base)];
  const p = coding.sparsity ?? Math.min(n, m);
  // atom care, and a choice among the base atoms, code examples over Φ itself: its Gram matrix, and codes
  const coded = Math.max(options.atomCare ? Math.ceil(m / 10) : 0, m < L ? N : 0);
  const care = coded > 0 ? 4 * (L * L + coded * (L + 2 * n + 2 * Math.max(k, p))) : 0;
  const parts = [
    { what: "Gram matrix", bytes: 4 * m * m },
    { what: "momentum", bytes: 4 * L * m },
    { what: "gradient", bytes: 4 * L * m },
    { what: "atom care", bytes: care },
    { what: "mini-batch", bytes: 4 * N * (4 * n + L + m + 2 * p) },
    { what: "signals", bytes: 4 * samples },
    { what: "atoms", bytes: 8 * k * m },
    { what: "base", bytes: baseBytes * base.factors.reduce((sum, { data }) => sum + data.length, 0) },
  ];
  parts.sort((a, b) => b.bytes - a.bytes);
  return { parts, total: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** `1.8 GiB (Gram matrix 0.4, momentum 0.4, …)`: the parts that matter. */
export function describeMemory({ parts, total }: MemoryPlan): string {
  const [unit, size] = total >= 2 ** 30 ? ["GiB", 2 ** 30] : ["MiB", 2 ** 20];
  const main = parts.filter(({ bytes }) => bytes > total / 50);
  return `${(total / size).toFixed(1)} ${unit} (${main.map(({ what, bytes }) => `${what} ${(bytes / size).toFixed(1)}`).join(", ")})`;
}

/** Refuse a run that does not fit, before it takes anything. */
export function requireFits(caller: string, plan: MemoryPlan, limit: number): void {
  if (plan.total <= limit) return;
  const room = (limit / 2 ** 30).toFixed(1);
  throw new InputError(
    `${caller}: memory must be at most ${room} GiB here, got a run that needs ${describeMemory(plan)}`,
  );
}
