/** Figure 7: noisy pictures, denoised by every method with patches of every size. */

import { inputError } from "../../core/errors.js";
import { requireInteger } from "../../core/require.js";
import { Rng } from "../../core/rng.js";
import type { Signal } from "../../core/signal.js";
import { createBase } from "../../dictionaries/base.js";
import { psnr } from "../../tasks/approximate/representation.js";
import { denoise } from "../../tasks/restore/denoise.js";
import { addNoise, rmseBetween } from "../../tasks/restore/trial.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
} from "../shared/experiment.js";
import { picturesOr } from "../shared/pageParts.js";
import { croppedBase, type DenoisingConfig, type DenoisingMethod } from "./config.js";
import { judge } from "./expected.js";
import { denoisingFiles } from "./files.js";
import { curveOf, type DenoisingResult, type Measurement } from "./result.js";

/** The experiment with these options, checked. */
export function prepareDenoising(
  config: DenoisingConfig,
  { quick, epochs, ...given }: ExperimentOptions,
): ExperimentRun {
  for (const [name, value] of Object.entries({ epochs, ...given }))
    if (value !== undefined) requireInteger(config.name, name, value, name === "seed" ? 0 : 1);
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const chosen: DenoisingConfig = { ...config, ...(quick ? config.quick : {}), ...said };
  if (epochs === undefined) return (data, tools) => runDenoising(chosen, data, tools);
  const methods = chosen.methods.map((method) => ({ ...method, epochs }));
  const reference = { ...chosen.reference, epochs };
  return (data, tools) => runDenoising({ ...chosen, methods, reference }, data, tools);
}

/** Denoise with everything, draw, judge. */
export async function runDenoising(
  config: DenoisingConfig,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const { pictures, sources } = picturesOr(data, config.pictures, config.seed);
  if (pictures.length === 0) throw inputError(config.name, "images", "must hold a picture", 0);
  const measurements: Measurement[] = [];
  for (const [i, clean] of pictures.entries()) {
    const noisy = addNoise(clean, config.sigma, Rng.from(config.seed).split(`noise ${i}`)); // the same for all methods
    const told = `picture ${i + 1} of ${pictures.length}`;
    measurements.push(
      await measure(config, config.reference, config.reference.size, clean, noisy, told, tools),
    );
    for (const size of config.sizes)
      for (const method of config.methods)
        measurements.push(await measure(config, method, size, clean, noisy, told, tools));
  }
  const device = `${tools.kernels.name}: ${tools.kernels.description}`;
  const result = { config, measurements, sources, device };
  const claims = judge(result);
  const table = tableOf(result);
  return {
    ...table,
    claims,
    values: { measurements: valuesOf(result) },
    files: denoisingFiles(result, table, claims),
  };
}

/** One picture by one method. */
async function measure(
  config: DenoisingConfig,
  method: DenoisingMethod,
  size: number,
  clean: Signal,
  noisy: Signal,
  told: string,
  { kernels, signal, onStage, onProgress }: ExperimentTools,
): Promise<Measurement> {
  const { sigma, stride, atomSparsity, examples, batch, seed } = config;
  const stage = `${told}: ${size}x${size}, ${method.label}`;
  onStage?.(stage);
  const { learner, epochs } = method;
  const own = method.base === "dense" ? {} : { atomSparsity };
  const training = { learner, base: baseName(method, size), epochs, examples, batch, seed, ...own };
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

/** The ODCT with as many atoms as the cropped wavelets; a dense dictionary has as many as either. */
function baseName({ base }: DenoisingMethod, size: number): string {
  if (base === "cropped") return croppedBase;
  return `odct:${createBase(croppedBase, [size]).factors[0].cols / size}`;
}

/** PSNR by method and size, and the seconds a picture took with the largest. */
function tableOf(result: DenoisingResult): { header: string[]; rows: string[][] } {
  const { sizes, methods, reference } = result.config;
  const [dense] = curveOf(result, reference);
  return {
    header: ["PSNR (dB)", ...sizes.map((size) => `${size}x${size}`), "seconds a picture"],
    rows: [
      ...methods.map((method) => {
        const curve = curveOf(result, method);
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

function valuesOf({ measurements }: DenoisingResult) {
  return measurements.map(({ method, ...others }) => ({
    learner: method.learner,
    base: method.base,
    ...others,
  }));
}
