/**
 * §IV-D of [Sulam16]: the cost of a mini-batch of OSDL and of ODL, measured against the sizes it depends on, beside
 * the growth that the paper predicts. The paper measures nothing here; sizes, pictures and fits are ours.
 *
 * Operations per mini-batch, before n ∝ m and p ∝ n are assumed, with the base applied along two axes:
 *
 *     OSDL   N p (n√m + km) + N (km + n√m) + m² log m      coding, gradient and step, momentum and threshold
 *     ODL    N p n m + n m²                                coding, update; with p ∝ n, m ∝ n: N n³
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { CommonSettings } from "../shared/chooseSettings.js";
import type { PictureCount } from "../shared/pictures.js";

/** The sizes of one mini-batch. */
export interface BatchSizes {
  /** The side of a patch: n = side². */
  readonly side: number;
  /** m; by default as many as the base has. */
  readonly atoms?: number;
  /** k. */
  readonly atomSparsity: number;
  /** p. */
  readonly sparsity: number;
  /** N. */
  readonly batch: number;
}

export type Letter = "n" | "k" | "N" | "m";

/** One size that varies, while the others stay as they are. */
export interface Sweep {
  readonly letter: Letter;
  readonly sizes: readonly BatchSizes[];
  /** Whether ODL depends on it. */
  readonly odl: boolean;
}

export interface ComplexitySettings extends CommonSettings<ComplexitySettings> {
  readonly base: string;
  readonly sweeps: readonly Sweep[];
  /** Updates that are timed together, and how often; the median counts. */
  readonly updates: number;
  readonly rounds: number;
  readonly seed: number;
  /** Synthetic pictures, if no images are given. */
  readonly pictures: PictureCount;
}

const usual = { side: 16, atomSparsity: 26, sparsity: 8, batch: 512 } as const;

/** Larger patches with p ∝ n, and k as it is. */
const patches = (sides: readonly number[]) =>
  sides.map((side) => ({ ...usual, side, sparsity: Math.max(1, Math.round((side * side) / 32)) }));

function listSweeps(
  sides: readonly number[],
  nonZeros: readonly number[],
  batches: readonly number[],
  atoms: readonly number[],
): Sweep[] {
  return [
    { letter: "n", odl: true, sizes: patches(sides) },
    { letter: "k", odl: false, sizes: nonZeros.map((atomSparsity) => ({ ...usual, atomSparsity })) },
    { letter: "N", odl: true, sizes: batches.map((batch) => ({ ...usual, batch })) },
    { letter: "m", odl: true, sizes: atoms.map((m) => ({ ...usual, atoms: m })) },
  ];
}

export const complexity: ComplexitySettings = {
  name: "complexity",
  summary: "the time of a mini-batch by n, k, N and m: section IV-D",
  departures: [
    "The paper counts operations and measures nothing here. It counts OMP by Cholesky factors; this is Batch-OMP with a stored Gram matrix.",
    "k is 26 at all sizes of patches. On a GPU most sizes are too small to fill it, so that the slopes are far below those predicted: such a run shows that the time grows no faster than the formula, not that it grows like it.",
  ],
  base: "cropped:sym8",
  sweeps: listSweeps(
    [8, 12, 16, 24, 32, 48, 64],
    [8, 16, 32, 64, 128, 256],
    [128, 256, 512, 1024, 2048, 4096],
    [1024, 2048, 4096, 8192],
  ),
  updates: 5,
  rounds: 3,
  seed: 1,
  pictures: { count: 4, size: 256 },
  quick: {
    sweeps: listSweeps([8, 12, 16], [8, 32, 128], [128, 256, 512], [512, 1024, 2048]),
    updates: 2,
    rounds: 2,
    pictures: { count: 2, size: 128 },
  },
};
