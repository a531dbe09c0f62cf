/**
 * Figure 3 of [Sulam16], §III-B: the 2-D Haar atoms of 8×8 patches, completely separable and traditional.
 *
 * The paper claims that the atoms of the coarsest scale and of the diagonal bands are the same in both. In place of the
 * others the separable construction has elongated atoms: a coarse scale in one direction with a fine one in the other.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { CommonSettings } from "../shared/chooseSettings.js";

export interface HaarSettings extends CommonSettings<HaarSettings> {
  readonly size: number;
  readonly wavelet: string;
  /** Atoms that both constructions have, of size²: 1 + 2, and a diagonal band of 4^(j−1) atoms for each scale j. */
  readonly common: number;
}

export const fig3: HaarSettings = {
  name: "fig3",
  summary: "2-D Haar atoms of 8x8, separable and traditional: figure 3",
  departures: [],
  size: 8,
  wavelet: "haar",
  common: 3 + 1 + 4 + 16,
};
