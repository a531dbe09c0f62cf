/**
 * Pursuits among a few atoms of each example (`ompNear`): the atoms are chosen as moveAtoms.wgsl keeps the largest entries of a
 * column, G and P of them are gathered for some examples at a time, and the pursuit of these examples works on those.
 */

import type { NearAtoms, PursuitLimits } from "../contract.js";
import { chunkBytes } from "./denseProducts.js";
import { gramPanels, type PursuitSetting, pursue } from "./gramPursuit.js";
import { GpuMatrix, type GpuSparse, runsOf, strideOf } from "./handles.js";
import type { GpuMemory } from "./memory.js";
import type { GpuQueue } from "./queue.js";
import { allOf, keepLargest, takeColumns } from "./update.js";

export interface NearPursuit {
  readonly G: GpuMatrix;
  readonly P: GpuMatrix;
  readonly W: GpuMatrix;
  readonly energies: GpuMatrix;
  readonly A: GpuSparse;
  readonly near: NearAtoms;
  readonly limits: PursuitLimits;
  readonly X: GpuSparse;
}

/** The most bytes of G and P of few atoms. */
const fewBytes = 4 * chunkBytes;

/** An estimate of the room for 512 examples that choose among at most 4p of L atoms. */
export function nearBytes(L: number, p: number): number {
  const choices = Math.min(L, 4 * p);
  return Math.min(fewBytes, 2048 * choices * choices) + 8192 * choices;
}

export async function ompNear(memory: GpuMemory, setting: PursuitSetting, job: NearPursuit): Promise<void> {
  const { queue, panelBytes } = memory;
  const { G, P, energies, limits, X } = job;
  const { choices } = job.near;
  const chosen = chooseNear(memory, setting, job);
  const quads = strideOf(choices) / 4;
  const size = quads * (choices + 1); // vec4 of G and P of an example
  const most = Math.max(1, Math.floor(Math.min(fewBytes, panelBytes) / (16 * size)));
  for (const run of runsOf(P)) {
    for (let from = 0; from < run.count; from += most) {
      const examples = Math.min(most, run.count - from);
      const first = run.first + from;
      const few = queue.scratch("few atoms", examples * size * 16);
      const given = { firstT: first, width: choices, countsAt: chosen.countsAt, firstP: from, quads };
      const params = { examples, ...given, stride: G.stride, panelCols: G.store.panelCols };
      const buffers = [...gramPanels(G), chosen.buffer, run.parts[0].buffer, few];
      const groups = [Math.ceil(quads / 64), examples * choices] as const;
      queue.dispatch("gatherNear", params, buffers, groups, { panels: G.store.panels.length });
      pursueFew(queue, setting, { few, choices, examples, first, energies, limits, X });
      await queue.pace();
    }
  }
  const named = { examples: X.cols, width: X.width, countsAt: X.store.countsAt, choices };
  const slots = [Math.ceil(X.width / 64), X.cols] as const;
  queue.dispatch("nameRows", named, [chosen.buffer, X.store.buffer], slots);
}

/** The rows of the atoms that each example chooses among, ascending, as the indices of sparse columns. */
function chooseNear(
  memory: GpuMemory,
  setting: PursuitSetting,
  { W, A, near }: NearPursuit,
): { readonly buffer: GPUBuffer; readonly countsAt: number } {
  const { queue } = memory;
  const { first, step = 1, choices } = near;
  const examples = W.cols;
  const layout = { width: choices, valuesAt: examples * choices, countsAt: 2 * examples * choices };
  const buffer = queue.scratch("atoms to choose among", (layout.countsAt + examples) * 4);
  takeColumns(queue, A, { first, step }, { cols: examples, layout, buffer }, { marks: true });
  keepLargest(memory, setting.groupBytes, choices, W, allOf(queue, examples), {
    ...{ cols: examples, layout, buffer },
  });
  return { buffer, countsAt: layout.countsAt };
}

interface FewAtoms extends Pick<NearPursuit, "energies" | "limits" | "X"> {
  /** G of each example, then P of each. */
  readonly few: GPUBuffer;
  readonly choices: number;
  readonly examples: number;
  /** The first of the examples. */
  readonly first: number;
}

/** Codes of some examples over their few atoms. */
function pursueFew(
  queue: GpuQueue,
  setting: PursuitSetting,
  { few, choices, examples, first, energies, limits, X }: FewAtoms,
): void {
  const columns = examples * choices;
  const stride = strideOf(choices);
  const projections = queue.scratch("projections on few atoms", examples * stride * 4);
  queue.copy(few, columns * stride * 4, projections, 0, examples * stride * 4);
  const G = new GpuMatrix(choices, columns, { panels: [few], panelCols: columns });
  const P = new GpuMatrix(choices, examples, { panels: [projections], panelCols: examples });
  const gramStep = (choices * stride) / 4;
  pursue(
    { queue, setting, G, P, energies, limits, X, path: undefined, half: undefined, gramStep, firstX: first },
    limits.sparsity,
    0,
  );
}
