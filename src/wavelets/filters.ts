/**
 * Wavelets by name: the orthogonal ones of Haar and Daubechies (dbN, extremal phase; symN, least asymmetric, "symlets";
 * coifN, coiflets), the biorthogonal ones of Cohen, Daubechies and Feauveau (biorNr.Nd, and rbioNr.Nd, the same with
 * analysis and synthesis exchanged), and dmey, a finite filter near Meyer's.
 *
 * `lowpass` is the scaling filter h and `highpass` the wavelet filter g of *synthesis* (PyWavelets' `rec_lo` and
 * `rec_hi`): one level of synthesis places h and g at every second sample. With K taps, orthogonal wavelets have
 *
 *     Σ h_k = √2,   Σ h_k h_{k+2m} = [m = 0],   g_k = (−1)^k h_{K−1−k},   Σ k^p g_k = 0 for p < M
 *
 *     family   K    M vanishing moments
 *     haar     2    1
 *     dbN      2N   N    extremal phase: energy as early as possible; db1 is haar
 *     symN     2N   N    the same |ĥ| as dbN, nearly symmetric
 *     coifN    6N   2N   and Σ (k − 2N)^p h_k = 0 for 0 < p < 2N
 *
 * Biorthogonal wavelets have other filters for *analysis*, h̃ and g̃ (PyWavelets' `dec_lo` and `dec_hi`, reversed):
 *
 *     Σ h̃_k = √2,   Σ h_k h̃_{k+2m} = [m = 0],   g_k = (−1)^k h̃_{K−1−k},   g̃_k = (−1)^k h_{K−1−k}
 *
 * All their filters are symmetric. h has Nr zeros at −1 and h̃ has Nd, so that g has Nd vanishing moments; bior5.5 has 6
 * and 4. dmey is analysed with its own filters, and Σ h² = 1.0022: its transform is inverted only nearly.
 *
 * N is that of Matlab and PyWavelets: sym8, the wavelet of the paper's experiments, has 16 taps.
 *
 * I. Daubechies. Ten Lectures on Wavelets. SIAM, 1992. The numbers: coefficients.ts.
 */

import { type ArgumentType, float64, record } from "../core/arguments/argumentTypes.js";
import { InputError, show } from "../core/errors.js";
import { biorthogonalFilters, meyerFilter, scalingFilters } from "./coefficients.js";

/** A scaling filter and a wavelet filter, of the same even length. */
export interface FilterBank {
  /** h: the scaling filter. */
  readonly lowpass: Float64Array;
  /** g: the wavelet filter. */
  readonly highpass: Float64Array;
}

/** A wavelet: its two synthesis filters. */
export interface Wavelet extends FilterBank {
  readonly name: string;
  /** The filters of analysis, h̃ and g̃; an orthogonal wavelet has none but those of synthesis. */
  readonly analysis?: FilterBank;
}

/** A wavelet, as an argument. */
export const waveletType: ArgumentType = {
  words: "a wavelet, as wavelet(name) returns it",
  accepts: (value) => record.accepts(value) && float64.accepts((value as Wavelet).lowpass),
};

const biorthogonalNames = Object.keys(biorthogonalFilters);

/** All names that `wavelet` accepts. */
export const waveletNames: readonly string[] = [
  ...Object.keys(scalingFilters),
  ...biorthogonalNames,
  ...biorthogonalNames.map((name) => name.replace("bior", "rbio")),
  "dmey",
];

const known = "haar, db1…db20, sym2…sym20, coif1…coif5, bior1.1…bior6.8, rbio1.1…rbio6.8, dmey";

/** A wavelet by name. */
export function wavelet(name: string): Wavelet {
  if (!waveletNames.includes(name)) {
    throw new InputError(`unknown wavelet ${show(name)}; known: ${known}`, { where: "wavelet", value: name });
  }
  if (name === "dmey") {
    const filters = filterBank(meyerFilter, meyerFilter);
    return { name, ...filters, analysis: filters };
  }
  if (name in scalingFilters) return { name, ...filterBank(scalingFilters[name], scalingFilters[name]) };
  const [h, dual] = biorthogonalFilters[name.replace("rbio", "bior")];
  const [synthesis, analysis] = [filterBank(h, dual), filterBank(dual, h)];
  return name.startsWith("bior")
    ? { name, ...synthesis, analysis }
    : { name, ...analysis, analysis: synthesis };
}

/** Whether the transform of a wavelet is orthogonal, so that analysis is the transpose of synthesis. */
export function isOrthogonal({ analysis }: Wavelet): boolean {
  return analysis === undefined;
}

/** h and the g of its dual: g_k = (−1)^k h̃_{K−1−k}. */
function filterBank(h: readonly number[], dual: readonly number[]): FilterBank {
  const highpass = Float64Array.from(h, (_, k) => (k % 2 === 0 ? 1 : -1) * dual[h.length - 1 - k]);
  return { lowpass: Float64Array.from(h), highpass };
}
