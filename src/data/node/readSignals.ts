/**
 * The signals of files, all in memory.
 *
 * An image is one signal of two axes, or of three for a colour patch such as 8x8x3. An array with as many axes as the patch is
 * one signal; with one axis more, the first counts signals; anything else is an
 * error. What cannot be used (smaller than the patch, an image that cannot be
 * read) is skipped and reported, as long as something is left. Samples that are one of
 * `nodata` are missing, and NaN in the signals.
 */

import { byRule, callback, required, requireOptions, text } from "../../core/arguments/argumentTypes.js";
import type { Signal } from "../../core/signal.js";
import { readUnits, samplesOf } from "../sampling/signalSource.js";
import { type InputList, inspectInputs, type ReadSignalsOptions, resolvePatch } from "./inputs.js";
import { nothingToRead, openSource } from "./openSource.js";
import { SkippedFiles, warnOfSkipped } from "./skippedFiles.js";
import { shownPath } from "./system/fileNames.js";

/**
 * The signals of files, folders, globs and archives, in their order, each at least as large as the patch.
 *
 * @example
 * const photos = await readSignals("photos", { patch: 16 });
 */
export async function readSignals(data: InputList, options: ReadSignalsOptions): Promise<Signal[]> {
  requireOptions("readSignals", options, {
    patch: required(byRule),
    patchOf: text,
    onSkip: callback,
    nodata: byRule,
    signals: byRule,
    raw: byRule,
  });
  const { onSkip = warnOfSkipped, signals: axis, raw } = options;
  const inputs = await inspectInputs(data, { onSkip, signals: axis, raw });
  const patch = resolvePatch(options.patch, inputs);
  const source = await openSource(inputs, {
    patch,
    patchOf: options.patchOf,
    onSkip,
    nodata: options.nodata,
  });
  try {
    const { units } = source;
    const signals: Signal[] = [];
    const roomFor = (unit: number) => new Float32Array(samplesOf(units[unit]));
    const skipped = new SkippedFiles(onSkip);
    const optional = inputs.filter(({ kind, found }) => kind === "image" || found);
    const names = new Set(optional.map(({ path }) => shownPath(path)));
    await readUnits(source, Array.from(units.keys()), roomFor, (unit, read) => {
      if (read.problem && (inputs.length === 1 || !names.has(units[unit].name))) throw read.problem;
      if (read.problem) skipped.add(read.problem);
      for (const signal of read.signals) signals.push(signal);
    });
    skipped.end();
    if (signals.length === 0) throw nothingToRead(patch);
    return signals;
  } finally {
    await source.close();
  }
}
