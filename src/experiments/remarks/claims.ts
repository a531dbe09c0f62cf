/** What was measured for each remark, and what the paper says. */

import { grouped } from "../../core/formatText.js";
import { formatShape } from "../../core/shape.js";
import type { Claim } from "../shared/experiment.js";
import { describeGains } from "../shared/mTermComparison.js";
import type {
  FewSettings,
  LearningSize,
  MomentumSettings,
  ProductSettings,
  TermSettings,
} from "./settings.js";
import type { TransformTimes } from "./transforms.js";

/** Seconds of a product with Φᵀ, as factors and as one matrix. */
export interface ProductTimes {
  readonly factors: number;
  readonly matrix: number;
  /** Of cropped contourlets, which have no factors. */
  readonly contourlets: number;
}

/** PSNR with each M of the table. */
export interface TermGains {
  readonly pursuit: readonly number[];
  readonly thresholding: readonly number[];
}

/** OSDL with momentum and without, from the same patches, by their errors on others at the end. */
export interface Pair {
  readonly size: LearningSize;
  readonly ours: number;
  readonly other: number;
  /** The share of the atoms that one mini-batch uses, with momentum. */
  readonly usedAtoms: number;
}

/** Test errors before learning, and after each epoch. */
export type ErrorCurve = readonly number[];

/** Trainings with the same few patches. */
export interface FewCurves {
  readonly size: LearningSize;
  readonly osdl: ErrorCurve;
  /** With the same start. */
  readonly odl: ErrorCurve;
  readonly odlFromExamples: ErrorCurve;
}

export interface Measured {
  readonly product: ProductTimes;
  readonly transforms: TransformTimes;
  readonly approximation: TermGains;
  /** OSDL with momentum, and without. */
  readonly momentum: readonly Pair[];
  readonly few: readonly FewCurves[];
}

export interface Asked {
  readonly product: ProductSettings;
  readonly approximation: TermSettings;
  readonly momentum: MomentumSettings;
  readonly few: FewSettings;
}

/** "Considerably less efficient": at least this many times as long. */
const considerably = 2;
/** "Only a few atoms": at most this share of them. */
const fewAtoms = 0.25;

export function remarkClaims(
  asked: Asked,
  { product, transforms, approximation, momentum, few }: Measured,
): Claim[] {
  return [
    separableFaster(asked.product, product),
    contourletsSlower(asked.product, product),
    separableTransformFaster(asked.product, transforms),
    ...fewAtomsUsed(momentum),
    ...momentum.map((pair) => momentumHelps(asked.momentum, pair)),
    ...few.flatMap((curves) => sparseBetterFromFew(asked.few, curves)),
    pursuitBetter(asked.approximation, approximation),
  ];
}

function separableFaster({ patch }: ProductSettings, { factors, matrix }: ProductTimes): Claim {
  return {
    ...{ id: "separable-faster", source: "§III" },
    text: `a separable base of ${formatShape(patch)} patches is applied faster by its factors than as one matrix`,
    paper: "typically much more efficient",
    measured: `${milliseconds(factors)} and ${milliseconds(matrix)}: ${(matrix / factors).toFixed(1)} times`,
    holds: factors < matrix,
  };
}

function contourletsSlower({ patch }: ProductSettings, { factors, contourlets }: ProductTimes): Claim {
  return {
    ...{ id: "contourlets-slower", source: "§V-D" },
    text: `to apply cropped contourlets of ${formatShape(patch)} takes at least ${considerably} times as long as to apply cropped wavelets`,
    paper: "the lack of separability makes this dictionary considerably less efficient computationally",
    measured: `${milliseconds(contourlets)} and ${milliseconds(factors)}: ${(contourlets / factors).toFixed(1)} times`,
    holds: contourlets >= considerably * factors,
  };
}

function separableTransformFaster({ patch }: ProductSettings, { cascade, separable }: TransformTimes): Claim {
  return {
    ...{ id: "separable-transform-faster", source: "§III-B" },
    text: `the separable wavelet transform of ${formatShape(patch)} patches, of all rows and then of all columns, takes less time than the cascade (both as implemented here)`,
    paper: "in relatively small images, this alternative is simpler and faster to apply",
    measured: `${microseconds(separable)} and ${microseconds(cascade)} per patch`,
    holds: separable < cascade,
  };
}

/** With the dictionaries after one epoch. */
function fewAtomsUsed(pairs: readonly Pair[]): Claim[] {
  const shares = pairs.map(({ usedAtoms }) => usedAtoms);
  if (shares.length === 0) return []; // the run was aborted before
  return [
    {
      ...{ id: "few-atoms-used", source: "§IV-C" },
      text: `a mini-batch uses, and so updates, at most ${100 * fewAtoms} % of the atoms (${pairs.map(({ size }) => describeSize(size)).join("; ")})`,
      paper: "only a few atoms get updated each time",
      measured: shares.map((share) => `${(100 * share).toFixed(0)} %`).join(", "),
      holds: shares.every((share) => share <= fewAtoms),
    },
  ];
}

function momentumHelps({ momentum }: MomentumSettings, pair: Pair): Claim {
  return {
    ...{ id: `${sizeId(pair.size)}-momentum`, source: "§IV-C" },
    text: `${describeSize(pair.size)}: after one epoch, OSDL has a lower test error with γ = ${momentum} than without momentum`,
    paper: "can speed up the convergence",
    measured: `${pair.ours.toFixed(3)} and ${pair.other.toFixed(3)}`,
    holds: pair.ours < pair.other,
  };
}

/** The lowest error of each: with few examples, a learner may have it long before its end. */
function sparseBetterFromFew(
  { examples, epochs }: FewSettings,
  { size, osdl, odl, odlFromExamples }: FewCurves,
): Claim[] {
  const claim = (id: string, rival: string, theirs: ErrorCurve): Claim => ({
    ...{ id: `${sizeId(size)}-${id}`, source: "§V-A" },
    text: `${describeSize(size)}: with ${grouped(examples)} examples (a number of ours), the lowest test error of OSDL in ${epochs} epochs is below that of ${rival}`,
    paper: "the lower degrees of freedom prove beneficial where the amount of training data is limited",
    measured: [osdl, theirs].map(describeLowest).join(" and "),
    holds: lowest(osdl) < lowest(theirs),
  });
  return [
    claim("few-examples", "ODL, both from the cropped wavelets", odl),
    claim("few-examples-other-start", "ODL that starts from examples", odlFromExamples),
  ];
}

export function lowest(errors: ErrorCurve): number {
  return Math.min(...errors);
}

/** `6.373 after epoch 20`. */
function describeLowest(errors: ErrorCurve): string {
  const epoch = errors.indexOf(lowest(errors));
  return `${errors[epoch].toFixed(3)} ${epoch === 0 ? "before learning" : `after epoch ${epoch}`}`;
}

function pursuitBetter({ terms, patch }: TermSettings, { pursuit, thresholding }: TermGains): Claim {
  const gains = pursuit.map((psnr, i) => psnr - thresholding[i]);
  return {
    ...{ id: "pursuit-over-thresholding", source: "§V-D" },
    text: `over cropped wavelets of ${formatShape(patch)}, OMP represents better than thresholding at M = ${terms.join(", ")}`,
    paper: "thresholding is not optimal for redundant dictionaries",
    measured: `${describeGains(gains, terms)} above`,
    holds: gains.every((gain) => gain > 0),
  };
}

/** `12x12, k = 36`. */
export function describeSize({ patch, atomSparsity }: LearningSize): string {
  return `${formatShape(patch)}, k = ${atomSparsity}`;
}

/** `12x12-k36`. */
export function sizeId({ patch, atomSparsity }: LearningSize): string {
  return `${formatShape(patch)}-k${atomSparsity}`;
}

function microseconds(seconds: number): string {
  return `${(1e6 * seconds).toPrecision(3)} µs`;
}

export function milliseconds(seconds: number): string {
  return `${(1000 * seconds).toPrecision(3)} ms`;
}
