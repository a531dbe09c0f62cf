/**
 * Figure 1 of [Sulam16], §III-A: border treatments of a smooth function of 64 samples.
 *
 * The paper claims that periodic, symmetric and zero-padded extensions break the function or its slope at the ends of
 * the interval, and that the extension f̄ = W_s g_w implied by a sparse code over cropped wavelets does not. The paper
 * shows "a random smooth function". Our choices: it is a cubic with Gaussian coefficients; the wavelet, the tolerance
 * and the seed.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { CommonSettings } from "../shared/chooseSettings.js";

export interface BorderSettings extends CommonSettings<BorderSettings> {
  /** Samples of the function. */
  readonly samples: number;
  /** Samples of an extension that are drawn on each side. */
  readonly shown: number;
  readonly wavelet: string;
  /** The code takes atoms until this fraction of the function's norm is left. */
  readonly tolerance: number;
  readonly seed: number;
}

export const fig1: BorderSettings = {
  name: "fig1",
  summary: "a smooth function extended past its borders in four ways: figure 1",
  departures: ["One random cubic; its seed, the wavelet and the tolerance of 0.2 % are ours."],
  samples: 64,
  shown: 24,
  wavelet: "sym8",
  tolerance: 0.002,
  seed: 2,
};
