/** Products with Φ and with D = ΦA, and the Gram matrix of D: assembly/transform.ts, project.ts, gram.ts. */

import type { DeviceBase, DeviceMatrix, DeviceSparse, DictionaryOperations } from "../contract.js";
import { lanes, panel, rowBytes } from "./assembly/constants.js";
import { base, dense, set, sparse } from "./handles.js";
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
      const { at, rows, plans } = base(phi);
      const atoms = set(S);
      const blockBytes = Math.max(plans.blockRows, rows) * rowBytes;
      pool.reserveScratch(3 * blockBytes + panel * rowBytes);
      const outside = atomsOutside(memory.members(S), A.cols);
      const kept = G ? keptBytes(rows, lanes * Math.ceil(atoms.size / lanes)) : 0;
      const blocks = memory.stage(kept + outside.length * 4);
      const outsideAt = blocks + kept;
      memory.arena.u32(outsideAt, outside.length).set(outside);
      const args = {
        base: at,
        A: sparse(A).at,
        m: A.cols,
        members: atoms.at,
        size: atoms.size,
        outside: outsideAt,
        outsideCount: outside.length,
        direct: isDirect(phi, A) ? 1 : 0,
        scale: dense(scale).at,
        G: G ? dense(G).at : 0,
        blockBytes,
        blocks: kept > 0 ? blocks : 0,
      };
      const items = Math.ceil(atoms.size / lanes);
      await pool.run("atomScales", args, items, 1);
      if (G) await pool.run("gramColumns", args, items, 1);
    },
    async coherence(G, coherence, first = 0) {
      const args = { G: dense(G).at, m: G.rows, first, coherence: dense(coherence).at };
      await pool.run("coherence", args, G.cols, 64);
    },
  };
}

/** Whether an atom Φa is summed from columns of Φ, since the whole transform would cost more. */
export function isDirect(phi: DeviceBase, A: DeviceSparse): boolean {
  const { rows, plans } = base(phi);
  return A.width * rows <= plans.weights;
}

/** Bytes of the atoms Φa that are kept from their norms to their columns of G, if they are not too many. */
export function keptBytes(n: number, atoms: number): number {
  const bytes = 4 * n * atoms;
  return bytes <= 2 ** 25 ? bytes : 0;
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

/** The atoms that are not in a set, ascending. */
function atomsOutside(members: Uint32Array, atoms: number): Uint32Array {
  const outside = new Uint32Array(atoms - members.length);
  let count = 0;
  let next = 0;
  for (const atom of members) {
    while (next < atom) outside[count++] = next++;
    next = atom + 1;
  }
  while (next < atoms) outside[count++] = next++;
  return outside;
}
