/** M-term curves of several dictionaries over the same patches, side by side, as in figures 4, 8 and 11 of the paper. */

import type { DenseMatrix } from "../../core/matrix.js";
import type { DictionaryParts } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import { mTermErrors, type OrthonormalTransform, psnrOfErrors } from "./mTerm.js";

/** PSNR in dB of an approximation with 0, 1, … terms. */
export interface MTermCurve {
  readonly label: string;
  readonly psnr: readonly number[];
}

/** Something to approximate with. It is made when its turn comes: large ones need not be there together. */
export interface Contender {
  readonly label: string;
  readonly make: () =>
    | DictionaryParts
    | OrthonormalTransform
    | Promise<DictionaryParts | OrthonormalTransform>;
}

export interface CurveOptions {
  /** The largest M. */
  readonly most: number;
  /** Of the samples, for the PSNR: 255 unless told. */
  readonly peak?: number | undefined;
  readonly kernels: Kernels;
  /** Told who is at it, and how many patches are done; 0 as it begins. */
  readonly onProgress?: ((label: string, done: number) => void) | undefined;
}

/** The curve of each, in their order, over patches without means (`samplePatches`). */
export async function mTermCurves(
  contenders: readonly Contender[],
  patches: DenseMatrix,
  { most, peak, kernels, onProgress }: CurveOptions,
): Promise<MTermCurve[]> {
  const curves: MTermCurve[] = [];
  for (const { label, make } of contenders) {
    onProgress?.(label, 0);
    const tell = (done: number) => onProgress?.(label, done);
    const errors = await mTermErrors(await make(), patches, most, kernels, tell);
    curves.push({ label, psnr: psnrOfErrors(errors, peak) });
  }
  return curves;
}
