/** The settings of one run: those of the experiment, its quick version, then the options given. */

import { InputError } from "../../core/errors.js";
import { requireInteger } from "../../core/require.js";
import type { Experiment, ExperimentOptions } from "./experiment.js";

/** What the settings of every experiment have. `S` is the type of the settings themselves. */
export interface CommonSettings<S> extends Pick<Experiment, "name" | "summary"> {
  /** What is different in the quick version. */
  readonly quick?: Partial<S>;
}

type OptionName = Exclude<keyof ExperimentOptions, "quick">;

/** The options of every experiment that trains. */
export const trainingOptions: readonly OptionName[] = ["examples", "epochs", "batch", "seed"];

/**
 * Check that all options are `known` ones in their range, and put those that are settings of the
 * same name in place. An option that is not (the epochs of each of several methods) is left to the experiment.
 */
export function chooseSettings<S extends CommonSettings<S>>(
  settings: S,
  { quick, ...options }: ExperimentOptions,
  known: readonly OptionName[],
): S {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [option, value] of given) requireOption(settings.name, option, value, known);
  const replaced = given.filter(([option]) => option in settings);
  return { ...settings, ...(quick ? settings.quick : {}), ...Object.fromEntries(replaced) };
}

function requireOption(
  experiment: string,
  option: string,
  value: unknown,
  known: readonly OptionName[],
): void {
  if (!known.includes(option as OptionName)) {
    throw new InputError((nameOf) => `${nameOf(option)} is not an option of ${experiment}`, {
      argument: option,
    });
  }
  if (option !== "patch") requireInteger(experiment, option, value, option === "seed" ? 0 : 1);
}
