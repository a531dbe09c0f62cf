/** `trainlets prune`: a dictionary with the atoms that are used most. */

import { Command } from "commander";
import { InputError, inputError } from "../../core/errors.js";
import { counted, grouped, rounded } from "../../core/formatText.js";
import { requireInteger } from "../../core/require.js";
import { formatShape } from "../../core/shape.js";
import { inspectInputs } from "../../data/node/inputs.js";
import { inputFiles, requireNotThere } from "../../data/node/outputs.js";
import { readSignals } from "../../data/node/readSignals.js";
import { modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import { mostUsedAtoms, pruneModel } from "../../model/pruneModel.js";
import { scoreDictionary } from "../../tasks/approximate/scoreDictionary.js";
import { noteData } from "../terminal/dataLines.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import {
  type AtomShapeFlag,
  atomShapeOption,
  dictionaryFiles,
  loadDictionary,
} from "../terminal/dictionaryFile.js";
import { count, type DataFlags, option, withDataOptions } from "../terminal/flags.js";
import { PercentLine } from "../terminal/percentLine.js";
import {
  forceOption,
  printDone,
  type ResultFlags,
  requireResult,
  withResultOptions,
  writeResult,
} from "../terminal/results.js";

interface PruneFlags extends DeviceFlags, AtomShapeFlag, ResultFlags, DataFlags {
  readonly output: string;
  readonly atoms?: string;
  readonly on?: string[];
  readonly count?: number;
  readonly seed?: number;
  readonly force?: boolean;
}

const defaults = { count: 20_000, seed: 1 } as const;

const examples = `
Examples:
  trainlets prune dict.npz -o small.npz --atoms 50%
  trainlets prune dict.npz -o small.npz --atoms 200 --on photos/

Without --on, the uses that training counted decide; with it, those on the
data, and the error before and after is printed.`;

export function pruneCommand(): Command {
  const command = new Command("prune")
    .summary("keep the atoms of a dictionary that are used most")
    .description("Write a dictionary with the atoms of another one that are used most, in their order.")
    .usage("<dictionary> -o <file> [options]")
    .argument("<dictionary>", `dictionary ${dictionaryFiles}`)
    .addOption(atomShapeOption())
    .requiredOption("-o, --output <file>", "dictionary to write (.npz), or - for standard output")
    .addOption(forceOption())
    .addOption(option("--atoms <m>", "atoms to keep: 200, or 50%", undefined, "all that are used"))
    .option("--on <data...>", "data whose patches decide: as for train")
    .addOption(option("--count <n>", "random patches of --on to code", count, defaults.count))
    .addOption(option("--seed <n>", "seed for choosing the patches", count, defaults.seed))
    .addHelpText("after", examples)
    .action(runPrune);
  return withResultOptions(withDeviceOptions(withDataOptions(command)));
}

async function runPrune(path: string, flags: PruneFlags): Promise<void> {
  const { output, on } = flags;
  const percent = new PercentLine();
  const onSkip = (message: string) => percent.note(`prune: ${message}`);
  requireDataFor(flags);
  const examples = requireInteger("prune", "count", flags.count ?? defaults.count, 1);
  const seed = requireInteger("prune", "seed", flags.seed ?? defaults.seed, 0);
  const inputs = on && (await inspectInputs(on, { onSkip, signals: flags.signals, raw: flags.raw }));
  await requireResult(output, [".npz"], [path, ...inputFiles(inputs)]);
  if (!flags.force) await requireNotThere(output);
  const model = await loadDictionary(path, flags);
  if (!inputs && !model.uses)
    throw new InputError((nameOf) => `${path} has no counts of use: give data with ${nameOf("on")}`, {
      argument: "on",
    });
  const measured = inputs
    ? await onDevice(flags, async (kernels) => {
        const signals = await readSignals(inputs, { patch: model.shape, patchOf: "the dictionary", onSkip });
        noteData("prune", inputs, signals, model.shape, (line) => percent.note(line));
        const score = (one: Model, from: number) =>
          scoreDictionary(one, signals, {
            ...{ coding: one.meta.coding, examples, seed, kernels },
            onProgress: (done) => percent.show(from + done / 2, "coding patches"),
          });
        const before = await score(model, 0);
        const pruned = pruneModel(model, keptAtoms(flags, before.uses));
        return { pruned, before: before.rmse, after: (await score(pruned, 0.5)).rmse };
      })
    : undefined;
  percent.clear();
  const pruned = measured?.pruned ?? pruneModel(model, keptAtoms(flags, model.uses ?? new Uint32Array()));
  await writeResult(output, modelToBytes(pruned, output));
  const errors = measured ? `, RMSE ${rounded(measured.before)} → ${rounded(measured.after)}` : "";
  printDone(
    flags,
    `${output}: ${grouped(pruned.A.cols)} of ${counted(model.A.cols, "atom")} of ${formatShape(model.shape)}${errors}`,
    {
      output,
      atoms: pruned.A.cols,
      of: model.A.cols,
      patch: model.shape,
      ...(measured ? { before: { rmse: measured.before }, after: { rmse: measured.after } } : {}),
    },
  );
}

/** Refuse options about the data of --on, or the work on them, without any. */
function requireDataFor(flags: PruneFlags): void {
  if (flags.on !== undefined) return;
  for (const name of ["count", "seed", "signals", "raw", "device", "threads"] as const)
    if (flags[name] !== undefined)
      throw new InputError((nameOf) => `${nameOf(name)} needs ${nameOf("on")}`, { argument: name });
}

/** The atoms to keep, by how often each is used. */
function keptAtoms({ atoms }: PruneFlags, uses: Uint32Array): number[] {
  const used = uses.reduce((sum, n) => sum + (n > 0 ? 1 : 0), 0);
  if (atoms === undefined && used === 0) throw new InputError("no atom is used: give --atoms");
  return mostUsedAtoms(uses, atoms === undefined ? used : atomCount(atoms, uses.length));
}

/** `200` or `50%` of m atoms. */
function atomCount(text: string, m: number): number {
  const percent = text.endsWith("%") ? Number(text.slice(0, -1)) : undefined;
  const wanted = percent === undefined ? Number(text) : Math.round((percent / 100) * m);
  if (Number.isInteger(wanted) && wanted >= 1 && wanted <= m && text.trim() !== "") return wanted;
  throw inputError("prune", "atoms", `must be a number from 1 to ${m}, or a percentage`, text);
}
