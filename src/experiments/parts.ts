/** What experiments have in common: options they do not take, made-up pictures, files and parts of pages. */

import { InputError } from "../core/errors.js";
import { type OptionNaming, requireInteger } from "../core/require.js";
import type { Signal } from "../core/signal.js";
import { syntheticPictures } from "../data/synthetic.js";
import type { PageSection } from "../figures/page.js";
import type { Claim, ExperimentData, ExperimentOptions, OutcomeFile } from "./experiment.js";

/** Check the options of an experiment that only draws: a seed, and perhaps a number of examples. */
export function requireDrawingOptions(
  name: string,
  options: ExperimentOptions,
  taken: readonly (keyof ExperimentOptions)[],
  caller: string,
  say: OptionNaming,
): void {
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || key === "quick" || taken.includes(key as keyof ExperimentOptions)) continue;
    throw new InputError(`${caller}: ${say(key)} is no option of ${name}`);
  }
  if (options.seed !== undefined) requireInteger(caller, say("seed"), options.seed, 0);
  if (options.examples !== undefined) requireInteger(caller, say("examples"), options.examples, 1);
}

/** The pictures given, or as many made up. */
export function picturesOr(
  { images }: ExperimentData,
  made: { readonly count: number; readonly size: number },
  seed: number,
): { readonly pictures: readonly Signal[]; readonly sources: string } {
  if (images) return { pictures: images, sources: `${images.length} pictures` };
  return {
    pictures: syntheticPictures(seed, made.count, made.size),
    sources: `${made.count} made-up pictures`,
  };
}

export function textFile(name: string, content: string): OutcomeFile {
  return { name, bytes: new TextEncoder().encode(content) };
}

/** What was expected, for a page. */
export function claimSection(claims: readonly Claim[]): PageSection {
  return {
    heading: "What was expected",
    kind: "table",
    header: ["claim", "outcome"],
    rows: claims.map(({ text, holds }) => [text, holds ? "holds" : "does not hold"]),
  };
}
