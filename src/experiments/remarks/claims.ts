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

/** Seconds of a product with Φᵀ, as factors and as one matrix. */
export interface ProductTimes {
  readonly factors: number;
  readonly matrix: number;
}

/** PSNR with each M of the table. */
export interface TermGains {
  readonly pursuit: readonly number[];
  readonly thresholding: readonly number[];
}

/** Two trainings with the same patches, by their errors on others at the end; `start` is before learning. */
export interface Pair {
  readonly size: LearningSize;
  readonly start: number;
  readonly ours: number;
  readonly other: number;
}

export interface Measured {
  readonly product: ProductTimes;
  readonly approximation: TermGains;
  /** OSDL with momentum, and without. */
  readonly momentum: readonly Pair[];
  /** OSDL, and ODL, with few examples. */
  readonly few: readonly Pair[];
}

export interface Asked {
  readonly product: ProductSettings;
  readonly approximation: TermSettings;
  readonly momentum: MomentumSettings;
  readonly few: FewSettings;
}

export function remarkClaims(asked: Asked, { product, approximation, momentum, few }: Measured): Claim[] {
  return [
    separableFaster(asked.product, product),
    ...momentum.map((pair) => momentumHelps(asked.momentum, pair)),
    ...few.map((pair) => sparseBetterFromFew(asked.few, pair)),
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

function momentumHelps({ momentum }: MomentumSettings, pair: Pair): Claim {
  return {
    ...{ id: `${sizeId(pair.size)}-momentum`, source: "§IV-C" },
    text: `${describeSize(pair.size)}: after one epoch, OSDL has a lower test error with γ = ${momentum} than without momentum`,
    paper: "can speed up the convergence",
    measured: `${pair.ours.toFixed(3)} and ${pair.other.toFixed(3)}`,
    holds: pair.ours < pair.other,
  };
}

function sparseBetterFromFew({ examples }: FewSettings, pair: Pair): Claim {
  return {
    ...{ id: `${sizeId(pair.size)}-few-examples`, source: "§V-A" },
    text: `${describeSize(pair.size)}: with ${grouped(examples)} examples OSDL ends with a lower test error than ODL`,
    paper: "the lower degrees of freedom prove beneficial where the amount of training data is limited",
    measured: `${pair.ours.toFixed(3)} and ${pair.other.toFixed(3)}`,
    holds: pair.ours < pair.other,
  };
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

export function milliseconds(seconds: number): string {
  return `${(1000 * seconds).toPrecision(3)} ms`;
}
