/**
 * Experiment 1 of [Sulam16] (§V-A, figure 5): dictionaries for the patches of one image,
 * learned by several methods, by the error on patches that were not learned from.
 * Sizes, atoms a code and examples are the paper's; so is the square A over cropped
 * wavelets. The epochs, and which shares of non-zeros are run, are ours.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { Shape } from "../../core/shape.js";
import type { LearnerName } from "../../learn/learners/registry.js";

export interface ConvergenceConfig {
  readonly name: string;
  readonly summary: string;
  readonly base: string;
  readonly sizes: readonly SizeConfig[];
  readonly methods: readonly Method[];
  readonly examples: number;
  /** Patches that are not learned from. */
  readonly testPatches: number;
  readonly batch: number;
  readonly seed: number;
  /** The made-up picture, where there is no other. */
  readonly picture: { readonly size: number };
  /** What is different in the small version. */
  readonly quick: Partial<ConvergenceConfig>;
}

/** A size of patches. */
export interface SizeConfig {
  readonly patch: Shape;
  /** p. */
  readonly sparsity: number;
  /** k, as shares of the samples of a patch. */
  readonly shares: readonly number[];
  /** The share from which on the paper has OSDL at the error of dense ODL. */
  readonly meetsOdl?: number;
}

export interface Method {
  readonly label: string;
  readonly learner: LearnerName;
  /** Passes over the examples: markers of its curve. */
  readonly epochs: number;
  /** Its atoms are dense: it is run once a size, and has its curve beside every share. */
  readonly dense?: boolean;
  /** It looks at all examples before it changes anything. */
  readonly batch?: boolean;
}

export const fig5: ConvergenceConfig = {
  name: "fig5",
  summary: "learners compared on the patches of one image: figure 5",
  base: "cropped:sym8",
  sizes: [
    { patch: [12, 12], sparsity: 4, shares: [0.05, 0.25], meetsOdl: 0.25 },
    { patch: [20, 20], sparsity: 10, shares: [0.05, 0.1], meetsOdl: 0.1 },
    { patch: [32, 32], sparsity: 20, shares: [0.02, 0.05], meetsOdl: 0.02 },
  ],
  methods: [
    { label: "Sparse K-SVD", learner: "sparse-ksvd", epochs: 10, batch: true },
    { label: "NIHT (Algorithm 1)", learner: "niht", epochs: 4 },
    { label: "OSDL (Algorithm 2)", learner: "osdl", epochs: 4 },
    { label: "ODL", learner: "odl", epochs: 4, dense: true },
  ],
  examples: 200_000,
  testPatches: 30_000,
  batch: 512,
  seed: 1,
  picture: { size: 512 },
  quick: {
    sizes: [{ patch: [12, 12], sparsity: 4, shares: [0.05, 0.25], meetsOdl: 0.25 }],
    examples: 50_000,
    testPatches: 5000,
  },
};
