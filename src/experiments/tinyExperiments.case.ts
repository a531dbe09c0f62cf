/** Every experiment at a size that takes a second or less, for tests that run all of them. */

import { experiments } from "./catalogue.js";
import { prepareComplexity } from "./complexity/run.js";
import { type ComplexitySettings, complexity } from "./complexity/settings.js";
import { prepareAnalytic } from "./fig04-and-11-analytic/run.js";
import { type AnalyticSettings, fig4, fig11 } from "./fig04-and-11-analytic/settings.js";
import { prepareConvergence } from "./fig05-convergence/run.js";
import { type ConvergenceSettings, fig5 } from "./fig05-convergence/settings.js";
import { prepareStepSizes } from "./fig06-step-sizes/run.js";
import { fig6, type StepSizesSettings } from "./fig06-step-sizes/settings.js";
import { prepareDenoising } from "./fig07-denoising/run.js";
import { type DenoisingSettings, fig7 } from "./fig07-denoising/settings.js";
import { prepareFaces } from "./fig08-faces/run.js";
import { type FacesSettings, fig8 } from "./fig08-faces/settings.js";
import { prepareUniversal } from "./fig09-to-11-universal/run.js";
import { type UniversalSettings, universal32, universal64 } from "./fig09-to-11-universal/settings.js";
import { prepareRemarks } from "./remarks/run.js";
import { type RemarksSettings, remarks } from "./remarks/settings.js";
import { type CommonSettings, recordSettings } from "./shared/chooseSettings.js";
import type { Experiment, ExperimentOptions, ExperimentRun } from "./shared/experiment.js";

/** An experiment of the catalogue with other settings; its quick version is the same. */
function tiny<S extends CommonSettings<S>>(
  { quick: _, ...settings }: S,
  patch: readonly number[],
  prepare: (settings: S, options: ExperimentOptions) => ExperimentRun,
): [string, Pick<Experiment, "patch" | "settings" | "prepare">] {
  const small = settings as unknown as S;
  return [
    small.name,
    {
      patch,
      settings: () => recordSettings(small),
      prepare: async (options) => prepare(small, options),
    },
  ];
}

function tinyAnalytic(settings: AnalyticSettings) {
  const charts = settings.charts.map((chart) => ({ ...chart, patch: [16, 16], terms: [2, 4] }));
  const small = { ...settings, charts, examples: 6, shown: 0, pictures: { count: 1, size: 40 } };
  return tiny<AnalyticSettings>(small, [16, 16], prepareAnalytic);
}

function tinyUniversal(settings: UniversalSettings) {
  const small = {
    ...settings,
    ...{ patch: [8, 8], atoms: 256, atomSparsity: 6, sparsity: 4, examples: 300, epochs: 1 },
    ...{ batches: { gpu: 100, other: 100 }, testPatches: 20, terms: [1, 2, 4] },
    learned: settings.learned.map(({ own: _, ...method }) => ({
      ...method,
      ...(method.after ? { own: { sparsity: 5, examples: 100 } } : {}),
    })),
    margins: settings.margins.map((margin) => ({ ...margin, decibels: { 2: 1 } })),
    pictures: { train: 2, test: 1, size: 40 },
  };
  return tiny<UniversalSettings>(small, [8, 8], prepareUniversal);
}

const tinyRemarkSize = { patch: [6, 6], sparsity: 2, atomSparsity: 3 };
/** Also for remarks.test.ts. */
export const tinyRemarks = {
  base: "cropped:db2",
  product: { patch: [6, 6], patches: 10, rounds: 1 },
  approximation: { patch: [6, 6], patches: 10, terms: [1, 2, 4] },
  momentum: { sizes: [tinyRemarkSize], momentum: 0.9, examples: 80 },
  few: { sizes: [tinyRemarkSize], examples: 40, epochs: 2 },
  ...{ testPatches: 20, batch: 40, pictures: { count: 1, size: 40 } },
} as const;

const small = new Map([
  tinyAnalytic(fig4),
  tinyAnalytic(fig11),
  tiny<ConvergenceSettings>(
    {
      ...fig5,
      ...{ base: "cropped:db2", examples: 120, testPatches: 30, batch: 40 },
      // of the largest patches everything is claimed; some claims compare patch sizes, some are of more than 144 samples
      sizes: [5, 13].map((side) => ({
        ...fig5.sizes.at(-1)!,
        ...{ patch: [side, side], sparsity: 2, atomShares: [0.05, 0.1], meetsOdlFrom: 0.05 },
      })),
      methods: fig5.methods.map((method) => ({ ...method, epochs: 1 })),
      pictures: { count: 1, size: 40 },
    },
    [6, 6],
    prepareConvergence,
  ),
  tiny<StepSizesSettings>(
    {
      ...fig6,
      ...{ patch: [6, 6], base: "cropped:db2", atomSparsity: 3, sparsity: 2, examples: 100, batch: 50 },
      pictures: { count: 1, size: 40 },
    },
    [6, 6],
    prepareStepSizes,
  ),
  tiny<DenoisingSettings>(
    {
      ...fig7,
      ...{ sizes: [4, 5], examples: 60, batch: 40, stride: 2, pictures: { count: 2, size: 24 } },
      methods: fig7.methods.map((method) => ({ ...method, epochs: 1 })),
      reference: { ...fig7.reference, size: 4, epochs: 1 },
    },
    [5, 5],
    prepareDenoising,
  ),
  tiny<FacesSettings>(
    {
      ...fig8,
      ...{ patch: [8, 8], atoms: 64, atomSparsity: 6, sparsity: 4, examples: 300, epochs: 1, batch: 100 },
      ...{ components: 20, testPatches: 20, terms: [1, 2, 4], claimed: { ...fig8.claimed, terms: 2 } },
      sedil: { ...fig8.sedil, base: "odct:1.5", examples: 40 },
      pictures: { train: 2, test: 1, size: 40 },
    },
    [8, 8],
    prepareFaces,
  ),
  tiny<ComplexitySettings>(
    {
      ...complexity,
      sweeps: complexity.sweeps.map((sweep) => ({
        ...sweep,
        sizes: [
          { side: 4, atoms: 40, atomSparsity: 3, sparsity: 1, batch: 20 },
          {
            side: sweep.letter === "n" ? 6 : 4,
            atoms: sweep.letter === "m" ? 60 : 40,
            atomSparsity: sweep.letter === "k" ? 5 : 3,
            sparsity: 1,
            batch: sweep.letter === "N" ? 40 : 20,
          },
        ],
      })),
      ...{ base: "cropped:db2", updates: 1, rounds: 1, pictures: { count: 1, size: 40 } },
    },
    [6, 6],
    prepareComplexity,
  ),
  tiny<RemarksSettings>({ ...remarks, ...tinyRemarks }, [6, 6], prepareRemarks),
  tinyUniversal(universal32),
  tinyUniversal(universal64),
]);

/** All experiments of the catalogue, in its order. */
export const tinyExperiments: readonly Experiment[] = experiments.map((experiment) => ({
  ...experiment,
  ...small.get(experiment.name),
}));
