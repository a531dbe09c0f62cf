/** Operations of the CPU kernels in parts, for processes that divide them between them. */

import type { DividedKernels } from "../divided.js";
import { lanes } from "./assembly/constants.js";
import type { CodeLists } from "./codeLists.js";
import { GramRefresh } from "./gram.js";
import { sparse } from "./handles.js";
import type { CpuMemory } from "./memory.js";
import type { Pool } from "./pool.js";
import { runGradient, runMoveAtoms, runMovedEnergies } from "./update.js";

export function dividedKernels(pool: Pool, memory: CpuMemory, codes: CodeLists): DividedKernels {
  return {
    values: (M) => memory.values(M),
    entries(A, use) {
      if (use === "change") sparse(A).places.version++;
      return memory.entries(A);
    },
    async gradient(W, X, S, grad, { from, to }) {
      const energies = memory.stage(8 * to);
      await runGradient(pool, codes, { W, X, S, grad, energies }, { from, to });
      return memory.arena.f64(energies, to).slice(from);
    },
    examplesPerBlock: lanes,
    async movedEnergies(base, grad, S, X, { from, to }) {
      const partial = await runMovedEnergies(pool, memory, { base, grad, S, X }, { from, to });
      return memory.arena.f64(partial, to).slice(from);
    },
    moveAtoms: (k, U, S, A, step, places) => runMoveAtoms(pool, memory, { k, U, S, A, step }, places),
    gram: (phi, A, S, G, scale, words) => new GramRefresh(pool, memory, { phi, A, S, G, scale }, words),
  };
}
