/**
 * Figure 6 of [Sulam16] (§V-A): the steps ηⱼ* that NIHT finds for single atoms while Algorithm 1
 * learns, their mean, and the global steps (13) of OSDL, which learns from the same mini-batches
 * of the 12×12 patches of experiment 1. Our choices: the atom sparsity (5 %), the mini-batch, one
 * epoch, and no replacement of atoms.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { Shape } from "../../core/shape.js";
import type { CommonSettings } from "../shared/chooseSettings.js";
import type { PictureCount } from "../shared/pictures.js";

export interface StepSizesSettings extends CommonSettings<StepSizesSettings> {
  readonly patch: Shape;
  readonly base: string;
  /** k. */
  readonly atomSparsity: number;
  /** p. */
  readonly sparsity: number;
  /** Patches per epoch. */
  readonly examples: number;
  readonly epochs: number;
  readonly batch: number;
  readonly seed: number;
  /** Mini-batches at which all steps are shown, about. */
  readonly shown: number;
  /** The synthetic picture, if no image is given. */
  readonly pictures: PictureCount;
}

export const fig6: StepSizesSettings = {
  name: "fig6",
  summary: "the step sizes of NIHT and of OSDL: figure 6",
  departures: [
    "The paper does not state the units of its data, on which the comparison depends: here grey levels from 0 to 255.",
    "The atoms of OSDL are taken as they are, and grow while it learns; those of NIHT have unit norm. No atoms are replaced, k = 7, one epoch. The paper says none of this.",
  ],
  patch: [12, 12],
  base: "cropped:sym8",
  atomSparsity: 7,
  sparsity: 4,
  examples: 200_000,
  epochs: 1,
  batch: 512,
  seed: 1,
  shown: 40,
  pictures: { count: 1, size: 512 },
  quick: { examples: 30_000 },
};
