/**
 * Figure 6 of [Sulam16] (§V-A): the steps ηⱼ* that NIHT finds for single atoms in the
 * course of Algorithm 1, their mean, and what the global step of OSDL (13) would be at
 * the same place, for the 12×12 patches of experiment 1.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { Shape } from "../../core/shape.js";

export interface StepSizesConfig {
  readonly name: string;
  readonly summary: string;
  readonly patch: Shape;
  readonly base: string;
  /** k and p. */
  readonly atomSparsity: number;
  readonly sparsity: number;
  readonly examples: number;
  readonly epochs: number;
  readonly batch: number;
  readonly seed: number;
  /** The made-up picture, where there is no other. */
  readonly picture: { readonly size: number };
  /** What is different in the small version. */
  readonly quick: Partial<StepSizesConfig>;
}

export const fig6: StepSizesConfig = {
  name: "fig6",
  summary: "the step sizes of NIHT and of OSDL: figure 6",
  patch: [12, 12],
  base: "cropped:sym8",
  atomSparsity: 7,
  sparsity: 4,
  examples: 200_000,
  epochs: 1,
  batch: 512,
  seed: 1,
  picture: { size: 512 },
  quick: { examples: 30_000 },
};
