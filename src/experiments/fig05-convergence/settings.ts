/**
 * Experiment 1 of [Sulam16] (§V-A, figure 5): several learners compared on the patches of
 * one image, by the error on patches that were not learned from. From the paper: the
 * patch sizes, the atoms per code, the numbers of training and test patches, a square A over
 * cropped wavelets, and ODL that starts from them. Our choices: the epochs, the mini-batch, and
 * which atom sparsities are run. Curves that are not the paper's: ODL that starts from examples,
 * OSDL that ends with the mean of its last epoch, and Sparse ODL, a learner of ours (learn/learners/sparseOdl/sparseOdl.ts).
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import { type Shape, sizeOf } from "../../core/shape.js";
import type { LearnerName } from "../../learn/learners/registry.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import type { CommonSettings } from "../shared/chooseSettings.js";
import type { PictureCount } from "../shared/pictures.js";

export interface ConvergenceSettings extends CommonSettings<ConvergenceSettings> {
  readonly base: string;
  readonly sizes: readonly SizeSettings[];
  readonly methods: readonly Method[];
  /** Patches per epoch. */
  readonly examples: number;
  /** Patches that are not learned from. */
  readonly testPatches: number;
  readonly batch: number;
  readonly seed: number;
  /** The synthetic picture, if no image is given. */
  readonly pictures: PictureCount;
}

export interface SizeSettings {
  readonly patch: Shape;
  /** p. */
  readonly sparsity: number;
  /** k, as fractions of the samples of a patch. */
  readonly atomShares: readonly number[];
  /** The fraction from which on, in the paper, OSDL reaches the error of dense ODL. */
  readonly meetsOdlFrom?: number;
  /** In the paper, OSDL is faster than ODL from that fraction on, and ends with a lower error. */
  readonly beatsOdl?: true;
}

export interface Method {
  /** What claims and files call it. */
  readonly id: string;
  readonly label: string;
  readonly learner: LearnerName;
  /** Options of its own. */
  readonly own?: Pick<TrainOptions, "init" | "average">;
  /** It is not in the paper. */
  readonly extra?: true;
  /** Passes over the examples: markers of its curve. */
  readonly epochs: number;
  /** Its atoms are dense: it runs once per patch size, and its curve is in every chart of that size. */
  readonly dense?: boolean;
  /** It updates the dictionary only after coding all examples. */
  readonly batch?: boolean;
}

export const fig5: ConvergenceSettings = {
  name: "fig5",
  summary: "learners compared on the patches of one image: figure 5",
  departures: [
    "The paper does not say how many epochs were run: here 10 of Sparse K-SVD and 4 of the online methods.",
    "ODL is our own, with OMP, and replaces little-used atoms as OSDL does; the paper used SPAMS.",
    "Three curves are not in the paper: ODL that starts from examples, OSDL that ends with the mean of its atoms over the last epoch, and Sparse ODL, a learner of ours that starts from base atoms and examples.",
  ],
  base: "cropped:sym8",
  sizes: [
    { patch: [12, 12], sparsity: 4, atomShares: [0.05, 0.25], meetsOdlFrom: 0.25 },
    { patch: [20, 20], sparsity: 10, atomShares: [0.05, 0.1], meetsOdlFrom: 0.1 },
    { patch: [32, 32], sparsity: 20, atomShares: [0.02, 0.05], meetsOdlFrom: 0.02, beatsOdl: true },
  ],
  methods: [
    { id: "sparse-ksvd", label: "Sparse K-SVD", learner: "sparse-ksvd", epochs: 10, batch: true },
    { id: "niht", label: "NIHT (Algorithm 1)", learner: "niht", epochs: 4 },
    { id: "osdl", label: "OSDL (Algorithm 2)", learner: "osdl", epochs: 4 },
    {
      ...{ id: "osdl-average", label: "OSDL, last epoch averaged", learner: "osdl", epochs: 4 },
      ...{ own: { average: true }, extra: true },
    },
    {
      ...{ id: "odl", label: "ODL from cropped wavelets", learner: "odl", epochs: 4, dense: true },
      own: { init: "base" },
    },
    {
      ...{ id: "odl-examples", label: "ODL from examples", learner: "odl", epochs: 4, dense: true },
      ...{ own: { init: "examples" }, extra: true },
    },
    { id: "sparse-odl", label: "Sparse ODL", learner: "sparse-odl", epochs: 4, extra: true },
  ],
  examples: 200_000,
  testPatches: 30_000,
  batch: 512,
  seed: 1,
  pictures: { count: 1, size: 512 },
  quick: {
    sizes: [{ patch: [12, 12], sparsity: 4, atomShares: [0.05, 0.25], meetsOdlFrom: 0.25 }],
    examples: 20_000,
    testPatches: 3000,
  },
};

/** k from a fraction of the samples of a patch: 5 % of 12×12 is 7. */
export function shareToSparsity({ patch }: SizeSettings, share: number): number {
  return Math.max(1, Math.round(share * sizeOf(patch)));
}
