/**
 * Experiment 4 of [Sulam16] (§V-B, figure 7): denoising with patches of different sizes.
 *
 * From the paper: σ = 30; the methods; k = 10 % of the samples; a square A over a base dictionary as
 * redundant as the cropped wavelets; 10 iterations of the K-SVD methods and 5 of OSDL; K-SVD of 8×8
 * patches for reference. Our choices: the patch sizes, and the patches that a dictionary is learned
 * from. The paper takes all of an image (about 250,000); here every method gets as many as is usual
 * for K-SVD.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { LearnerName } from "../../learn/learners/registry.js";
import type { AtomSparsity } from "../../learn/run/trainOptions.js";
import type { CommonSettings } from "../shared/chooseSettings.js";
import type { PictureCount } from "../shared/pictures.js";

export interface DenoisingSettings extends CommonSettings<DenoisingSettings> {
  /** Standard deviation of the noise, in grey levels. */
  readonly sigma: number;
  /** Patches are size × size. */
  readonly sizes: readonly number[];
  readonly methods: readonly DenoisingMethod[];
  /** K-SVD with one patch size: a horizontal line in the chart. */
  readonly reference: DenoisingMethod & { readonly size: number };
  /** k, as a percentage of the samples of a patch. */
  readonly atomSparsity: AtomSparsity;
  /** Patches per epoch. */
  readonly examples: number;
  readonly batch: number;
  /** Samples between neighbouring patches that are averaged. */
  readonly stride: number;
  readonly seed: number;
  /** Synthetic pictures, if no images are given. */
  readonly pictures: PictureCount;
}

export interface DenoisingMethod {
  readonly label: string;
  readonly learner: LearnerName;
  /** The ODCT has as many atoms as the cropped wavelets; `dense` atoms are learned without a base dictionary. */
  readonly base: "ODCT" | "cropped" | "dense";
  readonly epochs: number;
}

/** The cropped wavelets; the other dictionaries have as many atoms. */
export const croppedBase = "cropped:sym8";

export const fig7: DenoisingSettings = {
  name: "fig7",
  summary: "denoising with patches of different sizes: figure 7",
  departures: [],
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
