/** `trainlets approximate`: compare the M-term curves of dictionaries and bases. */

import { Command } from "commander";
import { InputError, inputError } from "../../core/errors.js";
import { clock, counted, grouped } from "../../core/formatText.js";
import { requireAbove, requireInteger, requireOneOf } from "../../core/require.js";
import { formatShape, type Shape, sameShape, sizeOf } from "../../core/shape.js";
import { writeFileAtomic } from "../../data/node/files.js";
import { type Input, inspectInputs } from "../../data/node/inputs.js";
import { requireRoomFor } from "../../data/node/openSource.js";
import { inputFiles, requireOutput } from "../../data/node/outputs.js";
import { readSignals } from "../../data/node/readSignals.js";
import { baseForms } from "../../dictionaries/base.js";
import { rasterizeSvg } from "../../figures/node/rasterize.js";
import { type PursuitName, pursuitNames } from "../../kernels/contract.js";
import { isBaseFile, loadBase } from "../../model/node/files.js";
import { approximatorOf, samplePatches } from "../../tasks/approximate/mTerm.js";
import { type Contender, type MTermCurve, mTermCurves } from "../../tasks/approximate/mTermCurves.js";
import { noteData } from "../terminal/dataLines.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import {
  type AtomShapeFlag,
  atomShapeOption,
  dictionaryFiles,
  loadDictionary,
  requireDictionaryFor,
} from "../terminal/dictionaryFile.js";
import { noteExtreme } from "../terminal/extremeSample.js";
import {
  count,
  type DataFlags,
  dataFiles,
  nodataValues,
  number,
  option,
  parsePatch,
  pursuitOption,
  withDataOptions,
} from "../terminal/flags.js";
import { stdout } from "../terminal/output.js";
import { PercentLine } from "../terminal/percentLine.js";
import { type ResultFlags, withResultOptions } from "../terminal/results.js";
import { textTable } from "../terminal/textTable.js";
import { numbered, uniqueLabels } from "../terminal/uniqueLabels.js";

interface ApproximateFlags extends DeviceFlags, AtomShapeFlag, DataFlags, ResultFlags {
  readonly dictionary?: string[];
  readonly base?: string[];
  readonly patch?: string;
  readonly count?: number;
  readonly terms?: string;
  readonly peak?: number;
  readonly pursuit?: PursuitName;
  readonly seed?: number;
  readonly nodata?: number[];
  readonly output?: string;
}

const defaults = { count: 1000, seed: 1, peak: 255 } as const;

/** The M of the table by default, in percent of the samples of a patch. */
const termShares = [1, 2, 4, 6] as const;

const examples = `
Examples:
  trainlets approximate photos/ -d dict.npz --base cropped:sym8 -o curves.svg
  trainlets approximate photos/ -d one.npz -d other.npz --terms 10,20,40
  trainlets approximate photos/ --patch 64 --base wavelet:sym8 \\
      --base separable:sym8 --base cropped:sym8 -o curves.png`;

export function approximateCommand(): Command {
  const each = (value: string, before: string[] | undefined) => [...(before ?? []), value];
  const command = new Command("approximate")
    .summary("compare the error of dictionaries with few atoms")
    .description(
      "Approximate random patches with 1, 2, 3, … atoms of each dictionary and base, and compare the errors.",
    )
    .usage("<data...> [-d <file>] [--base <name>] [options]")
    .argument("<data...>", dataFiles)
    .option("-d, --dictionary <file>", `dictionary ${dictionaryFiles}; may be repeated`, each)
    .addOption(atomShapeOption())
    .option(
      "--base <name>",
      `base dictionary, or one per axis: ${baseForms.join(", ")}, MATRIX.npy, FILE.npz (the base of a dictionary); may be repeated`,
      each,
    )
    .addOption(
      option("--patch <sizes>", "patch size: 16, 32x24, 8x8x3 (colour)", undefined, "that of the dictionary"),
    )
    .addOption(option("--count <n>", "patches to approximate", count, defaults.count))
    .addOption(option("--terms <list>", "atoms per patch (M) in the table: 10,20,40", undefined, shareText()))
    .addOption(pursuitOption("omp"))
    .addOption(option("--peak <v>", "largest sample value, for the PSNR", number, defaults.peak))
    .addOption(option("--seed <n>", "seed for choosing the patches", count, defaults.seed))
    .addOption(
      option(
        "--nodata <values>",
        "values that mark missing samples: -9999, nan; patches that have one are not used",
        nodataValues,
      ),
    )
    .option("-o, --output <file>", "file for a plot of the curves (.svg, .png)")
    .addHelpText("after", examples)
    .action(runApproximate);
  return withResultOptions(
    withDeviceOptions(withDataOptions(command)),
    "print the curves as a line of JSON on standard output",
  );
}

function shareText(): string {
  return `${termShares.slice(0, -1).join(", ")} and ${termShares.at(-1)}% of the samples`;
}

async function runApproximate(data: string[], flags: ApproximateFlags): Promise<void> {
  const start = performance.now();
  const { dictionary = [], base = [], output } = flags;
  const wanted = requireInteger("approximate", "count", flags.count ?? defaults.count, 1);
  const seed = requireInteger("approximate", "seed", flags.seed ?? defaults.seed, 0);
  const peak = requireAbove("approximate", "peak", flags.peak ?? defaults.peak, 0);
  const pursuit = requireOneOf("approximate", "pursuit", flags.pursuit ?? "omp", pursuitNames);
  if (dictionary.length + base.length === 0)
    throw new InputError("needs at least one dictionary (-d) or base (--base)");
  const progress = new PercentLine(flags.json ? "none" : undefined);
  const onSkip = (message: string) => progress.note(`approximate: ${message}`);
  const inputs = await inspectInputs(data, { onSkip, signals: flags.signals, raw: flags.raw });
  if (output !== undefined)
    await requireOutput(output, [".svg", ".png"], [...dictionary, ...base, ...inputFiles(inputs)]);
  if (dictionary.length === 0) requireDictionaryFor(flags);
  const models = await Promise.all(dictionary.map((path) => readDictionary(path, flags)));
  const patch = commonPatch(flags.patch, models, inputs);
  const terms = resolveTerms(flags.terms, sizeOf(patch));
  if (base.length > 0) await requireRoomFor(inputs, patch);
  const bases = await Promise.all(base.map((name) => baseContender(name, patch)));
  const contenders = labelled(models, bases);
  await onDevice(flags, async (kernels, computingOn) => {
    const signals = await readSignals(inputs, {
      patch,
      patchOf: models.length > 0 ? "the dictionary" : undefined,
      onSkip,
      nodata: flags.nodata,
    });
    noteData("approximate", inputs, signals, patch, (line) => progress.note(line));
    noteExtreme("approximate", signals, undefined, (line) => progress.note(line));
    if (!flags.json) progress.note(computingOn);
    const nodata = flags.nodata && Number.NaN; // what missing samples are in signals
    const patches = await samplePatches(signals, { patch, count: wanted, seed, nodata, kernels });
    const curves = await mTermCurves(contenders, patches, {
      maxTerms: terms.at(-1)!,
      peak,
      pursuit,
      kernels,
      onProgress(label, done) {
        const state = done === 0 ? "preparing" : `${grouped(done)} of ${grouped(patches.cols)} patches`;
        const before = contenders.findIndex((contender) => contender.label === label);
        const part = (before + done / patches.cols) / contenders.length;
        if (done === 0) progress.announce(part, `${label}:`, state);
        else progress.show(part, `${label}:`, state);
      },
    });
    progress.clear();
    if (output !== undefined) await writePlot(output, curves, patch);
    const seconds = (performance.now() - start) / 1000;
    const { json } = flags;
    stdout.write(`${describe(curves, { patch, patches: patches.cols, terms, seconds, output, json })}\n`);
  });
}

/** What to print in the end: a table, or JSON. */
function describe(
  curves: readonly MTermCurve[],
  run: {
    readonly patch: Shape;
    readonly patches: number;
    readonly terms: readonly number[];
    readonly seconds: number;
    readonly output?: string | undefined;
    readonly json?: boolean | undefined;
  },
): string {
  const { patch, patches, terms, seconds, output } = run;
  const isError = (value: number) => Number.isFinite(value);
  if (run.json) {
    const psnr = curves.map(({ label, psnr }) => [label, psnr.map((v) => (isError(v) ? v : null))]);
    return JSON.stringify({ patch, patches, terms, psnr: Object.fromEntries(psnr), seconds });
  }
  const table = textTable(
    ["PSNR (dB) with M terms", ...terms.map((M) => `M = ${M}`)],
    curves.map(({ label, psnr }) => [
      label,
      ...terms.map((M) => (isError(psnr[M]) ? psnr[M].toFixed(2) : "exact")),
    ]),
  );
  const what = `${counted(patches, "patch", "patches")} of ${formatShape(patch)}`;
  const drawn = output === undefined ? "" : `${output}: plot of the curves; `;
  return `${table}\n${drawn}${what}, in ${clock(seconds)}`;
}

async function writePlot(path: string, curves: readonly MTermCurve[], patch: Shape): Promise<void> {
  const { mTermChart } = await import("../../figures/charts/mTermChart.js"); // loaded only here: charts take a while
  const chart = mTermChart(`M-term approximation of ${formatShape(patch)} patches`, curves);
  const svg = new TextEncoder().encode(chart);
  const bytes = path.toLowerCase().endsWith(".png") ? await rasterizeSvg(svg) : svg;
  if (!bytes)
    throw new InputError(`--output must end in .svg, as no fonts are installed to draw a .png, got ${path}`);
  await writeFileAtomic(path, bytes);
}

type Dictionary = Contender & { readonly path: string; readonly shape: Shape };

async function readDictionary(path: string, flags: AtomShapeFlag): Promise<Dictionary> {
  const model = await loadDictionary(path, flags);
  return { path, label: path, shape: model.shape, make: () => model };
}

/** All contenders; dictionaries are named after their files, and no two names are the same. */
function labelled(models: readonly Dictionary[], bases: readonly Contender[]): Contender[] {
  const names = numbered(bases.map(({ label }) => label));
  const files = uniqueLabels(
    models.map(({ path }) => path.replace(/\.np[yz]$/i, "")),
    names,
  );
  return [
    ...models.map((model, i) => ({ ...model, label: files[i] })),
    ...bases.map((base, i) => ({ ...base, label: names[i] })),
  ];
}

/** A base is made at once, so that a bad name is rejected before any data is read. */
async function baseContender(name: string, patch: Shape): Promise<Contender> {
  const made = isBaseFile(name) ? { base: await loadBase(name, patch) } : approximatorOf(name, patch);
  return { label: name, make: () => made };
}

/** The patch of all dictionaries, which must be the same, or `--patch`. */
function commonPatch(
  typed: string | undefined,
  models: readonly Dictionary[],
  inputs: readonly Input[],
): Shape {
  const given = typed === undefined ? undefined : parsePatch(typed, inputs);
  const [first] = models;
  const patch = given ?? first?.shape;
  if (!patch) throw new InputError("--patch must be given if there is no dictionary");
  const other = models.find(({ shape }) => !sameShape(shape, patch));
  if (!other) return patch;
  const expected = given ? "the patch given by --patch" : `the same patch as ${first.path}`;
  throw new InputError(
    `${other.path} must have ${expected}, ${formatShape(patch)}, got ${formatShape(other.shape)}`,
  );
}

/** `20,10,40` → [10, 20, 40]. */
function resolveTerms(text: string | undefined, n: number): number[] {
  const typed = text?.split(",").map((word) => number(word));
  const terms = typed ?? termShares.map((percent) => Math.max(1, Math.round((percent / 100) * n)));
  for (const M of terms) requireInteger("approximate", "terms", M, 1, n);
  if (terms.length === 0) throw inputError("approximate", "terms", "must be numbers of atoms", text);
  return [...new Set(terms)].sort((a, b) => a - b);
}
