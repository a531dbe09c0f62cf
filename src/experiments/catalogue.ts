/** The experiments there are, by name. What they need is loaded when one is prepared. */

import { requireOneOf } from "../core/require.js";
import type { Experiment } from "./experiment.js";
import { type UniversalConfig, universal32, universal64 } from "./universal/config.js";

export const experiments: readonly Experiment[] = [universal32, universal64].map(universal);

/** The experiment of this name. */
export function experimentOf(name: string, caller: string): Experiment {
  const names = experiments.map((experiment) => experiment.name);
  requireOneOf(caller, "experiment", name, names);
  return experiments.find((experiment) => experiment.name === name)!;
}

function universal(config: UniversalConfig): Experiment {
  const { name, summary, patch } = config;
  return {
    name,
    summary,
    patch,
    async prepare(options, caller, say) {
      const { prepareUniversal } = await import("./universal/run.js"); // here alone: charts take a while to load
      return prepareUniversal(config, options, caller, say);
    },
  };
}
