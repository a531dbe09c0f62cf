/** Figures 1 and 2 in the worker: a signal of 64 samples, and M wavelets under each treatment of its borders. */

import { approximateBorders, type BorderTreatment, Rng, randomCubic } from "trainlets/parts";
import { onKernels } from "../onKernels";
import type { Task } from "../protocol";
import { borderSamples, borderTreatments, type SignalName, samples, shownBeyond } from "./settings";

/** Samples that bend when an end is moved. */
const bent = 16;

export interface BorderInput {
  readonly signal: SignalName;
  /** Samples of a picture, for `row`. */
  readonly row?: ArrayLike<number> | undefined;
  /** How far the ends are moved. */
  readonly left: number;
  readonly right: number;
  readonly wavelet: string;
  readonly terms: number;
}

export interface BorderResult {
  readonly signal: Float64Array;
  /** Its ends before they were moved. */
  readonly unmoved: { readonly left: number; readonly right: number };
  readonly treatments: readonly TreatmentResult[];
}

export interface TreatmentResult {
  readonly border: BorderTreatment;
  /** The extended signal and its approximation, `shownBeyond` samples more on each side. */
  readonly extended: Float64Array;
  readonly approximation: Float64Array;
  /** |error| of each sample. */
  readonly errors: Float64Array;
  /** Root-mean-square errors: of the samples at both borders, of the others, of all. */
  readonly atBorder: number;
  readonly inside: number;
  readonly overall: number;
}

/** The signal: without its mean, its largest sample 1 before its ends are moved. */
function borderSignal({ signal, row, left, right }: Omit<BorderInput, "wavelet" | "terms">) {
  const given = unbent(signal, row);
  const mean = given.reduce((sum, value) => sum + value, 0) / samples;
  const f = given.map((value) => value - mean);
  const largest = f.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const weight = (i: number) => Math.max(0, 1 - i / bent) ** 2;
  return f.map((value, i) => value / largest + left * weight(i) + right * weight(samples - 1 - i));
}

function unbent(signal: SignalName, row: ArrayLike<number> | undefined): Float64Array {
  if (signal === "ramp") return Float64Array.from({ length: samples }, (_, i) => (2 * i) / (samples - 1) - 1);
  if (signal === "row") return Float64Array.from({ length: samples }, (_, i) => row?.[i] ?? 0);
  if (signal === "smooth") return randomCubic(samples, Rng.from(2)); // the function of figure 1
  return randomCubic(samples, Rng.from(3)).map((value, i) => value + (i < samples / 2 ? 0 : 0.8));
}

const paperBorders: Task<BorderInput, BorderResult> = async (input) => {
  const signal = borderSignal(input);
  const unmoved = { left: signal[0] - input.left, right: signal[samples - 1] - input.right };
  const treatments: TreatmentResult[] = [];
  for (const border of borderTreatments) {
    const { wavelet, terms } = input;
    const found = await onKernels((kernels) =>
      approximateBorders(signal, { border, wavelet, terms }, kernels),
    );
    const around = (values: Float64Array) =>
      Float64Array.from({ length: samples + 2 * shownBeyond }, (_, i) => {
        const at = found.first + i - shownBeyond;
        return values[(at + values.length) % values.length];
      });
    const errors = signal.map((value, i) => Math.abs(found.values[found.first + i] - value));
    treatments.push({
      border,
      extended: around(found.extended),
      approximation: around(found.values),
      errors,
      atBorder: rms(errors.filter((_, i) => isBorder(i))),
      inside: rms(errors.filter((_, i) => !isBorder(i))),
      overall: rms(errors),
    });
  }
  return { signal, unmoved, treatments };
};

function isBorder(i: number): boolean {
  return i < borderSamples || i >= samples - borderSamples;
}

function rms(values: Float64Array): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
}

export const borderTasks = { paperBorders };
