/** Pursuits on the GPU: over all atoms (gramPursuit.ts), among a few (nearPursuit.ts), without a Gram matrix (atomPursuit.ts). */

import type { PursuitOperations } from "../contract.js";
import { ompFromAtoms } from "./atomPursuit.js";
import { batchOmp, type PursuitSetting } from "./gramPursuit.js";
import { base, dense, runsOf, sparse } from "./handles.js";
import type { GpuMemory } from "./memory.js";
import { ompNear } from "./nearPursuit.js";
import type { GpuProducts } from "./products.js";

export function pursuitOperations(
  memory: GpuMemory,
  products: GpuProducts,
  setting: PursuitSetting,
): PursuitOperations {
  const { queue } = memory;
  return {
    async columnEnergies(Y, energies) {
      const y = dense(Y);
      const target = dense(energies);
      for (const { first, count, parts } of runsOf(y)) {
        const params = { columns: count, quads: y.quads, first, stride: target.stride };
        queue.dispatch("columnEnergies", params, [parts[0].buffer, target.buffer], [count]);
      }
    },
    async batchOmp(G, P, energies, limits, X, path) {
      const x = sparse(X);
      batchOmp(queue, setting, dense(G), dense(P), dense(energies), limits, x, path && dense(path));
      x.store.version++;
      await queue.pace();
    },
    async ompNear(G, P, W, energies, A, near, limits, X) {
      const x = sparse(X);
      const given = { G: dense(G), P: dense(P), W: dense(W), energies: dense(energies), A: sparse(A) };
      await ompNear(memory, setting, { ...given, near, limits, X: x });
      x.store.version++;
    },
    async ompFromAtoms(phi, A, scale, Y, energies, limits, X, path) {
      const x = sparse(X);
      await ompFromAtoms(memory, products, {
        base: base(phi),
        A: sparse(A),
        scale: dense(scale),
        Y: dense(Y),
        energies: dense(energies),
        limits,
        X: x,
        path: path && dense(path),
      });
      x.store.version++;
    },
    async scaleRows(scale, X) {
      const x = sparse(X);
      const buffers = [dense(scale).buffer, x.store.buffer];
      queue.dispatch("scaleRows", { examples: x.cols, ...x.layout }, buffers, [
        Math.ceil(x.width / 64),
        x.cols,
      ]);
      x.store.version++;
    },
  };
}
