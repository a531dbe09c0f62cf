/**
 * M-term approximation by analytic dictionaries: figure 4 (§III-C) and those curves of figure 11 (§V-D) that need no training.
 *
 * The paper's claims. Figure 4: on 1,000 patches of 64×64, completely separable wavelets are better than usual ones,
 * and cropped separable ones better than both. Figure 11: contourlets are slightly better than wavelets, and cropping
 * improves both much. How much is ours, from prototypes on the photos of BSDS500: in dB with sym8, 64×64, M = 50, 100,
 * 200, 400: usual 21.69, 23.25, 25.25, 27.90; separable 21.94, 23.49, 25.39, 27.87; cropped 23.16, 24.64, 26.52, 29.02;
 * 32×32, M = 10, 20, 40: 20.75, 22.13, 23.86; 21.22, 22.65, 24.38; 22.57, 24.08, 25.84.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { Shape } from "../../core/shape.js";
import type { Comparison } from "../fig11-universal/config.js";

/** `better` is to be at least `decibels` above `than` at these M of the table. */
export interface Margin {
  readonly better: string;
  readonly than: string;
  readonly decibels: number;
  readonly terms: readonly number[];
}

/** One chart. */
export interface MTermPanel {
  /** The name of its files, without ending. */
  readonly figure: string;
  readonly patch: Shape;
  /** M of the table, ascending; curves go up to the last. */
  readonly terms: readonly number[];
  readonly comparisons: readonly Comparison[];
  readonly margins: readonly Margin[];
}

export interface MTermConfig {
  readonly name: string;
  readonly summary: string;
  readonly title: string;
  readonly patches: number;
  readonly seed: number;
  readonly panels: readonly MTermPanel[];
  /** Patches shown, as the left of figure 4 does; none with 0. */
  readonly shown: number;
  /** Made-up pictures, where there are no others. */
  readonly pictures: { readonly count: number; readonly size: number };
  /** What is different in the small version. */
  readonly quick: Partial<MTermConfig>;
}

const wavelets = { label: "wavelets", approximator: "wavelet:sym8" } as const;
const separable = { label: "separable wavelets", approximator: "separable:sym8" } as const;
const cropped = { label: "cropped wavelets", approximator: "cropped:sym8" } as const;
const contourlet = { label: "contourlets", approximator: "contourlet" } as const;
const croppedContourlet = { label: "cropped contourlets", approximator: "cropped-contourlet" } as const;

const figure4: MTermPanel = {
  figure: "figure-4-m-term",
  patch: [64, 64],
  terms: [50, 100, 200, 400],
  comparisons: [wavelets, separable, cropped],
  margins: [
    { better: separable.label, than: wavelets.label, decibels: 0, terms: [50, 100, 200] },
    { better: cropped.label, than: wavelets.label, decibels: 1, terms: [50, 100, 200, 400] },
    { better: cropped.label, than: separable.label, decibels: 1, terms: [50, 100, 200, 400] },
  ],
};

export const fig4: MTermConfig = {
  name: "fig4",
  summary: "M-term approximation of 64x64 patches by wavelets: figure 4",
  title: "M-term approximation by wavelets",
  patches: 1000,
  seed: 1,
  panels: [figure4],
  shown: 48,
  pictures: { count: 16, size: 512 },
  quick: {
    patches: 100,
    shown: 24,
    panels: [
      {
        ...figure4,
        terms: [25, 50, 100],
        margins: [
          { better: separable.label, than: wavelets.label, decibels: 0, terms: [50, 100] },
          { better: cropped.label, than: separable.label, decibels: 1, terms: [50, 100] },
        ],
      },
    ],
    pictures: { count: 4, size: 256 },
  },
};

function figure11(figure: string, size: number, terms: readonly number[], margin: Margin): MTermPanel {
  return {
    figure,
    patch: [size, size],
    terms,
    comparisons: [wavelets, contourlet, croppedContourlet, cropped],
    margins: [
      margin,
      { better: croppedContourlet.label, than: contourlet.label, decibels: 0, terms },
      { better: contourlet.label, than: wavelets.label, decibels: 0, terms },
    ],
  };
}

const above = { better: cropped.label, than: wavelets.label } as const;
const figure11a = figure11("figure-11a-analytic", 32, [10, 20, 40, 60], {
  ...above,
  decibels: 1.5,
  terms: [20],
});
const figure11b = figure11("figure-11b-analytic", 64, [25, 50, 100], {
  ...above,
  decibels: 1,
  terms: [50, 100],
});

export const fig11: MTermConfig = {
  name: "fig11",
  summary: "M-term curves of wavelets and contourlets: figure 11, untrained",
  title: "M-term approximation by wavelets and contourlets",
  patches: 600,
  seed: 1,
  panels: [figure11a, figure11b],
  shown: 0,
  pictures: { count: 16, size: 512 },
  quick: {
    patches: 100,
    panels: [
      { ...figure11a, terms: [10, 20], margins: figure11a.margins.map((one) => ({ ...one, terms: [20] })) },
    ],
    pictures: { count: 4, size: 256 },
  },
};
