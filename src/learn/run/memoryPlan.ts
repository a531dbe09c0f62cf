/**
 * How much memory a training run takes where the kernels compute, before it
 * takes any: what is dense in A's size (OSDL: U, ∇, G) outweighs all else.
 */

import { InputError } from "../../core/errors.js";
import { baseCols, baseRows } from "../../dictionaries/base.js";
import type { Kernels } from "../../kernels/contract.js";
import type { MemoryPart } from "../learners/learner.js";
import { learners } from "../learners/registry.js";
import type { ResolvedTraining } from "./trainOptions.js";

export interface MemoryPlan {
  /** Bytes by what they are for, the largest first. */
  readonly parts: readonly MemoryPart[];
  readonly total: number;
}

/** An entry of a factor of Φ: itself, and in the plans of both directions. */
const baseBytes = 16;

/** The plan of a run on signals of so many samples in all, with updates of so many examples. */
export function planMemory(
  options: ResolvedTraining,
  samples: number,
  kernels: Pick<Kernels, "workspace">,
  examples: number = options.batch,
): MemoryPlan {
  const { base, atoms: m, coding, learner, atomCare } = options;
  const [n, L] = [baseRows(base), baseCols(base)];
  const p = coding.sparsity ?? Math.min(n, m);
  const parts = [
    ...learners[learner].memory({ ...options, cares: atomCare !== null }, examples),
    { what: "signals", bytes: 4 * samples },
    { what: "workspace", bytes: kernels.workspace({ n, L, m, p, N: examples }) },
    { what: "base", bytes: baseBytes * base.factors.reduce((sum, { data }) => sum + data.length, 0) },
  ];
  return memoryOf(parts);
}

/** Parts as a plan. */
export function memoryOf(parts: readonly MemoryPart[]): MemoryPlan {
  const sorted = parts.toSorted((a, b) => b.bytes - a.bytes);
  return { parts: sorted, total: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** `1.8 GiB (Gram matrix 0.4, momentum 0.4, …)`: the parts that matter. */
export function describeMemory({ parts, total }: MemoryPlan): string {
  const [unit, size] = total >= 2 ** 30 ? ["GiB", 2 ** 30] : ["MiB", 2 ** 20];
  const main = parts.filter(({ bytes }) => bytes > total / 50);
  return `${(total / size).toFixed(1)} ${unit} (${main.map(({ what, bytes }) => `${what} ${(bytes / size).toFixed(1)}`).join(", ")})`;
}

/** Refuse a run that does not fit, before it takes anything. */
export function requireFits(where: string, plan: MemoryPlan, limit: number): void {
  if (plan.total <= limit) return;
  const room = (limit / 2 ** 30).toFixed(1);
  throw new InputError(
    `memory must be at most ${room} GiB here, got a run that needs ${describeMemory(plan)}`,
    { where },
  );
}
