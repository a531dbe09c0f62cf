/** The settings of one run: those of the experiment, its quick version, then the options given. */

import { InputError } from "../../core/errors.js";
import { grouped } from "../../core/formatText.js";
import { requireInteger } from "../../core/require.js";
import { formatShape } from "../../core/shape.js";
import type { Experiment, ExperimentOptions } from "./experiment.js";

/** What the settings of every experiment have. `S` is the type of the settings themselves. */
export interface CommonSettings<S> extends Pick<Experiment, "name" | "summary"> {
  /** Where the experiment departs from the paper at its full size, one sentence each. */
  readonly departures: readonly string[];
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
  const departures = [
    ...settings.departures,
    ...(quick && settings.quick ? ["This is the quick version, smaller than the paper's experiment."] : []),
    ...given.flatMap(([option, value]) => describeChange(option, value, settings)),
  ];
  return { ...settings, ...(quick ? settings.quick : {}), ...Object.fromEntries(replaced), departures };
}

/** An option that was given: `examples: 500, in place of 200,000.` */
function describeChange(option: string, value: unknown, settings: object): string[] {
  const usual: unknown = (settings as Record<string, unknown>)[option];
  if (option === "seed" || value === usual) return [];
  const shown = Array.isArray(value) ? formatShape(value) : grouped(Number(value));
  return [`${option}: ${shown}${typeof usual === "number" ? `, in place of ${grouped(usual)}` : ""}.`];
}

/** The settings as plain JSON, for the record of a run. */
export function recordSettings<S extends CommonSettings<S>>(settings: S): Record<string, unknown> {
  const { name: _name, summary: _summary, departures: _departures, quick: _quick, ...others } = settings;
  return JSON.parse(JSON.stringify(others));
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
