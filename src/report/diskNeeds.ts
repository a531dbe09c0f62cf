/** What a run writes to disk, estimated before it starts. */

import { byteSize } from "../core/formatText.js";
import { sizeOf } from "../core/shape.js";
import type { TrainPlan } from "../learn/run/setup.js";

/** Bytes, and what they are for. */
export interface Need {
  readonly what: string;
  readonly bytes: number;
}

/** About the length of a line of the metrics file; there are about a hundred per epoch. */
const lineBytes = 300;
/** About the size of the page with its charts, without the atoms. */
const pageBytes = 100_000;

/** An upper estimate of what a run writes to disk. */
export function diskNeeds(
  plan: TrainPlan,
  { report, checkpoints }: { readonly report: boolean; readonly checkpoints: boolean },
): Need[] {
  const lines = Math.min(plan.steps, 100 * plan.epochs) + 30;
  const needs = [{ what: "dictionary", bytes: modelBytes(plan) }];
  if (report) needs.push({ what: "report", bytes: pageBytes + lines * lineBytes + 3 * 2 ** 18 });
  if (checkpoints) needs.push({ what: "checkpoints", bytes: checkpointsAtOnce * plan.checkpointBytes });
  return needs;
}

/** Two checkpoints are kept while the next is written. */
const checkpointsAtOnce = 3;

/** The bytes of a model file: A with one index per value, or D; Φ; the uses of the atoms. */
function modelBytes({ base, atoms, atomSparsity, kind }: TrainPlan): number {
  const { explicit, ownOptions } = kind;
  const phi = 8 * base.factors.reduce((sum, { data }) => sum + data.length, 0);
  const width = ownOptions.includes("atomSparsity") ? atomSparsity : 1; // without a sparse factor: A = I
  const values = explicit ? 4 * sizeOf(base.shape) * atoms : 8 * width * atoms + phi;
  return values + 8 * atoms + 4096;
}

/** `2.1 MiB (dictionary 1.9 MiB, report 0.2 MiB)`. */
export function describeNeeds(needs: readonly Need[]): string {
  const total = needs.reduce((sum, need) => sum + need.bytes, 0);
  const parts = needs.map((need) => `${need.what} ${byteSize(need.bytes)}`).join(", ");
  return `${byteSize(total)} (${parts})`;
}
