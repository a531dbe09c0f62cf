/**
 * Universal dictionaries (§V-D of [Sulam16], figures 9, 10 and 11): experiments 6 and 7 on 32×32 patches,
 * experiment 8 on 64×64. The settings are the paper's where it states them. Our choices: the atoms per
 * code at 64×64, the mini-batches, how often atoms are replaced, and the seed.
 *
 * At 64×64 the paper approximates with up to about 400 terms but does not say how many atoms a code had in training.
 * Two rows of ours continue OSDL and ODL with 400 atoms per code, on a tenth of the examples. At 32×32 two others are
 * ours: OSDL with shorter codes, and Sparse ODL.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { Shape } from "../../core/shape.js";
import type { PursuitName } from "../../kernels/contract.js";
import type { LearnerName } from "../../learn/learners/registry.js";
import type { CommonSettings } from "../shared/chooseSettings.js";
import { type AnalyticDictionary, type CurveOrder, trainletsLabel } from "../shared/mTermComparison.js";
import type { SplitCount } from "../shared/pictures.js";

export interface UniversalSettings extends CommonSettings<UniversalSettings> {
  readonly patch: Shape;
  readonly base: string;
  /** m. */
  readonly atoms: number;
  /** k. */
  readonly atomSparsity: number;
  /** p. */
  readonly sparsity: number;
  /** Patches per epoch. */
  readonly examples: number;
  readonly epochs: number;
  readonly batches: BatchSizes;
  /** Mini-batches between rounds of atom care. */
  readonly careEvery: number;
  readonly seed: number;
  /** Patches of pictures not learned from that are approximated. */
  readonly testPatches: number;
  /** M of the table, ascending; curves end at the last. */
  readonly terms: readonly number[];
  /** The analytic dictionaries to compare with. */
  readonly dictionaries: readonly AnalyticDictionary[];
  /** The dictionaries to learn: first the paper's, then ODL, then variants. */
  readonly learned: readonly LearnedSettings[];
  /** Claims that a curve is above another at every M of the table. */
  readonly orders: readonly CurveOrder[];
  /** Whether the paper compares the times of OSDL and ODL. */
  readonly comparesTimes: boolean;
  /** Claims about more than the order of the curves. */
  readonly margins: readonly Margin[];
  /** Names of the figures' files, without extension. */
  readonly figures: { readonly atoms: string; readonly families: string; readonly curves: string };
  /** Columns and rows of the atom gallery. */
  readonly gallery: { readonly columns: number; readonly rows: number };
  /** Synthetic pictures, if no images are given. */
  readonly pictures: SplitCount;
}

/** Examples per mini-batch, by device: a GPU needs many to be busy. */
export interface BatchSizes {
  readonly gpu: number;
  readonly other: number;
}

/** A dictionary that is learned, with as many atoms, from the same examples. */
export interface LearnedSettings {
  /** What claims and files call it. */
  readonly id: string;
  readonly label: string;
  readonly learner: LearnerName;
  readonly own?: OwnSettings;
  /** The `id` of a dictionary before it in the list, which it continues. */
  readonly after?: string;
  /** It is not in the paper. */
  readonly extra?: true;
}

/** Settings of one dictionary, in place of those of the experiment. */
export interface OwnSettings {
  readonly sparsity?: number;
  readonly pursuit?: PursuitName;
  readonly examples?: number;
  readonly batches?: BatchSizes;
  /** γ. */
  readonly momentum?: number;
  /** It ends with the mean of its last atoms. */
  readonly average?: boolean;
}

/** The claim of ours that the curve `better` is above `than` by at least so much: decibels by M. */
export interface Margin extends Pick<CurveOrder, "id" | "better" | "than"> {
  readonly decibels: Readonly<Record<number, number>>;
}

const trainlets: LearnedSettings = { id: "osdl", label: trainletsLabel, learner: "osdl" };
/** A long run of OSDL is as good with larger mini-batches, and faster; ODL was not tried with them (docs/decisions/0036-universal-dictionaries.md). */
const largeBatches: BatchSizes = { gpu: 16_384, other: 512 };
const longTrainlets: LearnedSettings = { ...trainlets, own: { batches: largeBatches } };
/** At 16×16 better with few terms and with many, and no slower: docs/decisions/0036-universal-dictionaries.md. */
const shorterCodes: LearnedSettings = {
  ...{ id: "osdl-shorter-codes", label: "OSDL, p = 36 by OLS", learner: "osdl", extra: true },
  own: { sparsity: 36, pursuit: "ols", batches: largeBatches, average: true },
};
const odl: LearnedSettings = { id: "odl", label: "ODL", learner: "odl" };
/** A learner of ours (learn/learners/sparseOdl/sparseOdl.ts). */
const sparseOdl: LearnedSettings = {
  ...{ id: "sparse-odl", label: "Sparse ODL", learner: "sparse-odl", extra: true },
};

/** The worst first, as in figure 11. */
const dictionaries: readonly AnalyticDictionary[] = [
  { label: "wavelets", approximator: "wavelet:sym8" },
  { label: "contourlets", approximator: "contourlet" },
  { label: "separable wavelets", approximator: "separable:sym8" },
  { label: "cropped contourlets", approximator: "cropped-contourlet" },
  { label: "cropped wavelets", approximator: "cropped:sym8" },
];

/** A learner's dictionary, continued with more atoms per code. OSDL has more momentum then, since there are few mini-batches. */
function continued(
  { id, learner }: LearnedSettings,
  own: OwnSettings & { sparsity: number },
): LearnedSettings {
  return {
    ...{ id: `${id}-then-${own.sparsity}`, label: continuedLabel(learner, own.sparsity), learner },
    ...{ after: id, own: learner === "osdl" ? { ...own, momentum: 0.95 } : own, extra: true },
  };
}

function continuedLabel(learner: LearnerName, sparsity: number): string {
  return `${learner.toUpperCase()}, then p = ${sparsity}`;
}

const enhances = "the cropping of the atoms significantly enhances the results for both transforms";
const source = "§V-D, figure 11";
const orders: readonly CurveOrder[] = [
  {
    ...{ id: "contourlets-over-wavelets", source, better: "contourlets", than: "wavelets" },
    paper: "contourlets perform slightly better than wavelets",
  },
  {
    ...{ id: "cropped-over-wavelets", source, better: "cropped wavelets", than: "wavelets" },
    paper: enhances,
  },
  {
    ...{ id: "cropped-over-contourlets", source, better: "cropped contourlets", than: "contourlets" },
    paper: enhances,
  },
  {
    ...{ id: "cropped-wavelets-over-cropped-contourlets", source },
    ...{ better: "cropped wavelets", than: "cropped contourlets" },
    paper: "a slight advantage for cropped wavelets over cropped contourlets",
  },
  {
    ...{ id: "separable-over-usual", source: "§III-C" },
    ...{ better: "separable wavelets", than: "wavelets" },
    paper: "the separability provides some advantage over regular wavelets",
  },
  {
    ...{ id: "osdl-over-odl", source, better: trainletsLabel, than: odl.label },
    paper: "ODL performs slightly worse than OSDL",
  },
];

/** Claims of ours about OSDL that was continued with more atoms per code. */
function continuedOrders(sparsity: number): CurveOrder[] {
  const better = continuedLabel("osdl", sparsity);
  return [
    ourOrder("continued-over-cropped-wavelets", better, "cropped wavelets"),
    ourOrder("continued-over-cropped-contourlets", better, "cropped contourlets"),
    ourOrder("continued-over-odl", better, odl.label),
    ourOrder("continued-over-continued-odl", better, continuedLabel("odl", sparsity)),
  ];
}

/** Claims of ours about the rows that are not in the paper. */
const extraOrders: readonly CurveOrder[] = [
  ourOrder("shorter-codes-over-osdl", shorterCodes.label, trainletsLabel),
  ourOrder("sparse-odl-over-osdl", sparseOdl.label, trainletsLabel),
  ourOrder("sparse-odl-over-odl", sparseOdl.label, odl.label),
];

function ourOrder(id: string, better: string, than: string): CurveOrder {
  return { id, source: "ours", paper: "", better, than };
}

const common = {
  departures: [
    "ODL is our own, with OMP and starting from examples; the paper used SPAMS.",
    "The mini-batches are ours: the paper does not state them.",
  ],
  base: "cropped:sym8",
  batches: { gpu: 4096, other: 512 },
  careEvery: 100,
  seed: 1,
  testPatches: 600,
  dictionaries,
  orders,
  margins: [],
} as const;

/** Also said of the stored result (tests/docs/sinceRuns.ts). */
export const universalBatches =
  "On a GPU, OSDL has mini-batches of 16,384 patches and ODL of 4,096; ODL with 16,384 was not run. At 16×16, ODL with mini-batches of 4,096 ended 0.4 % above those of 1,024.";

/** Experiments 6 and 7: total redundancy 6. */
export const universal32: UniversalSettings = {
  ...common,
  name: "universal32",
  summary: "a universal dictionary of 32x32 atoms: figures 9, 10 and 11a",
  patch: [32, 32],
  atoms: 6272,
  atomSparsity: 250,
  sparsity: 60,
  examples: 10_000_000,
  epochs: 2,
  terms: [10, 20, 40, 60],
  learned: [longTrainlets, odl, shorterCodes, sparseOdl],
  orders: [...orders, ...extraOrders],
  departures: [
    ...common.departures,
    universalBatches,
    "Two rows are not in the paper: OSDL that learns with codes of 36 atoms by orthogonal least squares and ends with the mean of its atoms over the last epoch, and Sparse ODL, a learner of ours. All are tested by OMP.",
  ],
  comparesTimes: true,
  margins: [
    { id: "trained-over-base", better: trainletsLabel, than: "cropped wavelets", decibels: { 20: 1, 40: 1 } },
    {
      ...{ id: "shorter-codes-over-base", better: shorterCodes.label, than: "cropped wavelets" },
      decibels: { 20: 1.7, 40: 1.85 },
    },
  ],
  figures: {
    atoms: "figure-9-atoms",
    families: "figure-10-recurring-patterns",
    curves: "figure-11a-m-term",
  },
  gallery: { columns: 18, rows: 12 },
  pictures: { train: 48, test: 8, size: 512 },
  quick: {
    atoms: 3136,
    atomSparsity: 100,
    sparsity: 20,
    examples: 100_000,
    epochs: 1,
    careEvery: 25,
    learned: [trainlets], // ODL takes minutes: n·m² per mini-batch
    orders,
    margins: [],
    pictures: { train: 12, test: 4, size: 256 },
  },
};

/** As many atoms per code as curves have terms. */
const manyTerms = { sparsity: 400, examples: 380_000, batches: { gpu: 2048, other: 512 } } as const;

/** Experiment 8: A is square. */
export const universal64: UniversalSettings = {
  ...common,
  name: "universal64",
  summary: "a universal dictionary of 64x64 atoms: figures 11b and 11c",
  patch: [64, 64],
  atoms: 10_000,
  atomSparsity: 600,
  sparsity: 100,
  examples: 3_800_000,
  epochs: 1,
  terms: [50, 100, 200, 400],
  departures: [
    ...common.departures,
    "The paper does not state the atoms per code in training: here 100.",
    "Two rows are not in the paper: OSDL and ODL, continued with 400 atoms per code on a tenth of the examples, OSDL with γ = 0.95.",
  ],
  learned: [trainlets, odl, continued(trainlets, manyTerms), continued(odl, manyTerms)],
  orders: [...orders, ...continuedOrders(400)],
  comparesTimes: false, // "the times should not be taken as an accurate run-time comparison"
  figures: {
    atoms: "figure-11c-atoms",
    families: "recurring-patterns",
    curves: "figure-11b-m-term",
  },
  gallery: { columns: 12, rows: 6 },
  pictures: { train: 24, test: 6, size: 512 },
  quick: {
    atoms: 4000,
    atomSparsity: 50,
    sparsity: 20,
    examples: 20_000,
    batches: { gpu: 256, other: 256 },
    careEvery: 25,
    learned: [trainlets, continued(trainlets, { sparsity: 40, examples: 2000 })],
    orders: [...orders, ...continuedOrders(40)],
    testPatches: 100,
    dictionaries: dictionaries.filter(({ label }) => label !== "cropped contourlets"), // its 21,845 atoms take minutes
    terms: [5, 10, 20, 40],
    pictures: { train: 12, test: 4, size: 256 },
  },
};
