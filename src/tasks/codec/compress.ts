/**
 * Compress arrays and pictures with a dictionary, to a number of bytes or to a PSNR.
 * The quantization step determines both (trialEncoder.ts). It is searched for in half
 * octaves from the coarsest down, then within one half octave. Which atoms are chosen
 * may depend on the device; what a file decodes to does not.
 */

import {
  type ArgumentType,
  callback,
  flag,
  kernels as kernelsType,
  model as modelType,
  record,
  requireArguments,
  signalData,
} from "../../core/arguments/argumentTypes.js";
import { requireKnownOptions } from "../../core/arguments/knownOptions.js";
import { inputError } from "../../core/errors.js";
import { requireAbove, requireInteger } from "../../core/require.js";
import type { Kernels } from "../../kernels/contract.js";
import { HandleScope, withKernels } from "../../kernels/handleScope.js";
import type { Model } from "../../model/model.js";
import { createBlockLayout } from "./blockLayout.js";
import { CodecDictionary } from "./codecDictionary.js";
import { requireFitsFormat } from "./container.js";
import { requireSampleArray, type SampleArray } from "./sampleArray.js";
import { type Compressed, type OnTrial, TrialEncoder } from "./trialEncoder.js";

/** The largest file size in bytes, or the lowest PSNR in dB. */
export type CompressionTarget = { readonly bytes: number } | { readonly psnr: number };

/** In dB. */
export const defaultPsnr = 32;

/** Steps in half an octave. */
const stride = 16;
/** For arrays of at most `fewBlocks` blocks, this many steps on both sides of the result are tried, too. */
const near = 5;
const fewBlocks = 16;
/** The search ends after this many half octaves without gain; the first may be too coarse for any atom. */
const maxIdle = 12;

const sampleArray: ArgumentType = {
  words: "an array { shape, data, colour }",
  accepts: (value) =>
    signalData.accepts(value) && record.accepts(value) && flag.accepts((value as SampleArray).colour),
};

/** Compresses arrays with one dictionary. */
export class Compressor {
  readonly #model: Model;
  readonly #dictionary: CodecDictionary;
  readonly #scope: HandleScope;

  private constructor(model: Model, dictionary: CodecDictionary, scope: HandleScope) {
    this.#model = model;
    this.#dictionary = dictionary;
    this.#scope = scope;
  }

  static async open(model: Model, kernels: Kernels): Promise<Compressor> {
    requireArguments("Compressor.open", { model: [model, modelType], kernels: [kernels, kernelsType] });
    const scope = new HandleScope(kernels);
    try {
      return new Compressor(model, await CodecDictionary.open(model, scope.kernels), scope);
    } catch (error) {
      scope.freeAll();
      throw error;
    }
  }

  /** The best file within a number of bytes, or the smallest file with at least a PSNR. */
  async compress(
    array: SampleArray,
    target: CompressionTarget,
    onTrial: OnTrial = () => {},
  ): Promise<Compressed> {
    requireArguments("compress", {
      array: [array, sampleArray],
      target: [target, record],
      onTrial: [onTrial, callback],
    });
    requireKnownOptions("compress: target", target, ["bytes", "psnr"]);
    requireSampleArray("compress", array);
    requireFitsFormat("compress", array.shape);
    if ("bytes" in target) requireInteger("compress", "bytes", target.bytes, 1);
    else requireAbove("compress", "psnr", target.psnr, 0);
    const layout = createBlockLayout(this.#model, array.shape, array.colour, "compress");
    return withKernels(this.#scope.kernels, (kernels) => {
      const encoder = new TrialEncoder(array, layout, this.#dictionary, kernels, onTrial);
      return "bytes" in target ? finestWithin(encoder, target.bytes) : coarsestWith(encoder, target.psnr);
    });
  }

  free(): void {
    this.#scope.freeAll();
  }
}

/** The file of the finest step that takes at most this many bytes. */
async function finestWithin(encoder: TrialEncoder, bytes: number): Promise<Compressed> {
  const fits = async (step: number) => (await encoder.file(step)).length <= bytes;
  encoder.doneAt = (size) => coarseShare * Math.min(1, size / bytes);
  let step = encoder.coarsest;
  if (!(await fits(step))) {
    const { length } = await encoder.file(step);
    throw inputError("compress", "bytes", `must be at least ${length} for this array`, bytes);
  }
  while (step - stride >= encoder.finest && (await fits(step - stride))) step -= stride;
  const edge = await boundary(step, Math.max(step - stride, encoder.finest - 1), fits, encoder);
  return bestNear(encoder, edge, bytes);
}

/** The best file that fits, among some steps around `edge`: with few blocks, sizes vary irregularly with the step. */
async function bestNear(encoder: TrialEncoder, edge: number, bytes: number): Promise<Compressed> {
  let best = await encoder.compressed(edge);
  if (best.blocks > fewBlocks) return best;
  const last = Math.min(edge + near, encoder.coarsest);
  for (let step = Math.max(edge - near, encoder.finest); step <= last; step++) {
    if ((await encoder.file(step)).length > bytes) continue;
    const other = await encoder.compressed(step);
    if (other.psnr > best.psnr) best = other;
  }
  return best;
}

/** The file of the coarsest step with at least this PSNR. */
async function coarsestWith(encoder: TrialEncoder, psnr: number): Promise<Compressed> {
  const suffices = async (step: number) => (await encoder.psnr(step)) >= psnr;
  let step = encoder.coarsest;
  let highest = 0;
  encoder.doneAt = () => coarseShare * Math.min(1, 2 ** ((highest - psnr) / decibelsPerDoubling));
  for (let idle = 0; !(await suffices(step)); step -= stride) {
    const reached = await encoder.psnr(step);
    highest = Math.max(highest, reached);
    const next = step - stride >= encoder.finest ? await encoder.psnr(step - stride) : reached;
    idle = next - reached < 0.01 && reached > 0 ? idle + 1 : 0;
    if (idle < maxIdle && step - stride >= encoder.finest) continue;
    const best = Math.max(next, reached).toFixed(1);
    throw inputError("compress", "psnr", `must be at most ${best} for this array and dictionary`, psnr);
  }
  const edge = await boundary(step, Math.min(step + stride, encoder.coarsest + 1), suffices, encoder);
  return encoder.compressed(edge);
}

/**
 * The part of the search that half octaves take: files grow as steps shrink, so all of them together take about as long
 * as the four of the last half octave.
 */
const coarseShare = 0.5;
/** A file is about twice as large for a PSNR this much higher, in dB. */
const decibelsPerDoubling = 6;

/** The last step for which something holds, between `yes`, for which it does, and `no`, for which it does not. */
async function boundary(
  yes: number,
  no: number,
  holds: (step: number) => Promise<boolean>,
  encoder: TrialEncoder,
): Promise<number> {
  let inside = yes;
  let outside = no;
  while (Math.abs(inside - outside) > 1) {
    const left = Math.log2(Math.abs(inside - outside)) - 1;
    encoder.doneAt = () => 1 - ((1 - coarseShare) * Math.max(0, left)) / Math.log2(stride);
    const middle = Math.trunc((inside + outside) / 2);
    if (await holds(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}
