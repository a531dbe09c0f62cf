/**
 * Denoising with a dictionary that is learned from the noisy signal itself:
 * equation (14) and §V-B of [Sulam16], after [Elad, Aharon 2006].
 *
 *     min  λ/2 ‖z − y‖² + Σᵢ ‖ΦAxᵢ − Pᵢz‖² + μᵢ‖xᵢ‖₀      over z, xᵢ and A       (14)
 *
 * block by block: A and the codes of the noisy patches (OSDL, codes down to the noise),
 * then the codes of all patches, then the image z as an average of patches
 * (denoisePass.ts). As in the paper, this is done once by default.
 *
 * The limit of a code is ε² = σ² χ²_q(n): the residual of a patch over its true code is
 * noise, whose energy over n samples is σ² χ²(n), so that a share q of the patches ends
 * at or before the true code. Written as ε = C σ √n, C falls with the patch, from 1.110 at
 * 8×8 to 1.028 at 32×32: one q serves all sizes, one C would not.
 *
 * Beyond the paper, each by an option:
 *
 *   several patch sizes   the mean of the results, each with a dictionary of its own
 *   colour                planes of luma and chroma, or red, green and blue, that share a dictionary,
 *                         or patches with all channels (colour.ts)
 *   iterations            the estimate z takes back a share δ of the removed y − z, and is denoised again
 *                         with the same dictionary, for the noise of that share:
 *                         y′ = z + δ(y − z),   σ′ = δσ,   δ = 0.9, 0.81, …
 *
 * Units    signals are divided by their σ, so that their noise has variance 1, and signals of
 *          different noise can share a dictionary; where a sample is then too large for f32,
 *          by σ times a power of two
 * Gaps     missing samples (`nodata`) stay as they are; windows that have some are coded over
 *          the others, and are not learned from
 * Memory   five times the signals, whatever the number of patches
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §V-B.
 */

import { hasGaps, resolveNodata, signalsWithGaps } from "../../core/samples/gaps.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { MagnitudeCounts, maxFloat32, powerBelow } from "../../core/units.js";
import type { Kernels } from "../../kernels/contract.js";
import { withKernels } from "../../kernels/handleScope.js";
import { chiSquareQuantile } from "../../linalg/chiSquare.js";
import type { Model } from "../../model/model.js";
import { isPlaneMode, picturesOf, resolveColour, splitPicture } from "./colour.js";
import {
  type DenoiseOptions,
  type DenoisePlan,
  denoiseDefaults,
  givenNoise,
  patchShapes,
  requireDenoiseOptions,
  resolveDenoise,
} from "./denoiseOptions.js";
import { denoisePass } from "./denoisePass.js";
import { learnFromPatches } from "./patchLearning.js";
import { patchBase, signalList, strideOf, type TaskProgress } from "./patchOptions.js";

/** δ of the second iteration: the share of the removed noise that it takes back; its powers for the next ones. */
const feedback = 0.9;

export interface DenoiseResult {
  readonly signals: Signal[];
  /** The noise of each signal, given or estimated; three numbers per colour picture that is split into planes. */
  readonly sigma: number[];
}

/** Denoise one signal, or several of one number of axes, which share a dictionary. */
export async function denoise(
  data: Signal | readonly Signal[],
  options: DenoiseOptions = {},
): Promise<DenoiseResult> {
  requireDenoiseOptions(options);
  const nodata = resolveNodata("denoise", options.nodata);
  const given = signalList("denoise", data);
  const signals = signalsWithGaps("denoise", given, nodata);
  const result = await denoiseKnown(signals, options);
  return { ...result, signals: result.signals.map((signal, s) => keepGaps(signal, given[s])) };
}

/** A denoised signal with the samples it does not know as they were given. */
function keepGaps(signal: Signal, { data: given }: Signal): Signal {
  if (!hasGaps(signal)) return signal;
  return { ...signal, data: signal.data.map((value, i) => (Number.isNaN(value) ? given[i] : value)) };
}

/** Denoise signals with NaN for missing samples. */
async function denoiseKnown(signals: readonly Signal[], options: DenoiseOptions): Promise<DenoiseResult> {
  const patch = options.dictionary?.shape ?? patchShapes(options.patch)?.[0];
  const colour = resolveColour("denoise", signals, options.colour, patch);
  const sigma = givenNoise(signals, options.sigma);
  if (!isPlaneMode(colour)) return denoiseSignals(signals, { ...options, colour }, sigma);
  const levels = sigma.flatMap((level) => [level, level, level]);
  const split = signals.flatMap((signal) => splitPicture(signal, colour));
  const planes = await denoiseSignals(split, { ...options, colour: "none" }, levels);
  const names = signals.map(({ name }) => name);
  return { signals: picturesOf(planes.signals, names, colour), sigma: planes.sigma };
}

async function denoiseSignals(
  signals: readonly Signal[],
  options: DenoiseOptions,
  given: readonly (number | undefined)[],
): Promise<DenoiseResult> {
  const plan = resolveDenoise(signals, options, given);
  const isNoisy = signals.map((signal, i) => isRelevant(plan.sigma[i], signal));
  const noisy = signals.filter((_, i) => isNoisy[i]);
  const sigma = plan.sigma.filter((_, i) => isNoisy[i]);
  if (noisy.length === 0) return { signals: [...signals], sigma: plan.sigma };
  const cleaned = await withKernels(options.kernels, (kernels) =>
    iterate(noisy, sigma, plan, { ...options, kernels }),
  );
  let at = 0; // signals without noise stay as they are
  return {
    signals: signals.map((signal, i) => (isNoisy[i] ? cleaned[at++] : signal)),
    sigma: plan.sigma,
  };
}

/** Noise that is this small beside the samples changes none of them. */
const negligible = 2 ** -64;

function isRelevant(sigma: number, { data }: Signal): boolean {
  const counts = new MagnitudeCounts();
  counts.add(data);
  return sigma > negligible * counts.quantile(0.5);
}

type Work = DenoiseOptions & { readonly kernels: Kernels };

/** z ← the mean over patch sizes; then again from y′, with the noise that y′ has and the same dictionaries. */
async function iterate(
  signals: readonly Signal[],
  sigma: readonly number[],
  plan: DenoisePlan,
  work: Work,
): Promise<Signal[]> {
  const models = plan.patches.map(() => work.dictionary);
  const noise = signals.map((signal, i) => 1 / excess(signal, sigma[i]));
  let input = signals;
  let level = sigma;
  for (let t = 0; ; t++) {
    const units = level.map((value, i) => value / noise[i]);
    const unit = input.map((signal, i) => scaled(signal, 1 / units[i]));
    const parts: Signal[][] = [];
    for (const [i, patch] of plan.patches.entries()) {
      const pass = passAt(patch, t * plan.patches.length + i + 1, plan, work);
      models[i] ??= await learn(ofUnitNoise(unit, noise), pass, plan, work);
      parts.push(await code(unit, noise, models[i], pass, plan, work));
    }
    const z = meanOf(parts).map((signal, i) => clipped(scaled(signal, units[i])));
    if (t + 1 === plan.iterations) return z;
    const share = feedback ** (t + 1);
    input = z.map((estimate, i) => mixed(estimate, signals[i], share));
    level = sigma.map((value) => share * value);
  }
}

/** Samples up to this times σ can be divided by σ: sums over all windows of one are then in the range of f32. */
const largest = 2 ** 100;

/** By which power of two the largest sample, divided by σ, is too large; 1 for nearly all signals. */
function excess({ data }: Signal, sigma: number): number {
  let most = 0; // not NaN
  for (const value of data) if (Math.abs(value) > most) most = Math.abs(value);
  return Math.max(1, powerBelow(most / sigma) / largest);
}

/** The signals in units in which all have noise of variance 1; a sample beyond f32 is then missing. */
function ofUnitNoise(signals: readonly Signal[], noise: readonly number[]): readonly Signal[] {
  return signals.map((signal, i) => {
    if (noise[i] === 1) return signal;
    const { data } = scaled(signal, 1 / noise[i]);
    return { ...signal, data: data.map((value) => (Number.isFinite(value) ? value : Number.NaN)) };
  });
}

/** One patch size in one iteration. */
interface Pass {
  readonly patch: Shape;
  /** ε² of a patch of this many samples, where noise has the variance 1. */
  readonly residualEnergy: (samples: number) => number;
  readonly maxAtoms: (samples: number) => number;
  /** Reports the progress of a stage; throws if the work is aborted. */
  readonly report: (stage: TaskProgress["stage"]) => (done: number, total: number) => void;
}

/** Learning takes about half of a pass, and happens once for each patch size, if no dictionary is given. */
function wholeOf(
  stage: TaskProgress["stage"],
  pass: number,
  done: number,
  { passes, patches }: DenoisePlan,
  { dictionary }: Work,
): number {
  const learned = (count: number) => (dictionary ? 0 : Math.min(count, patches.length));
  const before = stage === "learning" ? pass - 1 : pass;
  return (pass - 1 + learned(before) + done) / (passes + learned(passes));
}

function passAt(patch: Shape, pass: number, plan: DenoisePlan, work: Work): Pass {
  const { quantile, passes } = plan;
  const quantiles = new Map<number, number>();
  return {
    patch,
    residualEnergy(samples) {
      const known = quantiles.get(samples) ?? chiSquareQuantile(quantile, samples);
      quantiles.set(samples, known);
      return known;
    },
    maxAtoms: (samples) => Math.max(1, samples >> 1),
    report: (stage) => (done, total) => {
      const part = done / total;
      work.onProgress?.({ stage, pass, passes, done: part, whole: wholeOf(stage, pass, part, plan, work) });
      work.signal?.throwIfAborted();
    },
  };
}

/** A dictionary for the patches of signals of unit noise, coded down to the noise. */
function learn(
  unit: readonly Signal[],
  { patch, residualEnergy, maxAtoms, report }: Pass,
  { channels }: DenoisePlan,
  { training = {}, pursuit, kernels, signal }: Work,
): Promise<Model> {
  const base = patchBase("denoise", training.base, denoiseDefaults.base, patch, channels);
  const n = sizeOf(patch);
  const coding = { error: Math.sqrt(residualEnergy(n) / n), sparsity: maxAtoms(n), pursuit };
  const task = { where: "denoise", patch, base, coding, training, kernels, signal };
  return learnFromPatches(unit, { ...task, usual: denoiseDefaults, onProgress: report("learning") });
}

/** All patches of signals coded down to the noise, and averaged. */
function code(
  unit: readonly Signal[],
  noise: readonly number[],
  model: Model,
  { patch, residualEnergy, maxAtoms, report }: Pass,
  { stride, lambda }: DenoisePlan,
  { pursuit, kernels }: Work,
): Promise<Signal[]> {
  return denoisePass(unit, {
    model,
    residualEnergy,
    noise,
    maxAtoms,
    pursuit,
    stride: strideOf("denoise", stride, patch),
    lambda,
    kernels,
    onProgress: report("coding"),
  });
}

function scaled({ name, shape, data }: Signal, factor: number): Signal {
  return { name, shape, data: data.map((value) => value * factor) };
}

/** A signal whose samples beyond f32 are its largest number. */
function clipped(signal: Signal): Signal {
  const { data } = signal;
  for (let i = 0; i < data.length; i++)
    if (Math.abs(data[i]) === Infinity) data[i] = Math.sign(data[i]) * maxFloat32;
  return signal;
}

/** The mean of several results, signal by signal. */
function meanOf(parts: readonly (readonly Signal[])[]): Signal[] {
  const [first, ...others] = parts;
  return first.map(({ name, shape, data }, s) => {
    const mean = data.map(
      (value, i) => others.reduce((sum, part) => sum + part[s].data[i], value) / parts.length,
    );
    return { name, shape, data: mean };
  });
}

/** y′ = z + δ(y − z). */
function mixed(estimate: Signal, noisy: Signal, share: number): Signal {
  return { ...estimate, data: estimate.data.map((z, i) => z + share * (noisy.data[i] - z)) };
}
