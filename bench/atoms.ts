/**
 * What the atoms of a dictionary show, and how well they approximate: the kinds of its atoms, patterns that recur at other
 * places, and M-term curves of unseen patches beside those of its base. These are the measures of experiments 6 to 8
 * (src/experiments/fig09-to-11-universal), for a dictionary from `trainlets train`. The experiments learn rivals too, which
 * takes a GPU; one dictionary can be learned without. The tables judge nothing: claims are made of them by
 * tests/docs/dictionaryClaims.ts.
 */

import { InputError } from "../src/core/errors.js";
import { grouped } from "../src/core/formatText.js";
import { formatShape, sameShape } from "../src/core/shape.js";
import { readSignals } from "../src/data/node/readSignals.js";
import { baseCols } from "../src/dictionaries/base.js";
import { seeAtoms, summarizeFamilies } from "../src/experiments/fig09-to-11-universal/atomClaims.js";
import {
  type UniversalSettings,
  universal32,
  universal64,
} from "../src/experiments/fig09-to-11-universal/settings.js";
import type { Kernels } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import type { Model } from "../src/model/model.js";
import { loadModel } from "../src/model/node/files.js";
import { approximatorOf, samplePatches } from "../src/tasks/approximate/mTerm.js";
import { mTermCurves } from "../src/tasks/approximate/mTermCurves.js";
import { describeMachine, type Options } from "./setting.js";
import { table } from "./table.js";

/** The tables, and the machine with the pictures of the test: nothing is learned here. */
export async function benchAtoms(
  options: Options,
): Promise<{ readonly text: string; readonly machine: string }> {
  const { dictionary: paths, test, threads } = options;
  if (paths.length === 0) throw new InputError("bench: atoms needs --dictionary FILE");
  if (test.length === 0)
    throw new InputError("bench: atoms needs --test, pictures to approximate patches of");
  const kernels = await createCpuKernels({ threads });
  const sections: string[] = [];
  for (const path of paths) {
    const model = await loadModel(path);
    const experiment = experimentOf(model, path);
    sections.push(
      historyTable(model, experiment),
      await atomTables(model, experiment, kernels),
      await curveTable(model, experiment, test, kernels),
    );
  }
  await kernels.close();
  return { text: sections.join("\n\n"), machine: describeMachine({ ...options, images: test }) };
}

/** The experiment that learns atoms like these. */
function experimentOf({ shape, A, base, meta }: Model, path: string): UniversalSettings {
  const found = [universal32, universal64].find(
    ({ patch, atoms, atomSparsity, base: name }) =>
      sameShape(patch, shape) &&
      A.cols === atoms &&
      base.name === name &&
      meta.options.atomSparsity === atomSparsity,
  );
  if (found) return found;
  const known = [universal32, universal64].map(
    ({ name, patch, atoms, atomSparsity }) =>
      `${name} has ${grouped(atoms)} atoms of ${formatShape(patch)}, ${atomSparsity} non-zeros each`,
  );
  throw new InputError(`bench: ${path} is not a dictionary of an experiment; ${known.join("; ")}`);
}

/** How the dictionary was learned, and from how many patches the experiment learns. */
function historyTable({ meta }: Model, { name, examples, epochs }: UniversalSettings): string {
  const { learner, examplesSeen, options, coding } = meta;
  const codes = "sparsity" in coding ? `${coding.sparsity} atoms` : `RMSE of ${coding.error}`;
  return [
    `${name}, how it was learned:`,
    table(
      ["learner", "patches", "in the experiment", "mini-batches of", "codes", "by"],
      [
        [
          ...[learner, grouped(examplesSeen), grouped(examples * epochs), grouped(Number(options.batch))],
          ...[codes, coding.pursuit ?? "omp"],
        ],
      ],
    ),
  ].join("\n\n");
}

/** Two tables: kinds of atoms, and recurring patterns. */
async function atomTables(model: Model, { name }: UniversalSettings, kernels: Kernels): Promise<string> {
  const { kinds, baseKinds, families } = await seeAtoms(model, await model.atoms(kernels), kernels);
  const names = Object.keys(kinds);
  const percent = (shares: Readonly<Record<string, number>>) =>
    names.map((kind) => `${(100 * shares[kind]).toFixed(1)} %`);
  const { count, least, most, farthest } = summarizeFamilies(families);
  return [
    `${name}, kinds of atoms:`,
    table(
      ["atoms", ...names],
      [
        ["learned", ...percent(kinds)],
        ["of the base", ...percent(baseKinds)],
      ],
    ),
    `${name}, patterns that recur at other places, base atoms left out:`,
    table(
      ["families", "atoms, at least", "at most", "samples apart, at most"],
      [[String(count), String(least), String(most), farthest.toFixed(0)]],
    ),
  ].join("\n\n");
}

/** M-term approximation of the patches that the experiment tests on, of the same pictures. */
async function curveTable(
  model: Model,
  { name, patch, base, terms, testPatches, seed }: UniversalSettings,
  test: readonly string[],
  kernels: Kernels,
): Promise<string> {
  const pictures = await readSignals(test, { patch });
  const patches = await samplePatches(pictures, { patch, count: testPatches, seed, kernels });
  const contenders = [
    { label: `base, ${grouped(baseCols(model.base))} atoms`, make: () => approximatorOf(base, patch) },
    { label: "learned", make: () => model },
  ];
  const curves = await mTermCurves(contenders, patches, { maxTerms: terms.at(-1)!, kernels });
  const rows = curves.map(({ label, psnr }) => [label, ...terms.map((M) => psnr[M].toFixed(2))]);
  const told = `${name}, PSNR (dB) of ${patches.cols} patches of ${pictures.length} pictures with M terms, by OMP:`;
  return [told, table(["atoms", ...terms.map((M) => `M = ${M}`)], rows)].join("\n\n");
}
