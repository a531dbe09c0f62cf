/**
 * Kernels whose operations run one after the other in the order of the calls,
 * awaited or not: for implementations whose operations may pause half-way (for
 * threads, say) and share memory between them. Where nothing is under way, a call
 * goes straight through.
 */

import type { Kernels } from "./contract.js";

/** What is answered at once; all else waits its turn. */
const immediate = ["workspace", "matrix", "sparse", "set", "base", "signals", "head", "headSparse"] as const;
const waiting = [
  ...(["writeMatrix", "writeSparse", "writeSet", "readMatrix", "readSparse", "readSet", "dispose"] as const),
  ...(["analyze", "synthesize", "project", "reconstruct", "residual", "refreshGram"] as const),
  ...([
    "columnEnergies",
    "batchOmp",
    "scaleRows",
    "usedAtoms",
    "countUses",
    "gradient",
    "movedEnergy",
    "exchangeAtoms",
    "copyColumns",
  ] as const),
  ...(["correlate", "combine", "remainder", "addMoments"] as const),
  ...(["descendAtoms", "refitAtoms", "forgetAtoms", "addOuter"] as const),
  ...(["momentum", "moveAtoms", "squaredNorm", "normRatio", "coherence"] as const),
  ...(["extract", "addWindows"] as const),
] as const;

type Method = (...args: never[]) => unknown;

export function inOrder(kernels: Kernels): Kernels {
  let underWay = 0;
  let last: Promise<unknown> = Promise.resolve(); // never rejects
  const methods = kernels as unknown as Record<string, Method>;
  const { name, description } = kernels;
  const result: Record<string, unknown> = { name, description };
  Object.defineProperty(result, "memory", { get: () => kernels.memory });
  for (const method of immediate) result[method] = methods[method].bind(kernels);
  for (const method of waiting) {
    result[method] = (...args: never[]): Promise<unknown> => {
      const run = () => methods[method].apply(kernels, args) as Promise<unknown>;
      const done = underWay === 0 ? run() : last.then(run);
      underWay++;
      const settled = () => {
        underWay--;
      };
      last = done.then(settled, settled);
      return done;
    };
  }
  result.free = (...handles: readonly object[]): void => {
    if (underWay === 0) kernels.free(...handles);
    else void last.then(() => kernels.free(...handles));
  };
  return result as unknown as Kernels;
}
