/**
 * Experiment 5 of [Sulam16] (§V-C, figure 8): 64×64 faces, each one signal, approximated with
 * few coefficients. From the paper: patch, base dictionary, non-zeros per atom, the number of
 * atoms (as many as samples: not redundant), epochs, and SeDiL's two factors of 64×128. Our
 * choices: the atoms per code in training, the mini-batch, and how much SeDiL learns from.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { Shape } from "../../core/shape.js";
import type { CommonSettings } from "../shared/chooseSettings.js";
import type { AnalyticDictionary } from "../shared/mTermComparison.js";
import type { SplitCount } from "../shared/pictures.js";

export interface FacesSettings extends CommonSettings<FacesSettings> {
  readonly patch: Shape;
  readonly base: string;
  /** m. */
  readonly atoms: number;
  /** k. */
  readonly atomSparsity: number;
  /** p. */
  readonly sparsity: number;
  /** Faces per epoch, at most. */
  readonly examples: number;
  readonly epochs: number;
  readonly batch: number;
  readonly seed: number;
  /** Atoms of PCA. */
  readonly components: number;
  /** The base dictionary that SeDiL starts from, the faces it learns from and its iterations. */
  readonly sedil: { readonly base: string; readonly examples: number; readonly epochs: number };
  /** Faces not learned from that are approximated. */
  readonly testPatches: number;
  /** M of the table, ascending; curves end at the last. */
  readonly terms: readonly number[];
  /** The M of the claims, and by how many dB the learned dictionary is to be above wavelets. */
  readonly claimed: { readonly terms: number; readonly decibels: number };
  readonly dictionaries: readonly AnalyticDictionary[];
  /** Columns and rows of an atom gallery. */
  readonly gallery: { readonly columns: number; readonly rows: number };
  /** Synthetic pictures, if no images are given. */
  readonly pictures: SplitCount;
}

export const fig8: FacesSettings = {
  name: "fig8",
  summary: "64x64 faces with few coefficients, learners compared: figure 8",
  departures: [],
  patch: [64, 64],
  base: "cropped:sym8",
  atoms: 4096,
  atomSparsity: 250,
  sparsity: 82,
  examples: 20_000,
  epochs: 15,
  batch: 128,
  seed: 1,
  components: 512,
  sedil: { base: "odct:2", examples: 256, epochs: 100 },
  testPatches: 500,
  terms: [20, 41, 82, 164],
  claimed: { terms: 82, decibels: 3 },
  dictionaries: [
    { label: "wavelets", approximator: "wavelet:sym8" },
    { label: "cropped wavelets", approximator: "cropped:sym8" },
  ],
  gallery: { columns: 16, rows: 8 },
  pictures: { train: 24, test: 6, size: 512 },
  quick: {
    patch: [16, 16],
    atoms: 256,
    atomSparsity: 25,
    sparsity: 10,
    examples: 20_000,
    epochs: 1,
    components: 256,
    sedil: { base: "odct:2", examples: 300, epochs: 30 },
    testPatches: 200,
    terms: [3, 5, 10, 20],
    claimed: { terms: 5, decibels: 0 },
    pictures: { train: 12, test: 4, size: 256 },
  },
};
