/**
 * Experiment 4 of [Sulam16] (§V-B, figure 7): denoising with patches of different sizes.
 *
 * From the paper: σ = 30; the methods; k = 10 % of the samples; a square A over a base dictionary as
 * redundant as the cropped wavelets; all patches of a picture; 10 iterations of the K-SVD methods and 5
 * of OSDL; K-SVD of 8×8 patches for reference. Our choices: the patch sizes, two more noises, the
 * limit of a code and the mini-batch.
 *
 * The study of training data is ours. The paper supposes that larger patches are limited by the data of
 * one picture. Here, a dictionary learned from the noisy patches of many other pictures denoises each
 * picture: the pictures are dealt in two halves, and each half is denoised with the dictionary of the other.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { LearnerName } from "../../learn/learners/registry.js";
import type { AtomSparsity } from "../../learn/run/trainOptions.js";
import type { CommonSettings } from "../shared/chooseSettings.js";
import type { PictureCount } from "../shared/pictures.js";

export interface DenoisingSettings extends CommonSettings<DenoisingSettings> {
  /** Standard deviations of the noise, in grey levels; the first is that of the claims. */
  readonly noises: readonly number[];
  /** Patches are size × size. */
  readonly sizes: readonly number[];
  /** With the other noises, patches up to this size. */
  readonly largestWithOtherNoise: number;
  readonly methods: readonly DenoisingMethod[];
  /** K-SVD with one patch size: a horizontal line in the chart. */
  readonly reference: DenoisingMethod & { readonly size: number };
  /** The passes of OSDL over the patches of other pictures. */
  readonly study: { readonly epochs: number };
  /** k, as a percentage of the samples of a patch. */
  readonly atomSparsity: AtomSparsity;
  /** Patches per epoch and picture, at most. */
  readonly examples: number;
  readonly batch: number;
  /** Samples between neighbouring patches that are averaged. */
  readonly stride: number;
  readonly seed: number;
  /** Synthetic pictures, if no images are given. */
  readonly pictures: PictureCount;
}

export interface DenoisingMethod {
  /** What claims and files call it. */
  readonly id: string;
  readonly label: string;
  readonly learner: LearnerName;
  /** The ODCT has as many atoms as the cropped wavelets; `dense` atoms are learned without a base dictionary. */
  readonly base: "ODCT" | "cropped" | "dense";
  readonly epochs: number;
}

/** The cropped wavelets; the other dictionaries have as many atoms. */
export const croppedBase = "cropped:sym8";

/** The sizes of patches with a noise. */
export function sizesWith(
  { noises, sizes, largestWithOtherNoise: largest }: DenoisingSettings,
  sigma: number,
): readonly number[] {
  return sigma === noises[0] ? sizes : sizes.filter((size) => size <= largest);
}

/** More patches than a picture has: all of them are learned from. */
export const allPatches = 100_000_000;

export const fig7: DenoisingSettings = {
  name: "fig7",
  summary: "denoising with patches of different sizes: figure 7",
  departures: [
    "The pictures are other ones than the paper's ten where those are not given.",
    "Two noises are not in the paper: σ = 15 and σ = 50, with patches up to 16x16. Claims are about σ = 30.",
    "The limit of a code is ours: ε² = σ² χ²₀.₉(n).",
    "Dictionaries from other pictures are learned from half of them, in two epochs, and are not adapted to the picture that is denoised.",
  ],
  noises: [30, 15, 50],
  sizes: [6, 8, 12, 16, 20, 24, 32],
  largestWithOtherNoise: 16,
  methods: [
    {
      ...{ id: "sparse-ksvd-odct", label: "Sparse K-SVD, ODCT" },
      ...{ learner: "sparse-ksvd", base: "ODCT", epochs: 10 },
    },
    {
      ...{ id: "sparse-ksvd-cropped", label: "Sparse K-SVD, cropped wavelets" },
      ...{ learner: "sparse-ksvd", base: "cropped", epochs: 10 },
    },
    { id: "osdl-odct", label: "OSDL, ODCT", learner: "osdl", base: "ODCT", epochs: 5 },
    { id: "osdl-cropped", label: "OSDL, cropped wavelets", learner: "osdl", base: "cropped", epochs: 5 },
  ],
  reference: { id: "ksvd", label: "K-SVD, 8x8", learner: "ksvd", base: "dense", epochs: 10, size: 8 },
  study: { epochs: 2 },
  atomSparsity: "10%",
  examples: allPatches,
  batch: 512,
  stride: 1,
  seed: 1,
  pictures: { count: 4, size: 256 },
  quick: {
    noises: [30],
    sizes: [8, 12, 16],
    examples: 3000,
    stride: 2,
    pictures: { count: 2, size: 96 },
  },
};
