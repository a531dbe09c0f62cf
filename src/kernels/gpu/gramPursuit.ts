/** Batch-OMP and OLS on the GPU: how their shader is sized for a device and a problem. */

import { InputError } from "../../core/errors.js";
import { dependenceFloor, type PursuitLimits, pursuitFloor } from "../contract.js";
import { type GpuMatrix, type GpuSparse, runsOf, strideOf } from "./handles.js";
import { type GpuQueue, mostGroups } from "./queue.js";

/** Panels of G that the shader binds. */
const mostPanels = 4;
/** Shorter pursuits gain nothing from half precision. */
const leastSparsity = 8;
/** Nearly all codes down to an error have at most this many atoms. With memory for no more, more examples run at once. */
const usualSparsity = 32;
/** Workgroups that look for the codes that need more. */
const seekers = 2048;
/** The most bytes that spill from workgroup memory, for all workgroups together. */
const spillBytes = 2 ** 28;

/** The limits of the device, and whether half precision is used (undefined: where it pays). */
export interface PursuitSetting {
  /** Workgroup memory. */
  readonly groupBytes: number;
  readonly threads: number;
  readonly panelBytes: number;
  readonly halves: boolean | undefined;
}

/** X ← the codes of the columns of P; `path` receives ‖r‖² after each turn. */
export function batchOmp(
  queue: GpuQueue,
  setting: PursuitSetting,
  G: GpuMatrix,
  P: GpuMatrix,
  energies: GpuMatrix,
  limits: PursuitLimits,
  X: GpuSparse,
  path: GpuMatrix | undefined,
): void {
  const isOls = limits.pursuit === "ols"; // which needs all digits
  const half = !isOls && usesHalves(setting, G, P.cols, limits.sparsity) ? halvesOf(queue, G) : undefined;
  const job = { queue, setting, G, P, energies, limits, X, path, half, gramStep: 0, firstX: 0 };
  if (limits.residualEnergy > 0 && limits.sparsity > usualSparsity && !path) {
    pursue(job, usualSparsity, 0);
    pursue(job, limits.sparsity, usualSparsity); // those that need more, from the start
  } else pursue(job, limits.sparsity, 0);
}

/** The panels of a Gram matrix, as many as the shaders bind. */
export function gramPanels({ rows, store: { panels } }: GpuMatrix): GPUBuffer[] {
  if (panels.length > mostPanels)
    throw new InputError(
      `gpu: a Gram matrix must fit into ${mostPanels} buffers here, got one of ${rows} atoms that takes ${panels.length}`,
    );
  return Array.from({ length: mostPanels }, (_, i) => panels[i] ?? panels[0]);
}

/** The most atoms whose Gram matrix the shader can bind. */
export function mostBoundAtoms(panelBytes: number): number {
  const fits = (m: number) => {
    const columns = Math.floor(panelBytes / (4 * strideOf(m)));
    return columns >= 4 && m <= mostPanels * (columns - (columns % 4));
  };
  let atoms = Math.floor(Math.sqrt((mostPanels * panelBytes) / 4));
  while (atoms > 0 && !fits(atoms)) atoms--;
  return atoms;
}

/** An upper estimate of the memory for α and ν of OLS. */
export function pursuitBytes(m: number, N: number): number {
  return Math.min(spillBytes, 8 * (m + 4) * N);
}

interface PursuitJob {
  readonly queue: GpuQueue;
  readonly setting: PursuitSetting;
  readonly G: GpuMatrix;
  readonly P: GpuMatrix;
  readonly energies: GpuMatrix;
  readonly limits: PursuitLimits;
  readonly X: GpuSparse;
  readonly path: GpuMatrix | undefined;
  /** G in half precision, if it is used. */
  readonly half: GPUBuffer | undefined;
  /** vec4 from the G of an example to that of the next; 0 if all have the same. */
  readonly gramStep: number;
  /** The code of the first column of P. */
  readonly firstX: number;
}

/** Codes of at most `sparsity` entries, for the examples whose codes have at least `least` entries so far. */
export function pursue(job: PursuitJob, sparsity: number, least: number): void {
  const { queue, setting, G, P, energies, limits, X, path, half, gramStep } = job;
  const { panels, panelCols } = G.store;
  const shape = shapeOf(setting, G.rows, sparsity);
  const pathStride = path?.stride ?? 0;
  const workAt = pathStride * P.cols;
  const isOls = limits.pursuit === "ols";
  const scoreSize = isOls ? 8 * G.quads : 0;
  const size = scoreSize + (shape.spilled === "nothing" ? 0 : placeWords(G.rows, sparsity));
  const fit = size > 0 ? Math.max(1, Math.floor(spillBytes / (size * 4))) : mostGroups;
  const groups = Math.min(P.cols, fit, least > 0 ? seekers : mostGroups);
  const work = queue.scratch("pursuit", (workAt + groups * size) * 4);
  // the shader writes the rows of a path alone, and its copy takes the padding along
  if (path && path.rows < pathStride) queue.clear(work, workAt * 4);
  const gram = gramPanels(G);
  if (half) gram[1] = half;
  for (const { first, count, parts } of runsOf(P)) {
    const params = {
      examples: count,
      atoms: G.rows,
      quads: G.quads,
      sparsity,
      limit: limits.residualEnergy,
      ...X.layout,
      firstX: job.firstX + first,
      panelCols,
      energyStride: energies.stride,
      pathStride,
      workAt,
      workSize: size,
      scoreSize,
      pursuitFloor,
      dependenceFloor,
      least,
      gramStep,
    };
    const buffers = [...gram, parts[0].buffer, X.store.buffer, work, energies.buffer];
    queue.dispatch("batchOmp", params, buffers, [Math.min(groups, count)], {
      threads: shape.threads,
      panels: panels.length,
      factorSpills: shape.spilled === "nothing" ? 0 : 1,
      spills: shape.spilled === "all" ? 1 : 0,
      halves: half ? 1 : 0,
      ols: isOls ? 1 : 0,
      room: shape.spilled === "all" ? 1 : sparsity,
      factorRoom: shape.spilled === "nothing" ? triangle(sparsity) : 1,
      termRoom: half && shape.spilled !== "all" ? sparsity : 1,
      markRoom: shape.spilled === "all" ? 1 : Math.ceil(G.rows / 32),
    });
  }
  if (path) queue.copy(work, 0, path.buffer, 0, workAt * 4);
}

/** Whether a copy of G in half precision fits, and costs less than it saves. */
function usesHalves(
  { halves, panelBytes }: PursuitSetting,
  G: GpuMatrix,
  examples: number,
  sparsity: number,
): boolean {
  if (G.store.panels.length > 1 || Math.ceil(G.quads / 2) * 16 * G.cols > panelBytes) return false;
  const columnsRead = (examples * sparsity * sparsity) / 2;
  return halves ?? (sparsity >= leastSparsity && columnsRead > 8 * G.cols);
}

function halvesOf(queue: GpuQueue, G: GpuMatrix): GPUBuffer {
  const octs = Math.ceil(G.quads / 2);
  const copy = queue.scratch("Gram in half precision", octs * 16 * G.cols);
  queue.dispatch(
    "halves",
    { columns: G.cols, quads: G.quads, octs },
    [G.buffer, copy],
    [Math.ceil(octs / 64), G.cols],
  );
  return copy;
}

/** What of the data of an example is in device memory, as workgroup memory is too small: V, which grows with p², or all. */
type Spilled = "nothing" | "factor" | "all";

/** Threads of a workgroup, and what it spills. */
function shapeOf(
  { threads: most, groupBytes }: PursuitSetting,
  atoms: number,
  sparsity: number,
): { readonly threads: number; readonly spilled: Spilled } {
  const others = 8 * sparsity + 136; // the terms of a pass in half precision, and what does not grow
  const choices = [
    { spilled: "nothing", bytes: 4 * placeWords(atoms, sparsity) },
    { spilled: "factor", bytes: 4 * smallWords(atoms, sparsity) },
  ] as const;
  for (const { spilled, bytes } of choices) {
    const threads = Math.min(threadsFor(atoms, bytes), most);
    if (bytes + 8 * threads + others <= groupBytes) return { threads, spilled };
  }
  return { threads: Math.min(threadsFor(atoms, 0), most), spilled: "all" };
}

/**
 * Enough threads for a few vec4 each, and more if a workgroup takes much of the memory
 * that it shares with others: measured on an H200 (docs/decisions/0008-gpu.md).
 */
function threadsFor(atoms: number, bytes: number): number {
  const wanted = Math.max(atoms / 28, bytes / 38);
  return Math.max(64, Math.round(wanted / 32) * 32);
}

/** Words per example: the atoms taken, x, g, w, z, the marks of atoms taken; and V. */
function placeWords(atoms: number, sparsity: number): number {
  return smallWords(atoms, sparsity) + triangle(sparsity);
}

function smallWords(atoms: number, sparsity: number): number {
  return 5 * sparsity + Math.ceil(atoms / 32);
}

function triangle(size: number): number {
  return (size * (size + 1)) / 2;
}
