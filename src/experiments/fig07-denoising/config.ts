/**
 * Experiment 4 of [Sulam16] (§V-B, figure 7): denoising against the size of the patches.
 *
 * From the paper: σ = 30, the methods, k = 10 % of the samples, A square over a base as redundant
 * as the cropped wavelets, 10 iterations of the K-SVD methods and 5 of OSDL, K-SVD of
 * 8×8 patches as the reference. The sizes are ours, and so are the patches a dictionary is
 * learned from: the paper has all of an image (about 250,000), here there are as many as
 * K-SVD is usually given, the same number for all methods.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { LearnerName } from "../../learn/learners/registry.js";
import type { AtomSparsity } from "../../learn/run/trainOptions.js";

export interface DenoisingConfig {
  readonly name: string;
  readonly summary: string;
  /** Standard deviation of the noise, in grey levels. */
  readonly sigma: number;
  /** Patches of size × size. */
  readonly sizes: readonly number[];
  readonly methods: readonly DenoisingMethod[];
  readonly reference: DenoisingMethod & { readonly size: number };
  /** k, as a percentage of the samples of a patch. */
  readonly atomSparsity: AtomSparsity;
  /** Patches an epoch. */
  readonly examples: number;
  readonly batch: number;
  /** Samples between the patches that are averaged. */
  readonly stride: number;
  readonly seed: number;
  /** The made-up pictures, where there are no others. */
  readonly pictures: { readonly count: number; readonly size: number };
  /** What is different in the small version. */
  readonly quick: Partial<DenoisingConfig>;
}

export interface DenoisingMethod {
  readonly label: string;
  readonly learner: LearnerName;
  /** The ODCT has as many atoms as the cropped wavelets; `dense` is no base: atoms are learned as they are. */
  readonly base: "ODCT" | "cropped" | "dense";
  readonly epochs: number;
}

/** The cropped wavelets that redundancies are taken from. */
export const croppedBase = "cropped:sym8";

export const fig7: DenoisingConfig = {
  name: "fig7",
  summary: "denoising against the size of patches: figure 7",
  sigma: 30,
  sizes: [6, 8, 10, 12, 14, 16, 18, 20, 24],
  methods: [
    { label: "Sparse K-SVD, ODCT", learner: "sparse-ksvd", base: "ODCT", epochs: 10 },
    { label: "Sparse K-SVD, cropped wavelets", learner: "sparse-ksvd", base: "cropped", epochs: 10 },
    { label: "OSDL, ODCT", learner: "osdl", base: "ODCT", epochs: 5 },
    { label: "OSDL, cropped wavelets", learner: "osdl", base: "cropped", epochs: 5 },
  ],
  reference: { label: "K-SVD, 8x8", learner: "ksvd", base: "dense", epochs: 10, size: 8 },
  atomSparsity: "10%",
  examples: 40_000,
  batch: 512,
  stride: 1,
  seed: 1,
  pictures: { count: 3, size: 256 },
  quick: {
    sizes: [8, 12, 16],
    examples: 10_000,
    stride: 2,
    pictures: { count: 1, size: 128 },
  },
};
