/**
 * Remarks of [Sulam16] that have no figure, measured: a separable base is applied faster than a general one of the same
 * size (§III) and than cropped contourlets (§V-D), the separable wavelet transform is faster than the cascade (§III-B), a mini-batch
 * uses few of the atoms and momentum speeds up convergence (§IV-C), sparse atoms are an advantage where examples are few (§V-A), and a
 * pursuit represents better than thresholding over a redundant base (§V-D). The paper sees the advantage of sparse atoms in its own
 * figure 5, at 32×32 with 200,000 patches, where `fig5` judges it; here there are far fewer. It measures none of the others. Sizes and
 * numbers of examples are ours, patches and sparsities those of experiments 1 and 6.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { Shape } from "../../core/shape.js";
import type { CommonSettings } from "../shared/chooseSettings.js";
import type { PictureCount } from "../shared/pictures.js";

/** A size of experiment 1. */
export interface LearningSize {
  readonly patch: Shape;
  /** p. */
  readonly sparsity: number;
  /** k. */
  readonly atomSparsity: number;
}

/** A product with a base as its factors, and as one matrix. */
export interface ProductSettings {
  readonly patch: Shape;
  /** Patches per product, and how often it is timed: the median counts. */
  readonly patches: number;
  readonly rounds: number;
}

/** Patches approximated with the atoms of a redundant base. */
export interface TermSettings {
  readonly patch: Shape;
  readonly patches: number;
  /** M of the table, ascending. */
  readonly terms: readonly number[];
}

/** OSDL with a momentum and without. */
export interface MomentumSettings {
  readonly sizes: readonly LearningSize[];
  /** γ. */
  readonly momentum: number;
  /** Patches of the single epoch. */
  readonly examples: number;
}

/** OSDL and ODL, with few examples. */
export interface FewSettings {
  readonly sizes: readonly LearningSize[];
  /** Different patches, and passes over them. */
  readonly examples: number;
  readonly epochs: number;
}

export interface RemarksSettings extends CommonSettings<RemarksSettings> {
  readonly base: string;
  readonly product: ProductSettings;
  readonly approximation: TermSettings;
  readonly momentum: MomentumSettings;
  readonly few: FewSettings;
  /** Patches that are not learned from. */
  readonly testPatches: number;
  readonly batch: number;
  readonly seed: number;
  /** The synthetic picture, if no image is given. */
  readonly pictures: PictureCount;
}

/** Those of figure 5, with the larger k. */
const small: LearningSize = { patch: [12, 12], sparsity: 4, atomSparsity: 36 };
const medium: LearningSize = { patch: [20, 20], sparsity: 10, atomSparsity: 40 };
const large: LearningSize = { patch: [32, 32], sparsity: 20, atomSparsity: 51 };

export const remarks: RemarksSettings = {
  name: "remarks",
  summary: "remarks of the paper without a figure: section III to V",
  departures: [
    "The paper's remark about few examples is about its own figure 5, at 32×32 with 200,000 patches, which experiment fig5 judges; the runs with 5,000 examples are ours. The paper measures none of the other remarks. Sizes, numbers of examples and epochs are ours.",
    "ODL is our own, with OMP; it starts from the cropped wavelets, as OSDL does, and once more from examples, which the paper does not do.",
  ],
  base: "cropped:sym8",
  product: { patch: [32, 32], patches: 512, rounds: 9 },
  approximation: { patch: [32, 32], patches: 600, terms: [10, 20, 40, 60] },
  momentum: { sizes: [small, medium, large], momentum: 0.9, examples: 100_000 },
  few: { sizes: [small, medium, large], examples: 5000, epochs: 20 },
  testPatches: 5000,
  batch: 512,
  seed: 1,
  pictures: { count: 1, size: 512 },
  quick: {
    product: { patch: [16, 16], patches: 128, rounds: 5 },
    approximation: { patch: [16, 16], patches: 100, terms: [5, 10, 20] },
    momentum: { sizes: [small], momentum: 0.9, examples: 20_000 },
    few: { sizes: [small], examples: 1000, epochs: 10 },
    testPatches: 1000,
  },
};
