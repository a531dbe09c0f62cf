/** Pictures restored in the worker: noise added and removed, holes made and filled. Compression is in compressTasks.ts. */

import { denoise, encodePng, estimateNoise, inpaint, makeSignal } from "trainlets";
import { Rng, type TaskProgress } from "trainlets/parts";
import type { GreyPicture } from "../look/lookTasks";
import { modelOf } from "../models";
import { onKernels } from "../onKernels";
import { type Task, type TaskContext, transferring } from "../protocol";
import { bytesOf, compressTasks } from "./compressTasks";
import { type Damage, maskOf } from "./restoreMask";

/** With a dictionary of the page, by its number, or with one that is learned from the picture for patches of a size. */
export type DictionaryChoice = { readonly model: number } | { readonly patch: number };

/** Learning that a person waits for: what the library does by default, with fewer examples. */
const training = { examples: 40_000, epochs: 2, seed: 1 };

export interface NoiseInput {
  readonly picture: GreyPicture;
  /** Standard deviation, in the units of the samples. */
  readonly sigma: number;
  readonly seed: number;
}

export interface NoiseResult {
  readonly data: Float32Array<ArrayBuffer>;
  /** As `estimateNoise` finds it; undefined if the picture is too small for that. */
  readonly estimated: number | undefined;
  readonly rmse: number;
}

function noisyOf({ picture: { data }, sigma, seed }: NoiseInput): Float32Array<ArrayBuffer> {
  const rng = Rng.from(seed).split("noise");
  return Float32Array.from(data, (value) => (sigma > 0 ? value + sigma * rng.normal() : value));
}

function signalOf({ width, height }: GreyPicture, data: Float32Array) {
  return makeSignal("the picture", [height, width], data);
}

const addNoise: Task<NoiseInput, NoiseResult> = async (input) => {
  const data = noisyOf(input);
  let estimated: number | undefined;
  try {
    estimated = estimateNoise(signalOf(input.picture, data));
  } catch {
    // too small
  }
  return transferring({ data, estimated, rmse: rmseOf(data, input.picture.data) }, [data.buffer]);
};

export interface Restored {
  readonly data: Float32Array<ArrayBuffer>;
  /** Over the whole picture. */
  readonly rmse: number;
}

export interface DenoiseInput extends NoiseInput {
  readonly dictionary: DictionaryChoice;
  /** Samples between patches. */
  readonly step: number;
  /** Use the noise that was added, or estimate it. */
  readonly level: "known" | "estimated";
}

const removeNoise: Task<DenoiseInput, Restored & { sigma: number }, TaskProgress> = async (
  input,
  context,
) => {
  const { picture, level, sigma } = input;
  const noisy = signalOf(picture, noisyOf(input));
  const {
    signals: [{ data }],
    sigma: [used],
  } = await onKernels((kernels) =>
    denoise(noisy, { ...usual(input, context), kernels, ...(level === "known" ? { sigma } : {}) }),
  );
  const result = { data: Float32Array.from(data), rmse: rmseOf(data, picture.data), sigma: used };
  return transferring(result, [result.data.buffer]);
};

/** What both tasks are given. */
function usual(
  { dictionary, step }: { readonly dictionary: DictionaryChoice; readonly step: number },
  { signal, report }: TaskContext<TaskProgress>,
) {
  const given = { signal, onProgress: report, stride: step };
  if ("model" in dictionary) return { ...given, dictionary: modelOf(dictionary.model) };
  return { ...given, patch: [dictionary.patch, dictionary.patch], training };
}

export interface DamageInput {
  readonly picture: GreyPicture;
  readonly damage: Damage;
  readonly seed: number;
}

export interface DamageResult {
  readonly missing: Uint8Array<ArrayBuffer>;
  readonly count: number;
  /** The error of the missing samples, if the mean of the others takes their place. */
  readonly rmse: number;
}

function missingIn({ picture: { width, height }, damage, seed }: DamageInput): Uint8Array<ArrayBuffer> {
  return maskOf(width, height, damage, Rng.from(seed));
}

const damagePicture: Task<DamageInput, DamageResult> = async (input) => {
  const { data } = input.picture;
  const missing = missingIn(input);
  const [gone, left] = [sumOver(data, missing, 1), sumOver(data, missing, 0)];
  const mean = left.count > 0 ? left.sum / left.count : 0;
  const rmse = rmseOf(
    data.map(() => mean),
    data,
    missing,
  );
  return transferring({ missing, count: gone.count, rmse }, [missing.buffer]);
};

function sumOver(data: Float32Array, missing: Uint8Array, kind: 0 | 1): { sum: number; count: number } {
  let [sum, count] = [0, 0];
  for (let i = 0; i < data.length; i++) {
    if (missing[i] !== kind) continue;
    sum += data[i];
    count++;
  }
  return { sum, count };
}

export interface FillInput extends DamageInput {
  readonly dictionary: DictionaryChoice;
  readonly step: number;
}

/** `filledRmse`: over the samples that were missing. */
const fillPicture: Task<FillInput, Restored & { filledRmse: number }, TaskProgress> = async (
  input,
  context,
) => {
  const { picture } = input;
  const missing = missingIn(input);
  const signal = signalOf(picture, picture.data);
  const [{ data }] = await onKernels((kernels) =>
    inpaint([{ signal, missing }], { ...usual(input, context), kernels }),
  );
  const result = {
    data: Float32Array.from(data),
    rmse: rmseOf(data, picture.data),
    filledRmse: rmseOf(data, picture.data, missing),
  };
  return transferring(result, [result.data.buffer]);
};

/** The root-mean-square error; over the samples with a 1 in `where`, if it is given. */
function rmseOf(a: Float32Array, b: Float32Array, where?: Uint8Array): number {
  let [energy, count] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    if (where && where[i] === 0) continue;
    energy += (a[i] - b[i]) ** 2;
    count++;
  }
  return Math.sqrt(energy / count);
}

/** A picture as a PNG file of grey bytes. */
const toPng: Task<GreyPicture, Uint8Array> = async (picture) => {
  const { width, height } = picture;
  const png = encodePng({ width, height, channels: 1, data: bytesOf(picture) });
  return transferring(png, [png.buffer]);
};

export const restoreTasks = {
  addNoise,
  removeNoise,
  damagePicture,
  fillPicture,
  toPng,
  ...compressTasks,
};
