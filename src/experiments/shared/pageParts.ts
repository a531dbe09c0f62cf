/** What experiments have in common: options they do not take, made-up pictures, files and parts of pages. */

import { InputError } from "../../core/errors.js";
import { requireInteger } from "../../core/require.js";
import type { Signal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import type { PageSection } from "../../figures/pages/htmlPage.js";
import type { Claim, ExperimentData, ExperimentOptions, OutcomeFile } from "./experiment.js";

/** Check the options of an experiment that only draws: a seed, and perhaps a number of examples. */
export function requireDrawingOptions(
  name: string,
  options: ExperimentOptions,
  taken: readonly (keyof ExperimentOptions)[],
): void {
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || key === "quick" || taken.includes(key as keyof ExperimentOptions)) continue;
    throw new InputError((nameOf) => `${nameOf(key)} is not an option of ${name}`, { argument: key });
  }
  if (options.seed !== undefined) requireInteger(name, "seed", options.seed, 0);
  if (options.examples !== undefined) requireInteger(name, "examples", options.examples, 1);
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

/** Of pictures without others to test on, each tenth is set aside. */
const setAside = 10;

/** Pictures to learn from and others to test on: those given, a part of them set aside, or made-up ones. */
export function learnAndTest(
  pictures: { readonly train: number; readonly test: number; readonly size: number },
  seed: number,
  { images, test }: ExperimentData,
): { images: readonly Signal[]; test: readonly Signal[]; sources: string } {
  if (!images) {
    const made = syntheticPictures(seed, pictures.train + (test ? 0 : pictures.test), pictures.size);
    const tested = test ? `${test.length} others` : `${pictures.test} others like them`;
    return {
      images: made.slice(0, pictures.train),
      test: test ?? made.slice(pictures.train),
      sources: `${pictures.train} made-up pictures, tested on ${tested}`,
    };
  }
  if (test) return { images, test, sources: `${images.length} pictures, tested on ${test.length} others` };
  if (images.length < 2) {
    throw new InputError(
      (nameOf) =>
        `${nameOf("images")} must be at least two where none are given to test on, got ${images.length}`,
      { argument: "images" },
    );
  }
  const isTest = (_: Signal, i: number) =>
    i % setAside === setAside - 1 || (images.length < setAside && i === 0);
  const [kept, tested] = [images.filter((one, i) => !isTest(one, i)), images.filter(isTest)];
  return {
    images: kept,
    test: tested,
    sources: `${kept.length} pictures, tested on ${tested.length} set aside`,
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
