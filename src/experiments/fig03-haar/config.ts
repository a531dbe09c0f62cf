/**
 * Figure 3 of [Sulam16], §III-B: the 2-D Haar atoms of 8×8 patches, completely separable against usual.
 *
 * The paper's claim: the atoms of the coarsest scale and of the diagonal bands are the same in both; the separable
 * construction has elongated atoms instead of the others, a low scale in one direction with a high one in the other.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

export interface HaarConfig {
  readonly size: number;
  readonly wavelet: string;
  /** Atoms that both constructions have, of size²: 1 + 2, and a diagonal band of 4^(j−1) atoms for each of the scales. */
  readonly common: number;
}

export const fig3: HaarConfig = { size: 8, wavelet: "haar", common: 3 + 1 + 4 + 16 };
