/**
 * Compress arrays and pictures over a dictionary, down to a number of bytes or to a
 * PSNR. One step sets everything (attempts.ts); it is looked for: octaves first, from
 * the top, then within one. Which atoms are chosen may depend on the device; what a
 * file decodes to does not.
 */

import { InputError } from "../../core/errors.js";
import { type OptionNaming, plainNames, requireAbove, requireInteger } from "../../core/require.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { Attempts, type Compressed } from "./attempts.js";
import { requireFitsFormat } from "./container.js";
import { DictionaryAtHand } from "./dictionaryAtHand.js";
import { layoutOf } from "./layout.js";
import { requireSampleArray, type SampleArray } from "./samples.js";

/** How small, or how good. */
export type CompressionTarget = { readonly bytes: number } | { readonly psnr: number };

/** In dB, where nothing is said. */
export const defaultPsnr = 32;

/** Steps of an octave. */
const octave = 32;
/** After so many octaves in which nothing is gained, nothing will be; the first may be too coarse for any atom. */
const mostIdle = 6;

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
    caller = "compress",
    say: OptionNaming = plainNames,
  ): Promise<Compressed> {
    requireSampleArray(caller, array);
    requireFitsFormat(caller, array.shape);
    if ("bytes" in target) requireInteger(caller, say("bytes"), target.bytes, 1);
    else requireAbove(caller, say("psnr"), target.psnr, 0);
    const layout = layoutOf(this.#model, array.shape, array.colour, caller);
    const attempts = new Attempts(array, layout, this.#hand, this.#kernels);
    return "bytes" in target
      ? smallEnough(attempts, target.bytes, `${caller}: ${say("bytes")}`)
      : goodEnough(attempts, target.psnr, `${caller}: ${say("psnr")}`);
  }

  free(): void {
    this.#hand.free();
  }
}

/** The finest step whose file is small enough. */
async function smallEnough(attempts: Attempts, bytes: number, what: string): Promise<Compressed> {
  const fits = async (step: number) => (await attempts.file(step)).length <= bytes;
  let step = attempts.coarsest;
  if (!(await fits(step))) {
    const { length } = await attempts.file(step);
    throw new InputError(`${what} must be at least ${length} for this array, got ${bytes}`);
  }
  while (step - octave >= attempts.finest && (await fits(step - octave))) step -= octave;
  return attempts.compressed(await boundary(step, Math.max(step - octave, attempts.finest - 1), fits));
}

/** The coarsest step whose file is good enough. */
async function goodEnough(attempts: Attempts, psnr: number, what: string): Promise<Compressed> {
  const suffices = async (step: number) => (await attempts.psnr(step)) >= psnr;
  let step = attempts.coarsest;
  for (let idle = 0; !(await suffices(step)); step -= octave) {
    const reached = await attempts.psnr(step);
    const next = step - octave >= attempts.finest ? await attempts.psnr(step - octave) : reached;
    idle = next - reached < 0.01 && reached > 0 ? idle + 1 : 0;
    if (idle < mostIdle && step - octave >= attempts.finest) continue;
    const best = Math.max(next, reached).toFixed(1);
    throw new InputError(`${what} must be at most ${best} for this array and dictionary, got ${psnr}`);
  }
  return attempts.compressed(await boundary(step, Math.min(step + octave, attempts.coarsest + 1), suffices));
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
