/** Figure 7: noisy pictures, denoised by every method with patches of every size. */

import { Rng } from "../../core/random/rng.js";
import type { Signal } from "../../core/signal.js";
import { createBase } from "../../dictionaries/base.js";
import { psnr } from "../../tasks/approximate/representation.js";
import { denoise } from "../../tasks/restore/denoise.js";
import { addNoise, rmseBetween } from "../../tasks/restore/trialDamage.js";
import { chooseSettings, recordSettings, trainingOptions } from "../shared/chooseSettings.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
  OutcomeTable,
} from "../shared/experiment.js";
import { describeDevice } from "../shared/outcomeFiles.js";
import { choosePictures, departuresOf } from "../shared/pictures.js";
import { denoisingClaims, type Measurement, meanCurve } from "./claims.js";
import { denoisingFiles } from "./files.js";
import { croppedBase, type DenoisingMethod, type DenoisingSettings } from "./settings.js";

/** A picture to denoise. */
interface Task {
  readonly clean: Signal;
  readonly noisy: Signal;
  /** `picture 1 of 3`. */
  readonly name: string;
}

/** The experiment with these options, checked. */
export function prepareDenoising(settings: DenoisingSettings, options: ExperimentOptions): ExperimentRun {
  const chosen = chooseSettings(settings, options, trainingOptions);
  const withEpochs = <M extends DenoisingMethod>(method: M): M => ({
    ...method,
    epochs: options.epochs ?? method.epochs,
  });
  const methods = chosen.methods.map(withEpochs);
  const reference = withEpochs(chosen.reference);
  return (data, tools) => runDenoising({ ...chosen, methods, reference }, data, tools);
}

export async function runDenoising(
  settings: DenoisingSettings,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const start = performance.now();
  const { pictures, sources } = choosePictures(data, settings.pictures, settings.seed);
  const { sizes, methods, reference } = settings;
  const measurements: Measurement[] = [];
  for (const [i, clean] of pictures.entries()) {
    const task = {
      clean,
      noisy: addNoise(clean, settings.sigma, Rng.from(settings.seed).split(`noise ${i}`)), // the same for all methods
      name: `picture ${i + 1} of ${pictures.length}`,
    };
    measurements.push(await measure(settings, reference, reference.size, task, tools));
    for (const size of sizes)
      for (const method of methods) measurements.push(await measure(settings, method, size, task, tools));
  }
  const claims = denoisingClaims(settings, measurements);
  const table = psnrTable(settings, measurements);
  const departures = departuresOf(settings, data);
  const device = describeDevice(tools.kernels);
  const seconds = (performance.now() - start) / 1000;
  return {
    ...table,
    claims,
    values: { measurements: measurements.map(measurementValues) },
    settings: recordSettings(settings),
    departures,
    stageSeconds: Object.fromEntries(
      [...methods, reference].map((method) => [method.label, totalSeconds(measurements, method)]),
    ),
    files: denoisingFiles({ settings, measurements, table, claims, departures, sources, device, seconds }),
  };
}

/** Denoise one picture by one method. */
async function measure(
  settings: DenoisingSettings,
  method: DenoisingMethod,
  size: number,
  { clean, noisy, name }: Task,
  { kernels, signal, onStage, onProgress }: ExperimentTools,
): Promise<Measurement> {
  const { sigma, stride, atomSparsity, examples, batch, seed } = settings;
  const stage = `${name}: ${size}x${size}, ${method.label}`;
  onStage?.(stage);
  const { learner, epochs } = method;
  const sparseAtoms = method.base === "dense" ? {} : { atomSparsity };
  const training = { learner, base: baseName(method, size), epochs, examples, batch, seed, ...sparseAtoms };
  const start = performance.now();
  const { signals } = await denoise([noisy], {
    sigma,
    patch: [size, size],
    stride,
    training,
    kernels,
    signal,
    onProgress: ({ stage: part, done }) => onProgress?.(`${stage}: ${part} ${(100 * done).toFixed(0)} %`),
  });
  const seconds = (performance.now() - start) / 1000;
  return { method, size, picture: clean.name, psnr: psnr(rmseBetween(signals, [clean])), seconds };
}

/** The ODCT has as many atoms as the cropped wavelets, and a dense dictionary as many as the ODCT. */
function baseName({ base }: DenoisingMethod, size: number): string {
  if (base === "cropped") return croppedBase;
  return `odct:${createBase(croppedBase, [size]).factors[0].cols / size}`;
}

/** PSNR by method and size, and the seconds per picture with the smallest and the largest patches. */
function psnrTable(
  { sizes, methods, reference }: DenoisingSettings,
  measurements: readonly Measurement[],
): OutcomeTable {
  const [dense] = meanCurve(measurements, reference);
  return {
    header: ["PSNR (dB)", ...sizes.map((size) => `${size}x${size}`), "seconds per picture"],
    rows: [
      ...methods.map((method) => {
        const curve = meanCurve(measurements, method);
        const range = [curve[0], curve.at(-1)!].map(({ seconds }) => seconds.toFixed(1)).join(" to ");
        return [method.label, ...curve.map((point) => point.psnr.toFixed(2)), range];
      }),
      [
        reference.label,
        ...sizes.map((size) => (size === reference.size ? dense.psnr.toFixed(2) : "")),
        dense.seconds.toFixed(1),
      ],
    ],
  };
}

function totalSeconds(measurements: readonly Measurement[], method: DenoisingMethod): number {
  const own = measurements.filter((measurement) => measurement.method === method);
  return own.reduce((sum, { seconds }) => sum + seconds, 0);
}

function measurementValues({ method, ...others }: Measurement) {
  return { learner: method.learner, base: method.base, ...others };
}
