/** The pictures of an experiment: checked, read, and described for its result. */

import { resolve } from "node:path";
import { InputError } from "../../core/errors.js";
import type { Signal } from "../../core/signal.js";
import { type Input, inspectInputs } from "../../data/node/inputs.js";
import { readSignals } from "../../data/node/readSignals.js";
import { contentsOf, digestOf, nameWithoutFolders } from "../../data/sampling/dataContents.js";
import type { ResultData } from "../../experiments/results/result.js";
import type { Experiment, ExperimentData } from "../../experiments/shared/experiment.js";

/** The data arguments of a run: files, folders and globs. */
export interface DataArguments {
  readonly images?: readonly string[] | undefined;
  readonly test?: readonly string[] | undefined;
}

/** The files that they stand for. */
export interface DataInputs {
  readonly images?: readonly Input[];
  readonly test?: readonly Input[];
}

/** The data in memory, and what the result says of them. */
export interface LoadedData {
  readonly signals: ExperimentData;
  readonly described: readonly ResultData[];
}

type Note = (line: string) => void;

/** The files to read; no file may be both learned from and tested on. */
export async function inspectData({ images, test }: DataArguments, onSkip: Note): Promise<DataInputs> {
  const seen = images && (await inspectInputs(images, { onSkip }));
  const unseen = test && (await inspectInputs(test, { onSkip }));
  const known = new Set(seen?.map(({ path }) => resolve(path)));
  const both = unseen?.find(({ path }) => known.has(resolve(path)));
  if (both !== undefined)
    throw new InputError(`--test must be images that are not learned from, got ${both.path} in both`);
  return { ...(seen && { images: seen }), ...(unseen && { test: unseen }) };
}

export async function loadData(
  inputs: DataInputs,
  given: DataArguments,
  { patch, images: purpose }: Pick<Experiment, "patch" | "images">,
  onSkip: Note,
): Promise<LoadedData> {
  const read = async (list: readonly Input[] | undefined): Promise<Signal[] | undefined> =>
    list && (await readSignals(list, { patch, onSkip }));
  const images = await read(inputs.images);
  if (purpose === "learn" && images?.length === 1 && !inputs.test)
    throw new InputError("--images must be at least two unless --test is given, got 1");
  const test = await read(inputs.test);
  return {
    signals: { images, test },
    described: [...describeData("images", given.images, images), ...describeData("test", given.test, test)],
  };
}

function describeData(
  role: string,
  given: readonly string[] | undefined,
  signals: readonly Signal[] | undefined,
): ResultData[] {
  if (!given || !signals) return [];
  const name = given.map(nameWithin).join(", ");
  return [{ role, name, signals: signals.length, digest: digestOf(contentsOf(signals)) }];
}

/** The last two parts of a path, without the folders of one machine: `photos/train`. */
export function nameWithin(path: string): string {
  const last = nameWithoutFolders(path.replace(/[\\/]+$/, ""));
  const above = nameWithoutFolders(
    path
      .replace(/[\\/]+$/, "")
      .slice(0, -last.length)
      .replace(/[\\/]+$/, ""),
  );
  return /^[^.].*/.test(above) ? `${above}/${last}` : last;
}
