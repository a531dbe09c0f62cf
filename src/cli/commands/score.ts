/** `trainlets score`: the error of one or several dictionaries on data. */

import { Command } from "commander";
import { clock, counted, grouped, rounded } from "../../core/formatText.js";
import { requireAbove, requireInteger } from "../../core/require.js";
import { formatShape, sizeOf } from "../../core/shape.js";
import { inspectInputs } from "../../data/node/inputs.js";
import { readSignals } from "../../data/node/readSignals.js";
import type { PursuitName } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { type CodingRule, resolveLimits } from "../../pursuit/encoder.js";
import { psnr } from "../../tasks/approximate/representation.js";
import { type Score, scoreDictionary } from "../../tasks/approximate/scoreDictionary.js";
import { noteData } from "../terminal/dataLines.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import {
  type AtomShapeFlag,
  atomShapeOption,
  dictionaryFiles,
  loadDictionary,
} from "../terminal/dictionaryFile.js";
import { noteExtreme } from "../terminal/extremeSample.js";
import {
  count,
  type DataFlags,
  dataFiles,
  nodataValues,
  number,
  option,
  pursuitOption,
  withDataOptions,
} from "../terminal/flags.js";
import { PercentLine } from "../terminal/percentLine.js";
import { jsonNumber, printResult, type ResultFlags, withResultOptions } from "../terminal/results.js";
import { textTable } from "../terminal/textTable.js";
import { uniqueLabels } from "../terminal/uniqueLabels.js";

interface ScoreFlags extends DeviceFlags, AtomShapeFlag, ResultFlags, DataFlags {
  readonly dictionary: string[];
  readonly sparsity?: number;
  readonly error?: number;
  readonly pursuit?: PursuitName;
  readonly count?: number;
  readonly peak?: number;
  readonly seed?: number;
  readonly nodata?: number[];
}

const defaults = { count: 5000, seed: 1, imagePeak: 255 } as const;

const examples = `
Examples:
  trainlets score photos/ -d dict.npz
  trainlets score photos/ -d one.npz -d other.npz --sparsity 4
  trainlets score ecg.npy -d ecg.npz --error 2 --json`;

export function scoreCommand(): Command {
  const each = (value: string, before: string[] | undefined) => [...(before ?? []), value];
  const command = new Command("score")
    .summary("print the error of dictionaries on data")
    .description(
      "Code random patches of data over each dictionary, and print the error and the atoms that it takes.",
    )
    .usage("<data...> -d <dictionary> [-d <dictionary>] [options]")
    .argument("<data...>", dataFiles)
    .requiredOption("-d, --dictionary <file>", `dictionary ${dictionaryFiles}; may be repeated`, each)
    .addOption(atomShapeOption())
    .addOption(
      option(
        "--sparsity <p>",
        "at most this many atoms per patch",
        number,
        "without --error, as in training",
      ),
    )
    .addOption(option("--error <e>", "add atoms until the RMSE of a patch is at most this", number))
    .addOption(pursuitOption("as in training"))
    .addOption(option("--count <n>", "random patches to code", count, defaults.count))
    .addOption(option("--peak <v>", "largest sample value, for the PSNR", number, "255 for images"))
    .addOption(option("--seed <n>", "seed for choosing the patches", count, defaults.seed))
    .addOption(
      option(
        "--nodata <values>",
        "values that mark missing samples: -9999, nan; patches that have one are not used",
        nodataValues,
      ),
    )
    .addHelpText("after", examples)
    .action(runScore);
  return withResultOptions(withDeviceOptions(withDataOptions(command)));
}

interface Scored extends Score {
  readonly label: string;
  readonly path: string;
  readonly model: Model;
  readonly psnr: number | undefined;
}

async function runScore(data: string[], flags: ScoreFlags): Promise<void> {
  const start = performance.now();
  const wanted = requireInteger("score", "count", flags.count ?? defaults.count, 1);
  const seed = requireInteger("score", "seed", flags.seed ?? defaults.seed, 0);
  if (flags.peak !== undefined) requireAbove("score", "peak", flags.peak, 0);
  const paths = flags.dictionary;
  const models = await Promise.all(paths.map((path) => loadDictionary(path, flags)));
  const codings = models.map((model) => codingOf(flags, model));
  const labels = uniqueLabels(paths);
  const percent = new PercentLine();
  const onSkip = (message: string) => percent.note(`score: ${message}`);
  const inputs = await inspectInputs(data, { onSkip, signals: flags.signals, raw: flags.raw });
  const pictures = inputs.every(({ kind }) => kind === "image");
  const peak = flags.peak ?? (pictures ? defaults.imagePeak : undefined); // other data have no peak of their own
  const scored: Scored[] = [];
  await onDevice(flags, async (kernels) => {
    for (const [i, model] of models.entries()) {
      const signals = await readSignals(inputs, {
        ...{ patch: model.shape, patchOf: "the dictionary", onSkip },
        nodata: flags.nodata,
      });
      if (i === 0) {
        noteData("score", inputs, signals, model.shape, (line) => percent.note(line));
        noteExtreme("score", signals, undefined, (line) => percent.note(line));
      }
      const onProgress = (done: number) => percent.show((i + done) / models.length, labels[i]);
      const options = { coding: codings[i], examples: wanted, seed, kernels, onProgress };
      const score = await scoreDictionary(model, signals, options);
      scored.push({
        ...score,
        label: labels[i],
        path: paths[i],
        model,
        psnr: peak && psnr(score.rmse, peak),
      });
    }
  });
  percent.clear();
  const seconds = (performance.now() - start) / 1000;
  printResult(flags, describe(scored, seconds), { scores: scored.map(toJson), seconds });
}

/** The rule that was given, or that of the training of a dictionary. */
function codingOf({ sparsity, error, pursuit }: ScoreFlags, { meta, shape, A }: Model): CodingRule {
  const given = sparsity !== undefined || error !== undefined ? { sparsity, error } : meta.coding;
  const coding = { ...given, pursuit: pursuit ?? meta.coding.pursuit };
  resolveLimits("score", coding, sizeOf(shape), A.cols);
  return coding;
}

function describe(scored: readonly Scored[], seconds: number): string {
  const titles = ["dictionary", "atoms", "patch", "RMSE", "PSNR (dB)", "atoms per patch"];
  const rows = scored.map(({ label, model, rmse, psnr, atomsPerPatch }) => [
    label,
    grouped(model.A.cols),
    formatShape(model.shape),
    rounded(rmse),
    psnr === undefined ? "–" : rmse > 0 ? psnr.toFixed(2) : "exact",
    atomsPerPatch.toFixed(2),
  ]);
  const [{ patches }] = scored;
  return `${textTable(titles, rows)}\n${counted(patches, "patch", "patches")}, in ${clock(seconds)}`;
}

function toJson({ path, model, rmse, psnr, atomsPerPatch, patches }: Scored): object {
  return {
    dictionary: path,
    patch: model.shape,
    atoms: model.A.cols,
    rmse,
    psnr: psnr === undefined ? null : jsonNumber(psnr),
    atomsPerPatch,
    patches,
  };
}
