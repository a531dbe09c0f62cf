/**
 * Compress arrays and pictures over a dictionary, down to a number of bytes or to a
 * PSNR. One step sets everything (attempts.ts); it is looked for: in half octaves from
 * the top, then within one. Which atoms are chosen may depend on the device; what a
 * file decodes to does not.
 */

import { inputError } from "../../core/errors.js";
import { requireAbove, requireInteger } from "../../core/require.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { requireFitsFormat } from "./container.js";
import { DictionaryAtHand } from "./decodingDictionary.js";
import { layoutOf } from "./layout.js";
import { Attempts, type Compressed, type OnAttempt } from "./rateSearch.js";
import { requireSampleArray, type SampleArray } from "./samples.js";

/** How small, or how good. */
export type CompressionTarget = { readonly bytes: number } | { readonly psnr: number };

/** In dB, where nothing is said. */
export const defaultPsnr = 32;

/** Steps of half an octave: by which the search goes down. */
const stride = 16;
/** Steps tried on both sides of the one that was found, for arrays of so few blocks. */
const near = 5;
const fewBlocks = 16;
/** After so many of them in which nothing is gained, nothing will be; the first may be too coarse for any atom. */
const mostIdle = 12;

/** Compresses one array after the other over a dictionary. */
export class Compressor {
  readonly #model: Model;
  readonly #hand: DictionaryAtHand;
  readonly #kernels: Kernels;

  private constructor(model: Model, hand: DictionaryAtHand, kernels: Kernels) {
    this.#model = model;
    this.#hand = hand;
    this.#kernels = kernels;
  }

  static async open(model: Model, kernels: Kernels): Promise<Compressor> {
    return new Compressor(model, await DictionaryAtHand.open(model, kernels), kernels);
  }

  /** The best file of at most so many bytes, or the smallest of at least this PSNR. */
  async compress(
    array: SampleArray,
    target: CompressionTarget,
    onAttempt: OnAttempt = () => {},
  ): Promise<Compressed> {
    requireSampleArray("compress", array);
    requireFitsFormat("compress", array.shape);
    if ("bytes" in target) requireInteger("compress", "bytes", target.bytes, 1);
    else requireAbove("compress", "psnr", target.psnr, 0);
    const layout = layoutOf(this.#model, array.shape, array.colour, "compress");
    const attempts = new Attempts(array, layout, this.#hand, this.#kernels, onAttempt);
    return "bytes" in target ? smallEnough(attempts, target.bytes) : goodEnough(attempts, target.psnr);
  }

  free(): void {
    this.#hand.free();
  }
}

/** The finest step whose file is small enough. */
async function smallEnough(attempts: Attempts, bytes: number): Promise<Compressed> {
  const fits = async (step: number) => (await attempts.file(step)).length <= bytes;
  let step = attempts.coarsest;
  if (!(await fits(step))) {
    const { length } = await attempts.file(step);
    throw inputError("compress", "bytes", `must be at least ${length} for this array`, bytes);
  }
  while (step - stride >= attempts.finest && (await fits(step - stride))) step -= stride;
  const edge = await boundary(step, Math.max(step - stride, attempts.finest - 1), fits);
  return bestNear(attempts, edge, bytes);
}

/** Of few blocks, sizes jump up and down from step to step: the best file that fits of some steps around one that does. */
async function bestNear(attempts: Attempts, edge: number, bytes: number): Promise<Compressed> {
  let best = await attempts.compressed(edge);
  if (best.blocks > fewBlocks) return best;
  const last = Math.min(edge + near, attempts.coarsest);
  for (let step = Math.max(edge - near, attempts.finest); step <= last; step++) {
    if ((await attempts.file(step)).length > bytes) continue;
    const other = await attempts.compressed(step);
    if (other.psnr > best.psnr) best = other;
  }
  return best;
}

/** The coarsest step whose file is good enough. */
async function goodEnough(attempts: Attempts, psnr: number): Promise<Compressed> {
  const suffices = async (step: number) => (await attempts.psnr(step)) >= psnr;
  let step = attempts.coarsest;
  for (let idle = 0; !(await suffices(step)); step -= stride) {
    const reached = await attempts.psnr(step);
    const next = step - stride >= attempts.finest ? await attempts.psnr(step - stride) : reached;
    idle = next - reached < 0.01 && reached > 0 ? idle + 1 : 0;
    if (idle < mostIdle && step - stride >= attempts.finest) continue;
    const best = Math.max(next, reached).toFixed(1);
    throw inputError("compress", "psnr", `must be at most ${best} for this array and dictionary`, psnr);
  }
  return attempts.compressed(await boundary(step, Math.min(step + stride, attempts.coarsest + 1), suffices));
}

/** The last step from `yes`, where something holds, towards `no`, where it does not. */
async function boundary(yes: number, no: number, holds: (step: number) => Promise<boolean>): Promise<number> {
  let [inside, outside] = [yes, no];
  while (Math.abs(inside - outside) > 1) {
    const middle = Math.trunc((inside + outside) / 2);
    if (await holds(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}
