/**
 * The demo: learns a dictionary from pictures made on the spot, and compares it on other pictures
 * with wavelets and with the cropped wavelets it is made of. Its files show that on a page.
 */

import type { Signal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createBase } from "../../dictionaries/base.js";
import type { Kernels } from "../../kernels/contract.js";
import { train } from "../../learn/run/train.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import type { Model } from "../../model/model.js";
import { representationError } from "../../tasks/approximate/representation.js";

/** What the demo learns: 16×16 patches, where methods for small patches begin to struggle. */
export const demoSettings = {
  patch: [16, 16],
  base: "cropped:sym8",
  coding: { sparsity: 6 },
  atomSparsity: 26,
  examples: 200_000,
  testEvery: 20_000,
  seed: 1,
} as const satisfies TrainOptions;

const sizes = { size: 256, train: 8, test: 4 } as const;

/** The pictures to learn from, and others to test on. */
export function demoPictures(): { readonly seen: readonly Signal[]; readonly unseen: readonly Signal[] } {
  const all = syntheticPictures(demoSettings.seed, sizes.train + sizes.test, sizes.size);
  return { seen: all.slice(0, sizes.train), unseen: all.slice(sizes.train) };
}

/** How well a dictionary represents patches of unseen pictures. */
export interface DemoResult {
  readonly name: string;
  readonly rmse: number;
}

export interface DemoOutcome {
  readonly model: Model;
  /** Reports with a test error. */
  readonly curve: readonly TrainReport[];
  /** Wavelets, cropped wavelets, the learned dictionary. */
  readonly results: readonly DemoResult[];
}

/** Learn from the pictures and compare; `onReport` is called with each report. */
export async function runDemo(
  { seen, unseen }: ReturnType<typeof demoPictures>,
  kernels: Kernels,
  onReport: (report: TrainReport) => void,
): Promise<DemoOutcome> {
  const run = train(seen, { ...demoSettings, test: unseen, holdout: 2000, kernels });
  const curve: TrainReport[] = [];
  for await (const report of run) {
    if (report.testRmse !== undefined) curve.push(report);
    onReport(report);
  }
  const model = await run.model();
  return { model, curve, results: await compare(model, unseen, kernels) };
}

/** The same patches of unseen pictures, with the same number of atoms, over three dictionaries. */
async function compare(model: Model, unseen: readonly Signal[], kernels: Kernels): Promise<DemoResult[]> {
  const rows = [
    { name: "wavelets (separable)", parts: { base: createBase("separable:sym8", demoSettings.patch) } },
    { name: "cropped wavelets", parts: { base: model.base } },
    { name: "learned dictionary", parts: { base: model.base, A: model.A } },
  ];
  const options = { coding: demoSettings.coding, examples: 5000, seed: 2, removeMean: true, kernels };
  const results: DemoResult[] = [];
  for (const { name, parts } of rows)
    results.push({ name, rmse: await representationError(parts, unseen, options) });
  return results;
}
