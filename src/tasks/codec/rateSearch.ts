/**
 * One array, compressed with one step Δ after the other. Coefficients are whole numbers
 * of Δ, and each block takes the atoms that are worth their bits at the slope
 *
 *     λ = 0.08 Δ²        squared error a bit, the same in all blocks
 *
 * so that no bit would do more good in another block. What bits cost is a guess at
 * first, then what the blocks of the round before tell.
 */

import { EventLoopPause } from "../../core/eventLoop.js";
import { DenseMatrix } from "../../core/matrix.js";
import { sizeOf } from "../../core/shape.js";
import { largestMagnitude, powerBelow } from "../../core/units.js";
import type { Kernels } from "../../kernels/contract.js";
import type { AtomOdds } from "./atomOdds.js";
import { type BlockCode, grades } from "./blockSyntax.js";
import { CandidateSearch, type Candidates } from "./candidates.js";
import { mostStep, packContainer, stepOf } from "./container.js";
import type { DictionaryAtHand } from "./decodingDictionary.js";
import { codeBlocks, type Layout, meanScale, synthesizePlane } from "./layout.js";
import { fewestBits, type Prices, quantizeBlock } from "./quantize.js";
import { BitWriter } from "./rangeCoder.js";
import { fromPlanes, type SampleArray, samplePsnr, sampleTypeOf, toPlanes } from "./samples.js";

export interface Compressed {
  /** The file. */
  readonly bytes: Uint8Array;
  /** How near it comes, in dB. */
  readonly psnr: number;
  /** Blocks, planes together, and the atoms of all of them. */
  readonly blocks: number;
  readonly atoms: number;
}

/** Told how many files were made so far, and the bytes of the last; it may throw to end the search. */
export type OnAttempt = (attempts: number, bytes: number) => void;

/** The file of one step. */
interface Attempt {
  readonly bytes: Uint8Array;
  /** Its blocks, plane by plane. */
  readonly planes: readonly (readonly BlockCode[])[];
  psnr?: number;
}

/** λ/Δ². */
const slope = 0.08;
/** Steps that an array is tried with, at most: 20 octaves below the coarsest. */
const range = 20 * 32;

export class Attempts {
  /** A step so coarse that no atom is worth it, and one that is fine beyond use. */
  readonly coarsest: number;
  readonly finest: number;
  readonly #array: SampleArray;
  readonly #layout: Layout;
  readonly #hand: DictionaryAtHand;
  readonly #means: Float64Array;
  readonly #search: CandidateSearch;
  /** Blocks in the search are in units of this. */
  readonly #unit: number;
  readonly #made = new Map<number, Attempt>();
  readonly #pause = new EventLoopPause();
  readonly #onAttempt: OnAttempt;
  #prices: Prices;

  constructor(
    array: SampleArray,
    layout: Layout,
    hand: DictionaryAtHand,
    kernels: Kernels,
    onAttempt: OnAttempt,
  ) {
    this.#onAttempt = onAttempt;
    const { Y, means, unit } = cutBlocks(array, layout);
    this.#array = array;
    this.#layout = layout;
    this.#hand = hand;
    this.#means = means;
    this.#unit = unit;
    this.#search = new CandidateSearch(hand.dictionary, Y, kernels);
    this.#prices = pricesOf([], hand.odds);
    const largest = largestMagnitude(Y.data) * unit * Math.sqrt(Y.rows);
    this.coarsest = stepAbove(Math.max(largest, largestMagnitude(means), 2 ** -20));
    this.finest = Math.max(0, this.coarsest - range);
  }

  /** The file of a step. */
  async file(step: number): Promise<Uint8Array> {
    return (await this.#at(step)).bytes;
  }

  /** How near it comes, in dB. */
  async psnr(step: number): Promise<number> {
    const attempt = await this.#at(step);
    attempt.psnr ??= this.#measure(attempt, step);
    return attempt.psnr;
  }

  /** All about the file of a step. */
  async compressed(step: number): Promise<Compressed> {
    const { bytes, planes } = await this.#at(step);
    const blocks = planes.flat();
    const atoms = blocks.reduce((sum, { ranks }) => sum + ranks.length, 0);
    return { bytes, psnr: await this.psnr(step), blocks: blocks.length, atoms };
  }

  async #at(step: number): Promise<Attempt> {
    const known = this.#made.get(step);
    if (known) return known;
    const delta = stepOf(step) / this.#unit;
    const candidates = await this.#search.find(fewestBits * slope * delta * delta);
    this.#prices = pricesOf(await this.#quantize(candidates, step), this.#hand.odds);
    const made = this.#write(step, await this.#quantize(candidates, step));
    this.#made.set(step, made);
    this.#onAttempt(this.#made.size, made.bytes.length);
    return made;
  }

  async #quantize(candidates: readonly Candidates[], step: number): Promise<BlockCode[]> {
    const delta = stepOf(step) / this.#unit;
    const { gram, odds } = this.#hand;
    const meanStep = stepOf(step) * meanScale(this.#layout.model);
    const blocks: BlockCode[] = [];
    for (const [b, found] of candidates.entries()) {
      const rule = { delta, lambda: slope * delta * delta, prices: this.#prices };
      blocks.push({
        mean: Math.round(this.#means[b] / meanStep),
        ...quantizeBlock(found, gram, odds.ranks, rule),
      });
      await this.#pause.ifDue();
    }
    return blocks;
  }

  #write(step: number, blocks: readonly BlockCode[]): Attempt {
    const { shape, colour, data } = this.#array;
    const [type, grade, each] = [sampleTypeOf(data), gradeOf(blocks), this.#layout.grid.blocks];
    const writer = new BitWriter();
    const planes = codeBlocks(writer, this.#layout, grade, (plane, b) => blocks[plane * each + b]);
    const { name: dictionary } = this.#hand;
    const payload = writer.finish();
    return { bytes: packContainer({ dictionary, shape, colour, type, step, grade, payload }), planes };
  }

  #measure({ planes }: Attempt, step: number): number {
    const { data, shape } = this.#array;
    const { atoms, odds } = this.#hand;
    const back = planes.map((codes) => synthesizePlane(codes, this.#layout, step, atoms, odds.atoms));
    return samplePsnr(data, fromPlanes(back, shape, sampleTypeOf(data)).data);
  }
}

/** All blocks of all planes, their means taken out, in units in which the largest sample is about 1. */
function cutBlocks(array: SampleArray, { model, grid, planes: count }: Layout) {
  const n = sizeOf(model.shape);
  const Y = new DenseMatrix(n, grid.blocks * count);
  const means = new Float64Array(Y.cols);
  toPlanes(array).forEach((plane, p) => {
    for (let b = 0; b < grid.blocks; b++) grid.read(plane, b, Y.column(p * grid.blocks + b));
  });
  for (let b = 0; b < Y.cols && model.meta.removeMean; b++) {
    const column = Y.column(b);
    const mean = column.reduce((sum, value) => sum + value, 0) / n;
    means[b] = mean;
    for (let r = 0; r < n; r++) column[r] -= mean;
  }
  const unit = powerBelow(largestMagnitude(Y.data));
  for (let i = 0; i < Y.data.length; i++) Y.data[i] /= unit;
  return { Y, means, unit };
}

/** The first step above a number. */
function stepAbove(value: number): number {
  let step = 0;
  while (step < mostStep && stepOf(step) <= value) step += 1;
  return step;
}

/** What bits cost in blocks like these; a guess where there are none. */
function pricesOf(blocks: readonly BlockCode[], odds: AtomOdds): Prices {
  const used = blocks.filter(({ ranks }) => ranks.length > 0);
  const total = used.reduce((sum, { ranks }) => sum + ranks.length, 0);
  const longer = used.length === 0 ? 0.4 : longerChance(used);
  const [more, end] = [-Math.log2(longer), -Math.log2(1 - longer)];
  return {
    atoms: odds.estimate(used.length === 0 ? odds.atoms.length / 64 : total / used.length),
    magnitudes: Array.from({ length: 24 }, (_, digits) => digits * more + end),
  };
}

/** How often the number of digits of a magnitude goes on. */
function longerChance(blocks: readonly BlockCode[]): number {
  let [goes, ends] = [0.5, 1];
  for (const { values } of blocks)
    for (let i = 0; i < values.length; i++) {
      goes += 31 - Math.clz32(Math.abs(values[i]));
      ends += 1;
    }
  return goes / (goes + ends);
}

function gradeOf(blocks: readonly BlockCode[]): number {
  return Math.min(grades - 1, Math.floor(longerChance(blocks) * grades));
}
