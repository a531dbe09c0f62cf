/**
 * Batch-OMP on the GPU: how its shader is sized for a device and a problem.
 */

import { InputError } from "../../core/errors.js";
import { dependenceFloor, type PursuitLimits, pursuitFloor } from "../contract.js";
import { type GpuMatrix, type GpuSparse, runsOf } from "./handles.js";
import { float, type GpuQueue, mostGroups } from "./queue.js";

/** Panels of G that the shader binds. */
const mostPanels = 4;
/** Bytes of what spills from workgroup memory, all workgroups together. */
const spillBytes = 2 ** 28;

/** What a workgroup may have. */
export interface GroupLimits {
  readonly bytes: number;
  readonly threads: number;
}

/** X ← the codes of the columns of P; `path` receives ‖r‖² after each turn. */
export function batchOmp(
  queue: GpuQueue,
  group: GroupLimits,
  G: GpuMatrix,
  P: GpuMatrix,
  energies: GpuMatrix,
  limits: PursuitLimits,
  X: GpuSparse,
  path: GpuMatrix | undefined,
): void {
  const { panels, panelCols } = G.store;
  if (panels.length > mostPanels) {
    throw new InputError(
      `gpu: a Gram matrix must fit ${mostPanels} buffers here, got one of ${G.rows} atoms that takes ${panels.length}`,
    );
  }
  const shape = shapeOf(group, G.rows, G.quads, limits.sparsity);
  const pathStride = path?.stride ?? 0;
  const workAt = pathStride * P.cols;
  const size = shape.spills ? placeWords(G.rows, limits.sparsity) : 0;
  const groups = shape.spills
    ? Math.max(1, Math.min(P.cols, Math.floor(spillBytes / (size * 4))))
    : Math.min(P.cols, mostGroups);
  const work = queue.scratch("pursuit", (workAt + groups * size) * 4);
  const gram = Array.from({ length: mostPanels }, (_, i) => panels[i] ?? panels[0]!);
  for (const { first, count, parts } of runsOf(P)) {
    const words = [
      ...[count, G.rows, G.quads, limits.sparsity, float(limits.residualEnergy), ...X.words, first],
      ...[panelCols, energies.stride, pathStride, workAt, size, float(pursuitFloor), float(dependenceFloor)],
    ];
    const buffers = [...gram, parts[0]!.buffer, X.store.buffer, work, energies.buffer];
    queue.dispatch("batchOmp", words, buffers, [Math.min(groups, count)], {
      threads: shape.threads,
      panels: panels.length,
      spills: shape.spills ? 1 : 0,
      room: shape.spills ? 1 : limits.sparsity,
      factorRoom: shape.spills ? 1 : triangle(limits.sparsity),
      markRoom: shape.spills ? 1 : Math.ceil(G.rows / 32),
    });
  }
  if (path) queue.copy(work, 0, path.buffer, 0, workAt * 4);
}

/** Threads of a workgroup, and whether its memory is too small for an example. */
function shapeOf(
  group: GroupLimits,
  atoms: number,
  quads: number,
  sparsity: number,
): { readonly threads: number; readonly spills: boolean } {
  const threads = threadsFor(quads, group.threads);
  const bytes = 4 * placeWords(atoms, sparsity) + 8 * threads + 64;
  return { threads, spills: bytes > group.bytes };
}

/** The number of threads that leaves fewest idle in the pass over a column. */
function threadsFor(quads: number, most: number): number {
  const idle = (threads: number) => Math.ceil(quads / threads) * threads - quads;
  return [128, 112, 96, 64]
    .filter((threads) => threads <= most)
    .reduce((best, threads) => (idle(threads) < idle(best) ? threads : best));
}

/** Words of what an example needs: taken, x, w, z, the marks of atoms taken, V. */
function placeWords(atoms: number, sparsity: number): number {
  return 4 * sparsity + Math.ceil(atoms / 32) + triangle(sparsity);
}

function triangle(size: number): number {
  return (size * (size + 1)) / 2;
}
