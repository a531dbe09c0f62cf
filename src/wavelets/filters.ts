/**
 * Orthogonal wavelets by name: Haar, Daubechies' extremal phase (dbN), least asymmetric (symN, "symlets")
 * and coiflets (coifN).
 *
 * `lowpass` is the scaling filter h and `highpass` the wavelet filter g of *synthesis* (PyWavelets' `rec_lo` and
 * `rec_hi`): one level of synthesis places h and g at every second sample. With K taps,
 *
 *     Σ h_k = √2,   Σ h_k h_{k+2m} = [m = 0],   g_k = (−1)^k h_{K−1−k},   Σ k^p g_k = 0 for p < M
 *
 *     family   K    M vanishing moments
 *     haar     2    1
 *     dbN      2N   N    extremal phase: energy as early as possible; db1 is haar
 *     symN     2N   N    the same |ĥ| as dbN, nearly symmetric
 *     coifN    6N   2N   and Σ (k − 2N)^p h_k = 0 for 0 < p < 2N
 *
 * N is that of Matlab and PyWavelets: sym8, the wavelet of the paper's experiments, has 16 taps.
 *
 * I. Daubechies. Ten Lectures on Wavelets. SIAM, 1992. The numbers: coefficients.ts.
 */

import { InputError, show } from "../core/errors.js";
import { scalingFilters } from "./coefficients.js";

/** An orthogonal wavelet: its two synthesis filters, of the same even length. */
export interface Wavelet {
  readonly name: string;
  /** h: the scaling filter. */
  readonly lowpass: Float64Array;
  /** g: the wavelet filter. */
  readonly highpass: Float64Array;
}

/** All names that `wavelet` accepts. */
export const waveletNames: readonly string[] = Object.keys(scalingFilters);

const known = "haar, db1…db20, sym2…sym20, coif1…coif5";

/** A wavelet by name. */
export function wavelet(name: string): Wavelet {
  if (!Object.hasOwn(scalingFilters, name)) {
    throw new InputError(`unknown wavelet ${show(name)}; known: ${known}`, { where: "wavelet", value: name });
  }
  const lowpass = Float64Array.from(scalingFilters[name]);
  const highpass = lowpass.map((_, k) => (k % 2 === 0 ? 1 : -1) * lowpass[lowpass.length - 1 - k]);
  return { name, lowpass, highpass };
}
