/**
 * Universal dictionaries (§V-D of [Sulam16]): experiments 6 and 7 on 32×32 patches,
 * experiment 8 on 64×64. The settings are the paper's where it tells them; the
 * number of atoms a code at 64×64, the batches and the seed are ours.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { Shape } from "../../core/shape.js";
import type { LearnerName } from "../../learn/learners/registry.js";

export interface UniversalConfig {
  readonly name: string;
  readonly summary: string;
  readonly patch: Shape;
  readonly base: string;
  /** m, k and p. */
  readonly atoms: number;
  readonly atomSparsity: number;
  readonly sparsity: number;
  readonly examples: number;
  readonly epochs: number;
  /** Examples of a mini-batch: a GPU needs many to be busy. */
  readonly batch: { readonly gpu: number; readonly other: number };
  readonly seed: number;
  /** Patches of pictures not trained on that are approximated. */
  readonly testPatches: number;
  /** M of the table, ascending; curves go up to the last. */
  readonly terms: readonly number[];
  /** What the dictionary is compared with; names as in `approximatorOf`. */
  readonly comparisons: readonly Comparison[];
  /** Learners of as many atoms from the same examples, with codes of as many. */
  readonly rivals: readonly Rival[];
  /** What more than the order of the curves is expected. */
  readonly margin?: Margin | undefined;
  /** Names of the figures' files, without ending. */
  readonly figures: { readonly atoms: string; readonly families: string; readonly curves: string };
  /** Atoms in a row of the gallery, and rows. */
  readonly gallery: { readonly columns: number; readonly rows: number };
  /** Made-up pictures, where there are no others. */
  readonly pictures: { readonly train: number; readonly test: number; readonly size: number };
  /** What is different in the small version. */
  readonly quick: Partial<UniversalConfig>;
}

export interface Rival {
  readonly label: string;
  readonly learner: LearnerName;
}

export interface Comparison {
  readonly label: string;
  readonly approximator: string;
}

/** The dictionary is to be `decibels` better than `over` at these M. */
export interface Margin {
  readonly decibels: number;
  readonly over: string;
  readonly terms: readonly number[];
}

/** Worst first, as figure 11 has them. */
const comparisons: readonly Comparison[] = [
  { label: "wavelets", approximator: "wavelet:sym8" },
  { label: "contourlets", approximator: "contourlet" },
  { label: "separable wavelets", approximator: "separable:sym8" },
  { label: "cropped contourlets", approximator: "cropped-contourlet" },
  { label: "cropped wavelets", approximator: "cropped:sym8" },
];

const shared = {
  base: "cropped:sym8",
  batch: { gpu: 4096, other: 512 },
  seed: 1,
  testPatches: 600,
  comparisons,
  rivals: [],
} as const;

/** Experiments 6 and 7: total redundancy 6. */
export const universal32: UniversalConfig = {
  ...shared,
  name: "universal32",
  summary: "a universal dictionary of 32x32 atoms: figures 9, 10 and 11a",
  patch: [32, 32],
  atoms: 6272,
  atomSparsity: 250,
  sparsity: 60,
  examples: 10_000_000,
  epochs: 2,
  terms: [10, 20, 40, 60],
  rivals: [{ label: "ODL", learner: "odl" }],
  margin: { decibels: 1, over: "cropped wavelets", terms: [20, 40] },
  figures: {
    atoms: "figure-9-atoms",
    families: "figure-10-recurring-patterns",
    curves: "figure-11a-m-term",
  },
  gallery: { columns: 32, rows: 20 },
  pictures: { train: 48, test: 8, size: 512 },
  quick: {
    atoms: 3136,
    atomSparsity: 100,
    sparsity: 20,
    examples: 100_000,
    epochs: 1,
    rivals: [], // n·m² a mini-batch: minutes
    pictures: { train: 12, test: 4, size: 256 },
  },
};

/** Experiment 8: A is square. */
export const universal64: UniversalConfig = {
  ...shared,
  name: "universal64",
  summary: "a universal dictionary of 64x64 atoms: figures 11b and 11c",
  patch: [64, 64],
  atoms: 10_000,
  atomSparsity: 600,
  sparsity: 100,
  examples: 3_800_000,
  epochs: 1,
  terms: [50, 100, 200, 400],
  figures: {
    atoms: "figure-11c-atoms",
    families: "recurring-patterns",
    curves: "figure-11b-m-term",
  },
  gallery: { columns: 16, rows: 8 },
  pictures: { train: 24, test: 6, size: 512 },
  quick: {
    atoms: 4000,
    atomSparsity: 50,
    sparsity: 20,
    examples: 20_000,
    batch: { gpu: 256, other: 256 },
    testPatches: 100,
    comparisons: comparisons.filter(({ label }) => label !== "cropped contourlets"), // 21,845 atoms take minutes
    terms: [5, 10, 20, 40],
    pictures: { train: 12, test: 4, size: 256 },
  },
};
