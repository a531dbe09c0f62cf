/**
 * Experiment 5 of [Sulam16] (§V-C, figure 8): faces of 64×64, each one signal, by the
 * coefficients that are kept of it. Patch, base, non-zeros an atom, the number of
 * atoms (as many as samples: not redundant), epochs and SeDiL's two factors of 64×128
 * are the paper's; the atoms a code in training, batches and the parts of SeDiL's
 * set are ours.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { Shape } from "../../core/shape.js";
import type { Comparison } from "../fig11-universal/config.js";

export interface FacesConfig {
  readonly name: string;
  readonly summary: string;
  readonly patch: Shape;
  readonly base: string;
  /** m, k and p. */
  readonly atoms: number;
  readonly atomSparsity: number;
  readonly sparsity: number;
  /** Faces of an epoch, at most. */
  readonly examples: number;
  readonly epochs: number;
  readonly batch: number;
  readonly seed: number;
  /** Principal components that are found. */
  readonly components: number;
  /** What SeDiL starts from, the faces it learns from and the turns it takes. */
  readonly sedil: { readonly base: string; readonly examples: number; readonly epochs: number };
  /** Faces not trained on that are approximated. */
  readonly testPatches: number;
  /** Coefficients kept, ascending, for the table; curves go up to the last. */
  readonly terms: readonly number[];
  /** Where the claims are judged, and what is asked for over the usual wavelets, in dB. */
  readonly judged: { readonly terms: number; readonly margin: number };
  readonly comparisons: readonly Comparison[];
  /** Atoms in a row of a gallery, and rows. */
  readonly gallery: { readonly columns: number; readonly rows: number };
  /** Made-up pictures, where there are no others. */
  readonly pictures: { readonly train: number; readonly test: number; readonly size: number };
  /** What is different in the small version. */
  readonly quick: Partial<FacesConfig>;
}

export const fig8: FacesConfig = {
  name: "fig8",
  summary: "faces of 64x64 by few coefficients, learners compared: figure 8",
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
  judged: { terms: 82, margin: 3 },
  comparisons: [
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
    judged: { terms: 5, margin: 0 },
    pictures: { train: 12, test: 4, size: 256 },
  },
};
