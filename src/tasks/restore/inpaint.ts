/**
 * Inpainting: fills the missing samples of signals, by a dictionary that is learned
 * from the incomplete signals themselves.
 *
 * Windows are coded over their known samples, and averaged (inpaintPass.ts).
 *
 * The dictionary is learned in rounds: the first round fills with the base dictionary on
 * a coarse grid, each later one learns from the previous result and fills again. A given
 * dictionary needs one round.
 *
 * Samples near the ends of the range of f32 are divided by a power of two first.
 * Known samples stay as they are. Colour pictures are filled as planes of luma and chroma
 * by default (colour.ts), a pixel with a missing channel in all three.
 */

import {
  type ArgumentType,
  abortSignal,
  byRule,
  bytes,
  callback,
  float32,
  having,
  kernels as kernelsType,
  model as modelType,
  numberWith,
  type OptionTypes,
  requireArgument,
  requireOptions,
  signal as signalType,
} from "../../core/arguments/argumentTypes.js";
import { InputError, inputError } from "../../core/errors.js";
import { SparseColumns } from "../../core/matrix.js";
import { requireInteger } from "../../core/require.js";
import { extremeLimit } from "../../core/samples/extremes.js";
import { isNodata, type Nodata, resolveNodata } from "../../core/samples/gaps.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import { requireSignal, type Signal } from "../../core/signal.js";
import { maxFloat32, powerBelow } from "../../core/units.js";
import { type BaseDictionary, baseCols } from "../../dictionaries/base.js";
import type { Kernels, PursuitName } from "../../kernels/contract.js";
import { withKernels } from "../../kernels/handleScope.js";
import { Model } from "../../model/model.js";
import {
  type ColourMode,
  isPlaneMode,
  type PlaneMode,
  picturesOf,
  resolveColour,
  splitPicture,
} from "./colour.js";
import { fill, type State } from "./inpaintPass.js";
import { MaskedPursuit } from "./maskedPursuit.js";
import { learnFromPatches, patchDefaults } from "./patchLearning.js";
import {
  defaultPatch,
  type PatchTraining,
  patchBase,
  requirePatch,
  requirePursuit,
  requireTrainingOptions,
  strideOf,
  type TaskProgress,
  taskOptionsElsewhere,
} from "./patchOptions.js";

export interface InpaintOptions {
  /** The shape of the patches, without channels; by default it depends on the number of axes. */
  readonly patch?: Shape | undefined;
  /** How colour pictures are treated, as in `denoise`. */
  readonly colour?: ColourMode | undefined;
  /** Samples between neighbouring windows, along each axis. */
  readonly stride?: number | undefined;
  /** Root-mean-square error over the known samples at which a code ends; by default a tenth of their standard deviation. */
  readonly error?: number | undefined;
  /** How the atoms of a code are chosen, in learning as well: `omp` (by default) or `ols`. */
  readonly pursuit?: PursuitName | undefined;
  /** The dictionary to use; by default one is learned from the signals. */
  readonly dictionary?: Model | undefined;
  /** How it is learned. */
  readonly training?: (Omit<PatchTraining, "base"> & { readonly base?: string | undefined }) | undefined;
  /** Passes; each after the first relearns the dictionary from the previous result. */
  readonly rounds?: number | undefined;
  /** Where to compute; the best device by default. The caller keeps and closes kernels that it gives. */
  readonly kernels?: Kernels | undefined;
  /** Abort to end it: the promise is then rejected. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TaskProgress) => void) | undefined;
}

/** The types of all options; the compiler checks that none is missing. */
const inpaintOptionTypes: OptionTypes<InpaintOptions> = {
  patch: byRule,
  colour: byRule,
  stride: byRule,
  error: numberWith("a number of at least 0"),
  pursuit: byRule,
  dictionary: modelType,
  training: byRule,
  rounds: byRule,
  kernels: kernelsType,
  signal: abortSignal,
  onProgress: callback,
};

/** The default options of inpainting. */
export const inpaintDefaults = {
  ...patchDefaults,
  stride: 1,
  rounds: 2,
  base: "odct:2",
  examples: 100_000,
  epochs: 1,
  /** `error`, as a share of the standard deviation of the known samples. */
  errorShare: 0.1,
} as const;

/** A signal with missing samples. */
export interface Incomplete {
  readonly signal: Signal;
  /** 1 for each missing sample, whose value in the signal does not count. */
  readonly missing: Uint8Array;
}

const incompleteList: ArgumentType = {
  words: "a list of signals with their masks, { signal, missing }",
  accepts: (value) =>
    Array.isArray(value) &&
    value.every((item) => signalType.accepts(item?.signal) && bytes.accepts(item.missing)),
};

/** The most atoms of a code, per known sample. */
const atomsPerSample = 1 / 4;

/** The samples that are missing, as a mask: those that are NaN, or one of the values `nodata`. */
export function missingIn(signal: Pick<Signal, "data">, nodata?: Nodata): Uint8Array {
  requireArgument("missingIn", "signal", signal, having("a signal", [], ["data"]));
  requireArgument("missingIn", "signal.data", signal.data, float32);
  const values = [...resolveNodata("missingIn", nodata), Number.NaN];
  return Uint8Array.from(signal.data, (value) => (isNodata(value, values) ? 1 : 0));
}

/** Fill the missing samples of signals of one number of axes, which share a dictionary. */
export async function inpaint(items: readonly Incomplete[], options: InpaintOptions = {}): Promise<Signal[]> {
  requireArgument("inpaint", "items", items, incompleteList);
  requireOptions("inpaint", options, inpaintOptionTypes, taskOptionsElsewhere);
  requireTrainingOptions("inpaint", options.training);
  requirePursuit("inpaint", options.pursuit);
  if (items.length === 0) throw new InputError("inpaint: signals must be at least one, got none");
  for (const { signal, missing } of items) requireUsable(signal, missing);
  const unit = unitOf(items);
  if (unit === 1) return inpaintItems(items, options);
  const scaled = items.map(({ signal, missing }) => ({ signal: dividedBy(signal, unit), missing }));
  const error = options.error === undefined ? undefined : options.error / unit;
  const filled = await inpaintItems(scaled, { ...options, error });
  return filled.map((signal, i) => withKnownOf(items[i], dividedBy(signal, 1 / unit)));
}

/** Samples in this range, and sums over all windows of one, are in the range of f32. */
const safe = { least: 2 ** -60, most: 2 ** 60 };

/** The power of two that brings the largest known sample into the safe range; 1 if it is there. */
function unitOf(items: readonly Incomplete[]): number {
  const largest = items.reduce((most, { signal, missing }) => {
    return signal.data.reduce((m, value, i) => (missing[i] ? m : Math.max(m, Math.abs(value))), most);
  }, 0);
  if (largest === 0 || (largest >= safe.least && largest <= safe.most)) return 1;
  return powerBelow(largest) / (largest > safe.most ? safe.most : safe.least);
}

/** A signal in units of this; what is beyond f32 becomes its largest number. */
function dividedBy(signal: Signal, unit: number): Signal {
  const data = signal.data.map((value) => Math.max(-maxFloat32, Math.min(maxFloat32, value / unit)));
  return { ...signal, data };
}

async function inpaintItems(items: readonly Incomplete[], options: InpaintOptions): Promise<Signal[]> {
  const signals = items.map(({ signal }) => signal);
  for (const signal of signals) requireSignal("inpaint", signal);
  const colour = resolveColour(
    "inpaint",
    signals,
    options.colour,
    options.dictionary?.shape ?? options.patch,
  );
  if (!isPlaneMode(colour)) return inpaintSignals(items, { ...options, colour });
  const split = items.flatMap((item) => incompletePlanes(item, colour));
  const planes = await inpaintSignals(split, { ...options, colour: "none" });
  const names = signals.map(({ name }) => name);
  return picturesOf(planes, names, colour).map((picture, i) => withKnownOf(items[i], picture));
}

/** The planes of a colour picture, with the pixels of which any channel is missing. */
function incompletePlanes({ signal, missing }: Incomplete, mode: PlaneMode): Incomplete[] {
  const pixels = new Uint8Array(missing.length / 3);
  missing.forEach((gone, i) => {
    if (gone) pixels[Math.floor(i / 3)] = 1;
  });
  return splitPicture(signal, mode).map((plane) => ({ signal: plane, missing: pixels }));
}

/** A filled picture with its known samples as they were, not rounded by the planes. */
function withKnownOf({ signal, missing }: Incomplete, filled: Signal): Signal {
  return { ...filled, data: filled.data.map((value, i) => (missing[i] ? value : signal.data[i])) };
}

async function inpaintSignals(items: readonly Incomplete[], options: InpaintOptions): Promise<Signal[]> {
  const plan = resolveInpaint(items, options);
  const states = items.map((item) => startOf(item));
  if (states.every(({ known }) => !known.includes(0))) return items.map(({ signal }) => signal);
  await withKernels(options.kernels, async (kernels) => {
    for (let round = 1; round <= plan.rounds; round++)
      await fillRound(states, round, plan, { ...options, kernels });
  });
  return states.map(({ signal, data }) => ({ ...signal, data }));
}

interface InpaintPlan {
  readonly patch: Shape;
  readonly channels: boolean;
  readonly stride: number;
  readonly error: number;
  readonly rounds: number;
}

function resolveInpaint(items: readonly Incomplete[], options: InpaintOptions): InpaintPlan {
  const signals = items.map(({ signal }) => signal);
  const { dictionary } = options;
  const channels = options.colour === "joint" && !dictionary; // the shape of a dictionary includes them
  const given = dictionary?.shape ?? options.patch ?? defaultPatch("inpaint", signals, channels);
  const patch = requirePatch("inpaint", given, signals, channels, dictionary && "the dictionary");
  const { stride = inpaintDefaults.stride, error = inpaintDefaults.errorShare * deviation(items) } = options;
  strideOf("inpaint", stride, patch);
  if (!(error >= 0 && error < Infinity))
    throw inputError("inpaint", "error", "must be a number of at least 0", error);
  const rounds = requireInteger("inpaint", "rounds", options.rounds ?? inpaintDefaults.rounds, 1);
  return { patch, channels, stride, error, rounds: dictionary ? 1 : rounds };
}

function requireUsable({ name, data }: Signal, missing: Uint8Array): void {
  if (missing.length !== data.length)
    throw new InputError(
      `inpaint: the mask of ${name} must have ${data.length} samples, got ${missing.length}`,
    );
  if (!missing.includes(0))
    throw new InputError(`inpaint: ${name} must have a known sample, got all of them missing`);
  const wrong = data.findIndex((value, i) => missing[i] === 0 && !Number.isFinite(value));
  if (wrong >= 0)
    throw new InputError(
      `inpaint: known samples of ${name} must be finite, got ${data[wrong]} at index ${wrong}`,
    );
}

/** The standard deviation of the known samples, over all signals, but for samples far beyond all others. */
function deviation(items: readonly Incomplete[]): number {
  const limit = extremeLimit(items.map(knownOf)) ?? Infinity;
  const counts = items.map(({ signal: { data }, missing }) => {
    return missing.map((gone, i) => (gone || Math.abs(data[i]) > limit ? 1 : 0));
  });
  let [energy, count] = [0, 0];
  for (const [s, { signal }] of items.entries()) {
    const missing = counts[s];
    const mean = meanOfKnown(signal.data, missing);
    for (let i = 0; i < missing.length; i++) {
      if (missing[i]) continue;
      energy += (signal.data[i] - mean) ** 2;
      count++;
    }
  }
  return Math.sqrt(energy / count);
}

/** The signal with NaN for what is missing. */
function knownOf({ signal, missing }: Incomplete): Signal {
  return { ...signal, data: signal.data.map((value, i) => (missing[i] ? Number.NaN : value)) };
}

function meanOfKnown(data: Float32Array, missing: Uint8Array): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < data.length; i++) {
    if (missing[i]) continue;
    sum += data[i];
    count++;
  }
  return sum / count;
}

function startOf({ signal, missing }: Incomplete): State {
  const known = missing.map((gone) => (gone ? 0 : 1));
  const data = signal.data.map((value, i) => (known[i] ? value : 0));
  return { signal, known, data, mean: meanOfKnown(signal.data, missing) };
}

type Work = InpaintOptions & { readonly kernels: Kernels };

/** Fill all signals once: in the first of several rounds with the base, on a coarse grid. */
async function fillRound(
  states: readonly State[],
  round: number,
  plan: InpaintPlan,
  work: Work,
): Promise<void> {
  const { patch, error, rounds } = plan;
  const report = (stage: TaskProgress["stage"]) => (part: number, total: number) => {
    const done = Math.min(1, part / total);
    const whole = wholeOf(stage, round, done, plan, work);
    work.onProgress?.({ stage, pass: round, passes: rounds, done, whole });
    work.signal?.throwIfAborted();
  };
  const filled = states.map(({ signal, data }) => ({ ...signal, data }));
  const model =
    work.dictionary ??
    (round === 1 ? baseModel(plan, work) : await learn(filled, plan, work, report("learning")));
  const stride = strideOf("inpaint", strideIn(round, plan), patch);
  const limits = {
    residualEnergy: (known: number) => known * (error * error),
    maxAtoms: (known: number) => Math.floor(known * atomsPerSample),
    pursuit: work.pursuit,
  };
  const pursuit = await MaskedPursuit.create(model, limits, work.kernels);
  try {
    for (const [s, state] of states.entries()) {
      const onProgress = report("coding");
      await fill(state, pursuit, patch, stride, (done) => onProgress(s + done, states.length));
    }
  } finally {
    pursuit.free();
  }
}

/** The last round has the stride that was asked for, the others a coarse one. */
function strideIn(round: number, { patch, rounds, stride }: InpaintPlan): number {
  return round < rounds ? Math.max(stride, Math.max(...patch) >> 2) : stride;
}

/** Coding takes as long as there are windows; learning, in all rounds but the first, about half of the last coding. */
function wholeOf(
  stage: TaskProgress["stage"],
  round: number,
  done: number,
  plan: InpaintPlan,
  { dictionary }: Work,
): number {
  const coding = (r: number) => (plan.stride / strideIn(r, plan)) ** plan.patch.length;
  const learning = (r: number) => (r === 1 || dictionary ? 0 : 0.5);
  const until = (last: number) => {
    let sum = 0;
    for (let r = 1; r <= last; r++) sum += learning(r) + coding(r);
    return sum;
  };
  const now = stage === "learning" ? done * learning(round) : learning(round) + done * coding(round);
  return (until(round - 1) + now) / until(plan.rounds);
}

/** The base dictionary as it is: A is the identity. */
function baseModel(plan: InpaintPlan, work: Work): Model {
  const base = baseOf(plan, work);
  const meta = {
    learner: "none",
    options: {},
    seed: 0,
    examplesSeen: 0,
    removeMean: true,
    coding: { error: plan.error },
  };
  return new Model(base, SparseColumns.identity(baseCols(base), 1), meta);
}

function baseOf({ patch, channels }: InpaintPlan, { training }: Work): BaseDictionary {
  return patchBase("inpaint", training?.base, inpaintDefaults.base, patch, channels);
}

/** A dictionary learned from the previous result. */
function learn(
  filled: readonly Signal[],
  plan: InpaintPlan,
  work: Work,
  onProgress: (done: number, total: number) => void,
): Promise<Model> {
  const { patch, error } = plan;
  const { training = {}, kernels, signal } = work;
  const base = baseOf(plan, work);
  const coding = { error, sparsity: Math.floor(sizeOf(patch) * atomsPerSample), pursuit: work.pursuit };
  const task = { where: "inpaint", patch, base, coding, training, kernels, signal, onProgress };
  return learnFromPatches(filled, { ...task, usual: inpaintDefaults });
}
