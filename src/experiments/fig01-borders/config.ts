/**
 * Figure 1 of [Sulam16], §III-A: border treatments of a smooth function of 64 samples.
 *
 * The paper's claim: periodic, symmetric and zero-padded extensions break the function or its slope at the ends of the
 * interval, the extension f̄ = W_s g_w that a sparse code over cropped wavelets implies does not. The function is "a random
 * smooth function"; that it is a cubic with Gaussian coefficients, its wavelet, the number of atoms and the seed are ours.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

export interface BorderConfig {
  /** Samples of the function, and shown of each extension. */
  readonly samples: number;
  readonly shown: number;
  readonly wavelet: string;
  /** The code takes atoms until this part of the function's norm is left. */
  readonly tolerance: number;
  readonly seed: number;
}

export const fig1: BorderConfig = { samples: 64, shown: 24, wavelet: "sym8", tolerance: 0.002, seed: 2 };
