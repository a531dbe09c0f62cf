/**
 * How much memory a run takes: on the device, for its learner, its examples and the workspace of the kernels; and on the
 * host, for what is kept beside them. A run that does not fit is refused before it allocates anything.
 */

import { InputError } from "../../../core/errors.js";
import { baseBytes, baseCols, baseRows } from "../../../dictionaries/base.js";
import type { Kernels } from "../../../kernels/contract.js";
import { newAtomSparsity } from "../../atoms/atomCare.js";
import { candidateAtoms } from "../../atoms/exampleStart.js";
import { averageBytes } from "../../atoms/iterateAverage.js";
import type { MemoryPart } from "../../learners/learner.js";
import { modelBytes } from "../bestModel.js";
import type { ResolvedTraining } from "../trainOptions.js";

export interface MemoryPlan {
  /** Bytes by what they are for, the largest first. */
  readonly parts: readonly MemoryPart[];
  readonly total: number;
}

/** The memory of a run with this many samples on the device, and this many examples per update. */
export function planMemory(
  options: ResolvedTraining,
  samples: number,
  kernels: Pick<Kernels, "workspace" | "mostGramAtoms">,
  examples: number = options.batch,
): MemoryPlan {
  const { base, atoms: m, coding, atomCare, kind } = options;
  const { mostGramAtoms } = kernels;
  const n = baseRows(base);
  const L = baseCols(base);
  const longest = (atoms: number) => coding.sparsity ?? Math.min(n, atoms);
  const overBase = kind.baseSparsity?.(options) ?? Math.min(options.atomSparsity, newAtomSparsity);
  const work = (atoms: number) =>
    kernels.workspace({ n, L, m: atoms, p: Math.max(longest(atoms), overBase), N: examples });
  const learning = work(m);
  const starting = options.init === "both" && !options.start ? work(candidateAtoms(L, m)) : 0;
  return totalMemory([
    ...kind.memory({ ...options, hasAtomCare: atomCare !== null, mostGramAtoms }, examples),
    { what: "signals", bytes: 4 * samples },
    { what: "workspace", bytes: Math.max(learning, starting) },
    { what: "base", bytes: baseBytes(base) },
  ]);
}

export function totalMemory(parts: readonly MemoryPart[]): MemoryPlan {
  const sorted = parts.toSorted((a, b) => b.bytes - a.bytes);
  return { parts: sorted, total: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** `1.8 GiB (Gram matrix 0.4, momentum 0.4, …)`: the total and its largest parts. */
export function describeMemory({ parts, total }: MemoryPlan): string {
  const [unit, size] = total >= 2 ** 30 ? ["GiB", 2 ** 30] : ["MiB", 2 ** 20];
  const main = parts.filter(({ bytes }) => bytes > total / 50);
  return `${(total / size).toFixed(1)} ${unit} (${main.map(({ what, bytes }) => `${what} ${(bytes / size).toFixed(1)}`).join(", ")})`;
}

/** Reject a run that does not fit, before it allocates anything. */
export function requireFits(where: string, plan: MemoryPlan, limit: number): void {
  if (plan.total <= limit) return;
  const room = (limit / 2 ** 30).toFixed(1);
  throw new InputError(`the run needs ${describeMemory(plan)}, but the device holds at most ${room} GiB`, {
    where,
  });
}

/** The copy of the best model so far, on the host. */
export function keptMemory(options: ResolvedTraining, holdout: number): MemoryPart[] {
  return options.keep === "best" && holdout > 0 ? [{ what: "best model", bytes: modelBytes(options) }] : [];
}

/** The mean of the atoms, which is kept on the host. */
export function averageMemory({ average, base, atoms }: ResolvedTraining): MemoryPart[] {
  return average ? [{ what: "average of atoms", bytes: averageBytes(baseCols(base), atoms) }] : [];
}
