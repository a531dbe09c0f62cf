/** All experiments, by name. The code of one is loaded when it is prepared: charts take a while to load. */

import { requireOneOf } from "../core/require.js";
import { complexity } from "./complexity/settings.js";
import { fig1 } from "./fig01-borders/settings.js";
import { fig2 } from "./fig02-jump/settings.js";
import { fig3 } from "./fig03-haar/settings.js";
import { type AnalyticSettings, fig4, fig11 } from "./fig04-and-11-analytic/settings.js";
import { fig5 } from "./fig05-convergence/settings.js";
import { fig6 } from "./fig06-step-sizes/settings.js";
import { fig7 } from "./fig07-denoising/settings.js";
import { fig8 } from "./fig08-faces/settings.js";
import { type UniversalSettings, universal32, universal64 } from "./fig09-to-11-universal/settings.js";
import { remarks } from "./remarks/settings.js";
import { type CommonSettings, recordSettings } from "./shared/chooseSettings.js";
import type { Experiment, ExperimentOptions, ExperimentRun } from "./shared/experiment.js";

type Prepare<S> = (settings: S, options: ExperimentOptions) => ExperimentRun;

/** An experiment from its settings, what it uses, and its code. */
function experiment<S extends CommonSettings<S>>(
  settings: S,
  uses: Pick<Experiment, "patch" | "sizes" | "images">,
  load: () => Promise<Prepare<S>>,
): Experiment {
  const { name, summary } = settings;
  return {
    ...{ name, summary, ...uses },
    settings: ({ quick = false, ...options }) => ({
      ...recordSettings({ ...settings, ...(quick ? settings.quick : {}) }),
      ...{ quick, options },
    }),
    prepare: async (options) => (await load())(settings, options),
  };
}

const noImages = { patch: [1, 1], images: "none" } as const;

const borders = experiment(
  fig1,
  noImages,
  async () => (await import("./fig01-borders/run.js")).prepareBorders,
);

const jump = experiment(fig2, noImages, async () => (await import("./fig02-jump/run.js")).prepareJump);

const haar = experiment(fig3, noImages, async () => (await import("./fig03-haar/run.js")).prepareHaar);

function analytic(settings: AnalyticSettings): Experiment {
  const sizes = settings.charts.map(({ patch }) => patch);
  const patch = sizes[0].map((_, axis) => Math.max(...sizes.map((size) => size[axis])));
  return experiment(
    settings,
    { patch, images: "test" },
    async () => (await import("./fig04-and-11-analytic/run.js")).prepareAnalytic,
  );
}

const convergenceSizes = fig5.sizes.map(({ patch }) => patch);
const convergence = experiment(
  fig5,
  { patch: convergenceSizes.at(-1)!, sizes: convergenceSizes, images: "learn and test" },
  async () => (await import("./fig05-convergence/run.js")).prepareConvergence,
);

const stepSizes = experiment(
  fig6,
  { patch: fig6.patch, images: "learn and test" },
  async () => (await import("./fig06-step-sizes/run.js")).prepareStepSizes,
);

const largestPatch = fig7.sizes.at(-1)!;
const denoising = experiment(
  fig7,
  { patch: [largestPatch, largestPatch], images: "test" },
  async () => (await import("./fig07-denoising/run.js")).prepareDenoising,
);

const faces = experiment(
  fig8,
  { patch: fig8.patch, images: "learn" },
  async () => (await import("./fig08-faces/run.js")).prepareFaces,
);

const batchTimes = experiment(
  complexity,
  { patch: [64, 64], images: "test" },
  async () => (await import("./complexity/run.js")).prepareComplexity,
);

const withoutFigure = experiment(
  remarks,
  { patch: remarks.product.patch, images: "learn and test" },
  async () => (await import("./remarks/run.js")).prepareRemarks,
);

function universal(settings: UniversalSettings): Experiment {
  return experiment(
    settings,
    { patch: settings.patch, images: "learn" },
    async () => (await import("./fig09-to-11-universal/run.js")).prepareUniversal,
  );
}

export const experiments: readonly Experiment[] = [
  borders,
  jump,
  haar,
  analytic(fig4),
  batchTimes,
  withoutFigure,
  convergence,
  stepSizes,
  denoising,
  faces,
  analytic(fig11),
  universal(universal32),
  universal(universal64),
];

/** The experiment of this name. */
export function findExperiment(name: string): Experiment {
  const names = experiments.map((experiment) => experiment.name);
  requireOneOf("findExperiment", "experiment", name, names);
  return experiments.find((experiment) => experiment.name === name)!;
}
