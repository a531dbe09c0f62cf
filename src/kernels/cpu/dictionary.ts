/** Products with Φ and with D = ΦA, and the Gram matrix of D: assembly/project.ts, gram.ts. */

import type { DeviceBase, DeviceMatrix, DeviceSparse, DictionaryOperations } from "../contract.js";
import { lanes, panel, rowBytes } from "./assembly/constants.js";
import { fromBothEnds, GramRefresh } from "./gram.js";
import { base, dense, sparse } from "./handles.js";
import type { CpuMemory } from "./memory.js";
import type { Pool } from "./pool.js";

export function dictionaryOperations(pool: Pool, memory: CpuMemory): DictionaryOperations {
  return {
    analyze: (phi, Y, Z) => transform(pool, phi, "analysis", Y, Z),
    synthesize: (phi, C, Y) => transform(pool, phi, "synthesis", C, Y),

    async project(phi, A, scale, Y, P) {
      const { at, plans } = base(phi);
      pool.reserveScratch((3 * plans.blockRows + panel) * rowBytes);
      const args = {
        base: at,
        A: sparse(A).at,
        scale: dense(scale).at,
        Y: dense(Y).at,
        P: dense(P).at,
        m: P.rows,
        columns: Y.cols,
      };
      await pool.run("project", args, Math.ceil(Y.cols / lanes), 1);
    },
    reconstruct: (phi, A, X, Y) => reconstruct(pool, phi, A, X, { output: Y }),
    residual: (phi, A, X, Y, R, W) => reconstruct(pool, phi, A, X, { Y, output: R, W }),

    async refreshGram(phi, A, S, G, scale) {
      const refresh = new GramRefresh(pool, memory, { phi, A, S, G, scale });
      const blocks = fromBothEnds(refresh.blocks);
      await refresh.scales(blocks);
      if (G) await refresh.compute(blocks);
    },
    async coherence(G, coherence, first = 0) {
      const args = { G: dense(G).at, m: G.rows, first, coherence: dense(coherence).at };
      await pool.run("coherence", args, G.cols, 64);
    },
  };
}

async function transform(
  pool: Pool,
  phi: DeviceBase,
  direction: "analysis" | "synthesis",
  input: DeviceMatrix,
  output: DeviceMatrix,
): Promise<void> {
  const { plans } = base(phi);
  pool.reserveScratch(3 * plans.blockRows * rowBytes);
  const args = {
    plan: plans[direction],
    input: dense(input).at,
    rowsIn: input.rows,
    output: dense(output).at,
    rowsOut: output.rows,
    columns: input.cols,
  };
  await pool.run("transform", args, Math.ceil(input.cols / lanes), 1);
}

/** output ← ΦAX, or Y − ΦAX where Y is given; and W ← Φᵀ output, where W is given. */
async function reconstruct(
  pool: Pool,
  phi: DeviceBase,
  A: DeviceSparse,
  X: DeviceSparse,
  { Y, output, W }: { Y?: DeviceMatrix; output: DeviceMatrix; W?: DeviceMatrix | undefined },
): Promise<void> {
  const { at, plans } = base(phi);
  pool.reserveScratch(3 * plans.blockRows * rowBytes);
  const args = {
    base: at,
    A: sparse(A).at,
    X: sparse(X).at,
    columns: X.cols,
    Y: Y ? dense(Y).at : 0,
    output: dense(output).at,
    W: W ? dense(W).at : 0,
  };
  await pool.run("reconstruct", args, Math.ceil(X.cols / lanes), 1);
}
