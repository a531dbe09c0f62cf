/** The experiments there are, by name. What they need is loaded when one is prepared: charts take a while to load. */

import { requireOneOf } from "../core/require.js";
import { fig1 } from "./fig01-borders/config.js";
import { fig2, fig2Quick } from "./fig02-jump/config.js";
import { fig3 } from "./fig03-haar/config.js";
import { fig4, fig11, type MTermConfig } from "./fig04-mterm/config.js";
import { fig5 } from "./fig05-convergence/config.js";
import { fig6 } from "./fig06-step-sizes/config.js";
import { fig7 } from "./fig07-denoising/config.js";
import { fig8 } from "./fig08-faces/config.js";
import { type UniversalConfig, universal32, universal64 } from "./fig11-universal/config.js";
import type { Experiment } from "./shared/experiment.js";
import { requireDrawingOptions } from "./shared/pageParts.js";

const borders: Experiment = {
  name: "fig1",
  summary: "borders, and the extension by cropped wavelets: figure 1",
  patch: [1, 1],
  images: "none",
  async prepare(options) {
    requireDrawingOptions("fig1", options, ["seed"]);
    const { runBorders } = await import("./fig01-borders/run.js");
    return (_data, { kernels }) => runBorders({ ...fig1, seed: options.seed ?? fig1.seed }, kernels);
  },
};

const jump: Experiment = {
  name: "fig2",
  summary: "errors at borders and at a jump, by sample: figure 2",
  patch: [1, 1],
  images: "none",
  async prepare(options) {
    requireDrawingOptions("fig2", options, ["seed", "examples"]);
    const small = options.quick ? fig2Quick : {};
    const config = { ...fig2, ...small, seed: options.seed ?? fig2.seed };
    const { runJump } = await import("./fig02-jump/run.js");
    return (_data, { kernels }) =>
      runJump({ ...config, functions: options.examples ?? config.functions }, kernels);
  },
};

const haar: Experiment = {
  name: "fig3",
  summary: "2-D Haar atoms of 8x8, separable and usual: figure 3",
  patch: [1, 1],
  images: "none",
  async prepare(options) {
    requireDrawingOptions("fig3", options, []);
    const { runHaar } = await import("./fig03-haar/run.js");
    return async () => runHaar(fig3);
  },
};

function mTerm(config: MTermConfig): Experiment {
  const { name, summary } = config;
  const sizes = config.panels.map(({ patch }) => patch);
  return {
    name,
    summary,
    patch: sizes[0].map((_, axis) => Math.max(...sizes.map((patch) => patch[axis]))),
    images: "test",
    async prepare(options) {
      requireDrawingOptions(name, options, ["seed", "examples"]);
      const { runMTerm } = await import("./fig04-mterm/run.js");
      const chosen = { ...config, ...(options.quick ? config.quick : {}) };
      const { seed = chosen.seed, examples: patches = chosen.patches } = options;
      return (data, tools) => runMTerm({ ...chosen, seed, patches }, data, tools);
    },
  };
}

/** An experiment whose settings are checked where it is run. */
function experiment(
  { name, summary }: Pick<Experiment, "name" | "summary">,
  about: Pick<Experiment, "patch" | "sizes" | "images">,
  prepare: Experiment["prepare"],
): Experiment {
  return { name, summary, ...about, prepare };
}

const sizesOfFig5 = fig5.sizes.map(({ patch }) => patch);
const convergence = experiment(
  fig5,
  { patch: sizesOfFig5.at(-1)!, sizes: sizesOfFig5, images: "learn and test" },
  async (...given) => (await import("./fig05-convergence/run.js")).prepareConvergence(fig5, ...given),
);

const stepSizes = experiment(fig6, { patch: fig6.patch, images: "learn and test" }, async (...given) =>
  (await import("./fig06-step-sizes/run.js")).prepareStepSizes(fig6, ...given),
);

const largest = fig7.sizes.at(-1)!;
const denoising = experiment(fig7, { patch: [largest, largest], images: "test" }, async (...given) =>
  (await import("./fig07-denoising/run.js")).prepareDenoising(fig7, ...given),
);

const faces = experiment(fig8, { patch: fig8.patch, images: "learn" }, async (...given) =>
  (await import("./fig08-faces/run.js")).prepareFaces(fig8, ...given),
);

function universal(config: UniversalConfig): Experiment {
  return experiment(config, { patch: config.patch, images: "learn" }, async (...given) =>
    (await import("./fig11-universal/run.js")).prepareUniversal(config, ...given),
  );
}

export const experiments: readonly Experiment[] = [
  borders,
  jump,
  haar,
  mTerm(fig4),
  convergence,
  stepSizes,
  denoising,
  faces,
  mTerm(fig11),
  universal(universal32),
  universal(universal64),
];

/** The experiment of this name. */
export function experimentOf(name: string): Experiment {
  const names = experiments.map((experiment) => experiment.name);
  requireOneOf("experimentOf", "experiment", name, names);
  return experiments.find((experiment) => experiment.name === name)!;
}
