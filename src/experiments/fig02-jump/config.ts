/**
 * Figure 2 of [Sulam16], §III-A: the mean error a sample of smooth functions with a jump.
 *
 * The paper's claim: approximated with 5 wavelet coefficients, the periodic wavelets have large errors at the borders,
 * besides those at the jump; the cropped wavelets reduce them. 1,000 functions of 64 samples, polynomials of degree 3,
 * with a random step at sample 32, of unit norm, all random numbers Gaussian; Daubechies wavelets "with 13 taps", which is
 * taken to be db13 (as with the symlets, the text counts vanishing moments). That polynomials live on [−1, 1], and the seed,
 * are ours. Prototypes had a mean squared error of 4.0e-3 (periodic) and 3.8e-4 (cropped) over the 8 samples at each
 * border, of 1.5e-3 and 1.3e-3 over the 8 at the jump.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

export interface JumpConfig {
  readonly functions: number;
  readonly samples: number;
  /** The first sample after the jump. */
  readonly jump: number;
  readonly terms: number;
  readonly wavelet: string;
  /** Samples of a border, and around the jump. */
  readonly region: number;
  readonly seed: number;
}

export const fig2: JumpConfig = {
  functions: 1000,
  samples: 64,
  jump: 32,
  terms: 5,
  wavelet: "db13",
  region: 8,
  seed: 1,
};

/** The small version has fewer functions. */
export const fig2Quick: Partial<JumpConfig> = { functions: 200 };
