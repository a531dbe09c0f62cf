/**
 * M-term approximation by analytic dictionaries: figure 4 (§III-C), and the curves of figure 11 (§V-D) that need no
 * training. The trained curve of figure 11 is in fig09-to-11-universal.
 *
 * Figure 4 of the paper: on 1,000 patches of 64×64, completely separable wavelets are better than traditional ones, and
 * cropped separable ones are better than both. Figure 11: contourlets are slightly better than wavelets, and cropping
 * improves both a lot. Measured by prototypes on the photos of BSDS500, in dB with sym8. 64×64 with M = 50, 100, 200, 400: traditional 21.69, 23.25, 25.25, 27.90; separable 21.94, 23.49, 25.39, 27.87; cropped 23.16, 24.64,
 * 26.52, 29.02. 32×32 with M = 10, 20, 40: 20.75, 22.13, 23.86; 21.22, 22.65, 24.38; 22.57, 24.08, 25.84.
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import type { Shape } from "../../core/shape.js";
import type { CommonSettings } from "../shared/chooseSettings.js";
import type { AnalyticDictionary, CurveOrder } from "../shared/mTermComparison.js";
import type { PictureCount } from "../shared/pictures.js";

export interface AnalyticSettings extends CommonSettings<AnalyticSettings> {
  readonly title: string;
  /** Patches that are approximated. */
  readonly examples: number;
  readonly seed: number;
  readonly charts: readonly ChartSettings[];
  /** Patches shown, as on the left of figure 4; 0 for none. */
  readonly shown: number;
  /** Synthetic pictures, if no images are given. */
  readonly pictures: PictureCount;
}

export interface ChartSettings {
  /** The name of its files, without extension. */
  readonly figure: string;
  readonly patch: Shape;
  /** M of the table, ascending; curves end at the last. */
  readonly terms: readonly number[];
  readonly dictionaries: readonly AnalyticDictionary[];
  readonly orders: readonly CurveOrder[];
}

const wavelets = { label: "wavelets", approximator: "wavelet:sym8" } as const;
const separable = { label: "separable wavelets", approximator: "separable:sym8" } as const;
const cropped = { label: "cropped wavelets", approximator: "cropped:sym8" } as const;
const contourlets = { label: "contourlets", approximator: "contourlet" } as const;
const croppedContourlets = { label: "cropped contourlets", approximator: "cropped-contourlet" } as const;

const figure4: ChartSettings = {
  figure: "figure-4-m-term",
  patch: [64, 64],
  terms: [50, 100, 200, 400],
  dictionaries: [wavelets, separable, cropped],
  orders: [
    {
      ...{ id: "separable-over-usual", source: "§III-C, figure 4" },
      paper: "the separability provides some advantage over regular wavelets",
      ...{ better: separable.label, than: wavelets.label },
    },
    {
      ...{ id: "cropped-over-separable", source: "§III-C, figure 4" },
      paper: "cropped separable wavelets give an even better approximation",
      ...{ better: cropped.label, than: separable.label },
    },
  ],
};

export const fig4: AnalyticSettings = {
  name: "fig4",
  summary: "M-term approximation of 64x64 patches by wavelets: figure 4",
  title: "Figure 4: M-term approximation by wavelets",
  departures: [
    "The patches are of the pictures of the run; the paper's are of popular test images. The wavelet, sym8, and the M of the table are ours.",
  ],
  examples: 1000,
  seed: 1,
  charts: [figure4],
  shown: 48,
  pictures: { count: 16, size: 512 },
  quick: {
    examples: 100,
    shown: 24,
    charts: [
      {
        ...figure4,
        terms: [25, 50, 100],
      },
    ],
    pictures: { count: 4, size: 256 },
  },
};

function figure11(figure: string, size: number, terms: readonly number[]): ChartSettings {
  const order = (name: string, paper: string, better: AnalyticDictionary, than: AnalyticDictionary) => ({
    ...{ id: `${name}-${size}`, source: `§V-D, ${figure.slice(0, 10).replace("-", " ")}`, paper },
    ...{ better: better.label, than: than.label },
  });
  const enhances = "the cropping significantly enhances the results for both transforms";
  return {
    figure,
    patch: [size, size],
    terms,
    dictionaries: [wavelets, contourlets, croppedContourlets, cropped],
    orders: [
      order("contourlets-over-wavelets", "contourlets perform slightly better", contourlets, wavelets),
      order("cropped-over-wavelets", enhances, cropped, wavelets),
      order("cropped-over-contourlets", enhances, croppedContourlets, contourlets),
      order(
        "cropped-wavelets-over-cropped-contourlets",
        "a slight advantage for cropped wavelets",
        cropped,
        croppedContourlets,
      ),
    ],
  };
}

const figure11a = figure11("figure-11a-analytic", 32, [10, 20, 40, 60]);
const figure11b = figure11("figure-11b-analytic", 64, [25, 50, 100]);

export const fig11: AnalyticSettings = {
  name: "fig11",
  summary: "M-term curves of wavelets and contourlets: figure 11, untrained",
  title: "Figure 11, untrained: M-term approximation by wavelets and contourlets",
  departures: ["The wavelet is sym8, as for the base dictionary; the filters of the contourlets are ours."],
  examples: 600,
  seed: 1,
  charts: [figure11a, figure11b],
  shown: 0,
  pictures: { count: 16, size: 512 },
  quick: {
    examples: 100,
    charts: [{ ...figure11a, terms: [10, 20] }],
    pictures: { count: 4, size: 256 },
  },
};
