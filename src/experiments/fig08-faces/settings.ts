/**
 * Experiment 5 of [Sulam16] (§V-C, figure 8): 64×64 faces, each one signal, approximated with
 * few coefficients. From the paper: patch, base dictionary, non-zeros per atom, the number of
 * atoms (as many as samples: not redundant), epochs, SeDiL's two factors of 64×128, and PCA as
 * a dimensionality reduction, by its first M components. Our choices: the atoms per code in
 * training, the mini-batch, how much SeDiL learns from and until when, and its weights. A row
 * that is not the paper's: PCA by the M largest of 512 components of each face.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { Shape } from "../../core/shape.js";
import { sedilWeights } from "../../learn/learners/sedil/sedil.js";
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
  readonly sedil: SedilSettings;
  /** Faces not learned from that are approximated. */
  readonly testPatches: number;
  /** M of the table, ascending; curves end at the last. */
  readonly terms: readonly number[];
  /** The M of claims about one M, and by how many dB OSDL is to be above wavelets and above SeDiL. */
  readonly claimed: {
    readonly terms: number;
    readonly overWavelets: number;
    readonly overSedil: number;
  };
  readonly dictionaries: readonly AnalyticDictionary[];
  /** Columns and rows of an atom gallery. */
  readonly gallery: { readonly columns: number; readonly rows: number };
  /** Synthetic pictures, if no images are given. */
  readonly pictures: SplitCount;
}

export interface SedilSettings {
  /** The base dictionary that it starts from. */
  readonly base: string;
  /** The faces that it learns from. */
  readonly examples: number;
  /** The most turns. */
  readonly turns: number;
  /** It ends when ten turns changed its cost by less than this fraction each, on average. */
  readonly tolerance: number;
}

/** What the rows are called, besides OSDL. */
export const labels = {
  wavelets: "wavelets",
  cropped: "cropped wavelets",
  pca: "PCA, first M",
  sedil: "SeDiL",
} as const;

/** The row of the M largest components of each face. */
export function largestLabel({ components }: Pick<FacesSettings, "components">): string {
  return `PCA, M largest of ${components}`;
}

const { sparsity: lambda, sharpness: rho, coherence: kappa } = sedilWeights;

export const fig8: FacesSettings = {
  name: "fig8",
  summary: "64x64 faces with few coefficients, learners compared: figure 8",
  departures: [
    "The faces are other sets than the paper's where none of those is given.",
    `SeDiL is our own implementation with weights of ours, λ = ${lambda}, ρ = ${rho}, κ = ${kappa}; the paper used the code of its authors with the weights they suggest.`,
    "The atoms per code in training, 82, and the mini-batches of 128 are ours.",
    "SeDiL learns from 1,000 of the faces, until a turn changes its cost by less than a ten-thousandth, on average over ten turns.",
    "The row PCA, M largest of 512, is not in the paper: it chooses other components for each face.",
  ],
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
  sedil: { base: "odct:2", examples: 1000, turns: 1000, tolerance: 1e-4 },
  testPatches: 500,
  terms: [20, 41, 82, 164],
  claimed: { terms: 82, overWavelets: 8, overSedil: 1 },
  dictionaries: [
    { label: labels.wavelets, approximator: "wavelet:sym8" },
    { label: labels.cropped, approximator: "cropped:sym8" },
  ],
  gallery: { columns: 12, rows: 6 },
  pictures: { train: 24, test: 6, size: 512 },
  quick: {
    patch: [16, 16],
    atoms: 256,
    atomSparsity: 25,
    sparsity: 10,
    examples: 20_000,
    epochs: 1,
    components: 256,
    sedil: { base: "odct:2", examples: 300, turns: 30, tolerance: 1e-4 },
    testPatches: 200,
    terms: [3, 5, 10, 20],
    claimed: { terms: 5, overWavelets: 8, overSedil: 1 },
    pictures: { train: 12, test: 4, size: 256 },
  },
};
