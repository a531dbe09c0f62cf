/** M-term curves of several dictionaries over the same patches, as in figures 4, 8 and 11 of the paper. */

import {
  byRule,
  callback,
  having,
  kernels as kernelsType,
  listOf,
  matrix,
  number,
  type OptionTypes,
  requireArguments,
  required,
  requireOptions,
} from "../../core/arguments/argumentTypes.js";
import type { DenseMatrix } from "../../core/matrix.js";
import type { DictionaryParts } from "../../dictionaries/dictionary.js";
import type { Kernels, PursuitName } from "../../kernels/contract.js";
import { mTermErrors, type OrthonormalTransform, psnrOfErrors } from "./mTerm.js";

/** PSNR in dB of an approximation with 0, 1, … terms. */
export interface MTermCurve {
  readonly label: string;
  readonly psnr: readonly number[];
}

/** A dictionary or transform to compare. It is made when it is needed, so that large ones need not be in memory together. */
export interface Contender {
  readonly label: string;
  readonly make: () =>
    | DictionaryParts
    | OrthonormalTransform
    | Promise<DictionaryParts | OrthonormalTransform>;
}

export interface CurveOptions {
  /** The largest M. */
  readonly maxTerms: number;
  /** The largest sample value, for the PSNR; 255 by default. */
  readonly peak?: number | undefined;
  /** How atoms are taken: `omp` (by default) or `ols`. */
  readonly pursuit?: PursuitName | undefined;
  readonly kernels: Kernels;
  /** Called with the label of the current contender and the number of patches done, starting with 0. */
  readonly onProgress?: ((label: string, done: number) => void) | undefined;
}

const contenderList = listOf(having("", ["make"], ["label"]), "a list of contenders { label, make }");
const curveOptionTypes: OptionTypes<CurveOptions> = {
  maxTerms: byRule,
  peak: number,
  pursuit: byRule,
  kernels: required(kernelsType),
  onProgress: callback,
};

/** The curve of each contender, in their order, over patches without means (`samplePatches`). */
export async function mTermCurves(
  contenders: readonly Contender[],
  patches: DenseMatrix,
  options: CurveOptions,
): Promise<MTermCurve[]> {
  requireArguments("mTermCurves", { contenders: [contenders, contenderList], patches: [patches, matrix] });
  requireOptions("mTermCurves", options, curveOptionTypes);
  const { maxTerms, peak, pursuit, kernels, onProgress } = options;
  const curves: MTermCurve[] = [];
  for (const { label, make } of contenders) {
    onProgress?.(label, 0);
    const report = (done: number) => onProgress?.(label, done);
    const errors = await mTermErrors(await make(), patches, maxTerms, kernels, {
      pursuit,
      onProgress: report,
    });
    curves.push({ label, psnr: psnrOfErrors(errors, peak) });
  }
  return curves;
}
