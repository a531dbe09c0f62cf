/** The experiments there are, by name. What they need is loaded when one is prepared. */

import { requireOneOf } from "../core/require.js";
import { type ConvergenceConfig, fig5 } from "./convergence/config.js";
import type { Experiment } from "./experiment.js";
import { fig6, type StepSizesConfig } from "./stepSizes/config.js";
import { type UniversalConfig, universal32, universal64 } from "./universal/config.js";

export const experiments: readonly Experiment[] = [
  convergence(fig5),
  stepSizes(fig6),
  ...[universal32, universal64].map(universal),
];

/** The experiment of this name. */
export function experimentOf(name: string, caller: string): Experiment {
  const names = experiments.map((experiment) => experiment.name);
  requireOneOf(caller, "experiment", name, names);
  return experiments.find((experiment) => experiment.name === name)!;
}

// charts take a while to load, so the runs are imported when they are needed

function convergence(config: ConvergenceConfig): Experiment {
  const { name, summary, sizes } = config;
  return {
    name,
    summary,
    patch: sizes.at(-1)!.patch,
    testsOn: "patches",
    async prepare(options, caller, say) {
      const { prepareConvergence } = await import("./convergence/run.js");
      return prepareConvergence(config, options, caller, say);
    },
  };
}

function stepSizes(config: StepSizesConfig): Experiment {
  const { name, summary, patch } = config;
  return {
    name,
    summary,
    patch,
    testsOn: "patches",
    async prepare(options, caller, say) {
      const { prepareStepSizes } = await import("./stepSizes/run.js");
      return prepareStepSizes(config, options, caller, say);
    },
  };
}

function universal(config: UniversalConfig): Experiment {
  const { name, summary, patch } = config;
  return {
    name,
    summary,
    patch,
    testsOn: "pictures",
    async prepare(options, caller, say) {
      const { prepareUniversal } = await import("./universal/run.js");
      return prepareUniversal(config, options, caller, say);
    },
  };
}
