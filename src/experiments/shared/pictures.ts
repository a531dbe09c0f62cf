/** The pictures of an experiment: those given, or synthetic ones from the seed. */

import { InputError } from "../../core/errors.js";
import type { Signal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import type { ExperimentData } from "./experiment.js";

/** How many synthetic pictures to make, and their sides in pixels. */
export interface PictureCount {
  readonly count: number;
  readonly size: number;
}

/** The same, to learn from and to test on. */
export interface SplitCount {
  readonly train: number;
  readonly test: number;
  readonly size: number;
}

/** The pictures given, or synthetic ones; `sources` describes them in a sentence. */
export function choosePictures(
  { images }: ExperimentData,
  { count, size }: PictureCount,
  seed: number,
): { readonly pictures: readonly Signal[]; readonly sources: string } {
  if (!images) {
    const sources = count === 1 ? "a synthetic picture" : `${count} synthetic pictures`;
    return { pictures: syntheticPictures(seed, count, size), sources };
  }
  if (images.length === 0) throw tooFewImages("must hold at least one picture", 0);
  return { pictures: images, sources: images.length === 1 ? images[0].name : `${images.length} pictures` };
}

/** The departures of a run: those of its settings, and that its pictures are synthetic where none are given. */
export function departuresOf(
  { departures }: { readonly departures: readonly string[] },
  { images }: ExperimentData,
): string[] {
  return images ? [...departures] : [...departures, "The pictures are synthetic, not photographs."];
}

/** Without pictures to test on, one in this many of the others is set aside. */
const oneInSetAside = 10;

/** Pictures to learn from and others to test on: those given, some of them set aside, or synthetic ones. */
export function splitPictures(
  { images, test }: ExperimentData,
  synthetic: SplitCount,
  seed: number,
): { readonly images: readonly Signal[]; readonly test: readonly Signal[]; readonly sources: string } {
  if (!images) {
    const { train, size } = synthetic;
    const made = syntheticPictures(seed, train + (test ? 0 : synthetic.test), size);
    const others = test ? `${test.length} other pictures` : `${synthetic.test} others of the same kind`;
    return {
      images: made.slice(0, train),
      test: test ?? made.slice(train),
      sources: `${train} synthetic pictures, tested on ${others}`,
    };
  }
  if (test) return { images, test, sources: `${images.length} pictures, tested on ${test.length} others` };
  if (images.length < 2)
    throw tooFewImages("must be at least two if there are no images to test on", images.length);
  const isSetAside = (i: number) =>
    i % oneInSetAside === oneInSetAside - 1 || (images.length < oneInSetAside && i === 0);
  const kept = images.filter((_, i) => !isSetAside(i));
  const setAside = images.filter((_, i) => isSetAside(i));
  const sources = `${kept.length} pictures, tested on ${setAside.length} others set aside`;
  return { images: kept, test: setAside, sources };
}

function tooFewImages(rule: string, count: number): InputError {
  return new InputError((nameOf) => `${nameOf("images")} ${rule}, got ${count}`, { argument: "images" });
}
