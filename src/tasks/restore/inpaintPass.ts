/**
 * One filling of a signal with missing samples, by a pursuit over the known ones.
 *
 * A pass codes every window with a missing sample (maskedPursuit.ts), and averages the
 * decoded windows, each weighted by the squared share of its samples that are known.
 * Windows with too few known samples are skipped. Samples that no window reached are
 * filled by the next pass, from the samples that this one filled, so that large holes
 * close from their border inwards; samples that no pass reaches get the mean of the known ones.
 */

import { EventLoopPause } from "../../core/eventLoop.js";
import { DenseMatrix } from "../../core/matrix.js";
import type { Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { windowOffsets } from "../encode/tiling.js";
import type { MaskedPursuit } from "./maskedPursuit.js";
import { OverlapSum, WindowGrid } from "./overlap.js";

/** Windows with a smaller share of known samples are skipped. */
const leastKnown = 0.02;

/** A signal while it is filled. */
export interface State {
  readonly signal: Signal;
  /** 1 for each sample that was known from the start. */
  readonly known: Uint8Array;
  /** Known samples, and the values that fill the others. */
  data: Float32Array;
  readonly mean: number;
}

/** Run passes until every sample is filled. */
export async function fill(
  state: State,
  pursuit: MaskedPursuit,
  patch: Shape,
  stride: Shape,
  onProgress: (done: number) => void,
): Promise<void> {
  const reached = state.known.slice();
  const data = state.data.map((value, i) => (state.known[i] ? value : 0));
  while (reached.includes(0)) {
    const { sum, weight } = await fillPass(
      { ...state.signal, data },
      reached,
      pursuit,
      patch,
      stride,
      onProgress,
    );
    let gained = 0;
    for (let i = 0; i < reached.length; i++) {
      if (reached[i] || weight[i] === 0) continue;
      data[i] = sum[i] / weight[i];
      reached[i] = 1;
      gained++;
    }
    if (gained > 0) continue;
    for (let i = 0; i < reached.length; i++) if (!reached[i]) data[i] = state.mean;
    break;
  }
  state.data = data;
}

/** Code the windows that have missing samples, and add up the decoded windows. */
async function fillPass(
  signal: Signal,
  known: Uint8Array,
  pursuit: MaskedPursuit,
  patch: Shape,
  stride: Shape,
  onProgress: (done: number) => void,
): Promise<OverlapSum> {
  const grid = new WindowGrid(signal.shape, patch, stride);
  const sums = new OverlapSum(signal.shape, patch);
  const inside = windowOffsets(signal.shape, patch);
  const gather = new Gathering(signal.data, known, inside, pursuit.capacity);
  const pause = new EventLoopPause();
  for (let from = 0; from < grid.count; from += pursuit.capacity) {
    const to = Math.min(from + pursuit.capacity, grid.count);
    const { Y, mask, starts, means, weights } = gather.take(grid.windows(from, to).start);
    if (starts.length > 0) sums.add(starts, await pursuit.restore(Y, mask), means, weights);
    await pause.ifDue();
    onProgress(to / grid.count);
  }
  return sums;
}

/** Cuts the windows that have missing samples, and enough known ones. */
export class Gathering {
  readonly #data: Float32Array;
  readonly #known: Uint8Array;
  readonly #inside: Uint32Array;
  readonly #Y: DenseMatrix;
  readonly #mask: Uint8Array;
  readonly #removeMean: boolean;

  constructor(
    data: Float32Array,
    known: Uint8Array,
    inside: Uint32Array,
    capacity: number,
    removeMean = true,
  ) {
    this.#removeMean = removeMean;
    this.#data = data;
    this.#known = known;
    this.#inside = inside;
    this.#Y = new DenseMatrix(inside.length, capacity);
    this.#mask = new Uint8Array(inside.length * capacity);
  }

  /** Known samples with their mean removed, zeros for the others. */
  take(candidates: Uint32Array): {
    readonly Y: DenseMatrix;
    readonly mask: Uint8Array;
    readonly starts: Uint32Array;
    readonly means: number[];
    readonly weights: number[];
  } {
    const n = this.#inside.length;
    const [starts, means, weights]: [number[], number[], number[]] = [[], [], []];
    for (const start of candidates) {
      let [count, sum] = [0, 0];
      for (let r = 0; r < n; r++) {
        const at = start + this.#inside[r];
        if (this.#known[at] === 0) continue;
        count += 1;
        sum += this.#data[at];
      }
      if (count === n || count < Math.max(1, leastKnown * n)) continue;
      const column = starts.length * n;
      const mean = this.#removeMean ? Math.fround(sum / count) : 0;
      for (let r = 0; r < n; r++) {
        const at = start + this.#inside[r];
        this.#mask[column + r] = this.#known[at];
        this.#Y.data[column + r] = this.#known[at] ? this.#data[at] - mean : 0;
      }
      starts.push(start);
      means.push(mean);
      weights.push((count / n) ** 2);
    }
    const used = starts.length;
    return {
      Y: this.#Y.slice(0, used),
      mask: this.#mask.subarray(0, used * n),
      starts: Uint32Array.from(starts),
      means,
      weights,
    };
  }
}
