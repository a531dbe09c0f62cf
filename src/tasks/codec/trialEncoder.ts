/**
 * Compresses one array with any quantization step Δ, and remembers the files it made.
 * Coefficients are integer multiples of Δ, and each block uses the atoms that are worth
 * their bits at the slope
 *
 *     λ = 0.08 Δ²        squared error per bit, the same in all blocks
 *
 * so that no bit would reduce the error more in another block. The costs in bits are
 * estimated first by a guess, then from the blocks of the previous round.
 */

import { EventLoopPause } from "../../core/eventLoop.js";
import { DenseMatrix } from "../../core/matrix.js";
import { sizeOf } from "../../core/shape.js";
import { largestMagnitude, toOwnUnits } from "../../core/units.js";
import type { Kernels } from "../../kernels/contract.js";
import { type BlockLayout, codeBlocks, meanScale, synthesizePlane } from "./blockLayout.js";
import { type BlockCode, grades, maxQuantized } from "./blockSyntax.js";
import { CandidateSearch, type Candidates } from "./candidateSearch.js";
import type { CodecDictionary } from "./codecDictionary.js";
import { maxStep, packContainer, stepSize } from "./container.js";
import type { AtomSetModel } from "./entropy/atomSetModel.js";
import { BitWriter } from "./entropy/rangeCoder.js";
import { type BitCosts, minAtomBits, quantizeBlock } from "./quantize.js";
import {
  fromPlanes,
  type SampleArray,
  samplePsnr,
  sampleTypeOf,
  toPlanes,
  unitExponent,
} from "./sampleArray.js";

export interface Compressed {
  /** The file. */
  readonly bytes: Uint8Array;
  /** Its quality, in dB. */
  readonly psnr: number;
  /** Blocks in all planes together. */
  readonly blocks: number;
  /** Atoms in all blocks together. */
  readonly atoms: number;
}

/**
 * Called with the number of files made so far, the size of the last in bytes, and about how much of the search is done,
 * from 0 to 1; it may throw to end the search.
 */
export type OnTrial = (trials: number, bytes: number, done: number) => void;

/** The file of one step. */
interface Trial {
  readonly bytes: Uint8Array;
  /** Its blocks, plane by plane. */
  readonly planes: readonly (readonly BlockCode[])[];
  psnr?: number;
}

/** λ/Δ². */
const slope = 0.08;
/** Steps between the coarsest and the finest: 20 octaves. */
const stepRange = 20 * 32;

export class TrialEncoder {
  /** A step so coarse that no atom is worth its bits. */
  readonly coarsest: number;
  /** A step finer than any use. */
  readonly finest: number;
  readonly #array: SampleArray;
  readonly #layout: BlockLayout;
  readonly #dictionary: CodecDictionary;
  readonly #means: Float64Array;
  readonly #search: CandidateSearch;
  /** Samples are coded in units of 2^exponent. */
  readonly #exponent: number;
  /** Each block in the search is in units of its own. */
  readonly #units: Float64Array;
  readonly #trials = new Map<number, Trial>();
  readonly #pause = new EventLoopPause();
  readonly #onTrial: OnTrial;
  #costs: BitCosts;
  /** About how much of the search is done once the next file is made, by its size in bytes; set by the search. */
  doneAt: (bytes: number) => number = () => 0;

  constructor(
    array: SampleArray,
    layout: BlockLayout,
    dictionary: CodecDictionary,
    kernels: Kernels,
    onTrial: OnTrial,
  ) {
    this.#onTrial = onTrial;
    this.#exponent = unitExponent(array, sizeOf(layout.model.shape));
    const { Y, means, units } = cutBlocks(array, layout, this.#exponent);
    this.#array = array;
    this.#layout = layout;
    this.#dictionary = dictionary;
    this.#means = means;
    this.#units = units;
    this.#search = new CandidateSearch(dictionary.onDevice, Y, kernels);
    this.#costs = estimateCosts([], dictionary.atomSets);
    const largest = units.reduce((most, unit, b) => Math.max(most, largestMagnitude(Y.column(b)) * unit), 0);
    this.coarsest = stepAbove(Math.max(largest * Math.sqrt(Y.rows), largestMagnitude(means), 2 ** -20));
    const meanSteps = maxQuantized * meanScale(layout.model); // a finer step would need more of them
    this.finest = Math.max(0, this.coarsest - stepRange, stepAbove(largestMagnitude(means) / meanSteps));
  }

  /** The file of a step. */
  async file(step: number): Promise<Uint8Array> {
    return (await this.#at(step)).bytes;
  }

  /** The PSNR of the file of a step, in dB. */
  async psnr(step: number): Promise<number> {
    const trial = await this.#at(step);
    trial.psnr ??= this.#measure(trial, step);
    return trial.psnr;
  }

  /** The file of a step, with its PSNR and counts. */
  async compressed(step: number): Promise<Compressed> {
    const { bytes, planes } = await this.#at(step);
    const blocks = planes.flat();
    const atoms = blocks.reduce((sum, { ranks }) => sum + ranks.length, 0);
    return { bytes, psnr: await this.psnr(step), blocks: blocks.length, atoms };
  }

  async #at(step: number): Promise<Trial> {
    const known = this.#trials.get(step);
    if (known) return known;
    const candidates = await this.#search.find((b) => {
      const delta = stepSize(step) / this.#units[b];
      return minAtomBits * slope * delta * delta;
    });
    this.#costs = estimateCosts(await this.#quantize(candidates, step), this.#dictionary.atomSets);
    const trial = this.#write(step, await this.#quantize(candidates, step));
    this.#trials.set(step, trial);
    const { length } = trial.bytes;
    this.#onTrial(this.#trials.size, length, Math.min(1, this.doneAt(length)));
    return trial;
  }

  async #quantize(candidates: readonly Candidates[], step: number): Promise<BlockCode[]> {
    const { gram, atomSets } = this.#dictionary;
    const meanStep = stepSize(step) * meanScale(this.#layout.model);
    const blocks: BlockCode[] = [];
    for (const [b, found] of candidates.entries()) {
      const delta = stepSize(step) / this.#units[b];
      const settings = { delta, lambda: slope * delta * delta, costs: this.#costs };
      blocks.push({
        mean: Math.round(this.#means[b] / meanStep),
        ...quantizeBlock(found, gram, atomSets.ranks, settings),
      });
      await this.#pause.ifDue();
    }
    return blocks;
  }

  #write(step: number, blocks: readonly BlockCode[]): Trial {
    const { shape, colour, data } = this.#array;
    const type = sampleTypeOf(data);
    const grade = gradeOf(blocks);
    const blocksPerPlane = this.#layout.grid.blocks;
    const writer = new BitWriter();
    const planes = codeBlocks(writer, this.#layout, grade, (plane, b) => blocks[plane * blocksPerPlane + b]);
    const { fingerprint: dictionary } = this.#dictionary;
    const payload = writer.finish();
    const head = { dictionary, shape, colour, type, step, exponent: this.#exponent };
    return { bytes: packContainer({ ...head, grade, payload }), planes };
  }

  #measure({ planes }: Trial, step: number): number {
    const { data, shape } = this.#array;
    const { atoms, atomSets } = this.#dictionary;
    const decoded = planes.map((blocks) =>
      synthesizePlane(blocks, this.#layout, step, atoms, atomSets.atoms),
    );
    return samplePsnr(data, fromPlanes(decoded, shape, sampleTypeOf(data), this.#exponent).data);
  }
}

/** All blocks of all planes, without their means, each in units in which its largest sample is about 1. */
function cutBlocks(array: SampleArray, { model, grid, planes: count }: BlockLayout, exponent: number) {
  const n = sizeOf(model.shape);
  const Y = new DenseMatrix(n, grid.blocks * count);
  const means = new Float64Array(Y.cols);
  toPlanes(array, exponent).forEach((plane, p) => {
    for (let b = 0; b < grid.blocks; b++) grid.read(plane, b, Y.column(p * grid.blocks + b));
  });
  for (let b = 0; b < Y.cols && model.meta.removeMean; b++) {
    const column = Y.column(b);
    const mean = column.reduce((sum, value) => sum + value, 0) / n;
    means[b] = mean;
    for (let r = 0; r < n; r++) column[r] -= mean;
  }
  return { Y, means, units: toOwnUnits(Y.data, Y.cols) };
}

/** The first step above a number. */
function stepAbove(value: number): number {
  let step = 0;
  while (step < maxStep && stepSize(step) <= value) step += 1;
  return step;
}

/** Estimated costs in blocks like these; a guess for an empty list. */
function estimateCosts(blocks: readonly BlockCode[], atomSets: AtomSetModel): BitCosts {
  const used = blocks.filter(({ ranks }) => ranks.length > 0);
  const total = used.reduce((sum, { ranks }) => sum + ranks.length, 0);
  const longer = used.length === 0 ? 0.4 : longerChance(used);
  const more = -Math.log2(longer);
  const end = -Math.log2(1 - longer);
  return {
    atoms: atomSets.estimate(used.length === 0 ? atomSets.atoms.length / 64 : total / used.length),
    magnitudes: Array.from({ length: 24 }, (_, digits) => digits * more + end),
  };
}

/** The probability that a magnitude has one more digit. */
function longerChance(blocks: readonly BlockCode[]): number {
  let more = 0.5;
  let ends = 1;
  for (const { values } of blocks)
    for (let i = 0; i < values.length; i++) {
      more += 31 - Math.clz32(Math.abs(values[i]));
      ends += 1;
    }
  return more / (more + ends);
}

/** The grade of that probability, which a file stores. */
function gradeOf(blocks: readonly BlockCode[]): number {
  return Math.min(grades - 1, Math.floor(longerChance(blocks) * grades));
}
