/**
 * Figure 2 of [Sulam16], §III-A: the mean error at each sample of smooth functions with a jump.
 *
 * The paper claims that an approximation with 5 coefficients of periodic wavelets has large errors at the borders, besides
 * those at the jump, and that cropped wavelets reduce them. It takes 1,000 functions of 64 samples: polynomials of degree
 * 3 plus a random step at sample 32, scaled to unit norm, all random numbers Gaussian. Its Daubechies wavelets "with 13
 * taps" are taken to be db13 (for the symlets, too, the text counts vanishing moments). Our choices: the polynomials live
 * on [−1, 1]; the seed. Prototypes had a mean squared error of 4.0e-3 (periodic) and 3.8e-4 (cropped) over the 8 samples
 * at each border, and of 1.5e-3 and 1.3e-3 over the 8 samples around the jump.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { CommonSettings } from "../shared/chooseSettings.js";

export interface JumpSettings extends CommonSettings<JumpSettings> {
  /** Functions that are approximated. */
  readonly examples: number;
  readonly samples: number;
  /** The first sample after the jump. */
  readonly jump: number;
  /** Coefficients that are kept. */
  readonly terms: number;
  readonly wavelet: string;
  /** Samples that count as a border, and as the surroundings of the jump. */
  readonly region: number;
  readonly seed: number;
}

export const fig2: JumpSettings = {
  name: "fig2",
  summary: "approximation errors at the borders and at a jump: figure 2",
  departures: [
    "The Daubechies wavelets with 13 taps are taken to be db13, which has 26 taps: no Daubechies filter has 13.",
    "The paper does not say how many levels its transforms have, nor how a symmetric one is made: here the usual ones have the number of levels that suits each best, and symmetric borders are also tried as in figure 1, where the signal is mirrored first.",
  ],
  examples: 1000,
  samples: 64,
  jump: 32,
  terms: 5,
  wavelet: "db13",
  region: 8,
  seed: 1,
  quick: { examples: 200 },
};
